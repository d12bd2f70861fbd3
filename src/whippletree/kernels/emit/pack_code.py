"""Packs of one state's values in LLVM IR: vectors put together, computed and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from ..trace.program import Instruction, Program
from .equal_parts import equal_parts
from .pack_gain import Pack, Tuple
from .vecmath.lanes import Bits, Form, Lanes, Real, literal


class PackCode:
    """Writes packs among other instructions, in scalar code.

    Args:
        e: Where to write; scalar code.
        program: What to write.
        instructions: Those of it that may be packed, in order.
        widest: Form of the widest vectors there may be.

    Attributes:
        sequence: Packs, and the instructions that are in none, in an order in which they can be executed.
        width: Lanes of the widest vectors there are.
    """

    def __init__(self, e: Lanes, program: Program, instructions: Sequence[Instruction], widest: Form) -> None:
        self.e = e
        self.program = program
        packs = equal_parts(program, instructions, widest.width)
        self.sequence: list[Instruction | Pack] = _in_order(instructions, packs) if packs else [*instructions]
        self._vectors: dict[Tuple, Real] = {}
        self._wanted: set[int] = set(program.results)  # by themselves
        whole = {pack.numbers for pack in packs}
        for item in self.sequence:
            if isinstance(item, Pack):
                self._wanted.update(n for numbers in item.operands if numbers not in whole for n in numbers)
            else:
                self._wanted.update(item[2:])
        self._lanes: dict[int, Lanes] = {}
        for count in {len(pack.numbers) for pack in packs}:
            width = 2
            while width < count:
                width *= 2
            lanes = self._lanes[count] = Lanes(widest.of_width(width))
            lanes.lines, lanes.line = e.lines, e.line  # one text, one count of names
        self.width: int = max((lanes.width for lanes in self._lanes.values()), default=1)

    def write(self, pack: Pack, values: list[str]) -> None:
        """Write a pack; values that are wanted by themselves are taken out."""
        e = self._lanes[len(pack.numbers)]
        operands: list[Real] = []
        left: list[int] = []  # signs that are the same in all lanes
        for numbers, signs in zip(pack.operands, pack.signs, strict=True):
            mixed = len(set(signs)) > 1
            left.append(0 if mixed else signs[0])
            operands.append(self._vector(e, numbers, signs if mixed else (), values))
        found = self._vectors[pack.numbers] = _computed(e, pack.op, operands, left)
        for lane, number in enumerate(pack.numbers):
            if number in self._wanted:
                values[number] = e.line(f"extractelement {e.real_type} {found}, i32 {lane}")

    def _vector(self, e: Lanes, numbers: Tuple, signs: Tuple, values: Sequence[str]) -> Real:
        """Values as a vector, with the other sign where `signs` says so."""
        if self._is_constant(numbers):
            constants = [self.program.constants[n - self.program.first_constant] for n in numbers]
            turned = [-c if s else c for c, s in zip(constants, signs or [0] * len(numbers), strict=True)]
            turned += turned[-1:] * (e.width - len(turned))
            return Real(f"<{', '.join(f'{e.element} {literal(c, e.precision)}' for c in turned)}>")
        if numbers not in self._vectors:
            self._vectors[numbers] = _filled(e, [values[n] for n in numbers])
        if not signs:
            return self._vectors[numbers]
        bit = -(1 << (e.precision.bits - 1))
        masks = [bit * sign for sign in (*signs, *[0] * (e.width - len(signs)))]
        listed = ", ".join(f"{e.precision.integer} {mask}" for mask in masks)
        return e.flip_sign(self._vectors[numbers], Bits(f"<{listed}>"))

    def _is_constant(self, numbers: Tuple) -> bool:
        return all(self.program.first_constant <= n < self.program.first_instruction for n in numbers)


def _filled(e: Lanes, values: Sequence[str]) -> Real:
    """A vector of these values; lanes left over are 0, unless all are the same."""
    if len(set(values)) == 1:
        head = e.line(f"insertelement {e.real_type} undef, {e.element} {values[0]}, i32 0")
        zeros = f"<{e.width} x i32> zeroinitializer"
        return Real(e.line(f"shufflevector {e.real_type} {head}, {e.real_type} undef, {zeros}"))
    vector = "undef" if len(values) == e.width else "zeroinitializer"
    for lane, value in enumerate(values):
        vector = e.line(f"insertelement {e.real_type} {vector}, {e.element} {value}, i32 {lane}")
    return Real(vector)


def _computed(e: Lanes, op: str, operands: Sequence[Real], signs: Sequence[int]) -> Real:
    """The operation of a pack, by the one with these signs that scalar code has."""
    if op == "add":
        a, b = operands
        return e.sub(b, a) if signs[0] else e.sub(a, b) if signs[1] else e.add(a, b)
    if op == "fma":
        a, b, c = operands
        return e.fnma(a, b, c) if signs[0] else e.fms(a, b, c) if signs[2] else e.fma(a, b, c)
    if op == "neg":
        return e.neg(operands[0])
    a, b = operands
    return e.mul(a, b) if op == "mul" else e.div(a, b)


def _in_order(instructions: Sequence[Instruction], packs: Sequence[Pack]) -> list[Instruction | Pack]:
    """Each pack where the last of its values stood; what has waited for it follows at once, in its order."""
    packed = {number: max(pack.numbers) for pack in packs for number in pack.numbers}
    items: dict[int, Instruction | Pack] = {max(pack.numbers): pack for pack in packs}
    items |= {instruction[1]: instruction for instruction in instructions if instruction[1] not in packed}
    missing: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for number, item in items.items():
        operands = [n for part in item.operands for n in part] if isinstance(item, Pack) else item[2:]
        needed = {place for n in operands if (place := packed.get(n, n)) in items}
        missing[number] = len(needed)
        for place in needed:
            readers.setdefault(place, []).append(number)
    ordered: list[Instruction | Pack] = []
    late: set[int] = set()
    for begin in sorted(items):
        if missing[begin]:
            late.add(begin)
            continue
        ready = [begin]
        while ready:
            number = heappop(ready)
            ordered.append(items[number])
            for reader in readers.get(number, ()):
                missing[reader] -= 1
                if not missing[reader] and reader in late:
                    heappush(ready, reader)
    return ordered
