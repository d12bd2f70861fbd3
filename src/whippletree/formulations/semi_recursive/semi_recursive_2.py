"""Forward dynamics about the world's origin, summed along the paths (semi-recursive II)."""

from typing import Any

import numpy as np

from ...dynamics.block_matrix import fill, finished, zeros
from ...dynamics.per_body import per_body
from ...model.mechanism import Mechanism
from ...spatial import Array
from .body_equations import JointEquations, body_equations
from .intermediate import intermediate_columns
from .loop_closure import closed_accelerations
from .reference_frames import reference_frames, reference_motions
from .velocity_products import classical_d, classical_e
from .velocity_transformation import transfer


def semi_recursive_2(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    rows: tuple[int, ...] | None = None,
    damping: float = 0.0,
) -> Array:
    """Joint accelerations by semi-recursive method II, O(n depth + n³); no springs or loads.

    Yu, Mikkola, Pan and Escalona, The explanation of two semi-recursive multibody methods for educational
    purpose, eq 49-55 and 62-63: see `joint_equations_2` and docs/semi-recursive.md.

    Args:
        m, q, qd, tau, f_ext, stabilization, rows, damping: As in `semi_recursive_1`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.formulations.semi_recursive.semi_recursive_2(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    open_loops = joint_equations_2(m, q, qd, f_ext)
    return closed_accelerations(m, q, qd, tau, open_loops, stabilization, rows, damping)


def joint_equations_2(
    m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None, points: Array | None = None
) -> JointEquations:
    """M z̈ = Q_v + Q_e + tau of the open loops by way of D, T and R_d.

    Yu et al., eq 50-55: M = R_dᵀ Tᵀ (Dᵀ M D) T R_d, Q_v = R_dᵀ Tᵀ Dᵀ (Q_v - M (e + D T d)), Q_e = R_dᵀ Tᵀ
    Dᵀ Q_e, with e and d as printed. T is never formed. T d is a sum along the path from the ground, Tᵀ one
    over all that a joint carries; of D_iᵀ M_i D_i, the inertias of single bodies about the world's origin,
    it makes those of the composite bodies. So this is the composite-rigid-body algorithm in world
    coordinates.

    Args:
        m, q, qd, f_ext, points: As in `joint_equations_1`.

    Returns:
        What `joint_equations_1` gives.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> found = wt.formulations.semi_recursive.joint_equations_2(m, [0.3, 0.5], [0.4, 0.2])
    >>> bool(np.allclose(found.M, wt.crba(m, [0.3, 0.5])))
    True
    """
    frames = reference_frames(m, q, points)
    motions = reference_motions(m, frames, q, qd)
    MD, F_v, F_e, Td = per_body(len(m), 4)
    for i, body in enumerate(body_equations(m, frames, motions, f_ext, points)):
        D = transfer(frames[i].R)
        Td[i] = Td[m.parents[i]] + classical_d(frames[i], motions[i], qd[m.v_index[i]])
        MD[i] = D.T @ body.M @ D
        F_v[i] = D.T @ (body.Q_v - body.M @ (classical_e(frames[i], motions[i]) + D @ Td[i]))
        F_e[i] = D.T @ body.Q_e

    b = [intermediate_columns(r, a, h) for _, _, r, a, h in frames]
    M = zeros(m.nv)
    Q_v: list[Any] = [np.zeros(0)] * len(m)
    Q_e: list[Any] = [np.zeros(0)] * len(m)
    for i in reversed(range(len(m))):
        parent = m.parents[i]
        if parent != -1:
            for summed in (MD, F_v, F_e):
                summed[parent] = summed[parent] + summed[i]
        Q_v[i], Q_e[i], own = b[i].T @ F_v[i], b[i].T @ F_e[i], MD[i] @ b[i]
        for j in m.support(i):
            rotor = m.bodies[i].armature * np.eye(b[i].shape[1]) if j == i else 0.0
            fill(M, m.v_index[j], m.v_index[i], b[j].T @ own + rotor)
    return JointEquations(finished(M), *(np.concatenate([np.zeros(0), *Q]) for Q in (Q_v, Q_e)))
