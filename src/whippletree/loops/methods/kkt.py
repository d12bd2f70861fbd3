"""Forward dynamics of closed loops from the whole equation of motion at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_bias, constraint_jacobian
from ..equations.pivot_order import PivotOrder, by_rows, in_order, order_by_size
from ..equations.rank import independent_rows


def kkt(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    choice: KKTChoice | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops, O((n + nc)³); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 3.17 and 8.36: the unknowns are qdd and
    -λ. Dependent rows of K, found by `rank.TOLERANCE`, are left out, which changes λ but not qdd.

    Args:
        m: A mechanism with loops and gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        stabilization: T_stab, s, as in `constraint_bias`, or None.
        choice: From `method_choice`; made at q if None. A kernel needs one, by `compile` with `at`: it holds
            as long as no pivot comes near zero.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.kkt(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    C = bias_force(m, q, qd, f_ext)
    k = constraint_bias(m, q, qd, stabilization)
    rows = independent_rows(constraint_jacobian(m, q)) if choice is None else choice.rows
    matrix, right = _matrix(m, q, rows), np.concatenate([tau - C, k[list(rows)]])
    if choice is None:
        return np.linalg.solve(matrix, right)[: m.nv]
    return in_order(by_rows(matrix), right, choice.order)[0][: m.nv]


class KKTChoice(NamedTuple):
    """Independent rows of K, and the order in which the whole equation is solved."""

    rows: tuple[int, ...]
    order: PivotOrder


def kkt_choice(m: Mechanism, q: Array) -> KKTChoice:
    """The choice that suits a position q (nq,) best."""
    rows = tuple(independent_rows(constraint_jacobian(m, q)))
    return KKTChoice(rows, order_by_size(_matrix(m, q, rows)))


def kkt_quality(m: Mechanism, q: Array, choice: KKTChoice) -> Any:
    """The least pivot at another position q (nq,), as a share of what it was where the choice was made."""
    matrix = _matrix(m, q, choice.rows)
    return in_order(by_rows(matrix), np.zeros(len(matrix)), choice.order)[1]


def _matrix(m: Mechanism, q: Array, rows: Sequence[int]) -> Array:
    """H, and the chosen rows of K beside and below it."""
    H, K = crba(m, q), constraint_jacobian(m, q)[list(rows)]
    return np.block([[H, K.T], [K, np.zeros((len(K), len(K)))]])
