"""Contacts that stick or open, tried one set after the other: a start where sweeps find none."""

from itertools import product

import numpy as np

from ...spatial import Array
from .friction_problem import FrictionProblem

MOST = 7
"""Contacts up to which all sets are tried: there are 2^n of them."""

SINGULAR = 1e-11
"""Directions in which contacts move by less than this share of the others do not move at all."""


def stick_sets(problem: FrictionProblem) -> tuple[float, Array]:
    """The best forces (nc, 3) with which each contact sticks or carries its least force; residual first.

    A contact that slides already, or has no friction, carries λn (n - μ t̂) in place of sticking.

    >>> M = np.diag([2.0, 2.0, 2.0]).reshape(1, 3, 1, 3)
    >>> problem = FrictionProblem(
    ...     M, np.array([[-10.0, 1.0, 0.0]]), np.array([0.5]), np.zeros((1, 2)), np.zeros(1)
    ... )
    >>> size, force = stick_sets(problem)
    >>> size < 1e-12, force.round(12) + 0.0
    (True, array([[ 5. , -0.5,  0. ]]))
    """
    nc = len(problem.d)
    least = np.zeros((nc, 3))
    least[:, 0] = problem.least
    best = problem.residual(least), least
    if nc > MOST:
        return best
    flat, b = problem.M.reshape(3 * nc, 3 * nc), (problem.d + _times(problem.M, least)).ravel()
    pushes = np.any(problem.sliding, axis=1) | (problem.friction == 0.0)
    # Columns are what forces act along, rows what they stop: three of a contact that sticks, one of others.
    along = np.eye(3 * nc)
    for i in np.flatnonzero(pushes):
        along[3 * i + 1 : 3 * i + 3, 3 * i] = -problem.friction[i] * problem.sliding[i]
    for closed in product((False, True), repeat=nc):
        rows = [3 * i + k for i in range(nc) if closed[i] for k in range(1 if pushes[i] else 3)]
        F = along[:, rows]
        found, *_ = np.linalg.lstsq(flat[rows] @ F, -b[rows], rcond=SINGULAR)
        force = least + (F @ found).reshape(nc, 3)
        best = min(best, (problem.residual(force), force), key=lambda pair: pair[0])
    return best


def _times(M: Array, force: Array) -> Array:
    return np.einsum("iajb,jb->ia", M, force)
