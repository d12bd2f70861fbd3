"""Fused multiply-adds chosen once, so that every emitter and every vector width rounds alike."""

from __future__ import annotations

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
    first = program.first_instruction
    uses = [0] * program.n_values
    for _, _, *operands in program.instructions:
        for operand in operands:
            if operand >= 0:
                uses[operand] += 1
    for result in program.results:
        uses[result] += 1

    def product(value: int) -> Instruction | None:
        """The multiplication that makes a value, if nothing else needs the value."""
        if value < first or uses[value] != 1:
            return None
        instruction = program.instructions[value - first]
        return instruction if instruction[0] == "mul" else None

    merged: set[int] = set()
    chosen: list[Instruction] = []
    for instruction in program.instructions:
        op, out, a, b, _ = instruction
        if op in ("add", "sub"):
            left, right = product(a), product(b)
            if right is not None and (left is None or b > a):
                merged.add(b)
                instruction = ("fma" if op == "add" else "fnma", out, right[2], right[3], a)
            elif left is not None:
                merged.add(a)
                instruction = ("fma" if op == "add" else "fms", out, left[2], left[3], b)
        chosen.append(instruction)
    return _renumbered(program, [i for i in chosen if i[1] not in merged])


def _renumbered(program: Program, instructions: list[Instruction]) -> Program:
    """The program with only these instructions, their results numbered without gaps."""
    number = list(range(program.first_instruction)) + [-1] * len(program.instructions)
    renumbered: list[Instruction] = []
    for place, (op, out, a, b, c) in enumerate(instructions):
        number[out] = program.first_instruction + place
        renumbered.append(
            (op, number[out], number[a], number[b] if b >= 0 else -1, number[c] if c >= 0 else -1)
        )
    return Program(
        program.inputs,
        program.constants,
        tuple(renumbered),
        tuple(number[result] for result in program.results),
        program.outputs,
    )
