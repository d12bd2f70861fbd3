"""Fused multiply-adds chosen once, so that every emitter and every vector width rounds alike."""

from __future__ import annotations

import numpy as np

from .program import Instruction, Program


def fuse(program: Program) -> Program:
    """The same program with every product that has no use but one sum merged into that sum.

    Where both operands of a sum are such products, the later one is merged: the earlier one is ready by then.
    Costs are counted before fusing; a fused row counts as the product and the sum it stands for.

    >>> from whippletree.kernels.trace import trace
    >>> program = trace(lambda a, b, c: c - a * b, {"a": (), "b": (), "c": ()})
    >>> [instruction[0] for instruction in fuse(program).instructions]
    ['fnma']
    """
    used_once = (_uses(program) == 1).tolist()
    # The multiplications whose value nothing needs but one instruction, by that value.
    products = {i[1]: i for i in program.instructions if i[0] == "mul" and used_once[i[1]]}
    merged: set[int] = set()
    chosen: list[Instruction] = []
    for instruction in program.instructions:
        op, out, a, b, _ = instruction
        if op == "add" or op == "sub":
            left, right = products.get(a), products.get(b)
            if right is not None and (left is None or b > a):
                merged.add(b)
                instruction = ("fma" if op == "add" else "fnma", out, right[2], right[3], a)
            elif left is not None:
                merged.add(a)
                instruction = ("fma" if op == "add" else "fms", out, left[2], left[3], b)
        chosen.append(instruction)
    return _renumbered(program, [i for i in chosen if i[1] not in merged])


def _uses(program: Program) -> np.ndarray:
    """How often every value is read, by instructions and as a result."""
    read = np.concatenate([program.columns.operands.ravel(), np.array(program.results, np.int64)])
    return np.bincount(read[read >= 0], minlength=program.n_values)


def _renumbered(program: Program, instructions: list[Instruction]) -> Program:
    """The program with only these instructions, their results numbered without gaps."""
    first = program.first_instruction
    number = [*range(first), *[-1] * len(program.instructions), -1]  # the last entry is that of no operand
    renumbered: list[Instruction] = []
    for place, (op, out, a, b, c) in enumerate(instructions, start=first):
        number[out] = place
        renumbered.append((op, place, number[a], number[b], number[c]))
    return Program(
        program.inputs,
        program.constants,
        tuple(renumbered),
        tuple(number[result] for result in program.results),
        program.outputs,
    )
