"""Which coordinates depend on which: the choices that recursive coordinate reduction needs."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ...spatial import Array
from ..equations.rank import MisfitError
from .group import Group


class Pivot(NamedTuple):
    """One row of one relation, and the variable that it is solved for."""

    relation: int
    row: int
    variable: int


class Release(NamedTuple):
    """Variables that relations need not see, and the pivots that stand for them there."""

    variables: tuple[int, ...] = ()
    pivots: tuple[Pivot, ...] = ()


class Choices(Protocol):
    """Who decides, on the way through a mechanism, what depends on what."""

    def rows(self, l: int, K: Array) -> tuple[int, ...]:
        """Independent rows of relation l, K being (nc, n)."""
        ...

    def next_relation(self, candidates: Sequence[int], groups: Sequence[Group]) -> int:
        """Which of several relations with the same base body is solved first."""
        ...

    def dependents(self, l: int, group: Group) -> tuple[Pivot, ...]:
        """The variables that relation l determines, and by which of its rows."""
        ...

    def release(self, group: Group) -> Release:
        """Which variables of a group to release before its relations are solved."""
        ...


class Reduction(NamedTuple):
    """Choices made at one position, valid as long as no pivot comes near zero; see `Replay`."""

    decisions: tuple[Any, ...]

    @property
    def dependents(self) -> list[int]:
        """Numbers of the velocity variables that loops and gears determine, in ascending order."""
        pivots = (p for decision in self.decisions if _are_pivots(decision) for p in decision)
        return sorted(pivot.variable for pivot in pivots)


def _are_pivots(decision: Any) -> bool:
    return isinstance(decision, tuple) and bool(decision) and isinstance(decision[0], Pivot)


class Replay:
    """Choices out of a list, in the order in which they were made."""

    def __init__(self, reduction: Reduction) -> None:
        self._left = iter(reduction.decisions)

    def _next(self, kind: type) -> Any:
        for decision in self._left:
            if _kind(decision) in (kind, None):
                return decision
            break
        raise MisfitError(
            "reduction does not fit: it was made for another mechanism, or in a position in which its loops "
            "have fewer independent constraints than nearby, and no choice made there holds elsewhere. See "
            "wt.loops.choose_reduction(m, q), and wt.mobility for the position; method 'augmented' takes it"
        )

    def rows(self, l: int, K: Array) -> tuple[int, ...]:
        return self._next(tuple)

    def next_relation(self, candidates: Sequence[int], groups: Sequence[Group]) -> int:
        return self._next(int)

    def dependents(self, l: int, group: Group) -> tuple[Pivot, ...]:
        return self._next(Pivot)

    def release(self, group: Group) -> Release:
        return self._next(Release)


def _kind(decision: Any) -> type | None:
    """What a decision is about: rows, a relation, pivots or a release; None for no rows or no pivots."""
    if isinstance(decision, Release | int):
        return type(decision)
    return (Pivot if _are_pivots(decision) else tuple) if decision else None
