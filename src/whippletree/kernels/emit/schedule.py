"""An order of instructions in which few values wait at a time.

Recorded programs first compute something for all bodies, then something else for all bodies. What was
computed early for the last body, and what is summed up over all bodies at the end, lies in memory meanwhile;
of long programs that is more than the caches hold.

Places are found for all instructions at once where they follow from the program as it is; only those that
depend on instructions that have been moved before are looked at one by one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..trace.program import Columns, Program

Ints = NDArray[np.int64]


def schedule(program: Program) -> Program:
    """The same instructions in another order.

    First, an instruction that is the only reader of two computed values or more takes their place as soon as
    they are there. Then, an instruction that is the only reader of none, or all of whose values come from
    inputs for it alone, moves to right before the first of its own readers: before, it would only wait. The
    order depends on nothing but what stands around an instruction, so equal stretches stay equal. What is
    recorded for all joints at once, as the zero of their angles, comes to stand with each of them, and
    `outline` sees them alike.

    >>> from whippletree.kernels.trace.recording import trace
    >>> def sum_of_sines(x, y):
    ...     sines = [(a * b).sin() for a, b in zip(x, y)]
    ...     return sum(sines[1:], sines[0])
    >>> program = trace(sum_of_sines, {"x": (3,), "y": (3,)})
    >>> [i[0] for i in schedule(program).instructions]
    ['mul', 'sin', 'mul', 'sin', 'add', 'mul', 'sin', 'add']
    """
    ordered = _when_needed(_as_they_come(program))
    return replace(ordered, loops=program.with_bodies(schedule)) if program.loops else ordered


def _as_they_come(program: Program) -> Program:
    """Let instructions that use up values follow these at once."""
    computed, uses = _reads(program)
    single = (computed >= 0) & (uses[computed] == 1)
    place = np.arange(len(computed))
    moving = np.flatnonzero(np.count_nonzero(single, axis=1) > 1)
    moved: dict[int, int] = {}
    read: list[list[int]] = computed[moving].T.tolist()
    for i, a, b, c in zip(moving.tolist(), read[0], read[1], read[2], strict=True):
        moved[i] = max(moved.get(a, a), moved.get(b, b), moved.get(c, c))
    place[moving] = list(moved.values())
    return _ordered(program, place)


def _when_needed(program: Program) -> Program:
    """Let instructions wait that would only add to what waits."""
    computed, uses = _reads(program)
    count = len(computed)
    single = (computed >= 0) & (uses[computed] == 1)
    uses_up = single[:, 0] | single[:, 1] | single[:, 2]
    # From inputs, and for one reader alone all the way.
    known: NDArray[np.bool_] = np.append(np.all(computed < 0, axis=1), True)  # the last one: of none
    alone = np.flatnonzero(uses_up & (single | (computed < 0)).all(axis=1))
    found: dict[int, bool] = {}
    read: list[list[int]] = computed[alone].T.tolist()
    before: list[list[bool]] = known[computed[alone]].T.tolist()
    for i, numbers, answers in zip(
        alone.tolist(), zip(*read, strict=True), zip(*before, strict=True), strict=True
    ):
        found[i] = all(map(found.get, numbers, answers))
    known[alone] = list(found.values())
    readers = _Readers(computed)
    waiting = (readers.first < count) & (known[:-1] | ~uses_up)
    place = np.where(waiting, readers.first, np.arange(count))
    # The first of the readers may itself have moved: then all of them count, the latest first.
    behind = np.flatnonzero(waiting & waiting[np.minimum(readers.first, max(count - 1, 0))])[::-1]
    moved: dict[int, int] = {}
    begin = 0
    of_all, bounds = readers.of(behind)
    listed: list[int] = of_all.tolist()
    there: list[int] = place[of_all].tolist()
    for i, end in zip(behind.tolist(), bounds.tolist(), strict=True):
        if end == begin + 1:
            moved[i] = moved.get(listed[begin], there[begin])
        else:
            moved[i] = min(map(moved.get, listed[begin:end], there[begin:end]))
        begin = end
    place[behind] = list(moved.values())
    return _ordered(program, place)


class _Readers:
    """Who reads the value of an instruction.

    Attributes:
        first: By instruction the first of its readers, the number of instructions if it has none.
    """

    def __init__(self, computed: Ints) -> None:
        readers, column = np.nonzero(computed >= 0)
        values = computed[readers, column]
        order = np.argsort(values, kind="stable")  # by value, and in the order of readers
        count = len(computed)
        self._readers = readers[order]
        self._bounds = np.append(0, np.cumsum(np.bincount(values, minlength=count)))
        self.first = np.append(self._readers, count)[self._bounds[:-1]]
        self.first[self._bounds[:-1] == self._bounds[1:]] = count

    def of(self, instructions: Ints) -> tuple[Ints, Ints]:
        """The readers of some instructions, one after the other, and where those of each end."""
        begin = self._bounds[instructions]
        ends = np.cumsum(self._bounds[instructions + 1] - begin)
        starts = np.append(0, ends[:-1])
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - starts, np.diff(ends, prepend=0))
        return self._readers[places], ends


def _reads(program: Program) -> tuple[Ints, Ints]:
    """(n, 3) instructions whose values each one reads, negative for none; how often each value is read."""
    computed = program.columns.operands - program.first_instruction
    computed[computed < 0] = -1
    count = program.n_instructions
    results = np.array(program.results, np.int64) - program.first_instruction
    # Results are kept whoever reads them.
    read = np.concatenate([computed[computed >= 0], np.repeat(results[results >= 0], 2)])
    return computed, np.append(np.bincount(read, minlength=count), 0)  # the last entry: of none


def _ordered(program: Program, place: Ints) -> Program:
    """The instructions by their places; of those at one place the older comes first."""
    names, codes, operands = program.columns
    first, count = program.first_instruction, program.n_instructions
    order = np.argsort(place, kind="stable")
    number = np.concatenate([np.arange(first + count), [-1]])  # the last entry is that of no operand
    number[first + order] = first + np.arange(count)
    columns = Columns(names, codes[order], number[operands[order]])
    results = tuple(number[list(program.results)].tolist())
    return Program(program.inputs, program.constants, columns, results, program.outputs, program.loops)
