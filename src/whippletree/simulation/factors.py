"""Constraints at one position, factored so that their rank and their weakest combination show."""

from functools import cache, cached_property
from typing import Any

import numpy as np

from ..spatial import Array

WEAK = 1e-6
"""Pivots below this share of the largest tell more about the rounding of positions than about them."""

SMALL = 0.1
"""Pivots below this share of the largest belong to constraints that may become dependent soon."""

REAL = 0.1
"""Shares of an imaginary part that do not count: two that come at once leave the root of their rounding."""

TURNS = 4
"""Steps of inverse iteration: near singular positions, where it matters, each gains many digits."""


@cache
def lapack() -> Any:
    """SciPy's LAPACK."""
    from scipy.linalg import lapack as found  # on use: it takes longer to import than all the rest

    return found


class Factors:
    """Kᵀ P = Q R, the largest column left coming next (Golub & Van Loan, Matrix Computations, §5.4.2).

    Args:
        K: (nc, n) constraints, of any rank.
        rank: How many of them are independent in most positions.
        weak: Share of the largest pivot that others are above, if they count.

    Attributes:
        clear: How many pivots count.
        rank: How many of these are used, at most the given rank.
        margin: The last pivot as a share of the first: 0 where fewer are independent than elsewhere.
        rows: (rank,) numbers of the constraints that are used.
    """

    def __init__(self, K: Array, rank: int, weak: float = WEAK) -> None:
        self._solve = lapack().dtrtrs
        self._factored, order, self._scales, _, _ = lapack().dgeqp3(K.T)
        pivots = np.abs(self._factored.diagonal())
        self.clear = int(np.count_nonzero(pivots > weak * pivots[0])) if len(pivots) else 0
        self.rank = min(rank, self.clear)
        self.margin = float(pivots[rank - 1] / pivots[0]) if self.rank else 1.0
        self.rows = order[: self.rank] - 1
        self._R = self._factored[: self.rank, : self.rank]

    @cached_property
    def _Q(self) -> Array:
        width = min(self._factored.shape)
        return lapack().dorgqr(self._factored[:, :width], self._scales)[0][:, : self.rank]

    def shortest(self, right: Array) -> Array:
        """(n,) the shortest x with K x = right; what only weak combinations determine stays zero."""
        if not self.rank:
            return np.zeros(len(self._factored))
        # Q times a vector, without Q; more room to work in would only make it slower.
        found = np.zeros((len(self._factored), 1), order="F")
        found[: self.rank, 0] = self._solve(self._R, right[self.rows], trans=1)[0]
        reflectors = self._factored[:, : min(self._factored.shape)]
        return lapack().dormqr("L", "N", reflectors, self._scales, found, 1)[0][:, 0]

    def turned(self, K: Array) -> bool:
        """Whether some combination of constraints elsewhere, (nc, n), is turned round against these.

        On the space of these, those are M (K Q = M Rᵀ), which is 1 here. On a path to there an eigenvalue of
        M passes zero where constraints become dependent, and is negative behind.
        """
        if not self.rank:
            return False
        M, _ = self._solve(self._R, (K[self.rows] @ self._Q).T)
        if not np.all(np.isfinite(M)) or lapack().dpotrf(M + M.T)[1] == 0:
            return False  # it turns none, so that it has no such eigenvalue
        return bool(np.min(np.linalg.eigvals(M).real) < 0.0)

    def times_to_singular(self, K_rate: Array) -> Array:
        """(k,) when singular values would reach zero, if K went on to change at a rate (nc, n), s.

        Looked at are the combinations u of constraints whose singular values are small, and v = Kᵀ u = W T:
        uᵀ K W = Tᵀ changes by uᵀ (dK/dt) W, and loses its rank where both cancel. There are as many times as
        constraints that become dependent one after the other; negative where it was in the past.
        """
        if not self.rank:
            return np.zeros(0)
        pivots = np.abs(np.diagonal(self._R))
        u = np.eye(self.rank)[:, pivots <= max(SMALL * pivots[0], pivots[-1])]
        for _ in range(TURNS):
            u = self._solve(self._R, self._solve(self._R, u, trans=1)[0])[0]
            u, _ = _orthonormal(u)
        W, T = _orthonormal(self._Q @ (np.triu(self._R) @ u))
        inverse_times, _ = self._solve(T, u.T @ K_rate[self.rows] @ W, trans=1)
        if not np.all(np.isfinite(inverse_times)):
            return np.zeros(1)  # it is there
        found = np.linalg.eigvals(inverse_times)
        real = found.real[(np.abs(found.imag) <= REAL * np.abs(found.real)) & (found.real != 0.0)]
        return -1.0 / real


def _orthonormal(A: Array) -> tuple[Array, Array]:
    """Q (n, k) and R (k, k) in the upper triangle of A (n, k) = Q R; NumPy's takes several times as long."""
    R, scales, *_ = lapack().dgeqrf(A)
    return lapack().dorgqr(R, scales)[0], R[: A.shape[1]]
