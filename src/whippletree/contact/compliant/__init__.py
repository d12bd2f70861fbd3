"""Surfaces that give way (RBDA §11.8)."""
