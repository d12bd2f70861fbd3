"""Constant forces on frames."""

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import ModelError
from .physical import three_numbers

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
        for part, unit in (("force", "N"), ("torque", "N m")):
            numbers = three_numbers(getattr(self, part), f"force {self.name!r}: {part}", unit)
            object.__setattr__(self, part, numbers)
        if self.reference not in REFERENCES:
            known = ", ".join(repr(name) for name in REFERENCES)
            raise ModelError(f"force {self.name!r}: reference is {self.reference!r}, expected one of {known}")
