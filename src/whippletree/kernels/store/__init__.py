"""What was recorded and compiled, kept on disk under the hash of its content."""
