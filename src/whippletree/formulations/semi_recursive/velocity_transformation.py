"""Semi-recursive I: from joint velocities to the velocities of reference points, element by element."""

import numpy as np

from ...loops.equations.constraints import spread
from ...model.mechanism import Mechanism
from ...spatial import Array, cross, skew
from .reference_frames import (
    ReferenceFrame,
    ReferenceMotion,
    reference_frames,
    reference_motions,
    supporting_columns,
)


def velocity_transformation(m: Mechanism, q: Array, points: Array | None = None) -> Array:
    """V of q̇ = V ż: the velocities of all reference points, linear part first, from joint velocities.

    Yu, Mikkola, Pan and Escalona, eq 13-21, in space: body i below joint j has

        V_i^j = [h_j + a_j × (R_i - r_j); a_j],

    which is [a × (R_i - r_j); a] for a revolute joint, (18), and [h; 0] for a prismatic one, (20). Where
    joint j does not carry body i there are zeros. In the plane a × is Ĩ, and `planar_rows` keeps the rows
    that are left.

    Args:
        m: A mechanism; loops and gears are left open.
        q: (nq,) joint positions, rad or m; z of the paper.
        points: (nb, 3) the reference point of each body in body coordinates, m; the bodies' origins if None.

    Returns:
        (6 nb, nv) for each body the velocity of its reference point, then its angular velocity, both in world
        axes, per unit of each joint velocity.

    >>> import whippletree as wt
    >>> m, middle = wt.examples.load("double-pendulum"), [[0.0, 0.0, -0.5]] * 2
    >>> V = wt.formulations.semi_recursive.velocity_transformation(m, [0.0, 0.0], middle)
    >>> V[6:9] + 0.0  # how the middle of the lower rod moves: along x
    array([[-1.5, -0.5],
           [ 0. ,  0. ],
           [ 0. ,  0. ]])
    """
    frames = reference_frames(m, q, points)
    return _stacked(m, [body_columns(m, frames, i) for i in range(len(m))])


def velocity_transformation_rate(m: Mechanism, q: Array, qd: Array, points: Array | None = None) -> Array:
    """V̇ of q̈ = V z̈ + V̇ ż, element by element.

    Yu et al., eq 22 and 23, in space:

        V̇_i^j = [ḣ_j + ȧ_j × (R_i - r_j) + a_j × (Ṙ_i - ṙ_j); ȧ_j].

    The axis of a prismatic joint turns with the body that carries it, whatever body i beyond it does: the
    θ̇_i that is printed in (23) is that of the joint's own two bodies.

    Args:
        m, q, points: As in `velocity_transformation`.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (6 nb, nv).

    >>> import whippletree as wt
    >>> m, tip = wt.examples.load("pendulum"), [[0.0, 0.0, -1.0]]
    >>> wt.formulations.semi_recursive.velocity_transformation_rate(m, [0.0], [2.0], tip)[:3, 0]
    array([0., 0., 2.])
    """
    frames = reference_frames(m, q, points)
    motions = reference_motions(m, frames, q, qd)
    return _stacked(m, [body_column_rates(m, frames, motions, i) for i in range(len(m))])


def body_columns(m: Mechanism, frames: list[ReferenceFrame], i: int) -> Array:
    """(6, k) V_i, columns of the joints that carry body i alone."""
    columns = [np.zeros((6, 0))]
    for j in m.support(i):
        _, _, r, a, h = frames[j]
        columns.append(np.concatenate([h - cross(frames[i].R - r, a), a]))
    return np.concatenate(columns, axis=1)


def body_column_rates(
    m: Mechanism, frames: list[ReferenceFrame], motions: list[ReferenceMotion], i: int
) -> Array:
    """(6, k) V̇_i, columns as in `body_columns`."""
    columns = [np.zeros((6, 0))]
    for j in m.support(i):
        away, rate = frames[i].R - frames[j].r, motions[i].R_rate - motions[j].r_rate
        a_rate, h_rate = motions[j].a_rate, motions[j].h_rate
        linear = h_rate - cross(away, a_rate) - cross(rate, frames[j].a)
        columns.append(np.concatenate([linear, a_rate]))
    return np.concatenate(columns, axis=1)


def _stacked(m: Mechanism, blocks: list[Array]) -> Array:
    """(6 nb, nv) the columns of all bodies, each at the joints that carry it."""
    rows = [spread(supporting_columns(m, i), block, m.nv) for i, block in enumerate(blocks)]
    return np.concatenate([np.zeros((0, m.nv)), *rows])


def transfer(u: Array) -> Array:
    """(6, 6) from the velocity of one point of a body to that of another, which is u (3,) away from it.

    B_i^{i-1} of (18) for u = R_i - R_{i-1}, both points taken as fixed to one body; D_i of (28) for u = R_i.
    """
    return np.block([[np.eye(3), -skew(u)], [np.zeros((3, 3)), np.eye(3)]])
