"""The equations of motion of single bodies about their reference points (Yu et al. eq 40-45)."""

from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, cross, rot, skew, xlt
from ...spatial.rotate import symmetric
from .reference_frames import ReferenceFrame, ReferenceMotion
from .velocity_products import centripetal


class BodyEquation(NamedTuple):
    """M_i q̈_i = Q_v + Q_e and the forces of joints: M (6, 6), Q_v (6,), Q_e (6,), linear part first."""

    M: Array
    Q_v: Array
    Q_e: Array


def body_equations(
    m: Mechanism,
    frames: list[ReferenceFrame],
    motions: list[ReferenceMotion],
    f_ext: Array | None,
    points: Array | None,
) -> list[BodyEquation]:
    """For each body, in world axes about its reference point R_i,

    M_i = [[m 1, -m u×], [m u×, J_R]], Q_v = -[m ω × (ω × u); ω × J_R ω], Q_e = [F; u × F + moment], with u
    from R_i to the centre of mass and J_R = J_C - m u× u×. In the plane Q_v is + m θ̇² u: (44) prints it
    with the other sign, which does not show if u = 0. Gravity is part of Q_e; f_ext (nb, 6) comes as moment
    and force at the body's origin, in body axes.
    """
    g = np.array(m.gravity)
    equations = []
    for i, (frame, motion) in enumerate(zip(frames, motions, strict=True)):
        point = np.zeros(3) if points is None else points[i]
        inertia = m.bodies[i].inertia.to_child(xlt(point)).to_parent(rot(frame.A.T))
        mass, mu, J = inertia.m, inertia.h, symmetric(inertia.I)
        M = np.block([[mass * np.eye(3), -skew(mu)], [skew(mu), J]])
        omega = motion.omega
        Q_v = -np.concatenate([centripetal(omega, mu), cross(omega, J @ omega)])
        Q_e = np.concatenate([mass * g, cross(mu, g)])
        if f_ext is not None:
            moment, force = f_ext[i][:3], f_ext[i][3:]
            Q_e = Q_e + np.concatenate([frame.A @ force, frame.A @ (moment - cross(point, force))])
        equations.append(BodyEquation(M, Q_v, Q_e))
    return equations


class JointEquations(NamedTuple):
    """M z̈ = Q_v + Q_e + tau of the open loops: M (nv, nv), Q_v (nv,), Q_e (nv,)."""

    M: Array
    Q_v: Array
    Q_e: Array
