"""The graph of a program with what derivatives are made of: directions of inputs, partials of operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ..trace.arguments import Part, entries, structures
from ..trace.arithmetic import ONE, ZERO
from ..trace.lower import lift_values, lower
from ..trace.node_table import NodeTable
from ..trace.ops import OPS
from ..trace.program import Input, Program, operands
from ..trace.structure import Branch, Leaf, Structure, leaves
from ..trace.traced import Condition, Scalar
from ..trace.unroll import replayed, unrolled

Sparse = dict[int, Scalar]  # derivatives that are not zero, by the direction or output they belong to

Charts = Mapping[str, Program]
"""Directions in which inputs may change, by name.

Of an input (n,), a program that takes it and gives (n, k), its change along each of k directions. An input
without one changes along its own entries.
"""


class Directions(NamedTuple):
    """Those of one input array.

    Attributes:
        entry: The input.
        shape: Of one number for each direction.
        first: Number of its first scalar among all inputs' scalars.
        keys: Number of each direction, counted through all inputs that are followed.
        chart: (entry.size, k) change of each scalar along each direction; None: its own.
    """

    entry: Input
    shape: tuple[int, ...]
    first: int
    keys: range
    chart: Any

    def change(self, n: int, one: Scalar) -> Sparse:
        """How scalar n of the array changes, by direction."""
        if self.chart is None:
            return {self.keys[n]: one}
        row = zip(self.keys, self.chart[n], strict=True)
        return {key: value for key, value in row if value.ref != ZERO}


class Differential:
    """A program's graph, to which derivatives are added.

    Args:
        program: The function; its loops are written out.
        wrt: Names of arguments to follow.
        charts: Their directions, where these are not their own entries.
        further: Arguments to be added behind those of the program, by name.

    Attributes:
        followed: Directions of every input array that is followed, in the order of `wrt`.
        refs: Reference of every value of the program.
    """

    def __init__(
        self,
        program: Program,
        wrt: Sequence[str],
        charts: Charts,
        further: Mapping[str, Structure] | None = None,
    ) -> None:
        program = unrolled(program)
        self.source = program
        self.arguments: dict[str, Structure] = structures(program.inputs)
        _check(wrt, list(self.arguments))
        self.wrt: tuple[str, ...] = tuple(wrt)
        self.inputs: tuple[Input, ...] = program.inputs + entries(further or {})
        self.graph, self.refs = lift_values(program, sum(entry.size for entry in entries(further or {})))
        self.one: Scalar = Scalar(self.graph, ONE)
        self.followed: list[Directions] = []
        for name in wrt:
            for entry, first in _placed(program.inputs):
                if (entry.part or Part(entry.name, (), Leaf(()))).argument == name:
                    self._follow(entry, first, charts.get(name))

    def _follow(self, entry: Input, first: int, program: Program | None) -> None:
        start = self.followed[-1].keys.stop if self.followed else 0
        if program is None:
            keys = range(start, start + entry.size)
            self.followed.append(Directions(entry, entry.shape, first, keys, None))
            return
        (leaf,) = leaves(program.outputs)
        refs = replayed(self.graph, program, self.refs[first : first + entry.size])
        chart = np.empty(leaf.size, dtype=object)
        chart[:] = [Scalar(self.graph, ref) for ref in refs]
        keys = range(start, start + leaf.shape[1])
        self.followed.append(Directions(entry, leaf.shape[1:], first, keys, chart.reshape(leaf.shape)))

    def scalars(self, name: str) -> list[Scalar]:
        """The scalars of an argument that was added."""
        found = []
        for entry, first in _placed(self.inputs):
            if (entry.part or Part(entry.name, (), Leaf(()))).argument == name:
                found += [Scalar(self.graph, 2 * n) for n in range(first, first + entry.size)]
        return found

    def forward(self, changes: Mapping[int, Sparse]) -> list[Sparse]:
        """Derivatives of all results, carried from the inputs, whose own are given by their numbers."""
        program = self.source
        tangents: list[Sparse] = [{} for _ in range(program.n_values)]
        for number, change in changes.items():
            tangents[number] = dict(change)
        for op, out, numbers in operands(program):
            if any(tangents[number] for number in numbers):
                for operand, partial in self._partials(op, out, numbers):
                    accumulate(tangents[out], partial, tangents[operand])
        return [tangents[result] for result in program.results]

    def reverse(self, weights: Sequence[Sparse]) -> list[Sparse]:
        """Derivatives along every direction, carried from the results, whose own are given."""
        program = self.source
        adjoints: list[Sparse] = [{} for _ in range(program.n_values)]
        for result, weight in zip(program.results, weights, strict=True):
            accumulate(adjoints[result], self.one, weight)
        for op, out, numbers in reversed(list(operands(program))):
            if adjoints[out]:
                for operand, partial in self._partials(op, out, numbers):
                    accumulate(adjoints[operand], partial, adjoints[out])
        found: list[Sparse] = [{} for directions in self.followed for _ in directions.keys]
        for directions in self.followed:
            for n in range(directions.entry.size):
                for key, change in directions.change(n, self.one).items():
                    accumulate(found[key], change, adjoints[directions.first + n])
        return found

    def _partials(self, op: str, out: int, numbers: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
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

    def program(self, results: Sequence[Scalar | None], outputs: Structure) -> Program:
        """The program of these results, None being zero."""
        refs = [ZERO if result is None else result.ref for result in results]
        return lower(NodeTable(self.graph, refs), self.inputs, outputs)

    def of_arguments(self, shape: Structure) -> Branch:
        """A dictionary by the names followed: `shape`, with an input's directions behind its axes."""
        rest = iter(directions.shape for directions in self.followed)
        parts = tuple(self._nested(self.arguments[name], shape, rest) for name in self.wrt)
        return Branch(dict, parts, self.wrt)

    def _nested(self, argument: Structure, shape: Structure, rest: Iterator[tuple[int, ...]]) -> Structure:
        if isinstance(argument, Leaf):
            return _extended(shape, next(rest))
        children = tuple(self._nested(child, shape, rest) for child in argument.children)
        return Branch(argument.kind, children, argument.keys)


def accumulate(total: Sparse, partial: Any, derivatives: Sparse) -> None:
    """Add a partial derivative times derivatives."""
    for key, derivative in derivatives.items():
        term: Any = partial(derivative) if callable(partial) else partial * derivative
        total[key] = total[key] + term if key in total else term
        if total[key].ref == ZERO:
            del total[key]


def _placed(inputs: Sequence[Input]) -> Iterator[tuple[Input, int]]:
    """Every input array with the number of its first scalar."""
    first = 0
    for entry in inputs:
        yield entry, first
        first += entry.size


def _check(wrt: Sequence[str], known: list[str]) -> None:
    for name in wrt:
        if name not in known:
            raise InputError(f"no input is called {name!r}; inputs are {', '.join(known)}")
    if len(set(wrt)) != len(wrt):
        raise InputError(f"inputs are named twice: {', '.join(wrt)}")


def _extended(structure: Structure, shape: tuple[int, ...]) -> Structure:
    """A structure with more axes on every leaf."""
    if isinstance(structure, Leaf):
        return Leaf(structure.shape + shape)
    return Branch(structure.kind, tuple(_extended(c, shape) for c in structure.children), structure.keys)
