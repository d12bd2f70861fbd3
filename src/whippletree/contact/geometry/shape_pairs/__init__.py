"""Shapes that touch in closed form, a file for each family of pairs."""
