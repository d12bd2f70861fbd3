"""States of a simulation as they are recorded, one by one or many at a time."""

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
        return Row._make([None if column is None else column[kept] for column in self])


class Log:
    """Rows one after the other, each of one state or of many."""

    def __init__(self) -> None:
        self._parts: list[Row] = []

    def add(self, row: Row) -> None:
        """One state."""
        self._parts.append(row)

    def extend(self, columns: Row) -> None:
        """Many rows, each column (n, …)."""
        if len(columns.t):
            self._parts.append(columns)

    @property
    def first(self) -> Row:
        part = self._parts[0]
        return part.among(0) if _of_many(part) else part

    @property
    def last(self) -> Row:
        part = self._parts[-1]
        return part.among(-1) if _of_many(part) else part

    def put_last(self, t: float) -> None:
        """Tell the last row for a time that is next to its own, s."""
        last = self._parts[-1]
        self._parts[-1] = last._replace(t=np.append(last.t[:-1], t) if _of_many(last) else t)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(part.t) if _of_many(part) else 1 for part in self._parts)

    def drop_last(self) -> None:
        """Forget the last row, which was added by itself."""
        self._parts.pop()

    def until(self, t: float) -> None:
        """Forget what is later than a time."""
        columns = self.columns()
        self._parts = [columns.among(columns.t <= t)]

    def columns(self) -> Row:
        """All rows: t (n,), y (n, nq + nv) and so on."""
        if len(self._parts) != 1 or not _of_many(self._parts[0]):
            self._parts = [_joined(self._parts)]
        return self._parts[0]


def _of_many(part: Row) -> bool:
    return isinstance(part.t, np.ndarray)


def _joined(parts: list[Row]) -> Row:
    """All in one."""
    t, y, h, accounts, tau, power = zip(
        *(part if _of_many(part) else _as_many(part) for part in parts), strict=True
    )
    acting = (None, None) if tau[0] is None else (np.concatenate(tau), np.concatenate(power))
    return Row(np.concatenate(t), np.concatenate(y), np.concatenate(h), np.concatenate(accounts), *acting)


def _as_many(row: Row) -> tuple[Any, ...]:
    """One state as many are."""
    t, y, h, accounts, tau, power = row
    return (t,), y[None], (h,), accounts[None], None if tau is None else tau[None], (power,)
