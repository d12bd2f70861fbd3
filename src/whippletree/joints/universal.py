"""Universal (Hooke's, Cardan) joint."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..spatial.inertia import Inertia
from ..spatial.rotation import axis_rotation
from ..spatial.scalar import Array, arctan2, array
from ..spatial.transform import Transform, rot
from ..spatial.vectors import cross
from .base import Joint, unit_axis
from .unseen_inertia import point_mass


@dataclass(frozen=True)
class Universal(Joint):
    """Turn by q[0] rad about `first`, fixed in F_p, then by q[1] rad about `second`, fixed in F_s.

    >>> import whippletree as wt
    >>> wt.Universal("x", "y").motion_subspace(np.array([0.7, 0.0]))[:3].T
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """

    first: Any = "x"
    second: Any = "y"
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit_axis(self.first, "first axis"))
        object.__setattr__(self, "second", unit_axis(self.second, "second axis"))
        sine = float(np.linalg.norm(np.cross(self.first, self.second)))
        if sine < 1e-9:
            raise ModelError(f"the axes {self.first} and {self.second} of a universal joint are parallel")

    def transform(self, q: Array) -> Transform:
        first = axis_rotation(np.array(self.first), q[0])
        return rot((first @ axis_rotation(np.array(self.second), q[1])).T)

    def motion_subspace(self, q: Array) -> Array:
        zero = (0.0, 0.0, 0.0)
        return array([[*self._first_seen_from_successor(q), *zero], [*self.second, *zero]]).T

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        # The first axis stands still in F_p, so from F_s it is seen to turn back with the second.
        rate = cross(self._first_seen_from_successor(q), np.array(self.second)) * qd[1]
        return array([[*rate, 0.0, 0.0, 0.0], [0.0] * 6]).T

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        second = np.array(self.second)
        change = cross(cross(self._first_seen_from_successor(q), second), second) * (qd[0] * qd[1])
        return array([[0.0] * 6, [*change, 0.0, 0.0, 0.0]]).T

    def constraint_subspace(self, q: Array) -> Array:
        zero = (0.0, 0.0, 0.0)
        normal = cross(self._first_seen_from_successor(q), np.array(self.second))
        return array([[*normal, *zero], *np.eye(6)[3:]]).T

    def position_at(self, X: Transform) -> Array:
        # Each turn is what brings the other one's axis from where it is at zero to where it is seen.
        first, second = np.array(self.first), np.array(self.second)
        seen_first, seen_second = X.E @ first, X.E.T @ second
        return array([_angle(second, seen_second, first), -_angle(first, seen_first, second)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-np.pi, np.pi, 2)

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return point_mass(I)

    def _first_seen_from_successor(self, q: Array) -> Array:
        return axis_rotation(np.array(self.second), q[1]).T @ np.array(self.first)


def _angle(start: Array, end: Array, axis: Array) -> Any:
    """The turn about a unit axis that leads from one direction to another, seen along the axis."""
    return arctan2(axis @ cross(start, end), start @ end - (start @ axis) * (end @ axis))
