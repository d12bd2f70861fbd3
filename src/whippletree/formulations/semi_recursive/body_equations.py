"""The equations of motion of single bodies about their reference points (Yu et al. eq 40-45)."""

from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, cross, rot, skew, xlt
from ...spatial.rotate import symmetric
from .intermediate import block_diagonal
from .reference_frames import ReferenceFrame, ReferenceMotion, reference_frames, reference_motions
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


class ReferencePointEquations(NamedTuple):
    """M q̈ = Q_v + Q_e of all bodies: M (6 nb, 6 nb) block diagonal, Q_v (6 nb,), Q_e (6 nb,)."""

    M: Array
    Q_v: Array
    Q_e: Array


def reference_point_equations(
    m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None, points: Array | None = None
) -> ReferencePointEquations:
    """The equations of motion of all bodies about their reference points, before anything is projected.

    Yu et al., eq 44 and 45, in space: see `body_equations`. Joints and their forces are not in them.

    Args:
        m, q, qd, f_ext: As in `rnea`.
        points: (nb, 3) reference points in body coordinates, m; the bodies' origins if None.

    Returns:
        M (6 nb, 6 nb), Q_v and Q_e (6 nb,), linear part first, in world axes.

    >>> import numpy as np, whippletree as wt
    >>> sr, m, z, zd = wt.formulations.semi_recursive, wt.examples.load("pendulum"), [0.3], [2.0]
    >>> M, Q_v, Q_e = sr.reference_point_equations(m, z, zd)
    >>> V = sr.velocity_transformation(m, z)
    >>> bool(np.allclose(V.T @ M @ V, wt.crba(m, z)))
    True
    """
    frames = reference_frames(m, q, points)
    bodies = body_equations(m, frames, reference_motions(m, frames, q, qd), f_ext, points)
    M = block_diagonal([body.M for body in bodies])
    Q_v = np.concatenate([np.zeros(0), *(body.Q_v for body in bodies)])
    Q_e = np.concatenate([np.zeros(0), *(body.Q_e for body in bodies)])
    return ReferencePointEquations(M, Q_v, Q_e)


class JointEquations(NamedTuple):
    """M z̈ = Q_v + Q_e + tau of the open loops: M (nv, nv), Q_v (nv,), Q_e (nv,)."""

    M: Array
    Q_v: Array
    Q_e: Array
