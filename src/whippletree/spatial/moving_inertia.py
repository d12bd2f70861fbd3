"""How forces on a moving body change with its velocity: twelve numbers, never a 6×6 matrix."""

from typing import Any

import numpy as np

from .inertia import Inertia
from .rotate import symmetric
from .scalar import Array, array
from .transform import Transform
from .vectors import cross, skew


class MovingInertia:
    """Twice the Coriolis matrix of a body or of several, B in its symmetric form (Echeandia & Wensing 2021).

    Let the velocity of a body change by d, and its spatial acceleration by d × v, as it does where another
    joint moves the body along. Then a particle at x, moving with ẋ, accelerates by 2 d_ω × ẋ more, whatever
    the linear part of d. All particles together take, with K = Σ m ẋ xᵀ and p = Σ m ẋ,

        2 B d = [2 (tr K - K) d_ω; 2 d_ω × p]

    which holds for a body, and for bodies that are moved along together.

    Attributes:
        K: (3, 3) first moment of the momentum, kg m²/s.
        p: (3,) momentum, kg m/s.
    """

    __slots__ = ("K", "p")

    def __init__(self, K: Array, p: Array) -> None:
        self.K = K
        self.p: Array = p

    @staticmethod
    def of(inertia: Inertia, v: Array) -> "MovingInertia":
        """That of a body with the spatial velocity v (6,): ẋ = v_O + ω × x. 33m + 27a."""
        I, w, u = symmetric(inertia.I), v[:3], v[3:]
        second = 0.5 * (I[0, 0] + I[1, 1] + I[2, 2]) * np.eye(3) - I  # Σ m x xᵀ
        K = skew(w) @ second + u[:, None] * inertia.h
        return MovingInertia(K, inertia.m * u + cross(w, inertia.h))

    def __add__(self, other: "MovingInertia") -> "MovingInertia":
        """Of bodies that are moved along together, both in the same frame. 12a."""
        return MovingInertia(self.K + other.K, self.p + other.p)

    def __matmul__(self, d: Array) -> Array:
        """2 B d of changes of velocity (6, k): forces."""
        twice = self._twice()
        return np.concatenate([twice @ d[:3], -2.0 * cross(self.p, d[:3])])

    def transpose_times(self, s: Array) -> Array:
        """2 Bᵀ s of motions (6, k): pure moments, as forces (6, k)."""
        return np.concatenate([self._twice().T @ s[:3] + 2.0 * cross(self.p, s[3:]), 0.0 * s[3:]])

    def to_parent(self, X: Transform) -> "MovingInertia":
        """From coordinates in B to coordinates in A, X going from A to B. 49m + 41a."""
        K, p = self.K, self.p
        for step in X.steps:
            R = step.rotation.T
            p = R.vector(p)
            K = R.general(K) + p[:, None] * step.r
        return MovingInertia(K, p)

    def _twice(self) -> Array:
        """(3, 3) 2 (tr K - K)."""
        K: Any = self.K
        trace = K[0, 0] + K[1, 1] + K[2, 2]
        return 2.0 * array([[trace - K[i, j] if i == j else -K[i, j] for j in range(3)] for i in range(3)])
