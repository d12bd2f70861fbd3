"""Planar joint (RBDA table 4.1, with translation measured in the predecessor)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import angle_about, axis_rotation, chord
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform
from .base import Joint, perpendicular, unit_axis
from .unseen_inertia import transverse_moments


@dataclass(frozen=True)
class Planar(Joint):
    """Turn by q[0] rad about the normal and move by q[1], q[2] m in the plane.

    q[1] and q[2] are the position of F_s in F_p along two fixed directions of the plane: (x, y) for
    the normal z, (y, z) for x, (z, x) for y. qd is the velocity in F_s: (rad/s, m/s, m/s) about the
    normal and along the two directions as they turn with F_s. So S is constant and qd is not dq/dt;
    the table's mixture of the two is not consistent with dX_J/dt = -v_J × X_J.

    >>> import whippletree as wt
    >>> wt.Planar("z").rate(np.array([np.pi / 2, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(12)
    array([0., 0., 1.])
    """

    axis: Any = "z"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))

    def transform(self, q: Array) -> Transform:
        first, second = perpendicular(self.axis)
        E = axis_rotation(np.array(self.axis), q[0]).T
        return Transform(E, first * q[1] + second * q[2])

    def motion_subspace(self, q: Array) -> Array:
        first, second = perpendicular(self.axis)
        zero = np.zeros(3)
        columns = ((np.array(self.axis), zero), (zero, first), (zero, second))
        return np.array([np.concatenate(column) for column in columns]).T

    def rate(self, q: Array, qd: Array) -> Array:
        c, s = np.cos(q[0]), np.sin(q[0])
        return array([qd[0], c * qd[1] - s * qd[2], s * qd[1] + c * qd[2]])

    def integrate(self, q: Array, dq: Array) -> Array:
        a, b = chord(dq[0])
        # The path of constant velocity in F_s is an arc: its chord, in F_s's axes before the step.
        x, y = a * dq[1] - b * dq[2], b * dq[1] + a * dq[2]
        return q + self.rate(q, array([dq[0], x, y]))

    def step(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        w = qd[0] + h * qdd[0]
        # As in the free joint: the velocity in F_p's directions, and its step.
        v = _turned(qd[1:] + h * (qdd[1:] + qd[0] * _across(qd[1:])), q[0])
        moved = q + h * np.concatenate([array([w]), v])
        return moved, np.concatenate([array([w]), _turned(v, -moved[0])])

    def turning(self, q: Array, qd: Array) -> Array:
        return np.concatenate([np.zeros(1), qd[0] * _across(qd[1:])])

    def step_reversed(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        w, v, wd, vd = qd[0], qd[1:], qdd[0], qdd[1:]
        # As in the free joint: F_p's origin r, seen from F_s, moves with u = -v - ω × r.
        r = -_turned(q[1:], -q[0])
        u = -v - w * _across(r)
        u, w = u - h * (vd + wd * _across(r) + w * _across(u)), w + h * wd
        r, angle = r + h * u, q[0] + h * w
        return np.concatenate([array([angle]), -_turned(r, angle)]), np.concatenate(
            [array([w]), -u - w * _across(r)]
        )

    def difference(self, q0: Array, q1: Array) -> Array:
        delta = q1 - q0
        a, b = chord(delta[0])
        c, s = np.cos(q0[0]), np.sin(q0[0])
        x, y = c * delta[1] + s * delta[2], c * delta[2] - s * delta[1]
        scale = 1.0 / (a * a + b * b)
        return array([delta[0], (a * x + b * y) * scale, (a * y - b * x) * scale])

    def position_at(self, X: Transform) -> Array:
        first, second = perpendicular(self.axis)
        return array([angle_about(np.array(self.axis), X.E.T), first @ X.r, second @ X.r])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, 3) * np.array([np.pi, 1.0, 1.0])

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return transverse_moments(self.axis, I)


def _turned(r: Array, angle: Any) -> Array:
    """A vector of the plane, turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return array([c * r[0] - s * r[1], s * r[0] + c * r[1]])


def _across(r: Array) -> Array:
    """A vector of the plane, turned by a right angle: normal × r."""
    return array([-r[1], r[0]])
