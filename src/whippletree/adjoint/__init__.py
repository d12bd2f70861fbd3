"""Gradients through time, backward from the end: what changes a trajectory's outcome, and how much."""

from .rollout_gradient import RolloutGradient, rollout_gradient

__all__ = ["RolloutGradient", "rollout_gradient"]
