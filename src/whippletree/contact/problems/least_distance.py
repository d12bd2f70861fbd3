"""Contact forces as a problem of least distance, by nonnegative least squares (Lawson & Hanson)."""

import numpy as np

from ...spatial import Array
from .complementarity import Solution, Unsolvable, solution_of

FEASIBLE = 1e-11
"""A distance below this, of the unit vector from the cone of the contacts, says that there is no solution."""


def least_distance(R: Array, d: Array) -> Solution:
    """minimize |x| subject to Rᵀx ≥ -d, (11.44), by nonnegative least squares.

    Lawson & Hanson, Solving Least Squares Problems (1974), ch. 23, problem LDP: with E = [R; -dᵀ] and f the
    last unit vector, u ≥ 0 minimizes |E u - f|. If that is zero, u is a certificate: R u = 0 and d·u = -1.
    Else λ = u / (1 + d·u).

    Args:
        R: (k, nc) with M = RᵀR.
        d: (nc,) as in (11.42).

    >>> import whippletree as wt
    >>> wt.contact.least_distance(np.array([[2.0]]), np.array([-8.0])).force
    array([2.])
    >>> wt.contact.least_distance(np.array([[2.0, -2.0]]), np.array([-1.0, -3.0])).at_fault
    [0, 1]
    """
    from scipy.optimize import nnls  # on use: it takes longer to import than all the rest

    if not np.any(d < 0.0):
        return solution_of(R, d, np.zeros(len(d)))
    scale = np.linalg.norm(R, axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    size = float(np.max(np.abs(d / scale)))
    right = -d / (scale * size)
    E = np.concatenate([R / scale, right[None]])
    f = np.zeros(len(E))
    f[-1] = 1.0
    u, distance = nnls(E, f)
    if distance <= FEASIBLE:
        return Unsolvable(u / scale / size)
    return solution_of(R, d, u / (1.0 - right @ u) * size / scale)
