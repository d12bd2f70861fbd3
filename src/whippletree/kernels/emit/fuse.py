"""Fused multiply-adds chosen once, so that every emitter and every vector width rounds alike."""

from __future__ import annotations

import numpy as np

from ..trace.program import Columns, Program


def fuse(program: Program) -> Program:
    """The same program with every product that has no use but one sum merged into that sum.

    Where both operands of a sum are such products, the later one is merged: the earlier one is ready by then.
    Costs are counted before fusing; a fused row counts as the product and the sum it stands for.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda a, b, c: c - a * b, {"a": (), "b": (), "c": ()})
    >>> [instruction[0] for instruction in fuse(program).instructions]
    ['fnma']
    """
    names = (*program.columns.names, "fma", "fms", "fnma")
    _, codes, operands = program.columns
    first, n = program.first_instruction, program.n_instructions
    code = {name: k for k, name in enumerate(names)}
    a, b = operands[:, 0], operands[:, 1]
    is_sum, is_difference = codes == code.get("add", -1), codes == code.get("sub", -1)
    # Products that nothing needs but one instruction.
    free = np.zeros(program.n_values, bool)
    free[first:] = codes == code.get("mul", -1)
    free &= _uses(program) == 1
    left, right = ((is_sum | is_difference) & free[operand] for operand in (a, b))
    right &= ~left | (b > a)
    left &= ~right
    taken = left | right
    product, rest = np.where(right, b, a)[taken], np.where(right, a, b)[taken]
    codes = codes.copy()
    codes[taken & is_sum], codes[left & is_difference] = code["fma"], code["fms"]
    codes[right & is_difference] = code["fnma"]
    operands = operands.copy()
    operands[taken] = np.column_stack([operands[product - first, :2], rest])
    kept = np.ones(n, bool)
    kept[product - first] = False
    # Results numbered without gaps; the last entry is that of no operand.
    number = np.concatenate([np.arange(first), first + np.cumsum(kept) - 1, [-1]])
    return Program(
        program.inputs,
        program.constants,
        Columns.of(names, codes[kept], number[operands[kept]]),
        tuple(number[list(program.results)].tolist()),
        program.outputs,
        program.with_bodies(fuse),
    )


def _uses(program: Program) -> np.ndarray:
    """How often every value is read, by instructions and as a result."""
    read = np.concatenate([program.columns.operands.ravel(), np.array(program.results, np.int64)])
    return np.bincount(read[read >= 0], minlength=program.n_values)
