"""How dependent coordinates are chosen: by the largest pivot, loop by loop."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ..equations.rank import Elimination, eliminate
from ..equations.relations import Relation, relations
from .group import Group
from .reduction import Pivot, Reduction, Release


class BestConditioned:
    """Choices by the largest pivot, made at a position given in numbers, and written down."""

    def __init__(self, m: Mechanism, q: Array) -> None:
        self.m = m
        self.q: Array = np.real(q)
        self.decisions: list[Any] = []
        self._size: dict[int, float] = {}
        self._rows: dict[int, tuple[int, ...]] = {}

    @property
    def reduction(self) -> Reduction:
        """What has been decided."""
        return Reduction(tuple(self.decisions))

    def rows(self, l: int, K: Array) -> tuple[int, ...]:
        self._size[l] = float(np.max(np.abs(K), initial=0.0)) or 1.0
        self._rows[l] = tuple(sorted(eliminate(np.real(K), np.zeros(len(K))).rows))
        return self._decided(self._rows[l])

    def next_relation(self, candidates: Sequence[int], groups: Sequence[Group]) -> int:
        return self._decided(_least_coupled(candidates, groups))

    def dependents(self, l: int, group: Group) -> tuple[Pivot, ...]:
        columns = dict(group.coefficients(l))
        solved = self._eliminate([l], group, list(columns))
        rows, variables = solved.rows, [list(columns)[d] for d in solved.dependent]
        return self._decided(tuple(Pivot(l, row, v) for row, v in zip(rows, variables, strict=True)))

    def release(self, group: Group) -> Release:
        rows = [(l, row) for l in group.C for row in range(len(next(iter(group.C[l].values()), ())))]
        solved = self._eliminate(list(group.C), group, group.variables)
        free = [group.variables[i] for i in solved.independent]
        if not free or (len(solved.rows) < len(rows) and not self._have_rank(group, len(solved.rows))):
            return self._decided(Release())
        variables = [group.variables[d] for d in solved.dependent]
        pivots = [Pivot(*rows[row], v) for row, v in zip(solved.rows, variables, strict=True)]
        return self._decided(Release(tuple(free), tuple(pivots)))

    def _have_rank(self, group: Group, rank: int) -> bool:
        """Whether the columns of a group have no higher rank elsewhere: the joints of a plane have 3 at most.

        Only then do some of them stand for the others wherever the choice will be used. Asked at two
        positions far from here, open loops and all: no special position has a higher rank than those.
        """
        if group.mixed & group.C.keys():
            return False
        for found in self._elsewhere:
            blocks = [np.zeros((0, len(group.variables)))]
            for l in group.C:
                own = {v: k for k, v in enumerate(found[l].columns)}
                columns = [found[l].K[list(self._rows[l]), own[v]] for v in group.variables if v in own]
                block = np.zeros((len(self._rows[l]), len(group.variables)))
                block[:, [k for k, v in enumerate(group.variables) if v in own]] = np.array(columns).T
                blocks.append(block / self._size[l])
            if len(eliminate(np.concatenate(blocks), np.zeros(sum(map(len, blocks))), size=1.0).rows) > rank:
                return False
        return True

    @cached_property
    def _elsewhere(self) -> list[list[Relation]]:
        """All relations at two other positions."""
        away = (
            0.7 * np.sin(1.0 + 2.4 * np.arange(self.m.nv)),
            0.7 * np.cos(2.0 + 1.3 * np.arange(self.m.nv)),
        )
        return [relations(self.m, integrate(self.m, self.q, dq), np.zeros(self.m.nv)) for dq in away]

    def _eliminate(self, which: Iterable[int], group: Group, variables: list[int]) -> Elimination:
        """Complete pivoting over the rows of some relations, stacked."""
        blocks = []
        for l in which:
            row = group.C[l]
            size = len(next(iter(row.values()), ()))
            columns = [
                np.real(np.array(row[v], dtype=complex)) if v in row else np.zeros(size) for v in variables
            ]
            blocks.append(np.array(columns).reshape(len(variables), size).T / self._size[l])
        C = np.concatenate([np.zeros((0, len(variables))), *blocks])
        return eliminate(C, np.zeros(len(C)), size=1.0)

    def _decided(self, decision: Any) -> Any:
        self.decisions.append(decision)
        return decision


def _least_coupled(candidates: Sequence[int], groups: Sequence[Group]) -> int:
    """The relation whose variables are least tied to other relations; the last of several equals."""
    best, least = candidates[-1], None
    for l in reversed(candidates):
        ties = sum(
            any(v in row for other, row in group.C.items() if other != l)
            for group in groups
            if l in group.C
            for v in group.variables
        )
        if least is None or ties < least:
            best, least = l, ties
        if least <= 1:
            break
    return best
