"""Functions of arrays as machine code: trace ← simplify, derive, emit, export, store ← run. No mechanics."""
