"""Record a function: call it with traced scalars and keep the graph of what it computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...uncollected import uncollected
from . import arguments
from .arguments import Declared, Input, declared
from .expressions import Expressions
from .lower import Recording, lower
from .node_table import NodeTable
from .program import Program
from .refusal import TraceError, not_for_traced
from .structure import flatten, unflatten
from .traced import Condition, Scalar

__all__ = ["Scalar", "TraceError", "recording", "trace"]


@uncollected()
def trace(function: Callable[..., Any], inputs: Mapping[str, Declared]) -> Program:
    """Execute a function on traced scalars and return what it did as a program.

    Args:
        function: Takes one argument for every input, in the order of `inputs`: an object array of traced
            scalars, a single one where the shape is (), or such in tuples, lists and dictionaries.
            Returns numbers and arrays, perhaps nested in the same way. Conditions come out as 1 and 0.
        inputs: Name and shape of every argument; for one that is nested its shapes, nested alike.

    Returns:
        The program; no simplification but the folding done while recording.

    >>> program = trace(lambda a, x: {"y": a @ x}, {"a": (2, 2), "x": (2,)})
    >>> program(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
    {'y': array([12., 34.])}
    >>> program.cost["mul"], program.cost["add"]
    (4, 2)
    >>> trace(lambda k, x: k["p"] * x[0] + k["d"] * x[1], {"k": {"p": (), "d": ()}, "x": [(), ()]})(
    ...     {"p": 100.0, "d": 10.0}, [0.5, 0.25]
    ... )
    np.float64(52.5)
    """
    graph, refs, entries, outputs = recording(function, inputs)
    return lower(NodeTable(graph, refs), entries, outputs)


@uncollected()
def recording(function: Callable[..., Any], inputs: Mapping[str, Declared]) -> Recording:
    """What `trace` makes a program of; arguments as there."""
    nested = {name: declared(name, value) for name, value in inputs.items()}
    entries = arguments.entries(nested)
    graph = Expressions(sum(entry.size for entry in entries))
    arrays = iter(_arrays(graph, entries))
    try:
        result = function(*(unflatten(structure, arrays) for structure in nested.values()))
    except (TypeError, AttributeError) as error:
        explained = not_for_traced(error)
        if explained is None:
            raise
        raise explained from error
    structure, scalars = flatten(result)
    refs = [_reference(graph, s, i) for i, s in enumerate(scalars)]
    return Recording(graph.finished(), refs, entries, structure)


def _arrays(graph: Expressions, entries: tuple[Input, ...]) -> list[Any]:
    """The traced inputs: object arrays, or bare scalars for inputs of shape ()."""
    arrays, start = [], 0
    for entry in entries:
        shape, count = entry.shape, entry.size
        flat = np.empty(count, dtype=object)
        flat[:] = [Scalar(graph, 2 * i) for i in range(start, start + count)]
        start += count
        arrays.append(flat.reshape(shape) if shape else flat[0])
    return arrays


def _reference(graph: Expressions, scalar: Any, position: int) -> int:
    """The node of one output scalar."""
    if isinstance(scalar, Condition):
        scalar = scalar.number()
    ref = Scalar(graph, 0)._lift(scalar)
    if ref is None:
        shown = repr(scalar)
        shown = shown if len(shown) < 60 else f"of type {type(scalar).__name__}"
        raise TraceError(
            f"output scalar {position} is {shown}; a kernel returns real numbers, in arrays, tuples, "
            "lists or dictionaries"
        )
    return ref
