"""The command `whippletree`."""
