"""Forward dynamics of closed loops from the whole equation of motion at once."""

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_equation
from ..equations.rank import independent_rows


def kkt(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops, O((n + nc)³).

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 3.17 and 8.36: the unknowns are qdd and
    -λ. Dependent rows of K, found by `rank.TOLERANCE`, are left out, which changes λ but not qdd.

    Args:
        m: A mechanism with loops and gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        stabilization: T_stab, s, as in `constraint_bias`, or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.kkt(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    H, C = crba(m, q), bias_force(m, q, qd, f_ext)
    K, k = constraint_equation(m, q, qd, stabilization)
    rows = independent_rows(K)
    K, k = K[rows], k[rows]
    matrix = np.block([[H, K.T], [K, np.zeros((len(K), len(K)))]])
    return np.linalg.solve(matrix, np.concatenate([tau - C, k]))[: m.nv]
