"""Revolute joint (RBDA table 4.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import angle_about, axis_rotation, turn_about
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform, rot
from .axis_joint import AxisJoint
from .unseen_inertia import mass_on_axis


@dataclass(frozen=True)
class Revolute(AxisJoint):
    """Turn by q[0] rad about an axis, the same in both frames; qd is rad/s, tau N m.

    >>> import whippletree as wt
    >>> wt.Revolute("z").motion_subspace(np.zeros(1)).ravel()
    array([0., 0., 1., 0., 0., 0.])
    """

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def transform(self, q: Array) -> Transform:
        return rot(axis_rotation(np.array(self.axis), q[0]).T)

    def motion_subspace(self, q: Array) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def position_at(self, X: Transform) -> Array:
        return array([angle_about(np.array(self.axis), X.E.T)])

    def nearest(self, X: Transform) -> Transform:
        return rot(turn_about(np.array(self.axis), X.E.T).T)

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-np.pi, np.pi, 1)

    @property
    def turns_endlessly(self) -> bool:
        return True

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return mass_on_axis(self.axis, I)
