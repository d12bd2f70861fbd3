"""Machine code at work: compiled, called, repeated, on several threads."""
