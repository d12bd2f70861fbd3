"""States of a simulation as they are recorded, one by one or many at a time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..spatial import Array


class Row(NamedTuple):
    """A state, or a column of each for many.

    Attributes:
        t: s.
        y: (nq + nv,) the state.
        h: Length of the step that led there, s.
        accounts: (5,) see `Accounts`.
        tau: (nv,) forces of the actuators, N m or N; None in all rows of a run in which nothing acts.
        power: Of forces from outside, W; likewise.
    """

    t: Any
    y: Array
    h: Any
    accounts: Array
    tau: Array | None = None
    power: Any = None

    def among(self, kept: Any) -> "Row":
        """Only some of many."""
        columns: Any = (None if column is None else column[kept] for column in self)
        return Row(*columns)


class Log:
    """Rows, kept as arrays of many."""

    def __init__(self) -> None:
        self._blocks: list[Row] = []
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        self._rows.append(row)

    def extend(self, columns: Row) -> None:
        """Many rows, each column (n, …)."""
        if len(columns.t):
            self._gather()
            self._blocks.append(columns)

    def _gather(self) -> None:
        if self._rows:
            self._blocks.append(_joined(self._rows, np.array))
            self._rows = []

    @property
    def first(self) -> Row:
        return self._blocks[0].among(0) if self._blocks else self._rows[0]

    @property
    def last(self) -> Row:
        return self._rows[-1] if self._rows else self._blocks[-1].among(-1)

    def put_last(self, t: float) -> None:
        """Tell the last row for a time that is next to its own, s."""
        if self._rows:
            self._rows[-1] = self._rows[-1]._replace(t=t)
        else:
            last = self._blocks[-1]
            self._blocks[-1] = last._replace(t=np.append(last.t[:-1], t))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows) + sum(len(block.t) for block in self._blocks)

    def drop_last(self) -> None:
        """Forget the last row, which was added by itself."""
        self._rows.pop()

    def until(self, t: float) -> None:
        """Forget what is later than a time."""
        columns = self.columns()
        self._blocks = [columns.among(columns.t <= t)]

    def joined(self, column: Callable[[Row], Array]) -> Array:
        """Of all rows, what is read off many, in one array of its own."""
        self._gather()
        return np.concatenate([column(block) for block in self._blocks])

    def columns(self) -> Row:
        """All rows: t (n,), y (n, nq + nv) and so on."""
        self._gather()
        if len(self._blocks) > 1:
            self._blocks = [_joined(self._blocks, np.concatenate)]
        return self._blocks[0]


def _joined(parts: list[Row], join: Callable[[Any], Array]) -> Row:
    """Column by column."""
    columns: Any = (None if part[0] is None else join(part) for part in zip(*parts, strict=True))
    return Row(*columns)
