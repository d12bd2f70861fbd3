"""Let a mechanism move: integrators, events, trajectories, many at once (RBDA §10.1)."""

from .events import Event, Occurrence
from .files import load_trajectory
from .simulate import simulate
from .trajectory import Trajectory

__all__ = ["Event", "Occurrence", "Trajectory", "load_trajectory", "simulate"]
