"""Cam and follower: a point of a body on the outline of another (Yu et al., appendix B.2)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...joints import Joint
from ...spatial import Array, Transform, arctan2, array, cross
from ...spatial.rotation import angle_about, axis_rotation
from .cam_profile import Profile, cam_point, check_profile

AXIS = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class CamFollower(Joint):
    """The origin of F_s lies on the outline of a cam in the x-y plane of F_p, at the polar angle q[0], rad.

    q[1] is the turn of the follower against the cam about z, rad. The follower touches with this one point,
    a knife edge: it need not be tangent, and it does not leave the cam. (B.4)-(B.7) count the follower's
    angle from the ground instead: z_3 = q[1] + z_2, z_2 being the turn of the cam; see
    `cam_transformation`.

    Args:
        profile: From the polar angle, rad, to s, m, and its first and second derivative: a `CamTable`, or a
            function of yours. It is periodic, of any scalar type, and does not branch on values.

    >>> from whippletree.formulations import semi_recursive
    >>> cam = lambda z: (0.05 + 0.01 * np.cos(z), -0.01 * np.sin(z), -0.01 * np.cos(z))
    >>> joint = semi_recursive.CamFollower(cam)
    >>> joint.transform(np.array([0.0, 0.3])).r
    array([0.06, 0.  , 0.  ])
    """

    profile: Profile
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_profile(self.profile)

    def transform(self, q: Array) -> Transform:
        return Transform(axis_rotation(AXIS, q[1]).T, cam_point(self.profile, q[0]).a)

    def motion_subspace(self, q: Array) -> Array:
        along = axis_rotation(AXIS, q[1]).T @ cam_point(self.profile, q[0]).first
        return np.concatenate([np.zeros(3), along, AXIS, np.zeros(3)]).reshape(2, 6).T

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        E, on = axis_rotation(AXIS, q[1]).T, cam_point(self.profile, q[0])
        rate = E @ (on.second * qd[0]) - cross(AXIS, E @ on.first) * qd[1]
        return np.concatenate([np.zeros(3), rate, np.zeros(6)]).reshape(2, 6).T

    def constraint_subspace(self, q: Array) -> Array:
        across = cross(AXIS, axis_rotation(AXIS, q[1]).T @ cam_point(self.profile, q[0]).first)
        turns, lift = np.eye(6)[:2], np.eye(6)[5:]
        return np.concatenate([turns, np.concatenate([np.zeros(3), across])[None], lift]).T

    def position_at(self, X: Transform) -> Array:
        return array([arctan2(X.r[1], X.r[0]), angle_about(AXIS, X.E.T)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-np.pi, np.pi, 2)

    @property
    def units(self) -> tuple[str, ...]:
        return ("rad", "rad")
