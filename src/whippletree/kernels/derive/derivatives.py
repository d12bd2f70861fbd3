"""Derivatives of a program, as a program: one loop over its instructions, by the table's partials.

Forward carries the derivatives of every value with respect to the inputs; reverse those of the outputs with
respect to every value. Both keep only what is not zero, and give the same numbers. Loops are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import InputError
from ..trace.arithmetic import ONE, ZERO
from ..trace.lower import lift_values, lower
from ..trace.node_table import NodeTable
from ..trace.ops import OPS
from ..trace.program import Input, Program, operands
from ..trace.structure import Branch, Leaf, Structure
from ..trace.traced import Condition, Scalar
from ..trace.unroll import unrolled

Sparse = dict[int, Scalar]  # derivatives that are not zero, by the input or output they belong to


def jacobian(program: Program, wrt: Sequence[str]) -> Program:
    """The program that computes the derivatives of all outputs with respect to some inputs.

    Args:
        program: The function, with outputs of any structure.
        wrt: Names of inputs.

    Returns:
        A program with the same inputs. It gives a dictionary by the names in `wrt`; every entry has the
        structure of the outputs, with the axes of the input after those of the output. Forward or reverse,
        whichever has fewer scalars to follow.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda x: x[0] * x[1], {"x": (2,)})
    >>> jacobian(program, ["x"])([3.0, 5.0])
    {'x': array([5., 3.])}
    """
    followed = sum(entry.size for entry in program.inputs if entry.name in wrt)
    return reverse(program, wrt) if program.n_outputs < followed else forward(program, wrt)


def forward(program: Program, wrt: Sequence[str]) -> Program:
    """As `jacobian`, carried from the inputs to the outputs.

    >>> from whippletree.kernels.trace.recording import trace
    >>> forward(trace(lambda x: [x * x, 3.0 * x], {"x": ()}), ["x"])(2.0)["x"]
    [np.float64(4.0), np.float64(3.0)]
    """
    program = unrolled(program)
    record = _Record(program, wrt)
    tangents: list[Sparse] = [{} for _ in range(program.n_values)]
    for seed in record.seeds:
        tangents[seed][seed] = record.one
    for op, out, operands_ in operands(program):
        if any(tangents[operand] for operand in operands_):
            for operand, partial in record.partials(op, out, operands_):
                _accumulate(tangents[out], partial, tangents[operand])
    return record.program([tangents[result] for result in program.results])


def reverse(program: Program, wrt: Sequence[str]) -> Program:
    """As `jacobian`, carried from the outputs back to the inputs.

    A branch that is not taken gets a zero here before its own derivatives are multiplied in: where those are
    not finite, neither is the result. Forward has no such case.

    >>> from whippletree.kernels.trace.recording import trace
    >>> reverse(trace(lambda x: x @ x, {"x": (3,)}), ["x"])([1.0, 2.0, 3.0])["x"]
    array([2., 4., 6.])
    """
    program = unrolled(program)
    record = _Record(program, wrt)
    adjoints: list[Sparse] = [{} for _ in range(program.n_values)]
    for position, result in enumerate(program.results):
        adjoints[result][position] = record.one
    for op, out, operands_ in reversed(list(operands(program))):
        if adjoints[out]:
            for operand, partial in record.partials(op, out, operands_):
                _accumulate(adjoints[operand], partial, adjoints[out])
    return record.program(
        [
            {seed: adjoints[seed][position] for seed in record.seeds if position in adjoints[seed]}
            for position in range(program.n_outputs)
        ]
    )


def _accumulate(total: Sparse, partial: Any, derivatives: Sparse) -> None:
    """Add a partial derivative times derivatives."""
    for key, derivative in derivatives.items():
        term: Any = partial(derivative) if callable(partial) else partial * derivative
        total[key] = total[key] + term if key in total else term
        if total[key].ref == ZERO:
            del total[key]


class _Record:
    """The graph of a program, to which derivatives are added."""

    def __init__(self, program: Program, wrt: Sequence[str]) -> None:
        self.source = program
        self.graph, self.refs = lift_values(program)
        self.one = Scalar(self.graph, ONE)
        self.wrt: dict[str, tuple[Input, range]] = {}
        first = 0
        for entry in program.inputs:
            if entry.name in wrt:
                self.wrt[entry.name] = entry, range(first, first + entry.size)
            first += entry.size
        for name in wrt:
            if name not in self.wrt:
                known = ", ".join(entry.name for entry in program.inputs)
                raise InputError(f"no input is called {name!r}; inputs are {known}")
        self.seeds = [seed for _, seeds in self.wrt.values() for seed in seeds]

    def partials(self, op: str, out: int, numbers: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
        """Every real operand of an instruction with the derivative of the result with respect to it."""
        row = OPS[op]
        if row.is_condition:
            return
        values = [
            Condition(self.graph, self.refs[n]) if kind == "c" else Scalar(self.graph, self.refs[n])
            for n, kind in zip(numbers, row.signature, strict=False)
        ]
        result = Scalar(self.graph, self.refs[out])
        for number, partial in zip(numbers, row.partials(*values, result), strict=True):
            if partial is not None:
                yield number, partial

    def program(self, rows: list[Sparse]) -> Program:
        """The program of all derivatives, given per output scalar by input scalar."""
        refs = [
            row[seed].ref if seed in row else ZERO
            for _, seeds in (self.wrt[name] for name in self.wrt)
            for row in rows
            for seed in seeds
        ]
        parts = tuple(_extended(self.source.outputs, entry.shape) for entry, _ in self.wrt.values())
        outputs = Branch(dict, parts, tuple(self.wrt))
        return lower(NodeTable(self.graph, refs), self.source.inputs, outputs)


def _extended(structure: Structure, shape: tuple[int, ...]) -> Structure:
    """A structure with more axes on every leaf."""
    if isinstance(structure, Leaf):
        return Leaf(structure.shape + shape)
    return Branch(structure.kind, tuple(_extended(c, shape) for c in structure.children), structure.keys)
