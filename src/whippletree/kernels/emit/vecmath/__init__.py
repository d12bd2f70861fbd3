"""Elementary functions over vectors of doubles, as LLVM IR."""
