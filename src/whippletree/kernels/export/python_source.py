"""A program as Python text that needs nothing but the module `math`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword
from math import inf, isfinite

from ...errors import InputError
from ..trace.arguments import structures
from ..trace.ops import OPS
from ..trace.program import Program, operands
from ..trace.structure import Leaf, Structure
from ..trace.unroll import unrolled

# Functions of `math` raise where arithmetic gives infinity or NaN; kernels compute both sides of a selection
# and must continue. Each helper is written only if it is used.
_GUARDED = """
def _guarded(function):
    def call(x):
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return call
"""
_HELPERS = {
    "_div": """
def _div(x, y):
    if y != 0.0:
        return x / y
    return math.nan if x == 0.0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)
""",
    "_log": """
def _log(x):
    return math.log(x) if x > 0.0 else (-math.inf if x == 0.0 else math.nan)
""",
    "_floor": """
def _floor(x):
    return math.copysign(math.floor(x), x) if math.isfinite(x) else x
""",
}


def to_python(program: Program, name: str = "kernel") -> str:
    """The text of a Python module that defines `name(inputs...)`.

    The function takes numbers and nested sequences of numbers, indexed as the inputs' shapes say, in
    tuples, lists and dictionaries where the traced function did. It returns numbers and nested lists in the
    structure of the outputs. Loops are written out.

    Args:
        program: Any program.
        name: Name of the function.

    >>> from whippletree.kernels.trace.recording import trace
    >>> print(to_python(trace(lambda x: [x[0] * x[1]], {"x": (2,)})))
    import math
    <BLANKLINE>
    <BLANKLINE>
    def kernel(x):
        v2 = x[0] * x[1]
        return [v2]
    <BLANKLINE>
    """
    program = unrolled(program)
    for identifier in (name, *structures(program.inputs)):
        if (
            not identifier.isidentifier()
            or iskeyword(identifier)
            or re.fullmatch(r"v\d+|_\w+|math", identifier)
        ):
            raise InputError(f"{identifier!r} cannot be a name in the Python text; choose another identifier")
    return "\n".join(_lines(program, name)) + "\n"


def _lines(program: Program, name: str) -> Iterator[str]:
    cells = [f"{e.name}{index}" for e in program.inputs for index in _indices(e.shape)]
    cells.extend(_literal(value) for value in program.constants)
    cells.extend(f"v{i}" for i in range(program.first_instruction, program.n_values))
    body = [
        f"    {cells[out]} = {OPS[op].python.format(*[cells[n] for n in numbers])}"
        for op, out, numbers in operands(program)
    ]
    yield "import math"
    yield from _helpers("\n".join(body))
    yield from ["", "", f"def {name}({', '.join(structures(program.inputs))}):"]
    yield from body
    yield f"    return {_value(program.outputs, iter([cells[r] for r in program.results]))}"


def _helpers(body: str) -> Iterator[str]:
    """Definitions of what the body calls beyond `math`."""
    called = sorted(set(re.findall(r"\b_[a-z]\w*(?=\()", body)))
    guarded = [helper for helper in called if helper not in _HELPERS]
    if guarded:
        yield "\n" + _GUARDED.rstrip()
        yield "\n"
        yield from (f"{helper} = _guarded(math.{helper[1:]})" for helper in guarded)
    for helper in called:
        if helper in _HELPERS:
            yield "\n" + _HELPERS[helper].rstrip()


def _indices(shape: tuple[int, ...]) -> list[str]:
    """Subscripts of all entries of an array in C order."""
    indices = [""]
    for length in shape:
        indices = [f"{index}[{i}]" for index in indices for i in range(length)]
    return indices


def _literal(value: float) -> str:
    if value != value:
        return "math.nan"
    return repr(value) if isfinite(value) else ("math.inf" if value == inf else "-math.inf")


def _value(structure: Structure, cells: Iterator[str]) -> str:
    """The expression for the outputs."""
    if isinstance(structure, Leaf):
        return _nested(structure.shape, cells)
    children = [_value(child, cells) for child in structure.children]
    if structure.kind is dict:
        return "{" + ", ".join(map(_entry, structure.keys, children)) + "}"
    if structure.kind is list:
        return "[" + ", ".join(children) + "]"
    return "(" + "".join(f"{child}, " for child in children) + ")"


def _entry(key: object, child: str) -> str:
    if not isinstance(key, str | int | float):
        raise InputError(
            f"the key {key!r} of an output cannot be written as Python text; use text or numbers"
        )
    return f"{key!r}: {child}"


def _nested(shape: tuple[int, ...], cells: Iterator[str]) -> str:
    if not shape:
        return next(cells)
    return "[" + ", ".join(_nested(shape[1:], cells) for _ in range(shape[0])) + "]"
