"""What joints along one axis have in common."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .base import Joint, unit_axis


@dataclass(frozen=True)
class AxisJoint(Joint):
    """A joint that turns about or slides along one axis, the same in both of its frames.

    Both frames may be turned about the axis and shifted along it: the joint moves as before, its
    coordinates counted from another zero.
    """

    axis: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))

    @property
    def screw_pitch(self) -> float:
        """How far it moves along the axis while q[0] turns, m/rad; infinite if q[0] is no angle."""
        return 0.0

    def along(self, axis: Any) -> Self:
        """The same joint along another axis."""
        return replace(self, axis=axis)

    def on_axis(self) -> "AxisJoint":
        return self

    def turned_round(self) -> Self:
        """The joint whose q, qd mean the same with the roles of its two frames swapped."""
        return self.along(tuple(-np.array(self.axis) + 0.0))
