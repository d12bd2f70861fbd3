"""Programs as LLVM IR: order, vectors, memory, subroutines, native calls."""
