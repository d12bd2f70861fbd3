"""A point of a body on a line of another: slide and turn (Yu et al., appendix B.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...joints import Joint
from ...spatial import Array, Transform, array
from ...spatial.rotation import angle_about, axis_rotation

AXIS = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class PointOnLine(Joint):
    """Slide by q[0] m along the x axis of F_p, the line, and turn by q[1] rad about z, counted from the line.

    A prismatic and a revolute joint with a carrier without mass between them, in one: (B.1)-(B.3). With the
    line at the angle θ_c, V of the body is [[h_c, Ĩ (R - r^P)], [0, 1]].

    >>> from whippletree.formulations import semi_recursive
    >>> semi_recursive.PointOnLine().motion_subspace(np.array([0.4, np.pi / 2])).T.round(12) + 0.0
    array([[ 0.,  0.,  0.,  0., -1.,  0.],
           [ 0.,  0.,  1.,  0.,  0.,  0.]])
    """

    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def transform(self, q: Array) -> Transform:
        return Transform(axis_rotation(AXIS, q[1]).T, array([q[0], 0.0, 0.0]))

    def motion_subspace(self, q: Array) -> Array:
        c, s = np.cos(q[1]), np.sin(q[1])
        return array([[0.0, 0.0, 0.0, c, -s, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]).T

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        c, s = np.cos(q[1]) * qd[1], np.sin(q[1]) * qd[1]
        return array([[0.0, 0.0, 0.0, -s, -c, 0.0], [0.0] * 6]).T

    def constraint_subspace(self, q: Array) -> Array:
        c, s = np.cos(q[1]), np.sin(q[1])
        across = [0.0, 0.0, 0.0, s, c, 0.0]
        return array([[1.0, *[0.0] * 5], [0.0, 1.0, *[0.0] * 4], across, [*[0.0] * 5, 1.0]]).T

    def position_at(self, X: Transform) -> Array:
        return array([X.r[0], angle_about(AXIS, X.E.T)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, 2) * np.array([1.0, np.pi])
