"""Spherical joint with Euler angles (RBDA eq 4.7-4.9)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..spatial.inertia import Inertia
from ..spatial.rotation import AXES, axis_rotation, from_euler, to_euler
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform, rot
from ..spatial.vectors import cross
from .base import Joint
from .spherical import Spherical
from .unseen_inertia import point_mass


@dataclass(frozen=True)
class SphericalEuler(Joint):
    """Three successive turns about axes that move along, "zyx" being yaw, pitch, roll; qd = dq/dt.

    S loses rank where the first and the last axis fall together: at a middle angle of ±π/2 if the
    three letters differ, of 0 or π if the first and the last agree.

    >>> import whippletree as wt
    >>> wt.SphericalEuler().motion_subspace(np.array([0.4, 0.0, 0.0]))[:3]
    array([[0., 0., 1.],
           [0., 1., 0.],
           [1., 0., 0.]])
    """

    sequence: str = "zyx"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        s = self.sequence
        if not isinstance(s, str) or len(s) != 3 or not set(s) <= set("xyz") or s[0] == s[1] or s[1] == s[2]:
            raise ModelError(
                f'sequence is {s!r}: give three of "xyz", no two alike in a row, as "zyx" or "zxz"'
            )

    def transform(self, q: Array) -> Transform:
        return rot(from_euler(q, self.sequence).T)

    def motion_subspace(self, q: Array) -> Array:
        axes = array(self._axes(q)).T
        return np.concatenate([axes, np.zeros((3, 3))])

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        # Seen from F_s, each axis turns back with the angular velocity of all turns after its own.
        first, second, third = self._axes(q)
        after_second = third * qd[2]
        after_first = after_second + second * qd[1]
        rates = array([cross(first, after_first), cross(second, after_second), np.zeros(3)]).T
        return np.concatenate([rates, np.zeros((3, 3))])

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        first, second, third = self._axes(q)
        turning = second * qd[1] + third * qd[2]
        by_second = cross(cross(first, second), turning) * qd[0]
        seen = cross(second, third)  # the change of the second axis by the third turn
        by_third = cross(cross(first, third), turning) * qd[0] + cross(first, seen) * (qd[0] * qd[1])
        by_third = by_third + cross(seen, third) * (qd[1] * qd[2])
        return np.concatenate([array([np.zeros(3), by_second, by_third]).T, np.zeros((3, 3))])

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, 3:]

    def position_at(self, X: Transform) -> Array:
        return to_euler(X.E.T, self.sequence)

    def random(self, rng: np.random.Generator) -> Array:
        # The middle angle keeps clear of the singular positions of either kind of sequence.
        middle = rng.uniform(0.2, 1.3)
        return np.array([rng.uniform(-np.pi, np.pi), middle, rng.uniform(-np.pi, np.pi)])

    def plain(self) -> Joint:
        return Spherical()

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return point_mass(I)

    def _axes(self, q: Array) -> tuple[Array, Array, Array]:
        """The three axes of rotation in F_s's coordinates."""
        a, b, c = (np.eye(3)[AXES[letter]] for letter in self.sequence)
        E3 = axis_rotation(c, q[2]).T
        return E3 @ (axis_rotation(b, q[1]).T @ a), E3 @ b, c
