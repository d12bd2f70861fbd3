"""Where the states of a loop lie whose passes are computed side by side.

As recorded, one state follows the other. Eight passes that fill the lanes of a vector want the first numbers
of their eight states next to each other, then the second ones, and so on: no lane is then filled by itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..trace.program import Columns, Cycle, Program

LANES = 8
"""Passes side by side, where they are independent and there is one state to compute."""

PLAIN = {"add", "sub", "mul", "div", "neg", "fma", "fms", "fnma"}
"""Operations that passes side by side may have: those that need no function for vectors."""

_PLACE_OPERAND = {"argument": 2, "repeat": 1, "item": 1}


def is_side_by_side(loop: Cycle) -> bool:
    """Whether passes of a loop can be computed in the lanes of a vector."""
    return loop.apart and PLAIN.issuperset(loop.body.columns.names)


def side_by_side(program: Program) -> Program:
    """The same program with the states of such loops laid out for lanes, those of no pass included.

    >>> from whippletree.kernels.trace.looping import recorded_each
    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda a: recorded_each(a[0, 0], lambda x: 2.0 * x, a), {"a": (3, 2)})
    >>> side_by_side(program).loops[0].times, side_by_side(program).n_places, program.n_places
    (8, 16, 6)
    """
    if not program.loops:
        return program
    places: dict[int, int] = {}
    loops: dict[int, Cycle] = {}
    first = 0
    for begin, loop in sorted(program.loops.items()):
        wide = is_side_by_side(loop)
        times = -(-loop.times // LANES) * LANES if wide else loop.times
        found = loop._replace(times=times, body=side_by_side(loop.body))
        for k in range(loop.n_kept):
            number, entry = divmod(k, loop.n_state)
            group, lane = divmod(number, LANES)
            at = (group * loop.n_state + entry) * LANES + lane if wide else k
            places[begin + k] = first + at
        for k in range(loop.n_arguments - loop.n_kept):
            places[begin + loop.n_kept + k] = first + found.n_kept + k
        places.setdefault(begin, first)  # of a loop with no arguments
        loops[first] = found
        first += found.n_arguments
    return replace(_moved(program, places), loops=loops)


def _moved(program: Program, places: dict[int, int]) -> Program:
    """The program with its loops' memory arranged anew: the places are constants of its instructions."""
    names, codes, operands = program.columns
    distinct = sorted(set(places.values()))
    before, added = program.first_instruction, len(distinct)
    number = {place: before + k for k, place in enumerate(distinct)}
    operands = np.where(operands >= before, operands + added, operands)
    for op, position in _PLACE_OPERAND.items():
        rows = np.flatnonzero(codes == (names.index(op) if op in names else -1))
        old = np.array(program.constants)[operands[rows, position] - program.first_constant].astype(int)
        operands[rows, position] = [number[places[p]] for p in old.tolist()]
    results = tuple(r + added if r >= before else r for r in program.results)
    constants = (*program.constants, *map(float, distinct))
    return Program(
        program.inputs, constants, Columns(names, codes, operands), results, program.outputs, program.loops
    )
