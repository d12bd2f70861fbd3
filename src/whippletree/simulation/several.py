"""Several states of a run at a time: their slopes, the closed ones next to them, and their margins.

Ways across singular positions are found by looking at many states. Clear of such positions machine code does
for all that `Closing` does for one; the others, and all where machine code cannot, are looked at one by one.
"""

from collections.abc import Callable

import numpy as np

from ..spatial import Array
from .closed_step import Rows
from .closing import Closing
from .strides import side_by_side
from .strides.loop_closing import FINE
from .systems import Compiled

CLEAR = 1e-3
"""Margins above which constraints, multiplied by themselves, lose no more than half the digits."""

GAP = 1e-12
"""rad or m: states with larger gaps were far from closed, and are looked at one by one."""

AGAIN = 4
"""How often states are brought closer once more, at most."""

ByState = Callable[[float, Array], Array]
OfSeveral = Callable[[Array, Array], Array]


class Several:
    """Those of a run.

    Args:
        system: What moves.
        closing: Its loops.
        settle: Brings a state at a time to closed loops.
    """

    def __init__(self, system: Compiled, closing: Closing, settle: ByState) -> None:
        self._system, self._closing, self._settle = system, closing, settle
        self._rows: Rows = ()

    def _independent(self, y: Array) -> Rows:
        """Numbers of constraints that determine all others at most states; none if they are not used."""
        closing = self._closing
        if closing.tolerance is not None or not side_by_side.is_machine_code(self._system):
            return ()
        if len(self._rows) != closing.rank:
            self._rows = closing.independent(y[: self._system.nq])
        return self._rows if len(self._rows) == closing.rank else ()

    def slopes(self, t: Array, y: Array) -> Array:
        """(n, ny) dy/dt of states (n, ny) at times (n,), s."""
        return side_by_side.slopes(self._system, y, t)

    def settled(self, t: Array, y: Array) -> Array:
        """(n, ny) closed states next to others (n, ny) at times (n,), s."""
        rows = self._independent(y[0])
        if not rows:
            return each(self._settle)(t, y)
        found, gaps, margins = side_by_side.closed(self._system, rows, y)
        before = np.inf
        for _ in range(AGAIN):
            largest = float(np.max(gaps))
            if not FINE < largest < 0.5 * before:  # closed, or rounding is all that is left
                break
            before = largest
            found, gaps, margins = side_by_side.closed(self._system, rows, found)
        clear = (gaps <= GAP) & (margins >= CLEAR)
        if not np.any(clear):  # other constraints may determine all here
            self._rows = ()
        for k in np.flatnonzero(~clear):
            found[k] = self._settle(float(t[k]), y[k])
        return found

    def margins(self, y: Array) -> Array:
        """(n,) how far states (n, ny) are from where fewer constraints are independent, by one measure."""
        rows = self._independent(y[0])
        if rows:
            return side_by_side.margins(self._system, rows, y)
        return np.array([self._closing.margin_at(state[: self._system.nq]) for state in y])


def each(function: ByState) -> OfSeveral:
    """A function of one state for several."""

    def of_several(t: Array, y: Array) -> Array:
        return np.array([function(float(at), state) for at, state in zip(t, y, strict=True)])

    return of_several
