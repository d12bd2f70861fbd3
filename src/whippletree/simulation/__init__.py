"""Let a mechanism move: integrators, events, trajectories, many at once (RBDA §10.1)."""

from .events import Event, Occurrence
from .files import load_trajectory
from .rollout import rollout
from .simulate import simulate
from .stepping import Feedback
from .trajectory import Trajectory

__all__ = ["Event", "Feedback", "Occurrence", "Trajectory", "load_trajectory", "rollout", "simulate"]
