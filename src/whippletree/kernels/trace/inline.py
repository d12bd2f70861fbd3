"""A program as a part of another one that is being recorded, and some of its results alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .lower import lift_values, lower
from .node_table import NodeTable
from .program import Program
from .structure import Structure, flatten, leaves, unflatten
from .traced import Scalar
from .unroll import replayed


def inlined(program: Program, *arguments: Any) -> Any:
    """What a program gives for traced arguments, recorded where these are.

    Args:
        program: Its loops are written out.
        arguments: As the program's; at least one scalar is traced.

    >>> from whippletree.kernels.trace.recording import trace
    >>> square = trace(lambda x: x * x, {"x": (2,)})
    >>> trace(lambda y: inlined(square, np.sin(y))[0], {"y": (2,)})([0.5, 0.7]).round(3)
    np.float64(0.23)
    """
    _, scalars = flatten(list(arguments))
    graph = next(scalar.graph for scalar in scalars if isinstance(scalar, Scalar))
    lifted = [s.ref if isinstance(s, Scalar) else graph.constant(float(s)) for s in scalars]
    results = iter(replayed(graph, program, lifted))
    arrays = []
    for leaf in leaves(program.outputs):
        flat = np.empty(leaf.size, dtype=object)
        flat[:] = [Scalar(graph, next(results)) for _ in range(leaf.size)]
        arrays.append(flat.reshape(leaf.shape) if leaf.shape else flat[0])
    return unflatten(program.outputs, arrays)


def selected(program: Program, numbers: Sequence[int], outputs: Structure) -> Program:
    """The program that gives some of a program's arrays, by their numbers, in another structure.

    >>> from whippletree.kernels.trace.recording import trace
    >>> from whippletree.kernels.trace.structure import Leaf
    >>> both = trace(lambda x: (x * x, x + 1.0), {"x": ()})
    >>> selected(both, [1], Leaf(()))(2.0)
    np.float64(3.0)
    """
    graph, refs = lift_values(program)
    sizes = [leaf.size for leaf in leaves(program.outputs)]
    ends = np.cumsum([0, *sizes]).tolist()
    results = [refs[n] for k in numbers for n in program.results[ends[k] : ends[k + 1]]]
    return lower(NodeTable(graph, results), program.inputs, outputs)
