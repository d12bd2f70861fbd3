"""TOML, Whippletree's own files: read and written."""
