"""Write sums and products anew where that saves operations (RBDA §10.4)."""
