"""Spherical joint with the exponential map (Liu & Jain eq 52-56)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import exp, exp_bias_gradient, exp_jacobian, exp_jacobian_rate, log
from ..spatial.scalar import Array
from ..spatial.transform import Transform, rot
from .base import Joint
from .spherical import Spherical
from .unseen_inertia import point_mass


@dataclass(frozen=True)
class SphericalExponential(Joint):
    """Turn by |q| rad about the direction of q (3,); qd = dq/dt. S loses rank at |q| = 2π.

    >>> import whippletree as wt
    >>> wt.SphericalExponential().motion_subspace(np.zeros(3))[:3]
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def transform(self, q: Array) -> Transform:
        return rot(exp(q).T)

    def motion_subspace(self, q: Array) -> Array:
        return np.concatenate([exp_jacobian(q), np.zeros((3, 3))])

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        return np.concatenate([exp_jacobian_rate(q, qd), np.zeros((3, 3))])

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        return np.concatenate([exp_bias_gradient(q, qd), np.zeros((3, 3))])

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, 3:]

    def position_at(self, X: Transform) -> Array:
        return log(X.E.T)

    def random(self, rng: np.random.Generator) -> Array:
        direction = rng.normal(size=3)
        return direction / np.sqrt(direction @ direction) * rng.uniform(0.0, np.pi)

    def plain(self) -> Joint:
        return Spherical()

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return point_mass(I)

    @property
    def labels(self) -> tuple[str, ...]:
        return ("rx", "ry", "rz")
