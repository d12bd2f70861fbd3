"""Let a mechanism move: integrators, events, trajectories, many at once (RBDA §10.1)."""

from .batch import rollout
from .driver import simulate
from .events import Event, Occurrence
from .files import load_trajectory
from .recorded import Recorded
from .stepping import Feedback
from .touching.contact_history import ContactHistory
from .trajectory import Blow, Trajectory

__all__ = [
    "Blow",
    "ContactHistory",
    "Event",
    "Feedback",
    "Occurrence",
    "Recorded",
    "Trajectory",
    "load_trajectory",
    "rollout",
    "simulate",
]
