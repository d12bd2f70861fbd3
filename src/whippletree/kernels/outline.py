"""Long programs as few subroutines, called many times.

A chain of thousands of bodies takes the same few steps over and over; as one stretch of straight-line code it
would take minutes to compile. Here the program is cut into segments, and segments with the same operations,
the same wiring and operands in the same places become one subroutine. What differs from call to call,
constants and where frames of values lie, goes into tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .program import Instruction, Program
from .segments import CONSTANT, Segments, classes, ranked, spans

Ints = NDArray[np.int64]


class External(NamedTuple):
    """An operand from outside a step.

    Attributes:
        kind: A constant, or a value, real or condition, of another call.
        source: Which of the call's sources it lies in.
        place: Its place there; of a constant, among those of the call.
        literal: The number, if it is a constant that is the same in every call.
    """

    kind: int
    source: int = -1
    place: int = -1
    literal: float | None = None


class Step(NamedTuple):
    """A subroutine.

    Attributes:
        externals: Operands from outside, in order of first use; their numbers are 0, 1, …
        instructions: As in a program; values of the step are numbered after the externals.
        kept: Numbers of values that go into the call's frame, in order of their places.
    """

    externals: tuple[External, ...]
    instructions: tuple[Instruction, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True)
class Outline:
    """A program as calls of steps. For slots and frames see `Segments`.

    Attributes:
        steps: The subroutines.
        calls: (n, 3): step, where its row of `table` begins, where its constants begin.
        table: Rows: first slot of the call's frame, then first slots of its sources.
        constants: Of all calls, one after the other.
        literals: Constants that are results.
        results: Slot of every output scalar.
        slots: Number of slots.
    """

    steps: tuple[Step, ...]
    calls: Ints
    table: Ints
    constants: NDArray[np.float64]
    literals: NDArray[np.float64]
    results: Ints
    slots: int


def outline(program: Program) -> Outline:
    """Cut a program into calls of steps.

    >>> from whippletree.kernels.trace import trace
    >>> def swing(x):
    ...     for i in range(3000):
    ...         x = x * 0.999 - (x * x).sin() * (0.01 + 1e-9 * i)
    ...     return x
    >>> found = outline(trace(swing, {"x": ()}))
    >>> len(found.calls) > 30, len(found.steps) < 10
    (True, True)
    """
    segments = Segments(program)
    source = np.full(len(segments.ext_frame), -1)
    framed = segments.ext_frame >= 0
    source[framed], _ = ranked(segments.ext_segment[framed], segments.ext_frame[framed], len(segments))

    def key(s: int) -> bytes:
        part = slice(segments.ext_bounds[s], segments.ext_bounds[s + 1])
        return b"%d " % segments.shape_of[s] + source[part].tobytes() + segments.ext_place[part].tobytes()

    step_of, members = classes(key(s) for s in range(len(segments)))
    steps: list[Step] = []
    rows: list[list[int]] = [[]] * len(segments)
    constants: list[list[float]] = [[]] * len(segments)
    for alike in members:
        externals = _externals(segments, source, alike, rows, constants)
        steps.append(_step(segments, int(alike[0]), externals))
    begins = [np.cumsum([0, *map(len, lists)])[:-1] for lists in (rows, constants)]
    return Outline(
        tuple(steps),
        np.stack([step_of, *begins], axis=1),
        np.array([slot for row in rows for slot in row], np.int64),
        np.array([c for part in constants for c in part], np.float64),
        segments.constants[segments.literals - program.first_constant],
        segments.result_slots(),
        segments.slots,
    )


def _externals(
    segments: Segments, source: Ints, alike: Ints, rows: list[list[int]], constants: list[list[float]]
) -> tuple[External, ...]:
    """Operands of the step that these segments share; their rows of the table and constants are filled in."""
    places = spans(segments.ext_bounds, alike)
    one = places[0]
    is_constant = segments.ext_kind[one] == CONSTANT
    numbers = segments.ext_number[places[:, is_constant]] - segments.program.first_constant
    values = segments.constants[numbers]
    fixed = (values.view(np.int64) == values[0].view(np.int64)).all(axis=0)  # by their bits: -0 is not 0
    _, firsts = np.unique(source[one][~is_constant], return_index=True)
    frames = segments.ext_frame[places[:, ~is_constant]][:, firsts]
    for s, row, own in zip(alike.tolist(), frames.tolist(), values[:, ~fixed].tolist(), strict=True):
        rows[s] = [int(segments.frame[s]), *row]
        constants[s] = own

    externals: list[External] = []
    of_step = iter(zip(fixed.tolist(), values[0].tolist(), (np.cumsum(~fixed) - 1).tolist(), strict=True))
    for at in one.tolist():
        kind = int(segments.ext_kind[at])
        if kind != CONSTANT:
            externals.append(External(kind, int(source[at]), int(segments.ext_place[at])))
            continue
        is_fixed, value, place = next(of_step)
        externals.append(External(kind, literal=value) if is_fixed else External(kind, place=place))
    return tuple(externals)


def _step(segments: Segments, s: int, externals: tuple[External, ...]) -> Step:
    """The subroutine of a segment."""
    n = len(externals)
    part = slice(segments.bounds[s], segments.bounds[s + 1])
    wires = segments.wires[part]
    numbers = np.where(wires >= 0, wires + n, np.where(wires == -1, -1, -2 - wires)).tolist()
    names = [segments.names[code] for code in segments.ops[part].tolist()]
    instructions = tuple(
        (name, n + i, *operands) for i, (name, operands) in enumerate(zip(names, numbers, strict=True))
    )
    return Step(externals, instructions, tuple((segments.kept[segments.shape_of[s]] + n).tolist()))
