"""Long programs as few subroutines, called many times.

A chain of thousands of bodies takes the same few steps over and over; as one stretch of straight-line code it
would take minutes to compile. Here the program is cut into segments, and segments with the same operations,
the same wiring and operands in the same places become one subroutine. What differs from call to call,
constants, signs and where frames of values lie, goes into tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..trace.program import Instruction, Program
from .segments import CONSTANT, SIGNED, Segments, classes, ranked, spans
from .signs import Bits, solve, unturned

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

FLIP = "flip"  # the operation of steps that turns the sign of its first operand by the sign bit of its second

_WITH_SIGNS = {(bare, first, second): name for name, (bare, first, second) in SIGNED.items()}


class External(NamedTuple):
    """An operand from outside a step: a value of another call, or a constant of its own.

    Attributes:
        source: Which of the call's sources it lies in; -1 for a constant.
        place: Its place there; of a constant, its place among those of the call.
        is_condition: Whether it is a condition.
        literal: The number, if it is a constant that is the same in every call.
    """

    source: int
    place: int
    is_condition: bool = False
    literal: float | None = None


class Subroutine(NamedTuple):
    """A subroutine.

    Attributes:
        externals: Operands from outside; their numbers are 0, 1, …
        instructions: As in a program, or FLIP; values of the step are numbered after the externals.
        kept: Numbers of values that go into the call's two frames, in order of their places.
    """

    externals: tuple[External, ...]
    instructions: tuple[Instruction, ...]
    kept: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Outline:
    """A program as calls of steps. For slots and frames see `Segments`.

    Attributes:
        steps: The subroutines.
        calls: (n, 3): step, where its row of `table` begins, where its constants begin.
        table: Rows: first slots of the call's two frames, then of its sources.
        constants: Of all calls, one after the other.
        literals: Constants that are results.
        results: Slot of every output scalar.
        slots: Number of slots.
    """

    steps: tuple[Subroutine, ...]
    calls: Ints
    table: Ints
    constants: Reals
    literals: Reals
    results: Ints
    slots: int


def outline(program: Program) -> Outline:
    """Cut a program into calls of steps.

    >>> from whippletree.kernels.trace.recording import trace
    >>> def swing(x):
    ...     for i in range(3000):
    ...         x = x * 0.999 - (x * x).sin() * (0.01 + 1e-9 * i)
    ...     return x
    >>> found = outline(trace(swing, {"x": ()}))
    >>> len(found.calls) > 30, len(found.steps) < 10
    (True, True)
    """
    segments = Segments(program)
    source, _ = ranked(segments.ext_segment, segments.ext_frame, len(segments))

    def key(s: int) -> bytes:
        part = slice(segments.ext_bounds[s], segments.ext_bounds[s + 1])
        return b"%d " % segments.shape_of[s] + source[part].tobytes() + segments.ext_place[part].tobytes()

    step_of, members = classes(key(s) for s in range(len(segments)))
    writers = [_StepWriter(segments, source, alike) for alike in members]
    _turn_signs(segments, step_of, writers)
    steps: list[Subroutine] = []
    rows: list[list[int]] = [[]] * len(segments)
    constants: list[list[float]] = [[]] * len(segments)
    for writer in writers:
        steps.append(writer.step())
        for s, row, own in zip(writer.alike.tolist(), writer.rows(), writer.own_constants(), strict=True):
            rows[s], constants[s] = row, own
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


def _turn_signs(segments: Segments, step_of: Ints, writers: list[_StepWriter]) -> None:
    """Tell every writer which signs its segments turn: a segment's depend on those before it."""
    left = np.zeros(len(segments.ops) + 1, bool)  # of every instruction; the last entry is for inputs
    value = np.where(segments.ext_number >= segments.first, segments.ext_number - segments.first, -1)
    seen = [0] * len(writers)
    for s, step in enumerate(step_of.tolist()):
        writer, k = writers[step], seen[step]
        seen[step] += 1
        arriving = left[value[segments.ext_bounds[s] : segments.ext_bounds[s + 1]]]
        left[writer.kept_places[k]] = writer.turn(k, arriving)


