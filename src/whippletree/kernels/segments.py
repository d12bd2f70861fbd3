"""A long program cut into segments, and where each of them finds and leaves its values.

Everything here is arrays over all instructions or all operands at once: there may be millions of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from .cuts import cuts
from .ops import OPS
from .program import Program

Ints = NDArray[np.int64]

REAL, CONSTANT, CONDITION = 0, 1, 2  # kinds of operands from outside a segment


class Segments:
    """The segments of a program.

    Values that one segment computes and another needs lie in numbered slots: first the inputs, then constants
    that are results, then the frames of the segments. Segments of the same operations and wiring have one
    shape and leave the same values in their frames. A frame is used again when nobody needs its content.

    Attributes, by instruction:
        ops: Code of the operation, an index into `names`.
        wires: (n, 3) operands: their place in the segment; -1 for none; -2 - k for the k-th from outside.
        segment_of: The segment.
        place: Place of the result in the frame, if it is kept there.
    By segment:
        bounds: First instruction; one entry more.
        ext_bounds: First operand from outside; one entry more.
        shape_of: The shape.
        frame: First slot of the frame.
    By operand from outside, in order of first use in its segment:
        ext_number: The value.
        ext_segment: The segment that uses it.
        ext_kind: REAL, CONSTANT or CONDITION.
        ext_frame: First slot of the frame it lies in; an input is a frame of its own; -1 for a constant.
        ext_place: Its place in the frame.
    Else:
        constants: The program's constants.
        kept: By shape, the places in the segment of values left in the frame.
        literals: Numbers of the constants that are results.
        slots: How many slots there are.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first = program.first_instruction
        instructions, count = program.instructions, len(program.instructions)
        self.names = sorted({i[0] for i in instructions})
        codes = {name: code for code, name in enumerate(self.names)}
        self.ops: Ints = np.fromiter((codes[i[0]] for i in instructions), np.int64, count)
        operands = np.empty((count, 3), np.int64)
        for k in range(3):
            operands[:, k] = np.fromiter(map(itemgetter(2 + k), instructions), np.int64, count)
        self.constants = np.array(program.constants, np.float64)
        self.results: Ints = np.array(program.results, np.int64)
        self._cut(operands)
        self._wire(operands)
        self.shape_of, self._members = classes(self._signature(s) for s in range(len(self.bounds) - 1))
        self._keep()
        self._place_frames()
        self._locate()

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def _cut(self, operands: Ints) -> None:
        own = self.first + np.arange(len(operands))[:, None]
        distances = np.where(operands >= self.first, own - operands, 0)
        self.bounds: Ints = np.array([0, *cuts(self.ops, distances), len(operands)])
        self.segment_of: Ints = np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def _wire(self, operands: Ints) -> None:
        """Operands by their place within the segment, or by order of first use if they are from outside."""
        segment = np.broadcast_to(self.segment_of[:, None], operands.shape)
        begin = self.first + self.bounds[segment]
        inside = operands >= begin
        outside = (operands >= 0) & ~inside
        self.wires: Ints = np.where(inside, operands - begin, -1)
        users, numbers = segment[outside], operands[outside]
        ranks, distinct = ranked(users, numbers, len(self))
        self.wires[outside] = -2 - ranks
        self.ext_segment, self.ext_number = users[distinct], numbers[distinct]
        self.ext_bounds: Ints = np.searchsorted(self.ext_segment, np.arange(len(self) + 1))
        kinds = np.full(self.program.n_values, REAL)
        kinds[self.program.first_constant : self.first] = CONSTANT
        conditions = np.array([OPS[name].is_condition for name in self.names], bool)
        kinds[self.first :][conditions[self.ops]] = CONDITION
        self.ext_kind: Ints = kinds[self.ext_number]

    def _signature(self, s: int) -> bytes:
        """Operations, wiring and kinds of operands of a segment."""
        b, e = self.bounds[s], self.bounds[s + 1]
        kinds = self.ext_kind[self.ext_bounds[s] : self.ext_bounds[s + 1]]
        return self.ops[b:e].tobytes() + self.wires[b:e].tobytes() + kinds.tobytes()

    def _keep(self) -> None:
        """What any segment of a shape has to leave to others, all of them leave."""
        wanted = np.zeros(len(self.ops), bool)
        for numbers in (self.ext_number, self.results):
            wanted[numbers[numbers >= self.first] - self.first] = True
        self.place: Ints = np.zeros(len(self.ops), np.int64)
        self.kept: list[Ints] = []
        for members in self._members:
            places = spans(self.bounds, members)
            kept = np.flatnonzero(wanted[places].any(axis=0))
            self.place[places[:, kept]] = np.arange(len(kept))
            self.kept.append(kept)

    def _place_frames(self) -> None:
        last_use = np.arange(len(self))
        computed = self.ext_number >= self.first
        sources = self.segment_of[self.ext_number[computed] - self.first]
        np.maximum.at(last_use, sources, self.ext_segment[computed])
        last_use[self.segment_of[self.results[self.results >= self.first] - self.first]] = len(self)
        ending: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for s, end in enumerate(last_use.tolist()):
            ending[end].append(s)

        is_constant = (self.results >= self.program.first_constant) & (self.results < self.first)
        self.literals: Ints = np.unique(self.results[is_constant])
        self.slots = self.program.n_inputs + len(self.literals)
        self.frame: Ints = np.zeros(len(self), np.int64)
        free: dict[int, list[int]] = {}  # by size
        sizes = [len(self.kept[shape]) for shape in self.shape_of.tolist()]
        for s, size in enumerate(sizes):
            if free.get(size):
                self.frame[s] = free[size].pop()
            else:
                self.frame[s] = self.slots
                self.slots += size
            for ended in ending[s]:  # only now: a segment does not write where it reads
                free.setdefault(sizes[ended], []).append(int(self.frame[ended]))

    def _locate(self) -> None:
        computed = self.ext_number >= self.first
        index = np.where(computed, self.ext_number - self.first, 0)
        frame = np.where(computed, self.frame[self.segment_of[index]], self.ext_number)
        self.ext_frame: Ints = np.where(self.ext_kind == CONSTANT, -1, frame)
        self.ext_place: Ints = np.where(computed, self.place[index], 0)

    def result_slots(self) -> Ints:
        """The slot of every output scalar."""
        slots = self.results.copy()  # right for inputs
        is_constant = (self.results >= self.program.first_constant) & (self.results < self.first)
        slots[is_constant] = self.program.n_inputs + np.searchsorted(self.literals, self.results[is_constant])
        index = self.results[self.results >= self.first] - self.first
        slots[self.results >= self.first] = self.frame[self.segment_of[index]] + self.place[index]
        return slots


def classes(keys: Iterable[bytes]) -> tuple[Ints, list[Ints]]:
    """Number equal keys alike, from 0 on: the number of every key, and for every number the places it has."""
    known: dict[bytes, int] = {}
    of = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    order = np.argsort(of, kind="stable")
    return of, np.split(order, np.cumsum(np.bincount(of))[:-1])


def spans(bounds: Ints, segments: Ints) -> Ints:
    """(n, length): the places between the bounds of segments that are all of one length."""
    one = segments[0]
    return bounds[segments][:, None] + np.arange(int(bounds[one + 1] - bounds[one]))


def ranked(groups: Ints, numbers: Ints, n_groups: int) -> tuple[Ints, Ints]:
    """Number the distinct entries of every group in order of first appearance.

    Args:
        groups: The group of every entry, ascending.
        numbers: The entries, not negative.
        n_groups: How many groups there may be.

    Returns:
        The rank of every entry in its group, and the places of first appearances.
    """
    keys = groups * (numbers.max(initial=0) + 1) + numbers
    _, where, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(where)
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    first = where[order]
    begin = np.searchsorted(groups[first], np.arange(n_groups))
    return position[inverse] - begin[groups], first
