"""The matrix of `sparse` (RBDA 8.64), block by block."""

from typing import Any

import numpy as np

from ...spatial import Array, known
from ..equations.pivot_order import Rows


class SparseBlocks:
    """A symmetric sparse matrix, collected block by block: first the bodies, then rows of constraints."""

    def __init__(self, bodies: int) -> None:
        self.size = 6 * bodies
        self.entries: list[tuple[int, int, Array]] = []

    def add(self, i: int, j: int, block: Array) -> None:
        """Add a (6, 6) block at bodies i and j."""
        self.entries.append((6 * i, 6 * j, block))

    def constrain(self, terms: list[tuple[int, Array]]) -> None:
        """Append the rows Σ Tᵀ a, and their transpose, for pairs of a body and T (6, k)."""
        for i, T in terms:
            if i != -1:
                self.entries.append((self.size, 6 * i, T.T))
                self.entries.append((6 * i, self.size, T))
        self.size += terms[0][1].shape[1]

    def matrix(self) -> Any:
        """The matrix; blocks at the same place add up."""
        parts = [
            (block.ravel(), *(part.ravel() for part in np.indices(block.shape)), top, left)
            for top, left, block in self.entries
        ]
        values = np.concatenate([np.zeros(0), *(values for values, *_ in parts)]).astype(float)
        rows = np.concatenate([np.zeros(0, int), *(rows + top for _, rows, _, top, _ in parts)])
        columns = np.concatenate([np.zeros(0, int), *(columns + left for _, _, columns, _, left in parts)])
        from scipy.sparse import csc_matrix

        return csc_matrix((values, (rows, columns)), shape=(self.size, self.size))

    def by_rows(self) -> Rows:
        """The same, row by row, for any scalar."""
        rows: Rows = [{} for _ in range(self.size)]
        for top, left, block in self.entries:
            for a, entries in enumerate(block):
                row = rows[top + a]
                for b, entry in enumerate(entries):
                    if known(entry) != 0.0:
                        row[left + b] = row[left + b] + entry if left + b in row else entry
        return rows
