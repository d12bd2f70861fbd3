"""Linear equations solved in an order of pivots that was chosen before, for any scalar.

A kernel cannot compare numbers that are not there yet. So the order is chosen once, at a position given in
numbers, and followed wherever the kernel is used, as long as no pivot comes near zero there.
"""

from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, array, known, minimum
from .rank import largest_place

Rows = list[dict[int, Any]]
"""A matrix by its rows, each with the columns of its entries."""


class PivotOrder(NamedTuple):
    """Which row is solved for which unknown, one after the other, and how large the pivots were."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    sizes: tuple[float, ...]


def order_by_size(A: Array) -> PivotOrder:
    """The order of complete pivoting on a regular (n, n) matrix of floats, each row scaled to its largest.

    >>> order_by_size(np.array([[0.0, 2.0], [4.0, 1.0]]))[:2]
    ((0, 1), (1, 0))
    """
    left, scale = np.array(A, dtype=float), np.max(np.abs(A), axis=1, initial=0.0)
    rows, columns, sizes = [], [], []
    free_rows, free_columns = list(range(len(A))), list(range(len(A)))
    for _ in range(len(A)):
        block = np.abs(left[np.ix_(free_rows, free_columns)]) / scale[free_rows, None]
        a, b = largest_place(block)
        row, column = free_rows.pop(a), free_columns.pop(b)
        pivot = left[row, column]
        left[free_rows] -= np.outer(left[free_rows, column] / pivot, left[row])
        rows.append(row)
        columns.append(column)
        sizes.append(float(abs(pivot)))
    return PivotOrder(tuple(rows), tuple(columns), tuple(sizes))


def in_order(rows: Rows, b: Array, order: PivotOrder) -> tuple[Array, Any]:
    """(n,) the solution of A x = b, and the least pivot as a share of what it was when the order was chosen.

    Entries that are missing, or known to be zero, cost nothing.

    >>> A = np.array([[0.0, 2.0], [4.0, 1.0]])
    >>> x, share = in_order(by_rows(A), np.array([6.0, 11.0]), order_by_size(A))
    >>> x, float(share)
    (array([2., 3.]), 1.0)
    """
    A, right = [dict(row) for row in rows], list(b)
    holders: dict[int, list[int]] = {}
    for number, row in enumerate(A):
        for column in row:
            holders.setdefault(column, []).append(number)
    solved: list[tuple[int, int, Any]] = []
    done: set[int] = set()
    share: Any = 1.0
    for row, column, size in zip(*order, strict=True):
        pivot = A[row].pop(column)
        share = minimum(share, abs(pivot) / size)
        reciprocal = 1.0 / pivot
        done.add(row)
        for other in holders[column]:
            if other in done or column not in A[other]:
                continue
            factor = A[other].pop(column) * reciprocal
            right[other] = right[other] - factor * right[row]
            for k, entry in A[row].items():
                if k in A[other]:
                    A[other][k] = A[other][k] - factor * entry
                else:
                    A[other][k] = -(factor * entry)
                    holders.setdefault(k, []).append(other)
        solved.append((row, column, reciprocal))
    x: list[Any] = [0.0] * len(A)
    for row, column, reciprocal in reversed(solved):
        value = right[row]
        for k, entry in A[row].items():
            value = value - entry * x[k]
        x[column] = value * reciprocal
    return array(x) if x else np.zeros(0), share


def by_rows(A: Array) -> Rows:
    """The entries of a matrix that are not known to be zero, row by row."""
    return [{j: entry for j, entry in enumerate(row) if known(entry) != 0.0} for row in A]
