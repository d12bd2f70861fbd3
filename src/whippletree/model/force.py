"""Constant forces on frames."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ..errors import ModelError
from .fields import set_vectors
from .parts import GROUND

if TYPE_CHECKING:
    from .mechanism import Mechanism

Reference = Literal["body", "world", "aligned"]
"""In which coordinates a frame's motion, or a force on it, is told.

"body": the frame's own axes, at its own origin. "world": the world's axes, at the world's origin, as
spatial vectors in base coordinates are. "aligned": the world's axes, at the frame's origin.
"""

REFERENCES: tuple[str, ...] = get_args(Reference)


@dataclass(frozen=True)
class Force:
    """A constant force, N, and torque, N m, on a frame or body: a thruster, a fan, a hanging weight.

    With the reference "body" it turns along with the frame, with "aligned" it keeps its direction in the
    world and acts at the frame's origin; with "world" it acts along one line of the world for ever.
    """

    name: str
    frame: str
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    reference: Reference = "body"

    def __post_init__(self) -> None:
        set_vectors(self, f"force {self.name!r}", {"force": "N", "torque": "N m"})
        if not isinstance(self.reference, str) or self.reference not in REFERENCES:
            known = ", ".join(repr(name) for name in REFERENCES)
            raise ModelError(f"force {self.name!r}: reference is {self.reference!r}, expected one of {known}")


def check_force(m: "Mechanism", force: Force) -> None:
    """ModelError for a force on a frame that is not there, or that the ground bears."""
    if m.frame(force.frame).body == GROUND:
        raise ModelError(f"force {force.name!r}: {force.frame!r} is on the ground, name a frame on a body")
