"""Events looked for by machine code, step by step."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array
from ..events import INSIDE, Event, keeps_away
from ..memoryless import Memoryless, memoryless
from .motion import Motion

LOOKS = 2000
"""Steps after which machine code is worth what it takes to compile."""


def watched(
    t: Any,
    h: Any,
    y: Array,
    slope: Array,
    after: Array,
    slope_after: Array,
    before: Array,
    functions: Sequence[Callable[..., Any]],
    nq: int,
) -> tuple[Array, Any]:
    """Values of events at the end of a step, and 1 if none comes to zero within it, else 0; see `Watch`.

    Args:
        t, h: The end of the step and its length, s.
        y, slope: (nq + nv,) state and dy/dt at its start.
        after, slope_after: The same at its end.
        before: Values of the events at its start.
        functions: Of the events; they can be recorded.
        nq: How many numbers of a state are positions.
    """
    near, quiet, values = INSIDE * h, 1.0, []
    places = (t, after), (t - h + near, y + near * slope), (t - near, after - near * slope_after)
    for k, function in enumerate(functions):
        end, first, last = (_value(function, at, state[:nq], state[nq:]) for at, state in places)
        values.append(end)
        quiet = quiet * keeps_away(before[k], end, first, last)
    return np.array(values), quiet


def _value(function: Callable[..., Any], t: Any, q: Array, qd: Array) -> Any:
    return np.asarray(function(t, q.copy(), qd.copy())).reshape(())[()]


def lookout_kernel(events: Sequence[Event], nq: int, nv: int) -> Kernel | None:
    """`watched` for these events; None if they read what may change, or cannot be recorded."""
    found = [memoryless(event.function) for event in events]
    known = tuple(one for one in found if one is not None)
    return _kernel(known, nq, nv) if len(known) == len(found) else None


@lru_cache(maxsize=32)
def _kernel(known: tuple[Memoryless, ...], nq: int, nv: int) -> Kernel | None:
    functions = tuple(one.function for one in known)
    states = dict.fromkeys(("y", "slope", "after", "slope_after"), (nq + nv,))
    shapes = {"t": (), "h": (), **states, "before": (len(functions),)}
    try:
        program = trace(partial(watched, functions=functions, nq=nq), shapes)
    except Exception:  # whatever a function that cannot be recorded raises: it is called as it stands
        return None
    return Kernel(simplify(program), "watched")


class EventLookout:
    """Events of a motion in memory.

    Args:
        motion: The memory.
        kernel: `watched`.
        count: How many events there are.

    Attributes:
        values: (count,) of the events at the state reached last.
    """

    def __init__(self, motion: Motion, kernel: Kernel, count: int) -> None:
        self.motion = motion
        self._kernel = kernel
        self.values: Array = np.zeros(count)
        self._after = np.zeros(count)
        self._slope = np.zeros(len(motion.y))

    def begin(self, t: float, y: Array, values: Sequence[float]) -> None:
        """Go on from a state, where events have values."""
        self.values[:], self._slope[:] = values, self.motion.system.slope(t, y)

    def instructions(self, slope: Array) -> list[Instruction]:
        """Whether a step is quiet, into `good`, slopes at its end being known."""
        motion = self.motion
        inputs = [motion.t_after, motion.h, motion.y, self._slope, motion.after, slope, self.values]
        return [Call(self._kernel, inputs, [self._after, motion.good])]

    def commit(self, slope: Array) -> list[Instruction]:
        """What is after the step is before the next."""
        return [Copy(slope, self._slope), Copy(self._after, self.values)]
