"""From graph to program: drop what is not used, give signs a place, number the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .graph import Graph, Node
from .ops import OPS
from .program import Columns, Input, Program
from .structure import Structure
from .table import MUL, NONE, Table

# Written with the constant on the right: 0 < x as x > 0.
_MIRRORED = {"lt": "gt", "le": "ge"}

_CODES = {name: code for code, name in enumerate(OPS)}

_MINUS = 2  # all uses of a node are negated


class Recording(NamedTuple):
    """What a function did: a graph, references to its output scalars, and the form of inputs and outputs."""

    graph: Graph
    refs: Sequence[int]
    inputs: tuple[Input, ...]
    outputs: Structure


def lower(table: Table, inputs: tuple[Input, ...], outputs: Structure) -> Program:
    """The program that computes the references of a table, outputs flattened in C order.

    A node that is only ever used with a minus sign is computed negated where that is free: a difference by
    exchanging its operands, a product with a constant by the constant's sign.
    """
    graph, refs = table.graph, table.refs
    uses, constants = _uses(table)
    n_inputs = sum(entry.size for entry in inputs)
    emitter = _Emitter(graph, n_inputs, constants)
    for number, (node, use) in enumerate(zip(graph.nodes, uses, strict=True)):
        if use and number >= n_inputs:
            emitter.node(node, 2 * number, use == _MINUS)
    results = tuple(emitter.operand(ref) for ref in refs)
    return Program(inputs, emitter.constants, emitter.columns(), results, outputs)


def _uses(table: Table) -> tuple[list[int], list[int]]:
    """Per node whether it is needed as it is, 1, negated, 2, or both, 3; and the constants needed, signed."""
    live = table.count > 0
    operands = table.operands[live]
    read = np.array([*table.refs], np.int64)
    read = np.concatenate([operands[operands >= 0], read[read >= 0]])
    uses = np.zeros(len(live), np.int64)
    for sign in (0, 1):
        uses[read[read & 1 == sign] >> 1] |= 1 + sign
    turned = (table.code[live] == MUL) & (uses[live] == _MINUS) & (operands[:, 0] < 0)
    operands[turned, 0] ^= 1
    constants = np.unique(operands[(operands < 0) & (operands != NONE)]).tolist()
    return uses.tolist(), sorted({*constants, *(ref for ref in table.refs if ref < 0)}, reverse=True)


class _Emitter:
    """Writes instructions in final numbers."""

    def __init__(self, graph: Graph, n_inputs: int, constants: list[int]) -> None:
        self.graph = graph
        self.constants = tuple(graph.value(ref) for ref in constants)
        self.numbers: list[int] = []  # four for every instruction: operation and operands
        self.out = n_inputs + len(constants)  # number of the next result
        # From reference, sign included, to value, -1 for none; constants have negative references and lie
        # at the end.
        self.known = [-1] * (2 * (len(graph.nodes) + len(graph.values)) + 2)
        self.known[: 2 * n_inputs : 2] = range(n_inputs)
        for i, ref in enumerate(constants):
            self.known[ref] = n_inputs + i

    def _append(self, op: str, a: int, b: int = -1, c: int = -1) -> int:
        self.numbers.extend((_CODES[op], a, b, c))
        self.out += 1
        return self.out - 1

    def columns(self) -> Columns:
        """All that was written."""
        numbers = np.fromiter(self.numbers, np.int64, len(self.numbers)).reshape(-1, 4)
        return Columns.of(tuple(OPS), numbers[:, 0], numbers[:, 1:])

    def operand(self, ref: int) -> int:
        """The value of a reference, with an instruction for its sign where there is no other way."""
        value = self.known[ref]
        if value < 0:
            node = self.graph.nodes[ref >> 1]
            if node[0] == "eq":
                value = self._append("ne", self.operand(node[1]), self.operand(node[2]))
            elif _is_or(node):
                value = self._append("or", self.operand(node[1] ^ 1), self.operand(node[2] ^ 1))
            else:
                opposite = "not" if node[0] in OPS and OPS[node[0]].is_condition else "neg"
                value = self._append(opposite, self.known[ref ^ 1])
            self.known[ref] = value
        return value

    def node(self, node: Node, ref: int, flip: bool) -> None:
        """Write one node, negated if `flip` asks for it and it costs nothing."""
        op, known = node[0], self.known
        if op == "mul":
            _, a, b = node
            if flip and a < 0:
                a, ref = a ^ 1, ref | 1
            first, second = known[a], known[b]
            if first < 0 or second < 0:
                first, second = self.operand(a), self.operand(b)
        elif op == "add":
            _, a, b = node
            first, second = known[a], known[b]
            if first < 0:
                first = self.operand(a)
            if second < 0:  # the second operand is taken with whichever sign it was computed
                op, second = "sub", known[b ^ 1]
                if flip:
                    first, second, ref = second, first, ref | 1
        else:
            self._other(node, ref, flip)
            return
        # As `_append` does it, written out: most nodes are of these two kinds.
        self.numbers.extend((_CODES[op], first, second, -1))
        known[ref] = self.out
        self.out += 1

    def _other(self, node: Node, ref: int, flip: bool) -> None:
        """Write a node that is neither product nor sum."""
        op, known = node[0], self.known
        if flip and (op == "eq" or _is_or(node)):
            self.operand(ref | 1)
        elif op in _MIRRORED and node[1] < 0:
            known[ref] = self._append(_MIRRORED[op], self.operand(node[2]), self.operand(node[1]))
        else:
            known[ref] = self._append(op, *[self.operand(r) for r in node[1:]])


def _is_or(node: Node) -> bool:
    """Whether the opposite of a node reads as `or`."""
    return node[0] == "and" and bool(node[1] & 1) and bool(node[2] & 1)


def lift(program: Program) -> Recording:
    """A program as a recording, folded anew: the way back from `lower`."""
    graph, refs = lift_values(program)
    return Recording(graph, [refs[value] for value in program.results], program.inputs, program.outputs)


def lift_values(program: Program) -> tuple[Graph, list[int]]:
    """The graph of a program, folded anew, and the reference of every value."""
    graph = Graph(program.n_inputs)
    make = graph.constructors()
    refs = [2 * i for i in range(program.n_inputs)]
    refs.extend(graph.constant(value) for value in program.constants)
    for op, _, a, b, c in program.instructions:
        if b < 0:
            refs.append(make[op](refs[a]))
        elif c < 0:
            refs.append(make[op](refs[a], refs[b]))
        else:
            refs.append(make[op](refs[a], refs[b], refs[c]))
    return graph, refs
