"""Record a function: call it with traced scalars and keep the graph of what it computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from ..errors import InputError
from .graph import Graph
from .lower import Recording, lower
from .program import Input, Program
from .refusal import TraceError, mixed_array
from .scalar import Condition, Scalar
from .structure import flatten
from .uncollected import uncollected

__all__ = ["Scalar", "TraceError", "recording", "trace"]


@uncollected()
def trace(function: Callable[..., Any], inputs: Mapping[str, tuple[int, ...]]) -> Program:
    """Execute a function on traced scalars and return what it did as a program.

    Args:
        function: Takes one argument for every input, in the order of `inputs`: an object array of traced
            scalars, or a single one where the shape is (). Returns numbers and arrays, perhaps nested in
            tuples, lists and dictionaries. Conditions come out as 1 and 0.
        inputs: Name and shape of every argument.

    Returns:
        The program; no simplification but the folding done while recording.

    >>> program = trace(lambda a, x: {"y": a @ x}, {"a": (2, 2), "x": (2,)})
    >>> program(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
    {'y': array([12., 34.])}
    >>> program.cost["mul"], program.cost["add"]
    (4, 2)
    """
    return lower(*recording(function, inputs))


@uncollected()
def recording(function: Callable[..., Any], inputs: Mapping[str, tuple[int, ...]]) -> Recording:
    """What `trace` makes a program of; arguments as there."""
    entries = tuple(Input(name, tuple(int(n) for n in shape)) for name, shape in inputs.items())
    for entry in entries:
        if any(n < 0 for n in entry.shape):
            raise InputError(f"input {entry.name} has shape {entry.shape}; lengths must not be negative")
    graph = Graph(sum(entry.size for entry in entries))
    try:
        result = function(*_arguments(graph, entries))
    except TypeError as error:
        explained = mixed_array(error)
        if explained is None:
            raise
        raise explained from error
    structure, scalars = flatten(result)
    return Recording(graph, [_reference(graph, s, i) for i, s in enumerate(scalars)], entries, structure)


def _arguments(graph: Graph, entries: tuple[Input, ...]) -> list[Any]:
    """The traced arguments: object arrays, or bare scalars for inputs of shape ()."""
    arguments, start = [], 0
    for _, shape in entries:
        count = prod(shape)
        flat = np.empty(count, dtype=object)
        flat[:] = [Scalar(graph, 2 * i) for i in range(start, start + count)]
        start += count
        arguments.append(flat.reshape(shape) if shape else flat[0])
    return arguments


def _reference(graph: Graph, scalar: Any, position: int) -> int:
    """The node of one output scalar."""
    if isinstance(scalar, Condition):
        scalar = scalar.number()
    ref = Scalar(graph, 0)._lift(scalar)
    if ref is None:
        raise TraceError(f"output scalar {position} is {scalar!r}; a kernel returns real numbers")
    return ref
