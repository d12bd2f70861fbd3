"""Shapes that may touch: pairs, gaps, contact frames and their motion (RBDA §11.1-11.6)."""
