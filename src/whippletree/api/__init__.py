"""Functions over whole mechanisms: methods of forward dynamics, compilation."""
