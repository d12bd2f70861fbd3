"""Rank and solution of K x = k by elimination with complete pivoting (RBDA §8.8)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...spatial import Array, minimum

TOLERANCE = 1e-9
"""Pivots below this share of the largest entry of K count as zero: the rows left over are dependent."""

TIE = 1e-6
"""Pivots that differ by less than this share are equally good."""


class MisfitError(InputError):
    """Choices of rows and unknowns that do not fit the mechanism, or positions, in which they are to hold."""


class Elimination(NamedTuple):
    """K x = k solved as x = G y + g, y being some of the entries of x (RBDA 8.49).

    Attributes:
        rows: Numbers of r independent rows of K, in the order in which they were chosen.
        dependent: Numbers of the r entries of x that they determine, in the same order.
        independent: Numbers of the other entries of x, which are y, in ascending order.
        G: (n, n - r) with K G = 0.
        g: (n,) with K g = k on the chosen rows.
        residual: (nc,) what is left of k on the rows not chosen; zero if the equation is consistent.
        share: The least pivot, as a share of the size of K.
    """

    rows: list[int]
    dependent: list[int]
    independent: list[int]
    G: Array
    g: Array
    residual: Array
    share: Any

    @property
    def pivots(self) -> tuple[tuple[int, int], ...]:
        """Row and entry of x of each pivot, in order."""
        return tuple(zip(self.rows, self.dependent, strict=True))


def eliminate(
    K: Array,
    k: Array,
    size: float | None = None,
    pivots: Sequence[tuple[int, int]] | None = None,
    tolerance: float = TOLERANCE,
) -> Elimination:
    """Solve K x = k, choosing rows and dependent entries by the largest pivot left.

    Args:
        K: (nc, n) of any rank; floats, or with given pivots any scalars.
        k: (nc,) right-hand side.
        size: What the entries of K are large against; its largest entry by default. What is left of an
            equation after others have been put into it is small against what it was before.
        pivots: Row and entry of x of each pivot, as they were chosen where K was given in numbers.
        tolerance: Share of the size below which pivots count as zero.

    >>> e = eliminate(np.array([[1.0, 4.0], [2.0, 8.0]]), np.array([2.0, 4.0]))
    >>> e.rows, e.dependent, e.G.ravel(), e.g
    ([1], [1], array([ 1.  , -0.25]), array([0. , 0.5]))
    """
    nc, n = K.shape
    A = np.concatenate([K, k[:, None]], axis=1)
    A = A.astype(float) if A.dtype.kind in "biuf" else A
    if size is None:
        size = float(np.max(np.abs(K), initial=0.0)) if pivots is None else 1.0
    columns = list(range(n))
    left = list(range(nc))
    rows: list[int] = []
    dependent: list[int] = []
    share: Any = 1.0
    while left and columns:
        chosen = _largest(A, left, columns, tolerance * size) if pivots is None else _next(pivots, len(rows))
        if chosen is None:
            break
        row, column = chosen
        left.remove(row)
        columns.remove(column)
        share = minimum(share, abs(A[row, column]) / size)
        A[row] = A[row] / A[row, column]
        # Gauss-Jordan: clearing the column above as well leaves G and g in place.
        for other in (*left, *rows):
            A[other] = A[other] - A[other, column] * A[row]
        rows.append(row)
        dependent.append(column)
    independent = sorted(set(range(n)) - set(dependent))
    G = np.full((n, len(independent)), 0.0, dtype=A.dtype)
    g = np.full(n, 0.0, dtype=A.dtype)
    G[independent, range(len(independent))] = 1.0
    G[dependent] = -A[np.ix_(rows, independent)]
    g[dependent] = A[rows, n]
    residual = np.full(nc, 0.0, dtype=A.dtype)
    residual[left] = A[left, n]
    return Elimination(rows, dependent, independent, G, g, residual, share)


def _largest(A: Array, left: list[int], columns: list[int], smallest: float) -> tuple[int, int] | None:
    """Row and column of the largest entry left; None if it counts as zero."""
    block = np.abs(A[np.ix_(left, columns)])
    a, b = largest_place(block)
    return None if block[a, b] <= smallest else (left[a], columns[b])


def largest_place(sizes: Array) -> tuple[int, int]:
    """Row and column of the first of those that are largest but for rounding.

    So that equal loops are solved alike, and all of them alike on every processor.

    >>> largest_place(np.array([[1.0, 3.0], [3.0 + 1e-15, 2.0]]))
    (0, 1)
    """
    a, b = np.unravel_index(int(np.argmax(sizes >= (1.0 - TIE) * sizes.max())), sizes.shape)
    return int(a), int(b)


def _next(pivots: Sequence[tuple[int, int]], done: int) -> tuple[int, int] | None:
    return pivots[done] if done < len(pivots) else None


def independent_rows(K: Array) -> list[int]:
    """Numbers of a largest set of independent rows of K (nc, n), in ascending order.

    >>> independent_rows(np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]]))
    [1, 2]
    """
    return sorted(eliminate(np.real(K), np.zeros(len(K))).rows)
