"""Free joint: six degrees of freedom (RBDA table 4.1, with the position measured in the predecessor)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.rotation import exp_jacobian, from_quaternion, quaternion_rate
from ..spatial.scalar import Array
from ..spatial.solve import solve_3x3
from ..spatial.transform import Transform
from .base import Joint, quaternion_fault
from .spherical import Spherical

_TURN = Spherical()


@dataclass(frozen=True)
class Free(Joint):
    """Move freely; q = position of F_s in F_p (3,), m, and unit quaternion w, x, y, z.

    qd (6,) is the velocity of F_s in its own axes, angular (rad/s) before linear (m/s), so S = 1.

    >>> Free().neutral()
    array([0., 0., 0., 1., 0., 0., 0.])
    """

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6

    def transform(self, q: Array) -> Transform:
        return Transform(from_quaternion(q[3:]).T, q[:3])

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)

    def rate(self, q: Array, qd: Array) -> Array:
        return np.concatenate([from_quaternion(q[3:]) @ qd[3:], quaternion_rate(q[3:], qd[:3])])

    def neutral(self) -> Array:
        return np.concatenate([np.zeros(3), _TURN.neutral()])

    def position_at(self, X: Transform) -> Array:
        return np.concatenate([X.r, _TURN.position_at(X)])

    def random(self, rng: np.random.Generator) -> Array:
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), _TURN.random(rng)])

    def integrate(self, q: Array, dq: Array) -> Array:
        # Constant velocity in F_s traces a screw; exp_jacobian(-ω) is the mean of its rotations.
        path = exp_jacobian(-dq[:3]) @ dq[3:]
        return np.concatenate([q[:3] + from_quaternion(q[3:]) @ path, _TURN.integrate(q[3:], dq[:3])])

    def difference(self, q0: Array, q1: Array) -> Array:
        w = _TURN.difference(q0[3:], q1[3:])
        path = from_quaternion(q0[3:]).T @ (q1[:3] - q0[:3])
        return np.concatenate([w, solve_3x3(exp_jacobian(-w), path)])

    def position_fault(self, q: Array) -> str | None:
        return quaternion_fault(q[3:])
