"""Contact forces from the quadratic program in the forces themselves (RBDA 11.43)."""

import numpy as np

from ...errors import SolverError
from ...spatial import Array
from .gauss_form import SOLVED, TOLERANCE, daqp_solver

DEFINITE = 1e-10
"""An M, scaled to a unit diagonal, with eigenvalues below this is not taken for definite."""


def force_form(M: Array, d: Array) -> Array:
    """λ (nc,) that minimizes ½ λᵀMλ + λᵀd subject to λ ≥ 0, for a positive definite M.

    For a singular M the program may have many solutions or be without bound; `gauss_form` tells.

    Args:
        M: (nc, nc) symmetric, positive definite.
        d: (nc,).

    >>> import whippletree as wt
    >>> wt.contact.force_form(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])).round(12)
    array([1.33333333, 2.33333333])
    """
    n = len(d)
    if n == 0 or np.min(d) >= 0.0:
        return np.zeros(n)
    scale = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    size = float(np.max(np.abs(scale * d)))
    unit = scale[:, None] * M * scale
    least = float(np.linalg.eigvalsh(unit)[0])
    if least < DEFINITE:
        raise SolverError(
            f"force_form: M, scaled to a unit diagonal, has the eigenvalue {least:.2g}, expected at least "
            f"{DEFINITE:g}: contacts depend on each other; use gauss_form"
        )
    bounds = np.full(n, 1e30), np.zeros(n)
    x, _, flag, _ = daqp_solver().solve(
        unit, scale * d / size, np.zeros((0, n)), *bounds, primal_tol=TOLERANCE
    )
    if flag != SOLVED:
        raise SolverError(f"force_form: daqp gave up with exit flag {flag} on {n} contacts")
    return scale * size * np.maximum(x, 0.0)
