"""States of a simulation as they are recorded, one by one or many at a time."""

import numpy as np

from ..spatial import Array

Row = tuple[float, Array, Array, Array, float, float, Array]
"""t, q, qd, tau, the length of the step that led there, the power of forces from outside, and `Accounts`."""


class Log:
    """Rows, kept as arrays of many."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Array, ...]] = []
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        self._rows.append(row)

    def extend(self, *columns: Array) -> None:
        """Many rows, each column (n, …)."""
        if len(columns[0]):
            self._gather()
            self._blocks.append(columns)

    def _gather(self) -> None:
        if self._rows:
            self._blocks.append(tuple(np.array(column) for column in zip(*self._rows, strict=True)))
            self._rows = []

    @property
    def first(self) -> Row:
        return _row(self._blocks[0], 0) if self._blocks else self._rows[0]

    @property
    def last(self) -> Row:
        return self._rows[-1] if self._rows else _row(self._blocks[-1], -1)

    def drop_last(self) -> None:
        """Forget the last row, which was added by itself."""
        self._rows.pop()

    def until(self, t: float) -> None:
        """Forget what is later than a time."""
        columns = self.columns()
        kept = columns[0] <= t
        self._blocks = [tuple(column[kept] for column in columns)]

    def columns(self) -> tuple[Array, ...]:
        """t (n,), q (n, nq), qd (n, nv), tau (n, nv), step (n,), power (n,), accounts (n, 5)."""
        self._gather()
        if len(self._blocks) > 1:
            self._blocks = [tuple(np.concatenate(parts) for parts in zip(*self._blocks, strict=True))]
        return self._blocks[0]


def _row(block: tuple[Array, ...], k: int) -> Row:
    t, q, qd, tau, h, power, accounts = (column[k] for column in block)
    return float(t), q, qd, tau, float(h), float(power), accounts
