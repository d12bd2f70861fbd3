"""Derivatives of a program, as a program: one loop over its instructions, by the table's partials.

Forward carries the derivatives of every value with respect to the inputs; reverse those of the outputs with
respect to every value. Both keep only what is not zero, and give the same numbers. Loops are written out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..trace.program import Program
from ..trace.structure import Leaf, Structure
from .differential import Charts, Differential, Sparse, accumulate

NO_CHARTS: Charts = {}


def jacobian(program: Program, wrt: Sequence[str], charts: Charts = NO_CHARTS) -> Program:
    """The program that computes the derivatives of all outputs with respect to some inputs.

    Args:
        program: The function, with outputs of any structure.
        wrt: Names of inputs.
        charts: Directions to follow instead of an input's own entries, see `Charts`.

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
    return (reverse if program.n_outputs < followed else forward)(program, wrt, charts)


def forward(program: Program, wrt: Sequence[str], charts: Charts = NO_CHARTS) -> Program:
    """As `jacobian`, carried from the inputs to the outputs.

    >>> from whippletree.kernels.trace.recording import trace
    >>> forward(trace(lambda x: [x * x, 3.0 * x], {"x": ()}), ["x"])(2.0)["x"]
    [np.float64(4.0), np.float64(3.0)]
    """
    graph = Differential(program, wrt, charts)
    changes = {
        directions.first + n: directions.change(n, graph.one)
        for directions in graph.followed
        for n in range(directions.entry.size)
    }
    return _arranged(graph, graph.forward(changes))


def reverse(program: Program, wrt: Sequence[str], charts: Charts = NO_CHARTS) -> Program:
    """As `jacobian`, carried from the outputs back to the inputs.

    A branch that is not taken gets a zero here before its own derivatives are multiplied in: where those are
    not finite, neither is the result. Forward has no such case.

    >>> from whippletree.kernels.trace.recording import trace
    >>> reverse(trace(lambda x: x @ x, {"x": (3,)}), ["x"])([1.0, 2.0, 3.0])["x"]
    array([2., 4., 6.])
    """
    graph = Differential(program, wrt, charts)
    columns = graph.reverse([{position: graph.one} for position in range(program.n_outputs)])
    rows: list[Sparse] = [{} for _ in range(program.n_outputs)]
    for key, column in enumerate(columns):
        for position, value in column.items():
            rows[position][key] = value
    return _arranged(graph, rows)


def _arranged(graph: Differential, rows: Sequence[Sparse]) -> Program:
    """The program of all derivatives, given per output scalar by direction."""
    results = [row.get(key) for directions in graph.followed for row in rows for key in directions.keys]
    return graph.program(results, graph.of_arguments(graph.source.outputs))


def product_forward(
    program: Program, wrt: Sequence[str], charts: Charts, directions: Mapping[str, str]
) -> Program:
    """The change of all outputs along one direction: a Jacobian times a vector, without the Jacobian.

    Args:
        program, wrt, charts: As in `jacobian`.
        directions: By the names in `wrt` those of the inputs, added behind all others, that hold the
            direction: one number for each direction of the input, nested as it is.

    Returns:
        A program with the structure of the outputs.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda x: x * x[::-1], {"x": (2,)})
    >>> product_forward(program, ["x"], {}, {"x": "d_x"})([3.0, 5.0], [1.0, 0.0])
    array([5., 5.])
    """
    shapes = Differential(program, wrt, charts)
    further = _like_arguments(shapes, directions)
    graph = Differential(program, wrt, charts, further)
    given = [scalar for name in wrt for scalar in graph.scalars(directions[name])]
    changes: dict[int, Sparse] = {}
    for part in graph.followed:
        for n in range(part.entry.size):
            change = changes[part.first + n] = {}
            for key, partial in part.change(n, graph.one).items():
                accumulate(change, partial, {0: given[key]})
    results = [tangent.get(0) for tangent in graph.forward(changes)]
    return graph.program(results, program.outputs)


def product_reverse(program: Program, wrt: Sequence[str], charts: Charts, weights: str) -> Program:
    """The derivatives of a weighted sum of all outputs: weights times a Jacobian, without the Jacobian.

    Args:
        program, wrt, charts: As in `jacobian`.
        weights: Name of an input, added behind all others, with the structure of the outputs.

    Returns:
        A program that gives a dictionary by the names in `wrt`.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda x: x * x[::-1], {"x": (2,)})
    >>> product_reverse(program, ["x"], {}, "w")([3.0, 5.0], [1.0, 0.0])
    {'x': array([5., 3.])}
    """
    graph = Differential(program, wrt, charts, {weights: program.outputs})
    columns = graph.reverse([{0: weight} for weight in graph.scalars(weights)])
    return graph.program([column.get(0) for column in columns], graph.of_arguments(Leaf(())))


def _like_arguments(graph: Differential, names: Mapping[str, str]) -> dict[str, Structure]:
    """The structures of directions by their new names."""
    parts = graph.of_arguments(Leaf(()))
    return {names[key]: child for key, child in zip(parts.keys, parts.children, strict=True)}