class _StepWriter:
    """Makes one step for segments that are alike."""

    def __init__(self, segments: Segments, source: Ints, alike: Ints) -> None:
        self.segments = segments
        self.alike = alike
        self.places = spans(segments.bounds, alike)  # (segments, n) of instructions
        self.outside = spans(segments.ext_bounds, alike)  # (segments, n) of operands from outside
        self.externals = [
            External(int(source[at]), int(segments.ext_place[at]), bool(segments.ext_condition[at]))
            for at in self.outside[0].tolist()
        ]
        self.source = source[self.outside[0]]
        self.wires: list[list[int]] = segments.wires[self.places[0]].tolist()
        self.names = [segments.names[code] for code in segments.ops[self.places[0]].tolist()]
        self.kept = [places.tolist() for places in segments.kept[segments.shape_of[alike[0]]]]
        kept = [*self.kept[0], *self.kept[1]]
        self.kept_places = self.places[:, kept]
        self._columns: dict[bytes, int] = {}  # constants over all segments, by their bytes to their number
        self._given: list[Reals] = []  # those that differ from call to call
        if len(alike) == 1:
            self.turns = unturned(len(self.externals), len(kept))
        else:
            conditions = [external.is_condition for external in self.externals]
            is_result = [bool(column.any()) for column in segments.is_result[self.kept_places].T]
            signs = segments.signs[self.places]
            self.turns = solve(
                self.names, self.wires, signs, conditions, list(zip(kept, is_result, strict=True))
            )
        self.turned = np.zeros(self.turns.bits.shape, bool)

    def turn(self, k: int, arriving: Bits) -> Bits:
        """Fix the signs of the k-th segment; returns how it leaves its values."""
        self.turned[k] = self.turns.of(k, arriving)
        end, kept = len(self.turned[k]), self.kept_places.shape[1]
        return self.turned[k, end - 2 * kept : end - kept]

    def rows(self) -> list[list[int]]:
        """For every segment the first slots of its frames and its sources."""
        _, firsts = np.unique(self.source, return_index=True)
        frames = self.segments.ext_frame[self.outside][:, firsts]
        return np.column_stack([self.segments.frame[self.alike], frames]).tolist()

    def own_constants(self) -> list[list[float]]:
        """For every segment its constants; to be asked for when the step is made."""
        if not self._given:
            return [[] for _ in self.alike]
        return np.column_stack(self._given).tolist()

    def step(self) -> Subroutine:
        """The step, once all signs are fixed."""
        ends = np.cumsum(
            [len(self.externals), len(self.turns.constants), len(self.turns.terms), len(self.kept_places[0])]
        )
        reads, of_constants, of_terms, _, of_kept = np.split(self.turned, ends, axis=1)
        # Constants first: values are numbered after all that comes from outside.
        by_use = dict(zip(self.turns.constants, of_constants.T, strict=True))
        constants = {
            (i, k): self._constant(i, k, by_use.get((i, k)))
            for i, row in enumerate(self.wires)
            for k, wire in enumerate(row)
            if wire == CONSTANT
        }
        turned = {k: self._mask(bits) for k, bits in enumerate(reads.T) if bits.any()}
        terms = {
            use: self._mask(bits)
            for use, bits in zip(self.turns.terms, of_terms.T, strict=True)
            if bits.any()
        }
        restored = {k: self._mask(bits) for k, bits in enumerate(of_kept.T) if bits.any()}
        n = len(self.externals)
        instructions: list[Instruction] = []

        def put(op: str, operands: list[int]) -> int:
            number = n + len(instructions)
            a, b, c = operands
            instructions.append((op, number, a, b, c))
            return number

        outside: dict[int, int] = {}  # operands from outside, turned, to their numbers
        inside: list[int] = []
        for i, (name, row) in enumerate(zip(self.names, self.wires, strict=True)):
            numbers = []
            for k, wire in enumerate(row):
                if wire == CONSTANT:
                    number = constants[i, k]
                elif wire < -1:
                    number = -2 - wire
                    if number in turned:
                        if number not in outside:
                            outside[number] = put(FLIP, [number, turned[number], -1])
                        number = outside[number]
                else:
                    number = inside[wire] if wire >= 0 else -1
                if (i, k) in terms:
                    number = put(FLIP, [number, terms[i, k], -1])
                numbers.append(number)
            inside.append(put(*self._signed(i, name, numbers)))
        kept = [inside[i] for places in self.kept for i in places]
        for k, mask in restored.items():
            kept[k] = put(FLIP, [kept[k], mask, -1])
        soon = len(self.kept[0])
        return Subroutine(
            tuple(self.externals), tuple(instructions), (tuple(kept[:soon]), tuple(kept[soon:]))
        )

    def _signed(self, i: int, name: str, numbers: list[int]) -> tuple[str, list[int]]:
        """The operation with the signs it has in the first segment."""
        first, second = self.segments.signs[self.places[0, i]].tolist()
        if name == "add" and first:
            return "sub", [numbers[1], numbers[0], -1]
        return _WITH_SIGNS.get((name, int(first), int(second)), name), numbers

    def _constant(self, i: int, position: int, turned: Bits | None) -> int:
        """Number of a constant operand."""
        segments = self.segments
        numbers = segments.operands[self.places[:, i], position] - segments.program.first_constant
        values = segments.constants[numbers]
        return self._column(values if turned is None else np.where(turned, -values, values))

    def _mask(self, turned: Bits) -> int:
        """Number of the constant that turns signs in these segments."""
        return self._column(np.where(turned, -0.0, 0.0))

    def _column(self, values: Reals) -> int:
        """Number of a constant that has these values in the segments; the same for the same values."""
        known = self._columns.get(values.tobytes())
        if known is None:
            known = self._columns[values.tobytes()] = len(self.externals)
            bits = values.view(np.int64)  # by their bits: -0 is not 0
            if (bits == bits[0]).all():
                self.externals.append(External(-1, -1, literal=float(values[0])))
            else:
                self.externals.append(External(-1, len(self._given)))
                self._given.append(values)
        return known
