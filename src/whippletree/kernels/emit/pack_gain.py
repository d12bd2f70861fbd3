"""What it gains to compute values in the lanes of a vector: operations saved, less those that fill lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..trace.program import Instruction, Program

Tuple = tuple[int, ...]


class Pack(NamedTuple):
    """Values that are computed in one vector.

    Attributes:
        op: Operation, signs aside.
        numbers: Of the values, one a lane.
        operands: For each operand the numbers of the values in each lane.
        signs: For each operand 1 for the lanes in which it enters with the other sign.
    """

    op: str
    numbers: Tuple
    operands: tuple[Tuple, ...]
    signs: tuple[Tuple, ...]


def saved(program: Program, instructions: Sequence[Instruction], packs: Sequence[Pack]) -> int:
    """Operations that packs save.

    An operation in lanes costs as much as one by itself. So does it to bring a value beside others, or into
    all lanes, to take one out, unless it is the first or a mere result, and to turn signs in some lanes;
    constants cost nothing.
    """
    constants = range(program.first_constant, program.first_instruction)
    lane = {number: k for pack in packs for k, number in enumerate(pack.numbers)}
    whole = {pack.numbers for pack in packs}
    gain = 0
    filled: set[Tuple] = set()
    for pack in packs:
        gain += len(pack.numbers) - 1
        for numbers, signs in zip(pack.operands, pack.signs, strict=True):
            if numbers[0] not in constants:
                gain -= len(set(signs)) > 1
                if numbers not in whole:
                    filled.add(numbers)
    gain -= sum(max(1, len(set(numbers)) - 1) for numbers in filled)
    alone = {n for _, out, *operands in instructions if out not in lane for n in operands}
    alone.update(number for numbers in filled for number in numbers)
    return gain - sum(lane.get(number, 0) > 0 for number in alone)
