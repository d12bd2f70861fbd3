"""Derivatives of programs, as programs."""
