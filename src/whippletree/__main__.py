"""`python -m whippletree` is the command `whippletree`."""

from .cli.app import app

app(prog_name="whippletree")
