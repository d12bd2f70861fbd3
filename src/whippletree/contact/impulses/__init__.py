"""Impulses: what changes velocities at once (RBDA §11.7)."""
