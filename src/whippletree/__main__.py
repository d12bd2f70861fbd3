"""`python -m whippletree` is the command `whippletree`."""

from .cli import app

app(prog_name="whippletree")
