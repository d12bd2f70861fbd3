"""Semi-recursive II: what accelerations have besides z̈, in two sets that must not be mixed.

q̈_i = D_i Z̈_i + e_i and Z̈_i = Z̈_{i-1} + b_j z̈_j + d_j leave open what Z̈ is. The terms printed in (28),
(31) and (34) make it the classical acceleration of the body's point that is now at the world's origin. The
derivatives that the text says they are, Ḋ Ż and ḃ ż, make it the rate of Ż, at which another point of the
body is there at every moment: the spatial acceleration of RBDA, and d_j is then c_i of the articulated-body
algorithm in world coordinates. The two differ by ω × ṡ. Each function gives e and d of one set, and
e + D T d = V̇ ż holds for both.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, cross
from .reference_frames import ReferenceFrame, ReferenceMotion, reference_frames, reference_motions


class VelocityProducts(NamedTuple):
    """e (6 nb,) and d (6 nb,) of one set, body after body."""

    e: Array
    d: Array


def classical_products(m: Mechanism, q: Array, qd: Array, points: Array | None = None) -> VelocityProducts:
    """e and d as printed: Z̈ is the classical acceleration of the body's point at the world's origin.

    Yu et al., eq 28, 31, 34, in space.

    Args:
        m, q, qd, points: As in `velocity_transformation_rate`.

    >>> import numpy as np, whippletree as wt
    >>> sr, m = wt.formulations.semi_recursive, wt.examples.load("quick-return-rocker")
    >>> q, qd = np.arange(5) / 5, np.arange(1.0, 6.0)
    >>> DT = sr.reference_transformation(m, q) @ sr.path_matrix(m)
    >>> expected = sr.velocity_transformation_rate(m, q, qd) @ qd
    >>> for e, d in (sr.classical_products(m, q, qd), sr.spatial_products(m, q, qd)):
    ...     print(np.allclose(e + DT @ d, expected))
    True
    True
    """
    return _products(m, q, qd, points, classical_e, classical_d)


def spatial_products(m: Mechanism, q: Array, qd: Array, points: Array | None = None) -> VelocityProducts:
    """e = Ḋ Ż and d = ḃ ż, the derivatives: Z̈ is the spatial acceleration of the body.

    Args:
        m, q, qd, points: As in `velocity_transformation_rate`.

    >>> import whippletree as wt
    >>> m, tip = wt.examples.load("pendulum"), [[0.0, 0.0, -1.0]]
    >>> wt.formulations.semi_recursive.spatial_products(m, [0.3], [2.0], tip).e[[0, 2]].round(3)
    array([1.182, 3.821])
    """
    return _products(m, q, qd, points, _spatial_e, _spatial_d)


def classical_e(frame: ReferenceFrame, motion: ReferenceMotion) -> Array:
    """(6,) [ω × (ω × R_i); 0], -θ̇² R_i in the plane (28)."""
    return np.concatenate([centripetal(motion.omega, frame.R), np.zeros(3)])


def classical_d(frame: ReferenceFrame, motion: ReferenceMotion, zd: Array) -> Array:
    """(6,) (31) and (34); for the freedoms of a joint together, as its body turns by all of them at once."""
    r, omega, omega_p = frame.r, motion.omega, motion.parent_omega
    c = motion.a_rate @ zd
    # (θ̇_i² - θ̇_{i-1}²) r of a revolute joint in the plane, and 2 θ̇ ż Ĩ h of a prismatic one.
    turn = cross(r, c) + centripetal(omega_p, r) - centripetal(omega, r)
    slide = motion.h_rate @ zd + cross(omega_p, frame.h @ zd)
    return np.concatenate([turn + slide, c])


def _spatial_e(frame: ReferenceFrame, motion: ReferenceMotion) -> Array:
    return np.concatenate([cross(motion.omega, motion.R_rate), np.zeros(3)])


def _spatial_d(frame: ReferenceFrame, motion: ReferenceMotion, zd: Array) -> Array:
    c = motion.a_rate @ zd
    return np.concatenate([motion.h_rate @ zd + cross(motion.r_rate, frame.a @ zd) + cross(frame.r, c), c])


def centripetal(omega: Array, u: Array) -> Array:
    """ω × (ω × u)."""
    return cross(omega, cross(omega, u))


def _products(
    m: Mechanism,
    q: Array,
    qd: Array,
    points: Array | None,
    of_body: Callable[..., Array],
    of_joint: Callable[..., Array],
) -> VelocityProducts:
    frames = reference_frames(m, q, points)
    motions = reference_motions(m, frames, q, qd)
    e, d = [np.zeros(0)], [np.zeros(0)]
    for i, (frame, motion) in enumerate(zip(frames, motions, strict=True)):
        e.append(of_body(frame, motion))
        d.append(of_joint(frame, motion, qd[m.v_index[i]]))
    return VelocityProducts(np.concatenate(e), np.concatenate(d))
