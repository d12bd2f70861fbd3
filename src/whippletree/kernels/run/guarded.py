"""An iteration that is watched: where its watch falls too low, another one computes the same steps.

A step may rest on a choice that does not hold everywhere. Such a program has one state more, the watch, which
it lowers to how well the choice holds at each step. Steps are taken some at a time; trajectories whose watch
has fallen below a bound by then take them again, from where they were, by a program that needs no choice.
Each trajectory is judged by itself, so that it is the same in whatever company it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..trace.precision import DOUBLE, Precision
from ..trace.program import Program
from .iterate import Array, Iteration, Series

SEGMENT = 64
"""Steps between two looks at the watch, about: few are taken twice, and the looks cost little."""


class Guarded:
    """Called as an `Iteration`.

    Args:
        watched: Its outputs are its first inputs, the states, and the watch.
        other: The same states and further inputs, without the watch.
        states: How many, the watch not counted.
        bound: What the watch must stay above.
        precision: Of all arrays.
    """

    def __init__(
        self,
        watched: Program,
        other: Program,
        states: int,
        bound: float,
        precision: Precision = DOUBLE,
    ) -> None:
        self.watched: Iteration = Iteration(watched, states + 1, precision=precision)
        self.other: Iteration = Iteration(other, states, precision=precision)
        self.states = states
        self.bound = bound

    def __reduce__(self) -> tuple[type[Guarded], tuple[Program, Program, int, float, Precision]]:
        programs = self.watched.program, self.other.program
        return Guarded, (*programs, self.states, self.bound, self.watched.precision)

    @property
    def precision(self) -> Precision:
        """Of all arrays."""
        return self.watched.precision

    @property
    def state_shapes(self) -> list[tuple[int, ...]]:
        """Of one trajectory's states."""
        return self.other.state_shapes

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of one step's entry of each series."""
        return self.other.shapes

    def __call__(
        self,
        starts: Sequence[Array],
        series: Sequence[Series],
        outs: Sequence[Array],
        *,
        steps: int,
        every: int,
        threads: int,
    ) -> None:
        """Run all trajectories, as an `Iteration` does."""
        records, recorded = max(1, SEGMENT // every), steps // every
        dtype = np.dtype(self.precision.dtype)
        watch = np.empty((len(outs[0]), min(records, recorded)), dtype)
        for first in range(0, recorded, records):
            last = min(first + records, recorded)
            options = {"steps": (last - first) * every, "every": every, "threads": threads}
            times = first * every, last * every
            begin = starts if first == 0 else [out[:, first - 1] for out in outs]
            places = [out[:, first:last] for out in outs]
            seen = watch[:, : last - first]
            parts = [entry.part(*times) for entry in series]
            self.watched([*begin, np.ones(1, dtype)], parts, [*places, seen], **options)
            worn = np.flatnonzero(~(seen[:, -1] > self.bound))  # not a number counts as worn
            if len(worn):
                again = [array if len(array) == 1 else array[worn] for array in begin]
                results = [np.empty((len(worn), *place.shape[1:]), dtype) for place in places]
                parts = [entry.part(*times, rows=worn) for entry in series]
                self.other(again, parts, results, **options)
                for place, result in zip(places, results, strict=True):
                    place[worn] = result
