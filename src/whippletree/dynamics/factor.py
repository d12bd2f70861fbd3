"""Factors of a matrix with branch-induced sparsity: H = LᵀL and H = LᵀDL (RBDA §6.4-6.5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial import Array, array, each, refuse_zero
from .block_matrix import finished, zeros
from .triangle import Triangle, UnitTriangle, ancestors

BRANCHES = 24
"""Variables from which columns are solved for by loops: straight code for so many is too long to be fast."""


def expanded_parents(parents: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """λ': the parent of each joint variable, joints of several variables standing as chains of single ones.

    RBDA table 6.4, from 0 and with -1 for the base. A joint of size 0, fixed or left out of the
    matrix, joins its body with the parent, as in RBDA figure 9.1; table 6.4 alone does not provide
    for it.

    Args:
        parents: (nb,) λ, parents first.
        sizes: (nb,) number of variables of each joint, 0 included.

    >>> expanded_parents([-1, 0, 0, 1, 1, 2], [1, 3, 1, 1, 1, 1])
    [-1, 0, 1, 2, 0, 3, 3, 4]
    """
    expanded = list(range(-1, sum(sizes) - 1))
    last = {-1: -1}  # the book's map: the last variable that moves each body
    first = 0
    for i, (parent, size) in enumerate(zip(parents, sizes, strict=True)):
        if size:
            expanded[first] = last[parent]
        first += size
        last[i] = first - 1 if size else last[parent]
    return expanded


@dataclass(frozen=True, eq=False)
class Ltl:
    """H = LᵀL."""

    L: Triangle

    def solve(self, b: Array) -> Array:
        """H⁻¹ b for b (n,) or (n, k). 2n d + 2 D1 (m + a) a column, D1 as in RBDA 6.26."""
        return self.L.solve(self.L.solve_transposed(b))


@dataclass(frozen=True, eq=False)
class Ltdl:
    """H = LᵀDL with a unit triangular L and the diagonal D (n,)."""

    L: UnitTriangle
    D: list[Any]

    def solve(self, b: Array) -> Array:
        """H⁻¹ b for b (n,) or (n, k). n d + 2 D1 (m + a) a column, D1 as in RBDA 6.26."""
        if not self.D:
            return b
        scaled = [x / d for x, d in zip(self.L.solve_transposed(b), self.D, strict=True)]
        return self.L.solve(array(scaled))

    def inverted(self) -> "InverseLtdl":
        """The same by factors of H⁻¹, for many right-hand sides and for all of H⁻¹. n d, and L⁻¹."""
        return InverseLtdl(self.L.inverse(), [1.0 / d for d in self.D])


@dataclass(frozen=True, eq=False)
class InverseLtdl:
    """H⁻¹ = M D⁻¹ Mᵀ with M = L⁻¹, which has the zeros of L, and the diagonal of D⁻¹ (n,).

    >>> H = ltdl(np.array([[5.0, 2.0], [2.0, 4.0]]), [-1, 0]).inverted()
    >>> H.matrix() * 16.0
    array([[ 4., -2.],
           [-2.,  5.]])
    """

    M: UnitTriangle
    weights: list[Any]

    def negated(self) -> "InverseLtdl":
        """The factors of -H⁻¹."""
        return InverseLtdl(self.M, [-w for w in self.weights])

    def times(self, b: Array) -> Array:
        """H⁻¹ b for b (n,) or (n, k). n m + 2 D1 (m + a) a column."""
        if not self.weights:
            return b
        scaled = [x * w for x, w in zip(self.M.transpose_times(b), self.weights, strict=True)]
        return self.M.times(array(scaled))

    def times_branches(self, b: Array, variables: Sequence[int]) -> Array:
        """H⁻¹ b for columns that belong to joint variables; of many, in a kernel, by a loop for each branch.

        Args:
            b: (n, k), each column zero but for the rows of variables that support its own, or are supported
                by it.
            variables: (k,) the variable that each column belongs to.
        """
        n = len(self.weights)
        if n < BRANCHES:
            return self.times(b)
        found: list[Any] = [None] * len(variables)
        for rows, numbers in self._branches(variables).items():
            kept = np.array([i in rows for i in range(n)])
            solved = each(lambda x, kept=kept: self.times(np.where(kept, x, 0.0)), b.T[numbers])
            for number, column in zip(numbers, solved, strict=True):
                found[number] = column
        return array(found).T

    def _branches(self, variables: Sequence[int]) -> dict[frozenset[int], list[int]]:
        """Columns by the rows in which they are not zero, few of them treated as those of a larger branch.

        A loop costs about one pass more: what it needs of M is brought there. So it is left out where the
        zeros that its columns would meet in another cost less.
        """
        n = len(self.weights)
        above = [{k, *ancestors(self.M.lam, k)} for k in range(n)]
        near = [frozenset(i for i in range(n) if k in above[i] or i in above[k]) for k in range(n)]
        columns: dict[frozenset[int], list[int]] = {}
        for number, k in enumerate(variables):
            columns.setdefault(near[k], []).append(number)
        products = {r: sum(len(above[i]) for i in r) + sum(len(a & r) for a in above) for r in columns}
        for rows in sorted(columns, key=len):
            larger = min((r for r in columns if r > rows), key=products.__getitem__, default=rows)
            if 0 < (products[larger] - products[rows]) * len(columns[rows]) < products[rows]:
                columns[larger] += columns.pop(rows)
        return columns

    def matrix(self) -> Array:
        """(n, n) H⁻¹, one half of which is computed."""
        rows, n = self.M.rows, len(self.weights)
        scaled = [[x * w for x, w in zip(row, self.weights, strict=False)] for row in rows]
        support = [{k, *ancestors(self.M.lam, k)} for k in range(n)]
        found = zeros(n)
        for i in range(n):
            for k in range(i + 1):
                # The entry 1 on the diagonal multiplies nothing.
                both = sorted(support[i] & support[k], reverse=True)
                terms = [scaled[i][j] * rows[k][j] if j != k else scaled[i][j] for j in both]
                found[i][k] = found[k][i] = sum(terms[1:], start=terms[0]) if terms else 0.0
        return finished(found)


def ltl(H: Array, lam: Sequence[int]) -> Ltl:
    """The factor L of a symmetric positive definite H = LᵀL without fill-in, O(n depth²).

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.3, left. n sqrt + D1 d + D2 (m + a)
    by table 6.6.

    Args:
        H: (n, n); on row k, only the diagonal and the columns λ(k), λ(λ(k)), … are read.
        lam: (n,) the expanded parent array.

    >>> ltl(np.array([[5.0, 2.0], [2.0, 4.0]]), [-1, 0]).L.rows
    [[np.float64(2.0)], [np.float64(1.0), np.float64(2.0)]]
    """
    L = _lower(H, lam)
    for k in reversed(range(len(L))):
        refuse_zero(L[k][k])
        L[k][k] = np.sqrt(L[k][k])
        for i in ancestors(lam, k):
            L[k][i] = L[k][i] / L[k][k]
        for i in ancestors(lam, k):
            for j in (i, *ancestors(lam, i)):
                L[i][j] = L[i][j] - L[k][i] * L[k][j]
    return Ltl(Triangle(L, lam))


def ltdl(H: Array, lam: Sequence[int]) -> Ltdl:
    """The factors of a symmetric positive definite H = LᵀDL without fill-in or roots, O(n depth²).

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.3, right. D1 d + D2 (m + a) by
    table 6.6. Arguments as in `ltl`.

    >>> ltdl(np.array([[5.0, 2.0], [2.0, 4.0]]), [-1, 0]).D
    [np.float64(4.0), np.float64(4.0)]
    """
    L = _eliminated(H, lam, lambda pivot: lambda x: x / pivot)
    return Ltdl(UnitTriangle(L, lam), [L[k][k] for k in range(len(L))])


def weighted_ltdl(H: Array, lam: Sequence[int]) -> tuple[UnitTriangle, list[Any]]:
    """L and the reciprocals of D in H = LᵀDL: n d + D1 m in place of D1 d, where a division takes long.

    >>> weighted_ltdl(np.array([[5.0, 2.0], [2.0, 4.0]]), [-1, 0])[1]
    [np.float64(0.25), np.float64(0.25)]
    """
    weights: list[Any] = []

    def over(pivot: Any) -> Callable[[Any], Any]:
        weights.append(1.0 / pivot)
        return lambda x: x * weights[-1]

    L = _eliminated(H, lam, over)
    return UnitTriangle(L, lam), weights[::-1]


def _eliminated(H: Array, lam: Sequence[int], over: Callable[[Any], Callable[[Any], Any]]) -> list[list[Any]]:
    """Rows of L with D on the diagonal (table 6.3, right); `over` of a pivot divides by it."""
    L = _lower(H, lam)
    for k in reversed(range(len(L))):
        refuse_zero(L[k][k])
        divided = over(L[k][k])
        for i in ancestors(lam, k):
            a = divided(L[k][i])
            for j in (i, *ancestors(lam, i)):
                L[i][j] = L[i][j] - a * L[k][j]
            L[k][i] = a
    return L


def _lower(H: Array, lam: Sequence[int]) -> list[list[Any]]:
    """The entries of H that may differ from zero on and below the diagonal, free to be replaced."""
    rows: list[list[Any]] = [[0.0] * (k + 1) for k in range(len(H))]
    for k, row in enumerate(rows):
        for i in (k, *ancestors(lam, k)):
            row[i] = H[k][i]
    return rows
