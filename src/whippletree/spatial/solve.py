"""Small symmetric positive definite systems for any scalar; LAPACK refuses object arrays."""

from dataclasses import dataclass
from typing import Any

from .scalar import Array, array, known
from .vectors import cross


@dataclass(frozen=True, eq=False)
class Factored:
    """A = L diag(d) Lᵀ with unit lower triangular L; holds the rows of L, d and its reciprocals."""

    rows: list[list[Any]]
    pivots: list[Any]
    reciprocals: list[Any]

    def solve(self, b: Array) -> Array:
        """A⁻¹ b, for b of shape (n,) or (n, k)."""
        n = len(self.rows)
        if n == 0:
            return b
        x = list(b)
        for i in range(n):
            for j in range(i):
                x[i] = x[i] - self.rows[i][j] * x[j]
        for i in range(n):
            # Of numbers a quotient, by which d / d is 1; symbols share a reciprocal.
            by_number = not b.dtype.hasobject and isinstance(self.pivots[i], float)
            x[i] = x[i] / self.pivots[i] if by_number else x[i] * self.reciprocals[i]
        for i in reversed(range(n)):
            for j in range(i + 1, n):
                x[i] = x[i] - self.rows[j][i] * x[j]
        return array(x)


def refuse_zero(pivot: Any, should_be: str = "positive definite") -> None:
    """ZeroDivisionError for a pivot that is known to be zero, with numbers or without them.

    >>> refuse_zero(0.0)
    Traceback (most recent call last):
    ZeroDivisionError: a matrix that should be positive definite is singular
    """
    if known(pivot) == 0.0:
        raise ZeroDivisionError(f"a matrix that should be {should_be} is singular")


def factor_spd(A: Array) -> Factored:
    """Factor a symmetric positive definite (n, n) matrix, n ≥ 0; only its lower triangle is read.

    >>> import numpy as np
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> factor_spd(A).solve(np.array([8.0, 8.0]))
    array([1., 2.])
    """
    n = len(A)
    rows: list[list[Any]] = []
    pivots: list[Any] = []
    reciprocals: list[Any] = []
    for i in range(n):
        # scaled[j] = L[i][j] d[j], which is what the later columns subtract.
        scaled: list[Any] = []
        for j in range(i):
            entry = A[i, j]
            for k in range(j):
                entry = entry - scaled[k] * rows[j][k]
            scaled.append(entry)
        row = [scaled[j] * reciprocals[j] for j in range(i)]
        pivot = A[i, i]
        for k in range(i):
            pivot = pivot - scaled[k] * row[k]
        refuse_zero(pivot)
        rows.append(row)
        pivots.append(pivot)
        reciprocals.append(1.0 / pivot)
    return Factored(rows, pivots, reciprocals)


def solve_spd(A: Array, b: Array) -> Array:
    """A⁻¹ b of a symmetric positive definite (n, n) matrix and b of shape (n,) or (n, k).

    >>> import numpy as np
    >>> solve_spd(np.array([[2.0]]), np.array([3.0]))
    array([1.5])
    """
    return factor_spd(A).solve(b)


def solve_regular(A: Array, b: Array) -> Array:
    """A⁻¹ b of a general regular (n, n) matrix and b of shape (n,) or (n, k), by orthogonal columns.

    Modified Gram-Schmidt, A = V R with orthogonal columns in V and a unit upper triangle R: it has no pivots
    to choose, so that any scalar may come.

    >>> import numpy as np
    >>> solve_regular(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([2.0, 3.0]))
    array([3., 1.])
    """
    n, left, V = len(A), b, list(A.T)
    R: list[list[Any]] = []
    x: list[Any] = []
    for i, v in enumerate(V):
        square = v @ v
        refuse_zero(square, "regular")
        R.append([(v @ other) / square for other in V[i + 1 :]])
        V[i + 1 :] = [other - r * v for r, other in zip(R[i], V[i + 1 :], strict=True)]
        x.append((v @ left) / square)
        left = left - (v * x[i] if b.ndim == 1 else v[:, None] * x[i])
    for i in reversed(range(n)):
        for r, below in zip(R[i], x[i + 1 :], strict=True):
            x[i] = x[i] - r * below
    return array(x).reshape(b.shape)


def solve_3x3(A: Array, b: Array) -> Array:
    """A⁻¹ b of a general (3, 3) matrix by Cramer's rule, b of shape (3,).

    >>> import numpy as np
    >>> solve_3x3(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 4.0]]), np.array([2.0, 3.0, 8.0]))
    array([3., 1., 2.])
    """
    a1, a2, a3 = A.T
    a23, a31, a12 = cross(a2, a3), cross(a3, a1), cross(a1, a2)
    return array([b @ a23, b @ a31, b @ a12]) / (a1 @ a23)
