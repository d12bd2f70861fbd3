"""Simplification beyond what folding sees while a graph is made (RBDA section 10.4)."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

from ...uncollected import uncollected
from ..trace.lower import Recording, lift, lower
from ..trace.node_table import NodeTable
from ..trace.program import Program
from .regroup import regroup
from .share import share


def simplify(program: Program) -> Program:
    """The same function with fewer operations, equal to rounding.

    Rules are applied until none saves anything. They never add multiplications and additions, and the result
    depends on nothing but the program.

    Args:
        program: As traced.

    Returns:
        A program with the same inputs and outputs.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda a, b, c: a * b - c * a, {"a": (), "b": (), "c": ()})
    >>> program.cost["mul"], simplify(program).cost["mul"]
    (2, 1)
    """
    return simplified(lift(program))


@uncollected()
def simplified(recording: Recording) -> Program:
    """The program of a recording, with fewer operations: see `simplify`."""
    graph, refs, inputs, outputs = recording
    table = NodeTable(graph, refs)
    idle = 0  # passes in a row that saved nothing
    for rewrite in cycle((regroup, share)):
        candidate = rewrite(table)
        if candidate is not None and candidate.size < table.size:
            table, idle = candidate, 0
            continue
        idle += 1
        if idle == 2:
            break
    program = lower(table, inputs, outputs)
    return replace(program, loops=program.with_bodies(simplify)) if program.loops else program
