"""From graph to program: drop what is not used, give signs a place, number the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .arithmetic import ADD, CODES, INPUT, MUL, NAMES, NONE, Nodes
from .expressions import Expressions
from .node_table import Ints, NodeTable
from .ops import OPS
from .program import Columns, Cycle, Input, Program
from .refusal import TraceError
from .structure import Structure

# Written with the constant on the right: 0 < x as x > 0.
_MIRRORED = {CODES["lt"]: CODES["gt"], CODES["le"]: CODES["ge"]}

_SUB, _EQ, _NE, _AND, _OR = (CODES[name] for name in ("sub", "eq", "ne", "and", "or"))
_CARRIED, _REPEAT = CODES["carried"], CODES["repeat"]
_CONDITIONS = frozenset(CODES[name] for name, row in OPS.items() if row.is_condition)

_MINUS = 2  # all uses of a node are negated


class Recording(NamedTuple):
    """What a function did: a graph, references to its output scalars, and the form of inputs and outputs."""

    graph: Nodes
    refs: Sequence[int]
    inputs: tuple[Input, ...]
    outputs: Structure


def lower(table: NodeTable, inputs: tuple[Input, ...], outputs: Structure) -> Program:
    """The program that computes the references of a table, outputs flattened in C order.

    A node that is only ever used with a minus sign is computed negated where that is free: a difference by
    exchanging its operands, a product with a constant by the constant's sign.
    """
    uses = _uses(table)
    sign = _signs(table, uses)
    arithmetic = (uses > 0) & ((table.code == ADD) | (table.code == MUL))
    others = _Others(table.graph, sign)
    for number in np.flatnonzero((uses > 0) & ~arithmetic & (table.code != INPUT)).tolist():
        others.node(number)
    for ref in table.refs:
        others.operand(ref, len(table.code))
    rows = _joined(_arithmetic(table, np.flatnonzero(arithmetic), sign), others.rows())
    read = np.concatenate([rows.operands.ravel(), np.array(table.refs, np.int64)])
    is_read = np.zeros(2 * len(table.graph.values) + 1, bool)
    is_read[-read[(read < 0) & (read != NONE)]] = True
    constants = -np.flatnonzero(is_read)
    n_inputs = sum(entry.size for entry in inputs)
    # From reference, sign included, to value; constants have negative references and lie at the end, and
    # between nodes and constants lies the one of no operand.
    nowhere = 2 * len(table.code)
    value = np.full(nowhere + 2 * len(table.graph.values) + 2, -1)
    value[: 2 * n_inputs : 2] = np.arange(n_inputs)
    value[constants] = n_inputs + np.arange(len(constants))
    value[rows.result] = n_inputs + len(constants) + np.arange(len(rows.result))
    rows.operands[rows.operands == NONE] = nowhere
    operands = value.take(rows.operands)
    return Program(
        inputs,
        tuple(map(table.graph.value, constants.tolist())),
        Columns.of(NAMES, rows.code, operands),
        tuple(value[np.array(table.refs, np.int64)].tolist()),
        outputs,
        _loops(table),
    )


def _loops(table: NodeTable) -> dict[int, Cycle]:
    """The loops that are needed; a TraceError if a value has come out of one that has no place outside."""
    graph = table.graph
    if not graph.loops:
        return {}
    if np.any((table.code == _CARRIED) & (table.count > 0)):
        raise TraceError(
            "a value from inside of the step of repeat was used outside of it: the step must return all that "
            "is needed later as part of the state"
        )
    needed = np.flatnonzero((table.code == _REPEAT) & (table.count > 0))
    firsts = sorted(int(graph.value(graph.second[number])) for number in needed.tolist())
    return {first: graph.loops[first] for first in firsts}


def _uses(table: NodeTable) -> Ints:
    """Per node whether it is needed as it is, 1, negated, 2, or both, 3."""
    is_read = np.zeros(2 * len(table.code), bool)  # by reference
    is_read[np.array([ref for ref in table.refs if ref >= 0], np.int64)] = True
    needed = table.count > 0
    for refs in table.operands.T:
        is_read[refs[needed & (refs >= 0)]] = True
    return is_read[::2] + 2 * is_read[1::2]


def _signs(table: NodeTable, uses: Ints) -> Ints:
    """Per node whether it is computed negated, 1, or as it is, 0."""
    turned = uses == _MINUS
    first, second, _ = table.operands.T
    is_or = (table.code == _AND) & (first & 1 == 1) & (second & 1 == 1)
    sign = turned & (((table.code == MUL) & (first < 0)) | (table.code == _EQ) | is_or)
    # A sum of values that are there with opposite signs is a difference, and that can be turned round.
    signs, found = sign.astype(np.int64), dict[int, int]()
    sums = np.flatnonzero(turned & (table.code == ADD))
    refs = second[sums]
    for number, ref, own in zip(sums.tolist(), refs.tolist(), signs[refs >> 1].tolist(), strict=True):
        found[number] = found.get(ref >> 1, own) ^ (ref & 1)
    signs[sums] = list(found.values())
    return signs


class _Rows(NamedTuple):
    """Instructions in references instead of final numbers, each with the place of the node it is for."""

    place: Ints
    code: Ints
    operands: Ints
    result: Ints


def _arithmetic(table: NodeTable, numbers: Ints, sign: Ints) -> _Rows:
    """Sums and products; values enter them with the signs they are there with."""
    code, operands = table.code[numbers].astype(np.int64), table.operands[numbers]
    own = sign[numbers]
    operands[(code == MUL) & (own == 1), 0] ^= 1
    opposite = (code == ADD) & (sign[operands[:, 1] >> 1] != operands[:, 1] & 1)
    code[opposite] = _SUB
    operands[opposite, 1] ^= 1
    turned = opposite & (own == 1)
    operands[turned, :2] = operands[turned, 1::-1]
    return _Rows(numbers, code, operands, 2 * numbers + own)


class _Others:
    """Writes what is neither sum nor product, and changes of sign where there is no other way."""

    def __init__(self, graph: Nodes, sign: Ints) -> None:
        self.graph = graph
        self.sign = sign
        self.made: set[int] = set()  # values that are there with both signs, by the reference made later
        self.numbers: list[int] = []  # six for every instruction: place, operation, operands, result

    def _append(self, place: int, code: int, operands: Sequence[int], result: int) -> None:
        self.numbers += (place, code, *operands, *[NONE] * (3 - len(operands)), result)

    def node(self, number: int) -> None:
        """Write one node, negated if that was decided."""
        graph, code, ref = self.graph, self.graph.code[number], 2 * number
        operands = graph.operands(number)
        if self.sign[number]:
            self._opposite(code, operands, ref | 1, number)
            return
        if code in _MIRRORED and operands[0] < 0:
            code, operands = _MIRRORED[code], operands[::-1]
        for operand in operands:
            self.operand(operand, number)
        self._append(number, code, operands, ref)

    def operand(self, ref: int, place: int) -> None:
        """See to it that there is a value with the sign of a reference."""
        if ref >= 0 and self.sign[ref >> 1] != ref & 1 and ref not in self.made:
            self.made.add(ref)
            self._opposite(self.graph.code[ref >> 1], self.graph.operands(ref >> 1), ref, place)

    def _opposite(self, code: int, operands: tuple[int, ...], ref: int, place: int) -> None:
        """Write the negative of a node, or of a condition the opposite, which may be an operation too."""
        if code == _EQ:
            code = _NE
        elif code == _AND and operands[0] & operands[1] & 1:
            code, operands = _OR, (operands[0] ^ 1, operands[1] ^ 1)
        else:
            code, operands = CODES["not" if code in _CONDITIONS else "neg"], (ref ^ 1,)
        for operand in operands:
            self.operand(operand, place)
        self._append(place, code, operands, ref)

    def rows(self) -> _Rows:
        """All that was written."""
        numbers = np.array(self.numbers, np.int64).reshape(-1, 6)
        return _Rows(numbers[:, 0], numbers[:, 1], numbers[:, 2:5], numbers[:, 5])


def _joined(some: _Rows, others: _Rows) -> _Rows:
    """The rows of both, by their places."""
    at = np.searchsorted(some.place, others.place)
    return _Rows(*(np.insert(one, at, other, axis=0) for one, other in zip(some, others, strict=True)))


def lift(program: Program) -> Recording:
    """A program as a recording, folded anew: the way back from `lower`."""
    graph, refs = lift_values(program)
    return Recording(graph, [refs[value] for value in program.results], program.inputs, program.outputs)


def lift_values(program: Program, further: int = 0) -> tuple[Expressions, list[int]]:
    """The graph of a program, folded anew, and the reference of every value.

    The graph has `further` input scalars behind those of the program.
    """
    graph = Expressions(program.n_inputs + further)
    graph.loops.update(program.loops)
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
