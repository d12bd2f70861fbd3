"""Forward dynamics of closed loops by way of the constraint forces."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.factor import expanded_parents, ltl
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array, array, factor_spd, maximum, minimum, solve_spd
from ..equations.constraints import constraint_equation, constraint_jacobian
from ..equations.rank import independent_rows

TINY = 1e-18
"""Share by which rows are damped where only their quality is asked for: dependent ones have a pivot, too."""

FAINT = 1e-8
"""Share of the damping that rows without any entry get, too."""


def lambda_first(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    rows: Sequence[int] | None = None,
    damping: float = 0.0,
) -> Array:
    """Joint accelerations of a mechanism with loops, O(n depth² + nc² n + nc³); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.37-8.41, in six steps: H = LᵀL without
    fill-in, Y = L⁻ᵀKᵀ and z = L⁻ᵀ(tau - C), both by branch-sparse substitution, A = YᵀY,
    A λ = k - Yᵀz, and last L qdd = z + Y λ.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        rows: Numbers of independent rows of K to be used; found by `rank.TOLERANCE` if None. A kernel
            needs them, since it cannot compare numbers that are not there yet.
        damping: See `damped`; 0 where the rows stay independent.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.lambda_first(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    K, k = constraint_equation(m, q, qd, stabilization)
    rows = independent_rows(K) if rows is None else list(rows)
    K, k = K[rows], k[rows]
    L = ltl(crba(m, q), expanded_parents(m.parents, [body.joint.nv for body in m.bodies])).L
    z = L.solve_transposed(tau - bias_force(m, q, qd, f_ext))
    if len(K) == 0:
        return L.solve(z)
    Y = L.solve_transposed(K.T)
    A = Y.T @ Y
    lam = solve_spd(damped(A, damping) if damping else A, k - Y.T @ z)
    return L.solve(z + Y @ lam)


def row_choice(m: Mechanism, q: Array) -> tuple[int, ...]:
    """Numbers of independent rows of K at a position q (nq,)."""
    return tuple(independent_rows(constraint_jacobian(m, q)))


def row_quality(m: Mechanism, q: Array, rows: Sequence[int]) -> Any:
    """How far the chosen rows of K are from being dependent at q (nq,): the least pivot of K Kᵀ, as a length.

    Scalar, a share of the largest row; 0 where they are dependent.
    """
    K = constraint_jacobian(m, q)[list(rows)]
    square = K @ K.T
    largest = functools.reduce(maximum, [square[i, i] for i in range(len(K))], 0.0)
    pivots = factor_spd(damped(square, TINY)).pivots
    return np.sqrt(maximum(functools.reduce(minimum, pivots, 1.0), 0.0) / largest) if len(K) else 1.0


def damped(A: Array, share: float) -> Array:
    """A (n, n) with this share of each of its diagonal entries added, and of their sum a trace.

    Where rows of A depend on each other, A x = b still has a solution then, the shortest one about, if b
    depends alike; elsewhere it changes by about that share times the condition of A.
    """
    diagonal = array([A[i, i] for i in range(len(A))])
    return A + np.diag(share * diagonal + share * FAINT * np.sum(diagonal))
