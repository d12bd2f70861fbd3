"""Loops written out, for what knows none: derivatives, and sources in Python and SymPy."""

from __future__ import annotations

from ...errors import InputError
from .arithmetic import ZERO
from .expressions import Expressions
from .lower import lower
from .node_table import NodeTable
from .program import Program

MOST = 500_000
"""Instructions of a program with its loops written out."""


def unrolled(program: Program) -> Program:
    """The same function without loops; itself if it has none.

    >>> from whippletree.kernels.trace.looping import recorded_loop
    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda x: recorded_loop(x, 3, lambda y: y.sin(), x), {"x": ()})
    >>> [instruction[0] for instruction in unrolled(program).instructions]
    ['sin', 'sin', 'sin']
    """
    if not program.loops:
        return program
    if program.n_executed > MOST:
        raise InputError(
            f"its loops, written out, would be {program.n_executed} instructions, and {MOST} are the most: "
            "only machine code has loops; repeat less often"
        )
    graph = Expressions(program.n_inputs)
    refs = replayed(graph, program, [2 * i for i in range(program.n_inputs)])
    return lower(NodeTable(graph, refs), program.inputs, program.outputs)


def replayed(graph: Expressions, program: Program, inputs: list[int]) -> list[int]:
    """The references of a program's results, recorded into a graph, given those of its inputs."""
    make = graph.constructors()
    refs = [*inputs, *(graph.constant(value) for value in program.constants)]
    places: dict[int, int] = {}

    def number(value: int) -> int:
        return int(program.constants[value - program.first_constant])

    for op, _, *numbers in program.instructions:
        made = 0  # of what has no value
        if op == "argument":
            places[number(numbers[2])] = refs[numbers[1]]
        elif op == "repeat":
            first = number(numbers[1])
            loop = program.loops[first]
            there = [places.get(first + k, ZERO) for k in range(loop.n_arguments)]
            states = loop.run(there, lambda inputs, body=loop.body: replayed(graph, body, inputs))
            places.update(enumerate(states, first))
        elif op == "item":
            made = places[number(numbers[1])]
        else:
            made = make[op](*(refs[n] for n in numbers if n >= 0))
        refs.append(made)
    return [refs[value] for value in program.results]
