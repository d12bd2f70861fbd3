"""Sines and cosines of one state, several angles in one call.

Scalar code would call the function once an angle; the vector form takes about as long for all of its lanes.
It does the same operations in the same order, so the bits are the same. Results go through memory: there they
would be anyway until they are used, and instructions read them from there at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..trace.program import Instruction, Program
from .vecmath import functions as vecmath
from .vecmath.lanes import Form, Lanes, Real

PAIRS = "%pairs"  # where they lie in memory


class AngleLanes:
    """The angles of a program by levels: those of the first depend on no sine or cosine, and so on.

    Angles of one level can be computed before all sines and cosines of that level, and so these in one call.

    Attributes:
        levels: Instructions that lead to the angles of each level, and the numbers of these; levels of one
            angle are left out.
        rest: All other instructions.
        form: Of the numbers of a call, one lane if there are not two angles of a level.
    """

    def __init__(self, program: Program, widest: Form) -> None:
        names, codes, operands = program.columns
        turning = [code for code, name in enumerate(names) if name in ("sin", "cos")]
        arguments = operands[np.isin(codes, turning), 0].tolist()
        leading = _leading(program, arguments)
        level: dict[int, int] = {}  # of what leads to angles: how many sines and cosines are on the way
        for op, out, *numbers in leading:
            level[out] = max(level.get(number, 0) for number in numbers) + (op in ("sin", "cos"))
        groups: dict[int, dict[int, None]] = {}  # in order, each once
        for angle in arguments:
            groups.setdefault(level.get(angle, 0), {})[angle] = None
        groups = {depth: groups[depth] for depth in sorted(groups) if len(groups[depth]) > 1}
        needed: dict[int, int] = {}  # for the angles of which level
        for depth in sorted(groups, reverse=True):
            needed |= dict.fromkeys(groups[depth], depth)
        for _, out, *numbers in reversed(leading):
            if out in needed:
                for number in numbers:
                    needed[number] = min(needed.get(number, needed[out]), needed[out])
        before: dict[int, list[Instruction]] = {depth: [] for depth in groups}
        for instruction in leading:
            if instruction[1] in needed:
                before[needed[instruction[1]]].append(instruction)
        self.rest: list[Instruction] = [
            instruction for instruction in program.instructions if instruction[1] not in needed
        ]
        self.levels: list[tuple[list[Instruction], list[int]]] = [
            (before[depth], list(group)) for depth, group in groups.items()
        ]
        self._together: set[int] = {number for group in groups.values() for number in group}
        width, largest = 1, max((len(group) for group in groups.values()), default=1)
        while width < min(widest.width, largest):
            width *= 2
        self.form: Form = widest.of_width(width)
        self._place_of: dict[int, int] = {}
        self._places = sum(2 * width * -(-len(group) // width) for group in groups.values())

    def memory(self) -> str:
        """The line that makes room for sines and cosines on the stack, at `PAIRS`."""
        if not self._places:
            return ""
        return f"  {PAIRS} = alloca [{self._places} x {self.form.precision.element}], align {self.form.bytes}"

    def write(self, e: Lanes, numbers: Sequence[int], values: Sequence[str], first: int) -> int:
        """Write the calls for the angles of a level. Lanes left over compute sine and cosine of 0.

        Args:
            e: Where to write; scalar code.
            numbers: Of the angles.
            values: By number.
            first: The first place in memory that is free.

        Returns:
            The first place that is free then.
        """
        width, vector = self.form.width, self.form.type
        both = f"{{{vector}, {vector}}}"
        for begin in range(0, len(numbers), width):
            joined = "zeroinitializer"
            for lane, number in enumerate(numbers[begin : begin + width]):
                joined = e.line(f"insertelement {vector} {joined}, {e.element} {values[number]}, i32 {lane}")
                self._place_of[number] = first + lane
            found = e.line(f"call {both} {vecmath.symbol('sincos', width)}({vector} {joined})")
            for k in (0, 1):
                part = e.line(f"extractvalue {both} {found}, {k}")
                e.lines.append(f"  store {vector} {part}, ptr {_place(e, first)}, align {self.form.bytes}")
                first += width
        return first

    def has(self, instruction: Instruction) -> bool:
        """Whether an instruction is a sine or cosine that is computed with others."""
        return instruction[0] in ("sin", "cos") and instruction[2] in self._together

    def load(self, e: Lanes, instruction: Instruction) -> Real | None:
        """The value of a sine or cosine that has been computed, else None."""
        if not self.has(instruction):
            return None
        place = self._place_of[instruction[2]] + self.form.width * (instruction[0] == "cos")
        return Real(e.line(f"load {e.element}, ptr {_place(e, place)}, align {e.size}"))


def _leading(program: Program, numbers: Sequence[int]) -> list[Instruction]:
    """All instructions that lead to some values, in order."""
    first, operands = program.first_instruction, program.columns.operands
    found: set[int] = set()
    stack = [number - first for number in numbers if number >= first]
    while stack:
        place = stack.pop()
        if place not in found:
            found.add(place)
            stack += [number - first for number in operands[place].tolist() if number >= first]
    return [program.instructions[place] for place in sorted(found)]


def _place(e: Lanes, place: int) -> str:
    return e.line(f"getelementptr {e.element}, ptr {PAIRS}, i64 {place}")
