"""What the pieces of straight-line code read and make, by which it is decided what waits in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..trace.ops import OPS
from ..trace.program import Instruction, Program
from .angle_lanes import AngleLanes
from .instructions import CALLED
from .pack_code import PackCode
from .pack_gain import Pack
from .spills import NO_SPILLS, CodeStep, Spills

SPARE = 2
"""Registers for what is no value of the program: constants, and copies for what overwrites them."""

LONG = 1_000
"""Instructions; in shorter code LLVM is quick to find registers."""

Whole = Callable[[Iterable[int]], dict[int, list[list[int]]]]
"""By value what is stored with it as the last one, if values come in an order."""


class Angles(NamedTuple):
    """Angles whose sines and cosines are computed in one call."""

    numbers: Sequence[int]


class Known(NamedTuple):
    """Results that are inputs or constants are stored."""


Item = Instruction | Pack | Angles | Known


def scalar_order(program: Program, angles: AngleLanes, packs: PackCode) -> list[Item]:
    """All that scalar code does, in order."""
    order: list[Item] = []
    for before, numbers in angles.levels:
        order += [*before, Angles(numbers)]
    order += packs.sequence
    # Results may overwrite inputs: as long as none is stored, inputs can be read where they are.
    return [Known(), *order] if _is_left_to_llvm(program, packs) else [*order, Known()]


def _is_left_to_llvm(program: Program, packs: PackCode | None = None) -> bool:
    """Whether LLVM decides: what loops take and give is in memory anyway, and packs are its own."""
    return bool(program.loops) or program.n_instructions < LONG or (packs is not None and packs.width > 1)


def spills_in_lanes(
    program: Program, instructions: Sequence[Instruction], whole: Whole, registers: int
) -> Spills:
    """What waits in memory while code for several states executes instructions and writes results."""
    if _is_left_to_llvm(program):
        return NO_SPILLS
    steps = _Steps(program, whole(i[1] for i in instructions))
    for instruction in instructions:
        steps.add(instruction)
    return Spills(range(program.first_constant), steps.found, registers - SPARE)


def spills_alone(
    program: Program,
    order: Sequence[Item],
    angles: AngleLanes,
    packs: PackCode,
    whole: Whole,
    registers: int,
) -> Spills:
    """The same of code for one state."""
    if _is_left_to_llvm(program, packs):
        return NO_SPILLS
    alone = [item for item in order if not isinstance(item, Pack)]  # which is all of them
    steps = _Steps(program, whole(item[1] for item in alone if not isinstance(item, Angles | Known)))
    for item in alone:
        if isinstance(item, Angles):
            steps.found.append(CodeStep(tuple({*item.numbers} - steps.apart), -1, True))
        elif isinstance(item, Known):
            for number in range(program.first_instruction):
                steps.add_results(number)
        elif angles.has(item):
            steps.found.append(CodeStep((), item[1], False))
            steps.add_results(item[1])
        else:
            steps.add(item)
    return Spills(range(program.first_constant), steps.found, registers - SPARE, steps.stored)


class _Steps:
    """Steps of code, in order.

    Args:
        program: What is computed.
        whole: By value what is stored with it as the last one.

    Attributes:
        found: What there is until now.
        stored: How many of these come before the first that stores results.
        apart: Numbers of what is in no register: constants, and conditions.
    """

    def __init__(self, program: Program, whole: dict[int, list[list[int]]]) -> None:
        self.found: list[CodeStep] = []
        self.stored: int = -1
        constants = range(program.first_constant, program.first_instruction)
        self.apart: set[int] = {-1, *constants}
        self.apart.update(i[1] for i in program.instructions if OPS[i[0]].is_condition)
        self._whole = whole
        self._called: set[int] = set()  # arguments of sines and cosines

    def add(self, instruction: Instruction) -> None:
        """An instruction, and what is stored then."""
        op, out, *operands = instruction
        is_call = op in CALLED and not (op in ("sin", "cos") and operands[0] in self._called)
        if is_call:
            self._called.add(operands[0])
        self.found.append(CodeStep(tuple({*operands} - self.apart), out, is_call))
        self.add_results(out)

    def add_results(self, number: int) -> None:
        """What is stored once a value is there."""
        whole = self._whole.get(number, ())
        if whole and self.stored < 0:
            self.stored = len(self.found)
        self.found += [CodeStep(tuple({*numbers} - self.apart), -1, False) for numbers in whole]
