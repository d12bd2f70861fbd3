"""A long program cut into segments, and where each of them finds and leaves its values.

Everything here is arrays over all instructions or all operands at once: there may be millions of them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..trace.ops import OPS
from ..trace.program import Program
from .cuts import cuts

Ints = NDArray[np.int64]

CONSTANT = -(2**40)  # the wire of a constant
_SOON = 3  # segments

# Operations that differ from another by signs alone: (the other, sign of its first term, of its second).
# The product is the first term of a fused operation.
SIGNED = {"sub": ("add", 0, 1), "fms": ("fma", 0, 1), "fnma": ("fma", 1, 0), "neg": ("neg", 1, 0)}
# Operations whose first two operands may be exchanged once signs are aside.
SYMMETRIC = ("add", "mul", "fma")


class Segments:
    """The segments of a program.

    Two segments have one shape if they do the same with values from the same places, up to signs: the
    constants of one body make a sum where those of another make a difference, and the order of operands
    hangs on that, too.

    Values that one segment computes and another needs lie in numbered slots: first the inputs, then constants
    that are results, then the frames of the segments, two for each: one for values that are soon used up, one
    for the others. Segments of one shape leave the same values in their frames. A frame is used again when
    nobody needs its content; that keeps the work space small and near.

    Attributes, by instruction:
        ops: Code of the operation without signs, an index into `names`.
        operands: (n, 3) numbers of the operands, symmetric ones in ascending order; -1 for none.
        signs: (n, 2) whether the first and the second term of a sum are subtracted.
        wires: (n, 3) operands: place in the segment; -1 for none; CONSTANT; -2 - k for the k-th from outside.
        segment_of: The segment.
        place: Place of the result in its frame, if it is kept.
        late: Which of the two frames that is.
        is_result: Whether it is a result of the program.
    By segment:
        bounds: First instruction; one entry more.
        ext_bounds: First operand from outside; one entry more.
        shape_of: The shape.
        frame: (n, 2) first slots of the frames.
    By operand from outside, constants aside, in order of first use in its segment:
        ext_number: The value.
        ext_segment: The segment that uses it.
        ext_condition: Whether it is a condition.
        ext_frame: First slot of the frame it lies in; an input is a frame of its own.
        ext_place: Its place in the frame.
    Else:
        constants: The program's constants.
        kept: By shape, the places in the segment of values left in the two frames.
        literals: Numbers of the constants that are results.
        slots: How many slots there are.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first: int = program.first_instruction
        self.constants: NDArray[np.float64] = np.array(program.constants, np.float64)
        self.results: Ints = np.array(program.results, np.int64)
        self.is_result: NDArray[np.bool_] = np.zeros(program.n_instructions, bool)
        self.is_result[self.results[self.results >= self.first] - self.first] = True
        self._read()
        self._cut()
        self._wire()
        self.shape_of, self._members = classes(self._signature(s) for s in range(len(self)))
        self._keep()
        self._place_frames()
        self._locate()

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def _read(self) -> None:
        """Instructions as arrays, signs and order of operands aside."""
        used, codes, operands = self.program.columns
        bare = [SIGNED[name][0] if name in SIGNED else name for name in used]
        self.names: list[str] = sorted(set(bare))
        self.ops: Ints = np.array([self.names.index(name) for name in bare], np.int64)[codes]
        self.operands: Ints = operands.copy()
        signs = np.array([SIGNED[name][1:] if name in SIGNED else (0, 0) for name in used], bool)
        self.signs = signs.reshape(-1, 2)[codes]
        symmetric = np.isin(self.ops, [k for k, name in enumerate(self.names) if name in SYMMETRIC])
        swap = symmetric & (self.operands[:, 0] > self.operands[:, 1])
        self.operands[swap, :2] = self.operands[swap, 1::-1]
        add = self.ops == (self.names.index("add") if "add" in self.names else -1)
        self.signs[swap & add] = self.signs[swap & add, ::-1]

    def _cut(self) -> None:
        own = self.first + np.arange(len(self.ops))[:, None]
        distances = np.where(self.operands >= self.first, own - self.operands, 0)
        self.bounds: Ints = np.array([0, *cuts(self.ops, distances), len(self.ops)])
        self.segment_of: Ints = np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def _wire(self) -> None:
        """Operands by their place within the segment, or by order of first use if they are from outside."""
        operands, first_constant = self.operands, self.program.first_constant
        segment = np.broadcast_to(self.segment_of[:, None], operands.shape)
        begin = self.first + self.bounds[segment]
        inside = operands >= begin
        constant = (operands >= first_constant) & (operands < self.first)
        outside = (operands >= 0) & ~inside & ~constant
        self.wires: Ints = np.where(inside, operands - begin, np.where(constant, CONSTANT, -1))
        users, numbers = segment[outside], operands[outside]
        ranks, distinct = ranked(users, numbers, len(self))
        self.wires[outside] = -2 - ranks
        self.ext_segment, self.ext_number = users[distinct], numbers[distinct]
        self.ext_bounds: Ints = np.searchsorted(self.ext_segment, np.arange(len(self) + 1))
        is_condition = np.zeros(self.program.n_values, bool)
        conditions = [name in OPS and OPS[name].is_condition for name in self.names]
        is_condition[self.first :] = np.array(conditions, bool)[self.ops]
        self.ext_condition = is_condition[self.ext_number]

    def _signature(self, s: int) -> bytes:
        """Operations, wiring and kinds of operands of a segment."""
        b, e = self.bounds[s], self.bounds[s + 1]
        kinds = self.ext_condition[self.ext_bounds[s] : self.ext_bounds[s + 1]]
        return self.ops[b:e].tobytes() + self.wires[b:e].tobytes() + kinds.tobytes()

    def _keep(self) -> None:
        """What any segment of a shape has to leave to others, all of them leave; for long if any has to."""
        last_reader = np.full(len(self.ops), -1)
        computed = self.ext_number >= self.first
        np.maximum.at(last_reader, self.ext_number[computed] - self.first, self.ext_segment[computed])
        last_reader[self.results[self.results >= self.first] - self.first] = len(self)
        self.place: Ints = np.zeros(len(self.ops), np.int64)
        self.late: Ints = np.zeros(len(self.ops), np.int64)
        self.kept: list[tuple[Ints, Ints]] = []
        self._last_use: Ints = np.zeros((len(self), 2), np.int64)
        for members in self._members:
            places = spans(self.bounds, members)
            wanted = (last_reader[places] >= 0).any(axis=0)
            late = (last_reader[places] > members[:, None] + _SOON).any(axis=0)
            both = np.flatnonzero(wanted & ~late), np.flatnonzero(wanted & late)
            self.late[places] = late
            for k, kept in enumerate(both):
                self.place[places[:, kept]] = np.arange(len(kept))
                self._last_use[members, k] = last_reader[places[:, kept]].max(axis=1, initial=-1)
            self.kept.append(both)

    def _place_frames(self) -> None:
        ending: list[list[tuple[int, int]]] = [[] for _ in range(len(self) + 1)]
        for s, ends in enumerate(self._last_use.tolist()):
            for k, end in enumerate(ends):
                ending[max(end, s)].append((s, k))
        is_constant = (self.results >= self.program.first_constant) & (self.results < self.first)
        self.literals: Ints = np.unique(self.results[is_constant])
        self.slots = self.program.n_inputs + len(self.literals)
        self.frame: Ints = np.zeros((len(self), 2), np.int64)
        free: dict[int, list[int]] = {}  # by size
        sizes = [[len(kept) for kept in self.kept[shape]] for shape in self.shape_of.tolist()]
        for s, pair in enumerate(sizes):
            for k, size in enumerate(pair):
                if free.get(size):
                    self.frame[s, k] = free[size].pop()
                else:
                    self.frame[s, k] = self.slots
                    self.slots += size
            for ended, k in ending[s]:  # only now: a segment does not write where it reads
                free.setdefault(sizes[ended][k], []).append(int(self.frame[ended, k]))

    def _locate(self) -> None:
        computed = self.ext_number >= self.first
        index = np.where(computed, self.ext_number - self.first, 0)
        frame = self.frame[self.segment_of[index], self.late[index]]
        self.ext_frame: Ints = np.where(computed, frame, self.ext_number)
        self.ext_place: Ints = np.where(computed, self.place[index], 0)

    def result_slots(self) -> Ints:
        """The slot of every output scalar."""
        slots = self.results.copy()  # right for inputs
        is_constant = (self.results >= self.program.first_constant) & (self.results < self.first)
        slots[is_constant] = self.program.n_inputs + np.searchsorted(self.literals, self.results[is_constant])
        index = self.results[self.results >= self.first] - self.first
        slots[self.results >= self.first] = (
            self.frame[self.segment_of[index], self.late[index]] + self.place[index]
        )
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
