"""Cylindrical joint (RBDA table 4.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import angle_about, axis_rotation
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform
from .axis_joint import AxisJoint
from .unseen_inertia import transverse_moments


@dataclass(frozen=True)
class Cylindrical(AxisJoint):
    """Turn by q[0] rad about an axis and slide by q[1] m along it.

    >>> import whippletree as wt
    >>> wt.Cylindrical("z").motion_subspace(np.zeros(2))[:, 1]
    array([0., 0., 0., 0., 0., 1.])
    """

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def transform(self, q: Array) -> Transform:
        axis = np.array(self.axis)
        return Transform(axis_rotation(axis, q[0]).T, axis * q[1])

    def motion_subspace(self, q: Array) -> Array:
        zero = (0.0, 0.0, 0.0)
        return np.array([[*self.axis, *zero], [*zero, *self.axis]]).T

    def position_at(self, X: Transform) -> Array:
        axis = np.array(self.axis)
        return array([angle_about(axis, X.E.T), axis @ X.r])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, 2) * np.array([np.pi, 1.0])

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return transverse_moments(self.axis, I)
