"""Forward dynamics of reference points, projected onto the joints (semi-recursive I)."""

from ...dynamics.block_matrix import finished, zeros
from ...model.mechanism import Mechanism
from ...spatial import Array, array
from .body_equations import JointEquations, body_equations
from .loop_closure import closed_accelerations
from .reference_frames import reference_frames, reference_motions, supporting_columns
from .velocity_transformation import body_column_rates, body_columns


def semi_recursive_1(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    rows: tuple[int, ...] | None = None,
    damping: float = 0.0,
) -> Array:
    """Joint accelerations by semi-recursive method I, O(n depth² + n³); no springs or loads.

    Yu, Mikkola, Pan and Escalona, The explanation of two semi-recursive multibody methods for educational
    purpose, eq 40-48 and 59-61: see `joint_equations_1` and docs/semi-recursive.md.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        rows, damping: As in `lambda_first`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.formulations.semi_recursive.semi_recursive_1(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    open_loops = joint_equations_1(m, q, qd, f_ext)
    return closed_accelerations(m, q, qd, tau, open_loops, stabilization, rows, damping)


def joint_equations_1(
    m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None, points: Array | None = None
) -> JointEquations:
    """M z̈ = Q_v + Q_e + tau of the open loops by way of V and V̇.

    Yu et al., eq 43-48: M = Σ V_iᵀ M_i V_i, Q_v = Σ V_iᵀ (Q_v,i - M_i V̇_i ż), Q_e = Σ V_iᵀ Q_e,i. The
    inertia of a rotor, armature, acts on its own joint only and is added to M.

    Args:
        m, q, qd, f_ext: As in `rnea`; loops and gears are left open.
        points: (nb, 3) reference points in body coordinates, m, which change nothing; the origins if None.

    Returns:
        M (nv, nv), what `crba` gives; Q_v and Q_e (nv,), whose sum is minus `bias_force`.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> found = wt.formulations.semi_recursive.joint_equations_1(m, [0.3, 0.5], [0.4, 0.2])
    >>> bool(np.allclose(found.M, wt.crba(m, [0.3, 0.5])))
    True
    >>> bool(np.allclose(found.Q_v + found.Q_e, -wt.bias_force(m, [0.3, 0.5], [0.4, 0.2])))
    True
    """
    frames = reference_frames(m, q, points)
    motions = reference_motions(m, frames, q, qd)
    M, Q_v, Q_e = zeros(m.nv), [0.0] * m.nv, [0.0] * m.nv
    for i, body in enumerate(body_equations(m, frames, motions, f_ext, points)):
        columns = supporting_columns(m, i)
        V, V_rate = body_columns(m, frames, i), body_column_rates(m, frames, motions, i)
        M_i = V.T @ body.M @ V
        Q_v_i = V.T @ (body.Q_v - body.M @ (V_rate @ qd[columns]))
        Q_e_i = V.T @ body.Q_e
        for a, row in enumerate(columns):
            Q_v[row] = Q_v[row] + Q_v_i[a]
            Q_e[row] = Q_e[row] + Q_e_i[a]
            for b, column in enumerate(columns):
                M[row][column] = M[row][column] + M_i[a, b]
    for body, index in zip(m.bodies, m.v_index, strict=True):
        for k in range(index.start, index.stop):
            M[k][k] = M[k][k] + body.armature
    return JointEquations(finished(M), array(Q_v), array(Q_e))
