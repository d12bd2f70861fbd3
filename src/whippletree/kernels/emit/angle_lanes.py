"""Sines and cosines of one state, several angles in one call.

Scalar code would call the function once an angle; the vector form takes about as long for all of its lanes.
It does the same operations in the same order, so the bits are the same. Results go through memory: there they
would be anyway until they are used, and instructions read them from there at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..trace.program import Instruction, Program
from .vecmath import functions as vecmath
from .vecmath.lanes import Lanes, Real

PAIRS = "%pairs"  # where they lie in memory


class AngleLanes:
    """The angles of a program by levels: those of the first depend on no sine or cosine, and so on.

    Angles of one level can be computed before all sines and cosines of that level, and so these in one call.

    Attributes:
        levels: Instructions that lead to the angles of each level, and the numbers of these; levels of one
            angle are left out.
        rest: All other instructions.
        width: Lanes of a call, 1 if there are not two angles of a level.
    """

    def __init__(self, program: Program, lanes: int) -> None:
        level = [0] * (program.n_values + 1)  # sines and cosines on the way; the last entry is of no operand
        angles: dict[int, dict[int, None]] = {}  # in order, each once
        for op, out, a, b, c in program.instructions:
            level[out] = max(level[a], level[b], level[c])
            if op in ("sin", "cos"):
                angles.setdefault(level[out], {})[a] = None
                level[out] += 1
        groups = {depth: list(found) for depth, found in angles.items() if len(found) > 1}
        never = max(groups, default=0) + 1
        needed = [never] * (program.n_values + 1)  # for the angles of which level
        for depth in sorted(groups, reverse=True):
            for angle in groups[depth]:
                needed[angle] = depth
        for _, out, *operands in reversed(program.instructions):
            for operand in operands:
                needed[operand] = min(needed[operand], needed[out])
        before: dict[int, list[Instruction]] = {depth: [] for depth in sorted(groups)}
        before[never] = []
        for instruction in program.instructions:
            before[needed[instruction[1]]].append(instruction)
        self.rest = before.pop(never)
        self.levels = [(before[depth], groups[depth]) for depth in before]
        self.width = 1
        while self.width < min(lanes, max((len(group) for group in groups.values()), default=1)):
            self.width *= 2
        self._place_of: dict[int, int] = {}
        self._places = sum(2 * self.width * -(-len(group) // self.width) for group in groups.values())

    def memory(self) -> str:
        """The line that makes room for sines and cosines on the stack, at `PAIRS`."""
        return f"  {PAIRS} = alloca [{self._places} x double], align {8 * self.width}" if self._places else ""

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
        width, vector = self.width, f"<{self.width} x double>"
        both = f"{{{vector}, {vector}}}"
        for begin in range(0, len(numbers), width):
            joined = "zeroinitializer"
            for lane, number in enumerate(numbers[begin : begin + width]):
                joined = e.line(f"insertelement {vector} {joined}, double {values[number]}, i32 {lane}")
                self._place_of[number] = first + lane
            found = e.line(f"call {both} {vecmath.symbol('sincos', width)}({vector} {joined})")
            for k in (0, 1):
                part = e.line(f"extractvalue {both} {found}, {k}")
                e.lines.append(f"  store {vector} {part}, ptr {_place(e, first)}, align {8 * width}")
                first += width
        return first

    def load(self, e: Lanes, instruction: Instruction) -> Real | None:
        """The value of a sine or cosine that has been computed, else None."""
        if instruction[0] not in ("sin", "cos") or instruction[2] not in self._place_of:
            return None
        place = self._place_of[instruction[2]] + self.width * (instruction[0] == "cos")
        return Real(e.line(f"load double, ptr {_place(e, place)}, align 8"))


def _place(e: Lanes, place: int) -> str:
    return e.line(f"getelementptr double, ptr {PAIRS}, i64 {place}")
