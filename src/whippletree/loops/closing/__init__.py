"""Positions and velocities that close the loops."""
