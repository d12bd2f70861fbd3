"""Lemke's method for the linear complementarity problem: short, exact, and for small problems."""

import numpy as np

from ...errors import SolverError
from ...spatial import Array

PIVOT = 1e-11
"""Entries of a column below this share of its largest are no pivots."""


def lemke(M: Array, d: Array) -> Array | None:
    """λ (nc,) with ζ̇ = M λ + d ≥ 0, λ ≥ 0, ζ̇·λ = 0 (RBDA 11.42), or None if there is none.

    Cottle & Dantzig, Complementary pivot theory of mathematical programming (1968). An artificial variable z
    makes w = M λ + d + z ≥ 0 feasible; from then on the complement of what has left the basis enters, until z
    leaves. For a positive semidefinite M, a ray without end says that the problem has no solution. O(nc²) a
    pivot, and seldom more than 2 nc pivots; `gauss_form` is faster and more accurate.

    Args:
        M: (nc, nc) symmetric, positive semidefinite.
        d: (nc,).

    >>> import whippletree as wt
    >>> wt.contact.lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])).round(12)
    array([1.33333333, 2.33333333])
    >>> wt.contact.lemke(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -2.0]))
    """
    n = len(d)
    if n == 0 or np.min(d) >= 0.0:
        return np.zeros(n)
    # Rows and columns scaled to a unit diagonal, so that contacts of light and heavy bodies are alike.
    scale = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    M, d = scale[:, None] * M * scale, scale * d
    # Columns: w (n), λ (n), z, right-hand side; rows say what each basic variable is.
    table = np.concatenate([np.eye(n), -M, -np.ones((n, 1)), d[:, None]], axis=1)
    basis = list(range(n))  # w_i is number i, λ_i is n + i, z is 2 n
    row, entering = int(np.argmin(d)), 2 * n
    for _ in range(50 * (n + 1)):
        table[row] = table[row] / table[row, entering]
        others = np.arange(n) != row
        table[others] -= np.outer(table[others, entering], table[row])
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            force = np.zeros(2 * n + 1)
            force[basis] = table[:, -1]
            return scale * np.maximum(force[n : 2 * n], 0.0)
        entering = leaving + n if leaving < n else leaving - n
        chosen = _leaving_row(table, basis, entering, n)
        if chosen is None:
            return None
        row = chosen
    raise SolverError(f"Lemke's method: no end after {50 * (n + 1)} pivots on {n} contacts")


def _leaving_row(table: Array, basis: list[int], entering: int, n: int) -> int | None:
    """The row that reaches zero first; of several that of z, else the lexicographically least."""
    column = table[:, entering]
    rows = np.flatnonzero(column > PIVOT * max(1.0, float(np.max(np.abs(column)))))
    if not len(rows):
        return None
    ratios = table[rows, -1] / column[rows]
    least = rows[ratios <= ratios.min() + PIVOT]
    if 2 * n in (basis[k] for k in least):
        return basis.index(2 * n)
    return int(min(least, key=lambda k: tuple(table[k, :n] / column[k])))
