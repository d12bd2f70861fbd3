"""Products and solves with a branch-sparse triangle L, and with H itself (RBDA table 6.5).

On each row i only the diagonal and the columns λ(i), λ(λ(i)), … differ from zero; nothing else is
looked at. Vectors are (n,), or (n, k) for k of them side by side. D1 is that of RBDA 6.26.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial import Array, array


def ancestors(lam: Sequence[int], i: int) -> Iterator[int]:
    """λ(i), λ(λ(i)), … down to the base, which is left out.

    >>> list(ancestors([-1, 0, 0, 2], 3))
    [2, 0]
    """
    i = lam[i]
    while i != -1:
        yield i
        i = lam[i]


@dataclass(frozen=True, eq=False)
class Triangle:
    """A lower triangular matrix L, kept as its rows up to the diagonal.

    >>> L = Triangle([[2.0], [1.0, 4.0]], [-1, 0])
    >>> L.times(np.array([1.0, 1.0])), L.transpose_times(np.array([1.0, 1.0]))
    (array([2., 5.]), array([3., 4.]))
    """

    rows: list[list[Any]]
    lam: Sequence[int]

    def _diagonal(self, i: int) -> Any:
        return self.rows[i][i]

    def _diagonal_times(self, i: int, x: Any) -> Any:
        return self.rows[i][i] * x

    def _over_diagonal(self, i: int, x: Any) -> Any:
        return x / self.rows[i][i]

    def matrix(self) -> Array:
        """(n, n) L with all its zeros."""
        n = len(self.rows)
        rows = [[*self.rows[i][:i], self._diagonal(i), *[0.0] * (n - 1 - i)] for i in range(n)]
        return array(rows) if rows else np.zeros((0, 0))

    def times(self, x: Array) -> Array:
        """L x. n m + D1 (m + a)."""
        y = list(x)
        for i in reversed(range(len(y))):
            y[i] = self._diagonal_times(i, x[i])
            for j in ancestors(self.lam, i):
                y[i] = y[i] + self.rows[i][j] * x[j]
        return _joined(y, x)

    def transpose_times(self, x: Array) -> Array:
        """Lᵀ x. n m + D1 (m + a)."""
        y = list(x)
        for i in range(len(y)):
            y[i] = self._diagonal_times(i, x[i])
            for j in ancestors(self.lam, i):
                y[j] = y[j] + self.rows[i][j] * x[i]
        return _joined(y, x)

    def solve(self, b: Array) -> Array:
        """L⁻¹ b. n d + D1 (m + a)."""
        x = list(b)
        for i in range(len(x)):
            for j in ancestors(self.lam, i):
                x[i] = x[i] - self.rows[i][j] * x[j]
            x[i] = self._over_diagonal(i, x[i])
        return _joined(x, b)

    def solve_transposed(self, b: Array) -> Array:
        """L⁻ᵀ b. n d + D1 (m + a)."""
        x = list(b)
        for i in reversed(range(len(x))):
            x[i] = self._over_diagonal(i, x[i])
            for j in ancestors(self.lam, i):
                x[j] = x[j] - self.rows[i][j] * x[i]
        return _joined(x, b)


@dataclass(frozen=True, eq=False)
class UnitTriangle(Triangle):
    """A triangle whose diagonal is 1, whatever stands there: every product and solve is D1 (m + a).

    >>> UnitTriangle([[1.0], [3.0, 1.0]], [-1, 0]).inverse().matrix()
    array([[ 1.,  0.],
           [-3.,  1.]])
    """

    def inverse(self) -> "UnitTriangle":
        """L⁻¹, with the zeros of L. D2 - D1 (m + a), D1 and D2 as in RBDA 6.26-6.27."""
        rows: list[list[Any]] = []
        for k, row in enumerate(self.rows):
            above = list(ancestors(self.lam, k))
            found = [*([0.0] * k), 1.0]
            for i in above:
                found[i] = -row[i]
            for i in above:  # row k of L⁻¹ is that of 1 less those of its ancestors, times L's entries
                for j in ancestors(self.lam, i):
                    found[j] = found[j] - row[i] * rows[i][j]
            rows.append(found)
        return UnitTriangle(rows, self.lam)

    def _diagonal(self, i: int) -> Any:
        return 1.0

    def _diagonal_times(self, i: int, x: Any) -> Any:
        return x

    def _over_diagonal(self, i: int, x: Any) -> Any:
        return x


def symmetric_product(H: Array, lam: Sequence[int], x: Array) -> Array:
    """H x of a branch-sparse symmetric H (n, n), of which the lower half is read. n m + 2 D1 (m + a).

    >>> symmetric_product(np.array([[2.0, 1.0], [1.0, 3.0]]), [-1, 0], np.array([1.0, 1.0]))
    array([3., 4.])
    """
    y = [H[i][i] * x[i] for i in range(len(x))]
    for i in reversed(range(len(y))):
        for j in ancestors(lam, i):
            y[i] = y[i] + H[i][j] * x[j]
            y[j] = y[j] + H[i][j] * x[i]
    return _joined(y, x)


def _joined(rows: list[Any], like: Array) -> Array:
    """The rows as an array; an empty list has no scalar type, so it keeps that of the input."""
    return array(rows) if rows else like
