"""Where the reference points, joints and axes of the bodies are, and how they move (Yu et al. §2, eq 15-19).

All vectors stand in the axes of the world. A freedom j of a joint moves its body against the one before by
two vectors: a_j, by which it turns, and h_j, by which the joint's point r_j slides. Of a revolute joint a is
the axis and h is zero, of a prismatic one h is the axis and a is zero; a joint of several freedoms has a
column for each, all with the same r_j.
"""

from typing import NamedTuple

import numpy as np

from ...dynamics.kinematics import world_transforms
from ...model.mechanism import Mechanism
from ...spatial import Array, cross


class ReferenceFrame(NamedTuple):
    """A body in the world.

    Attributes:
        A: (3, 3) rotation from body to world axes.
        R: (3,) R_i, its reference point, m.
        r: (3,) r_j, the point of the joint that carries it, m.
        a: (3, nv of the joint) turn of the body per unit of each freedom.
        h: (3, nv of the joint) slide of r_j per unit of each freedom.
    """

    A: Array
    R: Array
    r: Array
    a: Array
    h: Array


class ReferenceMotion(NamedTuple):
    """The velocity of a body.

    Attributes:
        omega: (3,) angular velocity, θ̇_i in the plane, rad/s.
        R_rate: (3,) Ṙ_i, m/s.
        r_rate: (3,) ṙ_j, m/s.
        a_rate, h_rate: (3, nv of the joint) rates of a and h.
        parent_omega: (3,) angular velocity of the body before, θ̇_{i-1} in the plane, rad/s.
    """

    omega: Array
    R_rate: Array
    r_rate: Array
    a_rate: Array
    h_rate: Array
    parent_omega: Array


def reference_frames(m: Mechanism, q: Array, points: Array | None = None) -> list[ReferenceFrame]:
    """Every body in the world, its reference point being given in body coordinates (nb, 3), or its origin."""
    frames = []
    for i, X in enumerate(world_transforms(m, q)[:-1]):
        A = X.E.T
        S = m.bodies[i].joint.motion_subspace(q[m.q_index[i]])
        R = X.r if points is None else X.r + A @ points[i]
        frames.append(ReferenceFrame(A, R, X.r, A @ S[:3], A @ S[3:]))
    return frames


def reference_motions(
    m: Mechanism, frames: list[ReferenceFrame], q: Array, qd: Array
) -> list[ReferenceMotion]:
    """The velocities of bodies that are where `frames` says, parents first."""
    motions: list[ReferenceMotion] = []
    for i, (A, R, r, a, h) in enumerate(frames):
        parent = m.parents[i]
        zd = qd[m.v_index[i]]
        if parent == -1:
            omega_p, r_rate = np.zeros(3), h @ zd
        else:
            omega_p = motions[parent].omega
            r_rate = motions[parent].r_rate + cross(omega_p, r - frames[parent].r) + h @ zd
        omega = omega_p + a @ zd
        # Axes turn with the body, and within it as the joint's own S̊ says.
        within = m.bodies[i].joint.motion_subspace_rate(q[m.q_index[i]], zd)
        a_rate, h_rate = cross(omega, a) + A @ within[:3], cross(omega, h) + A @ within[3:]
        motions.append(ReferenceMotion(omega, r_rate + cross(omega, R - r), r_rate, a_rate, h_rate, omega_p))
    return motions


def supporting_columns(m: Mechanism, i: int) -> list[int]:
    """Numbers of the velocities of the joints between the ground and body i."""
    return [k for j in m.support(i) for k in range(m.v_index[j].start, m.v_index[j].stop)]
