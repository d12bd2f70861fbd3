"""Cam and follower as they are printed, by the angle of the follower against the ground (Yu et al., B.2)."""

from typing import NamedTuple

import numpy as np

from ...model.values import vector
from ...spatial import Array, array
from .cam_profile import Profile, cam_point, check_profile
from .planar_constraints import I_TILDE, turned


class CamTransformation(NamedTuple):
    """q_2 (3,), V_2 (3, 3) and V̇_2 (3, 3) of a follower, as R_2, θ_2 and z = (z_1, z_2, z_3)."""

    q: Array
    V: Array
    V_rate: Array


def cam_transformation(profile: Profile, z: Array, zd: Array, pivot: Array, tip: Array) -> CamTransformation:
    """Coordinates of a follower as they are printed: by the angle of the follower against the ground.

    Yu et al., eq B.4-B.7; V̇ is not printed there.

    Args:
        profile: As in `CamFollower`.
        z: (3,) polar angle of the contact on the cam, turn of the cam, angle of the follower, rad.
        zd: (3,) their rates, rad/s.
        pivot: (2,) r_1, about which the cam turns, m.
        tip: (2,) the touching point from the follower's reference point, in the follower's axes, m.

    >>> from whippletree.formulations import semi_recursive
    >>> cam = lambda angle: (0.05 + 0.01 * np.cos(angle), -0.01 * np.sin(angle), -0.01 * np.cos(angle))
    >>> z = np.array([0.0, np.pi / 2, 0.0])
    >>> semi_recursive.cam_transformation(cam, z, np.zeros(3), np.zeros(2), np.array([0.0, -0.2])).q.round(12)
    array([0.  , 0.26, 0.  ])
    """
    z, zd = (vector(value, (3,), name, "one entry per coordinate") for value, name in ((z, "z"), (zd, "zd")))
    pivot, tip = (
        vector(p, (2,), name, "a point of the plane") for p, name in ((pivot, "pivot"), (tip, "tip"))
    )
    check_profile(profile)
    a, first, second = (turned(z[1], part[:2]) for part in cam_point(profile, z[0]))
    b = -turned(z[2], tip)  # b_2 = R_2 - r^P
    V = np.concatenate([array([first, I_TILDE @ a, I_TILDE @ b]).T, array([[0.0, 0.0, 1.0]])])
    rates = [
        second * zd[0] + I_TILDE @ first * zd[1],
        I_TILDE @ first * zd[0] - a * zd[1],
        -b * zd[2],
    ]
    V_rate = np.concatenate([array(rates).T, np.zeros((1, 3))])
    return CamTransformation(np.concatenate([pivot + a + b, array([z[2]])]), V, V_rate)
