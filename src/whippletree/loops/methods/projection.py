"""Forward dynamics of closed loops by projection on the independent accelerations."""

from typing import Any

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array, solve_spd
from ..equations.constraints import constraint_equation, constraint_jacobian
from ..equations.rank import eliminate

Pivots = tuple[tuple[int, int], ...]
"""Rows and columns of pivots, in the order in which they are used."""


def projection(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    pivots: Pivots | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops, O(n³); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.42-8.51: qdd = G y + g solves the loop
    constraints for every y, and GᵀHG y = Gᵀ(tau - C - H g) is the motion. Which accelerations are
    independent is decided by complete pivoting, at every call unless pivots are given.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        pivots: From `method_choice`; chosen at q if None. A kernel needs them, as in `kkt`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.projection(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    H, C = crba(m, q), bias_force(m, q, qd, f_ext)
    K, k = constraint_equation(m, q, qd, stabilization)
    solved = eliminate(K, k, pivots=pivots)
    G, g = solved.G, solved.g
    if not solved.independent:
        # No freedom left: the constraints alone decide, by least squares if they disagree (§8.5).
        return np.linalg.lstsq(K, k, rcond=None)[0] if pivots is None else g
    return G @ solve_spd(G.T @ H @ G, G.T @ (tau - C - H @ g)) + g


def projection_pivots(m: Mechanism, q: Array) -> Pivots:
    """The pivots that suit a position q (nq,) best: rows of K and the accelerations they determine."""
    K = constraint_jacobian(m, q)
    return eliminate(K, np.zeros(len(K))).pivots


def projection_quality(m: Mechanism, q: Array, pivots: Pivots) -> Any:
    """The least of the pivots at another position q (nq,); small where other pivots are better."""
    K = constraint_jacobian(m, q)
    return eliminate(K, np.zeros(len(K)), pivots=pivots).share
