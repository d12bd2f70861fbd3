"""Spherical joint with a unit quaternion (RBDA table 4.1, eq 4.12-4.13)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import (
    from_quaternion,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_rate,
    to_quaternion,
)
from ..spatial.scalar import Array
from ..spatial.transform import Transform, rot
from .base import Joint, quaternion_fault
from .unseen_inertia import point_mass


@dataclass(frozen=True)
class Spherical(Joint):
    """Turn freely about a point; q is a unit quaternion (w, x, y, z), qd the angular velocity in F_s.

    >>> import whippletree as wt
    >>> wt.Spherical().neutral()
    array([1., 0., 0., 0.])
    """

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3

    def transform(self, q: Array) -> Transform:
        return rot(from_quaternion(q).T)

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, :3]

    def rate(self, q: Array, qd: Array) -> Array:
        return quaternion_rate(q, qd)

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def position_at(self, X: Transform) -> Array:
        return to_quaternion(X.E.T)

    def random(self, rng: np.random.Generator) -> Array:
        # Four normal deviates point in a uniformly distributed direction of the unit sphere.
        p = rng.normal(size=4)
        return p / np.sqrt(p @ p)

    def integrate(self, q: Array, dq: Array) -> Array:
        p = quaternion_product(q, quaternion_exp(dq))
        return p / np.sqrt(p @ p)

    def difference(self, q0: Array, q1: Array) -> Array:
        return quaternion_log(quaternion_product(quaternion_conjugate(q0), q1))

    def position_fault(self, q: Array) -> str | None:
        return quaternion_fault(q)

    @property
    def carries_spring(self) -> bool:
        return True

    def plain(self) -> Joint:
        return Spherical()

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return point_mass(I)

    @property
    def labels(self) -> tuple[str, ...]:
        return ("rx", "ry", "rz")
