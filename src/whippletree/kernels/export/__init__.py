"""Programs as C, Python and SymPy."""
