"""Matrices made of blocks, for any scalar."""

from typing import Any

import numpy as np

from ..spatial import Array, array

Rows = list[list[Any]]
"""A matrix under construction: entries are replaced, never written into, so that any scalar may come."""


def zeros(n: int) -> Rows:
    """An (n, n) matrix of zeros."""
    return [[0.0] * n for _ in range(n)]


def fill(H: Rows, rows: slice, columns: slice, block: Array) -> None:
    """Write a block of a symmetric H and its transpose."""
    for a, row in enumerate(range(rows.start, rows.stop)):
        for b, column in enumerate(range(columns.start, columns.stop)):
            H[row][column] = H[column][row] = block[a, b]


def put(M: Rows, rows: slice, columns: slice, block: Array) -> None:
    """Write a block."""
    for row, entries in zip(range(rows.start, rows.stop), block, strict=True):
        M[row][columns] = list(entries)


def finished(H: Rows) -> Array:
    """The matrix as an array, (0, 0) if it has no rows."""
    return array(H) if H else np.zeros((0, 0))
