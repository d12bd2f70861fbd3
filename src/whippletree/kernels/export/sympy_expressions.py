"""A program as SymPy expressions, to read, to typeset and to compute with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

from ...errors import InputError
from ..trace.arguments import Input, structures
from ..trace.ops import OPS
from ..trace.program import Program, operands
from ..trace.structure import leaves, unflatten
from ..trace.unroll import unrolled


class Symbolic(NamedTuple):
    """A function in symbols.

    Attributes:
        inputs: Per input a symbol, a matrix of symbols (a column for one axis) or an array of symbols;
            such in tuples, lists and dictionaries where the input is nested.
        outputs: Expressions, matrices and arrays of expressions in the structure of the outputs.
    """

    inputs: dict[str, Any]
    outputs: Any


def to_sympy(program: Program) -> Symbolic:
    """The outputs as expressions in real symbols named after the inputs: x, q_0, a_0_1, gains_kp_2.

    Numbers that are small fractions come out exact, others as floats. Loops are written out.

    >>> from whippletree.kernels.trace.recording import trace
    >>> to_sympy(trace(lambda q: q[0] * q[1].sin() / 2, {"q": (2,)})).outputs
    q_0*sin(q_1)/2
    """
    try:
        import sympy
    except ImportError:
        raise InputError("expressions need sympy: pip install sympy") from None

    program = unrolled(program)
    names = [name for entry in program.inputs for name in _names(entry)]
    for name, times in Counter(names).items():
        if times > 1:
            raise InputError(f"two numbers of the inputs would be called {name!r}: name an input differently")
    symbols = [sympy.Symbol(name, real=True) for name in names]
    values: list[Any] = list(symbols)
    values.extend(_number(sympy, value) for value in program.constants)
    for op, _, numbers in operands(program):
        values.append(OPS[op].sympy(sympy, *(values[n] for n in numbers)))
    results = iter([values[r] for r in program.results])
    arrays = [_array(sympy, leaf.shape, results) for leaf in leaves(program.outputs)]
    rest = iter(symbols)
    given = iter([_array(sympy, entry.shape, rest) for entry in program.inputs])
    shaped = {name: unflatten(structure, given) for name, structure in structures(program.inputs).items()}
    return Symbolic(shaped, unflatten(program.outputs, arrays))


def _names(entry: Input) -> list[str]:
    names = ["_".join(entry.words)]
    for length in entry.shape:
        names = [f"{name}_{i}" for name in names for i in range(length)]
    return names


def _number(sympy: Any, value: float) -> Any:
    """An exact number for a short binary fraction, else a float of full precision."""
    is_short = abs(value) < 1e12 and (value * 1024.0).is_integer()
    return sympy.Rational(value) if is_short else sympy.Float(value)


def _array(sympy: Any, shape: tuple[int, ...], entries: Iterator[Any]) -> Any:
    """The next entries as a number, a matrix or an array, depending on the number of axes."""
    flat = [next(entries) for _ in range(prod(shape))]
    if not shape:
        return flat[0]
    if len(shape) > 2:
        return sympy.ImmutableDenseNDimArray(flat, shape)
    rows, columns = (*shape, 1)[:2]
    return sympy.Matrix(rows, columns, flat)
