"""Record a loop: its body once, as a program of its own.

The body is recorded in the graph it stands in, with new values in place of the state. What depends on these
is the body; all else that it uses is computed once, before the loop, and given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...errors import InputError
from .arguments import Input
from .arithmetic import CODES, NAMES, ONE, ZERO
from .expressions import Expressions
from .lower import lower
from .node_table import NodeTable
from .ops import OPS
from .program import Cycle, Program
from .refusal import TraceError, user_line
from .structure import Leaf, Structure, flatten, leaves, unflatten

_ARGUMENT, _REPEAT = CODES["argument"], CODES["repeat"]


class TracedScalar(Protocol):
    """A traced scalar, whose class makes others of a graph and a reference."""

    graph: Expressions

    def __init__(self, graph: Expressions, ref: int) -> None: ...

    def _lift(self, other: Any) -> int | None: ...


def recorded_loop(scalar: TracedScalar, count: int, step: Callable[[Any], Any], state: Any) -> Any:
    """The state after so many passes through a step, as traced scalars.

    Args:
        scalar: Any of the graph to record in.
        count: How often, 0 or more.
        step: Takes a state and gives the next, of the same form.
        state: Numbers and arrays, perhaps nested, some of them traced.

    >>> from whippletree.kernels.trace.recording import trace
    >>> def root(x):  # Heron's rule
    ...     return recorded_loop(x, 6, lambda y: 0.5 * (y + x / y), x)
    >>> program = trace(root, {"x": ()})
    >>> program(2.0), program.cost["div"]
    (np.float64(1.414213562373095), 6)
    """
    form, scalars = flatten(state)
    start = [_reference(scalar, entry) for entry in scalars]
    if count == 0 or not start:
        return _arranged(scalar, form, start)
    carried = [scalar.graph.carried() for _ in start]
    result, ends = flatten(step(_arranged(scalar, form, carried)))
    if result != form:
        raise InputError(
            f"{user_line()}repeat: the step returned {_told(result)}, expected {_told(form)}, as the state "
            "it was given"
        )
    body = _Body(scalar.graph, start, carried, [_reference(scalar, entry) for entry in ends])
    return _arranged(scalar, form, body.repeated(count))


def recorded_each(scalar: TracedScalar, step: Callable[[Any], Any], items: Any) -> Any:
    """(n, k) what a step makes of every row of an array (n, k), as traced scalars; the rows are independent.

    >>> from whippletree.kernels.trace.recording import trace
    >>> def turned(a, rows):
    ...     return recorded_each(a, lambda x: np.array([x[0] - a * x[1], x[1] + a * x[0]]), rows)
    >>> program = trace(turned, {"a": (), "rows": (3, 2)})
    >>> program(2.0, np.arange(6.0).reshape(3, 2)), program.n_instructions
    (array([[-2.,  1.],
           [-4.,  7.],
           [-6., 13.]]), 14)
    """
    count, size = items.shape
    start = [_reference(scalar, entry) for entry in items.ravel()]
    if not start:
        return items
    form = Leaf((size,))
    carried = [scalar.graph.carried() for _ in range(size)]
    result, ends = flatten(step(_arranged(scalar, form, carried)))
    if result != form:
        raise InputError(
            f"{user_line()}each: the step returned {_told(result)}, expected {_told(form)}, as the row it "
            "was given"
        )
    body = _Body(scalar.graph, [], carried, [_reference(scalar, entry) for entry in ends])
    return _arranged(scalar, Leaf((count, size)), body.applied(count, start))


def _arranged(scalar: TracedScalar, form: Structure, refs: Sequence[int]) -> Any:
    """References as traced scalars, in the form of a state."""
    rest = iter([type(scalar)(scalar.graph, ref) for ref in refs])
    arrays = []
    for leaf in leaves(form):
        flat = np.empty(leaf.size, dtype=object)
        flat[:] = [next(rest) for _ in range(leaf.size)]
        arrays.append(flat.reshape(leaf.shape) if leaf.shape else flat[0])
    return unflatten(form, arrays)


def _reference(scalar: TracedScalar, entry: Any) -> int:
    ref = scalar._lift(entry)
    if ref is None:
        raise TraceError(
            f"{user_line()}repeat: the state holds {entry!r}; it is made of real numbers and arrays of them"
        )
    return ref


def _told(form: Structure) -> str:
    if isinstance(form, Leaf):
        return f"an array of shape {form.shape}" if form.shape else "a number"
    shapes = ", ".join(str(leaf.shape) for leaf in leaves(form))
    return f"a {form.kind.__name__} with shapes {shapes}"


class _Given(NamedTuple):
    """What a body needs from outside: a reference there, and whether it is a condition, given as 1 or 0."""

    ref: int
    is_condition: bool


class _Body:
    """A body, found in the graph it was recorded in.

    What a pass hands on as it received it is no state: it is given. Without a start, every pass has a state
    of its own, all of which is its.
    """

    def __init__(self, graph: Expressions, start: list[int], carried: list[int], ends: list[int]) -> None:
        self.graph = graph
        self.start = start
        self.same = {c >> 1: s for c, s, end in zip(carried, start, ends, strict=bool(start)) if c == end}
        self.moving = [k for k, c in enumerate(carried) if c >> 1 not in self.same]
        self.carried = {carried[k] >> 1: i for i, k in enumerate(self.moving)}
        self.ends = [ends[k] for k in self.moving]
        self.nodes = self._nodes(min((c >> 1 for c in carried), default=0))
        self.inside = {*self.carried, *self.nodes}
        self.given: dict[int, _Given] = {}  # by node
        for operand in [*self.ends, *(r for n in self.nodes for r in graph.operands(n))]:
            self._note(operand)

    def _nodes(self, begin: int) -> list[int]:
        """The nodes of the body, in order: needed for its ends, and dependent on the state."""
        graph, found = self.graph, {ref >> 1 for ref in self.ends if ref >> 1 >= begin}
        waiting = list(found)
        while waiting:
            for ref in graph.operands(waiting.pop()):
                if ref >> 1 >= begin and ref >> 1 not in found:
                    found.add(ref >> 1)
                    waiting.append(ref >> 1)
        candidates = sorted(found - {*self.carried, *self.same})
        inside = {*self.carried, *self.same}  # what follows from what stays is computed in every pass
        for number in candidates:
            if any(ref >> 1 in inside for ref in graph.operands(number)):
                inside.add(number)
        for number in reversed(candidates):  # a loop inside takes all of its arguments inside
            if number in inside and graph.code[number] in (_ARGUMENT, _REPEAT):
                inside.add(graph.first[number] >> 1)
        return [number for number in candidates if number in inside]

    def _note(self, ref: int) -> None:
        number = ref >> 1
        if ref < 0 or number in self.inside or number in self.given:
            return
        op = NAMES[self.graph.code[number]]
        is_condition = op in OPS and OPS[op].is_condition
        if number in self.same:
            self.given[number] = _Given(self.same[number], False)
        elif is_condition:
            self.given[number] = _Given(self.graph.where(2 * number, ONE, ZERO), True)
        else:
            self.given[number] = _Given(2 * number, False)

    def repeated(self, count: int) -> list[int]:
        """References to the state after so many passes."""
        results = list(self.start)
        if self.moving:
            arguments = [*(self.start[k] for k in self.moving), *(given.ref for given in self.given.values())]
            items = self.graph.loop(Cycle(count, self._program()), arguments)
            for k, ref in zip(self.moving, items, strict=True):
                results[k] = ref
        return results

    def applied(self, count: int, states: list[int]) -> list[int]:
        """References to so many states after a pass of their own; what is a constant after all is one."""
        arguments = [*states, *(given.ref for given in self.given.values())]
        items = self.graph.loop(Cycle(count, self._program(), apart=True), arguments)
        return [end if end < 0 else item for end, item in zip(self.ends * count, items, strict=True)]

    def _program(self) -> Program:
        """The body by itself."""
        graph, n = self.graph, len(self.moving)
        new = Expressions(n + len(self.given))
        for value in graph.values:
            new.constant(value)
        new.loops.update(graph.loops)
        image = {number: 2 * i for number, i in self.carried.items()}
        for i, (number, given) in enumerate(self.given.items(), start=n):
            image[number] = new.eq(2 * i, ZERO) ^ 1 if given.is_condition else 2 * i

        def translate(ref: int) -> int:
            if ref < 0:
                return ref
            found = image[ref >> 1]
            if not ref & 1:
                return found
            op = NAMES[graph.code[ref >> 1]]
            is_condition = op in OPS and OPS[op].is_condition
            return ZERO if found == ZERO and not is_condition else found ^ 1

        make = new.constructors()
        for number in self.nodes:
            operands = [translate(ref) for ref in graph.operands(number)]
            image[number] = make[NAMES[graph.code[number]]](*operands)
        inputs = (Input("state", (n,)), Input("given", (len(self.given),)))
        return lower(NodeTable(new, [translate(ref) for ref in self.ends]), inputs, Leaf((n,)))
