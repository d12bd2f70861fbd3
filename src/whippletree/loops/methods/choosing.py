"""How dependent coordinates are chosen: by the largest pivot, loop by loop, or the last of each loop."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import SingularError
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.rank import Elimination, eliminate
from ..equations.relations import Relation, branch, loop_ends, relations, velocities
from .group import Group
from .reduction import Pivot, Reduction, Release


class BestConditioned:
    """Choices by the largest pivot, made at a position given in numbers, and written down."""

    def __init__(self, m: Mechanism, q: Array) -> None:
        self.m, self.q = m, np.real(q)
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
        return [relations(self.m, self.m.integrate(self.q, dq), np.zeros(self.m.nv)) for dq in away]

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


class Arbitrary(BestConditioned):
    """Choices by the largest pivot, each loop being solved as a whole at its base (GRCR §4)."""

    def release(self, group: Group) -> Release:
        return self._decided(Release())


class LastCoordinates(Arbitrary):
    """The dependent coordinates are the last ones of each loop, as plain RCR has them (GRCR §3)."""

    def dependents(self, l: int, group: Group) -> tuple[Pivot, ...]:
        columns = dict(group.coefficients(l))
        count = len(next(iter(columns.values()), ()))
        last = [v for v in reversed(loop_order(self.m, l)) if v in columns][:count]
        solved = self._eliminate([l], group, last)
        if len(solved.rows) < count:
            relation = [*self.m.loops, *self.m.gears][l]
            kind = "loop" if l < len(self.m.loops) else "gear"
            names = ", ".join(repr(name) for name in _joint_names(self.m, last))
            if not names:
                raise SingularError(
                    f"rcr: {kind} {relation.name!r} of {self.m.name!r} moves no joint that is not determined "
                    "by another loop or gear: it cannot be solved by itself. Use method 'acs' or 'grcr', "
                    "which solve such loops together"
                )
            raise SingularError(
                f"rcr: the last {count} coordinates of {kind} {relation.name!r} of {self.m.name!r}, "
                f"those of joints {names}, are not a valid choice of dependent coordinates here: the {kind} "
                "does not determine them. Use method 'acs' or 'grcr', which choose other coordinates"
            )
        pivots = zip(solved.rows, solved.dependent, strict=True)
        return self._decided(tuple(Pivot(l, row, last[d]) for row, d in pivots))


def loop_order(m: Mechanism, l: int) -> list[int]:
    """The velocity variables around a loop: from its base to the successor, from the predecessor back.

    Gears come after the loops: the driver's variable, then that of the driven joint.
    """
    if l >= len(m.loops):
        gear = m.gears[l - len(m.loops)]
        return [v for name in (gear.driver, gear.driven) for v in velocities(m, m.joint_number(name))]
    base, p, s = loop_ends(m, m.loops[l])
    return [v for i in (*reversed(branch(m, base, s)), *branch(m, base, p)) for v in velocities(m, i)]


def _joint_names(m: Mechanism, variables: list[int]) -> list[str]:
    """Names of the joints that own some velocity variables, each once, in the mechanism's order."""
    return [body.joint_name for i, body in enumerate(m.bodies) if set(velocities(m, i)) & set(variables)]


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
