"""Prismatic joint (RBDA table 4.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform, xlt
from .axis_joint import AxisJoint
from .unseen_inertia import moments


@dataclass(frozen=True)
class Prismatic(AxisJoint):
    """Slide by q[0] m along an axis, the same in both frames; qd is m/s, tau N.

    >>> import whippletree as wt
    >>> wt.Prismatic("x").transform(np.array([0.5])).r
    array([0.5, 0. , 0. ])
    """

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def transform(self, q: Array) -> Transform:
        return xlt(np.array(self.axis) * q[0])

    def motion_subspace(self, q: Array) -> Array:
        return np.array([[0.0, 0.0, 0.0, *self.axis]]).T

    def position_at(self, X: Transform) -> Array:
        return array([np.array(self.axis) @ X.r])

    @property
    def screw_pitch(self) -> float:
        return np.inf

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return moments(I)
