"""Contact forces from Gauss' principle with inequalities (RBDA 11.44), by the solver daqp."""

from typing import Any

import numpy as np

from ...errors import ModelError, SolverError
from ...spatial import Array
from .complementarity import Solution, Unsolvable, solution_of
from .least_distance import least_distance

SOLVED, INFEASIBLE = 1, -1
"""What daqp says of its result."""

TOLERANCE = 1e-11
"""By how much a constraint, scaled to unit length, may be missed."""


def gauss_form(R: Array, d: Array) -> Solution:
    """minimize ½ xᵀx subject to Rᵀx + d ≥ 0, with λ from its multipliers.

    D. Arnström, A. Bemporad and D. Axehill, A dual active-set solver for embedded quadratic programming
    using recursive LDLᵀ updates, IEEE Transactions on Automatic Control 67 (2022). If there is no solution,
    `least_distance` says why.

    Args:
        R: (k, nc) with M = RᵀR: the transpose of `inertia_root` times T, or `root_of(M)`.
        d: (nc,) as in (11.42).

    >>> import whippletree as wt
    >>> wt.contact.gauss_form(np.array([[2.0]]), np.array([-8.0])).force
    array([2.])
    """
    scale = np.linalg.norm(R, axis=0)
    free = np.flatnonzero(scale > 0.0)
    size = float(np.max(-d[free] / scale[free], initial=0.0))
    if np.any(d[scale == 0.0] < 0.0):
        return least_distance(R, d)
    force = np.zeros(len(d))
    if size > 0.0:
        rows = np.ascontiguousarray((R[:, free] / scale[free]).T)
        lower, upper = -d[free] / (scale[free] * size), np.full(len(free), 1e30)
        n = len(R)
        *_, flag, info = daqp_solver().solve(np.eye(n), np.zeros(n), rows, upper, lower, primal_tol=TOLERANCE)
        if flag != SOLVED:
            found = least_distance(R, d)
            if flag == INFEASIBLE and isinstance(found, Unsolvable):
                return found
            raise SolverError(f"contact forces: daqp gave up with exit flag {flag} on {len(free)} contacts")
        force[free] = np.maximum(-np.array(info["lam"]), 0.0) * size / scale[free]
    return solution_of(R, d, force)


def daqp_solver() -> Any:
    """The module daqp; ModelError if it is not installed."""
    try:
        import daqp
    except ImportError:
        raise ModelError(
            "contact forces of rigid bodies need the solver daqp: pip install 'whippletree[contact]'"
        ) from None
    return daqp
