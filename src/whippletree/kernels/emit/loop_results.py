"""Results that a loop leaves in its memory, taken from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..trace.program import Columns, Program


class LoopResults(NamedTuple):
    """A program without the results that its loops leave in their memory, and where these are.

    Attributes:
        program: The same, a constant standing for each of these results.
        places: By output scalar its place in the memory of loops, or -1.
    """

    program: Program
    places: NDArray[np.int64]


def loop_results(program: Program) -> LoopResults:
    """Take apart what comes out of loops as it is: it need not be fetched to be put elsewhere.

    >>> from whippletree.kernels.trace.looping import recorded_each
    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda a: recorded_each(a[0, 0], lambda x: 2.0 * x, a), {"a": (3, 2)})
    >>> found = loop_results(program)
    >>> found.places, [instruction[0] for instruction in found.program.instructions][-1]
    (array([0, 1, 2, 3, 4, 5]), 'repeat')
    """
    results = np.array(program.results, np.int64)
    names, codes, operands = program.columns
    first, n = program.first_instruction, program.n_instructions
    is_item = np.append(codes == (names.index("item") if "item" in names else -1), False)
    from_loop = is_item[np.where(results >= first, results - first, n)]
    place_of = operands[:, 1] - program.first_constant
    places = np.full(len(results), -1)
    places[from_loop] = np.array(program.constants)[place_of[results[from_loop] - first]].astype(int)
    results = np.where(from_loop, program.first_constant, results)
    read = np.concatenate([operands.ravel(), results])
    kept = ~is_item[:-1] | (np.bincount(read[read >= first] - first, minlength=n) > 0)
    # Values numbered without gaps; the last entry is that of no operand.
    number = np.concatenate([np.arange(first), first + np.cumsum(kept) - 1, [-1]])
    rest = Program(
        program.inputs,
        program.constants,
        Columns.of(names, codes[kept], number[operands[kept]]),
        tuple(number[results].tolist()),
        program.outputs,
        program.loops,
    )
    return LoopResults(rest, places)
