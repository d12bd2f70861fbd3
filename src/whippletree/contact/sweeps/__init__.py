"""Rigid contact by steps without events: every candidate always in, and a fixed number of sweeps."""
