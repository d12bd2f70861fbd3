"""Rigid multibody dynamics: algorithms as the literature prints them, compiled for one mechanism."""
