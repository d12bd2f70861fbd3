"""What loops and gears demand: K, k, δ, their rank, and mobility (RBDA §8.2-8.8)."""
