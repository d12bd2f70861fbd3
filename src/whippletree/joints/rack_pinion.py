"""Rack and pinion (RBDA example 4.6)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..spatial.inertia import Inertia
from ..spatial.rotation import angle_about, axis_rotation
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform
from ..spatial.vectors import cross
from .base import Joint, finite_number, full_turns, perpendicular, unit_axis
from .unseen_inertia import transverse_moments


@dataclass(frozen=True)
class RackPinion(Joint):
    """Turn by q[0] rad about `axis` while the centre moves by radius·q[0] m along the rack in F_p.

    `rack` is the direction of the rack, perpendicular to the axis. A radius of 0 makes a revolute
    joint. The joint is not symmetric: swapping pinion and rack makes another one, see `Reversed`.

    >>> import whippletree as wt
    >>> wt.RackPinion(radius=0.1).transform(np.array([2.0])).r
    array([0.2, 0. , 0. ])
    """

    radius: float
    axis: Any = "z"
    rack: Any = "x"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))
        object.__setattr__(self, "rack", unit_axis(self.rack, "rack"))
        object.__setattr__(self, "radius", finite_number(self.radius, "radius", "m"))
        cosine = float(np.dot(self.axis, self.rack))
        if abs(cosine) > 1e-9:
            raise ModelError(
                f"rack {self.rack} and axis {self.axis} have the scalar product {cosine:g}, not 0"
            )

    def transform(self, q: Array) -> Transform:
        E = axis_rotation(np.array(self.axis), q[0]).T
        return Transform(E, np.array(self.rack) * (self.radius * q[0]))

    def motion_subspace(self, q: Array) -> Array:
        return np.concatenate([np.array(self.axis), self._rack_seen_from_successor(q)])[:, None]

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        rate = cross(self._rack_seen_from_successor(q), np.array(self.axis)) * qd[0]
        return np.concatenate([np.zeros(3), rate])[:, None]

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        axis = np.array(self.axis)
        change = cross(cross(self._rack_seen_from_successor(q), axis), axis) * (qd[0] * qd[0])
        return np.concatenate([np.zeros(3), change])[:, None]

    def constraint_subspace(self, q: Array) -> Array:
        # Two moments across the axis, and each force with the moment that undoes its work.
        first, second = perpendicular(self.axis)
        zero, axis = (0.0, 0.0, 0.0), np.array(self.axis)
        slide = self._rack_seen_from_successor(q)
        forces = [[*(-slide[k] * axis), *np.eye(3)[k]] for k in range(3)]
        return array([[*first, *zero], [*second, *zero], *forces]).T

    def position_at(self, X: Transform) -> Array:
        angle = angle_about(np.array(self.axis), X.E.T)
        rolled = np.array(self.rack) @ X.r
        return array([angle if self.radius == 0.0 else full_turns(angle, rolled / self.radius)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-np.pi, np.pi, 1)

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return transverse_moments(self.axis, I)

    def _rack_seen_from_successor(self, q: Array) -> Array:
        rack = np.array(self.rack) * self.radius
        return axis_rotation(np.array(self.axis), q[0]).T @ rack
