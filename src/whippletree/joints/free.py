"""Free joint: six degrees of freedom (RBDA table 4.1, with the position measured in the predecessor)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..spatial.rotation import exp_jacobian, from_quaternion, quaternion_product, quaternion_rate
from ..spatial.scalar import Array
from ..spatial.solve import solve_3x3
from ..spatial.transform import Transform
from ..spatial.vectors import cross
from .base import Joint, quaternion_fault
from .spherical import Spherical

_TURN = Spherical()


@dataclass(frozen=True)
class Free(Joint):
    """Move freely; q = position of F_s in F_p (3,), m, and unit quaternion w, x, y, z.

    qd (6,) is the velocity of F_s in its own axes, angular (rad/s) before linear (m/s), so S = 1.

    >>> import whippletree as wt
    >>> wt.Free().neutral()
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

    def step(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        w = qd[:3] + h * qdd[:3]
        # With R from F_s to F_p, d(R v)/dt = R (dv/dt + ω × v): the new velocity in the old axes.
        v = qd[3:] + h * (qdd[3:] + cross(qd[:3], qd[3:]))
        position = q[:3] + h * (from_quaternion(q[3:]) @ v)
        turn = _TURN.integrate(_TURN.neutral(), h * w)
        turned = quaternion_product(q[3:], turn)
        return (
            np.concatenate([position, turned / np.sqrt(turned @ turned)]),
            np.concatenate([w, from_quaternion(turn).T @ v]),
        )

    def turning(self, q: Array, qd: Array) -> Array:
        return np.concatenate([np.zeros(3), cross(qd[:3], qd[3:])])

    def step_reversed(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        (w, v), (wd, vd) = (qd[:3], qd[3:]), (qdd[:3], qdd[3:])
        # F_p, seen from F_s and in its axes: it turns with -ω, and its origin r moves with u = -v - ω × r.
        r = -(from_quaternion(q[3:]).T @ q[:3])
        u = -v - cross(w, r)
        u, w = u - h * (vd + cross(wd, r) + cross(w, u)), w + h * wd
        r, turned = r + h * u, _TURN.integrate(q[3:], h * w)
        position = -(from_quaternion(turned) @ r)
        return np.concatenate([position, turned]), np.concatenate([w, -u - cross(w, r)])

    def difference(self, q0: Array, q1: Array) -> Array:
        w = _TURN.difference(q0[3:], q1[3:])
        path = from_quaternion(q0[3:]).T @ (q1[:3] - q0[:3])
        return np.concatenate([w, solve_3x3(exp_jacobian(-w), path)])

    def position_fault(self, q: Array) -> str | None:
        return quaternion_fault(q[3:])

    @property
    def moves_freely(self) -> bool:
        return True

    def numbers(self, q: Array) -> Array:
        return np.concatenate([q[:3], _TURN.numbers(q[3:])])

    def from_numbers(self, numbers: Array) -> Array:
        return np.concatenate([numbers[:3], _TURN.from_numbers(numbers[3:])])

    @property
    def units(self) -> tuple[str, ...]:
        return ("m", "m", "m", "rad", "rad", "rad")

    @property
    def labels(self) -> tuple[str, ...]:
        return ("x", "y", "z", *_TURN.labels)

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        return (*_TURN.labels, "x", "y", "z")
