"""A program as one self-contained C99 file, with its header inside and a test to compile on request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite, prod

import numpy as np

from ...errors import InputError
from ..trace.ops import OPS
from ..trace.precision import DOUBLE, Precision
from ..trace.program import Input, Program
from ..trace.structure import leaves, paths
from .c_functions import AREA, LONGEST_FUNCTION, Routine, literal, loop_names
from .c_names import MACROS, OF_THE_LIBRARY, WORDS

# Names that arrays cannot have where the function is computed.
_FUNCTIONS = {
    word + end for row in OPS.values() for word in re.findall(r"[a-z]\w*", row.c) for end in ("", "f")
}
_TAKEN: frozenset[str] = WORDS | MACROS | _FUNCTIONS | {"main", "w", AREA}

# Names of values, and of arrays in the test.
_OURS = re.compile(r"(v|in|out|expected)\d+")

_WAY_OUT = 'give the kernel another name, as k.name = "dynamics"'


def to_c(program: Program, name: str = "kernel", precision: Precision = DOUBLE) -> str:
    """The text of a C file that defines `void name(inputs..., outputs...)`, all of them arrays of numbers.

    Inputs and outputs are laid out in C order and must not overlap. Compiled with NAME_TEST_MAIN defined, the
    file is a program that compares the function with values computed when the file was written.

    Args:
        program: Any program.
        name: Name of the C function.
        precision: Of the numbers: double or float.

    Returns:
        C99, to be compiled and linked with the mathematical library.

    >>> from whippletree.kernels.trace.recording import trace
    >>> text = to_c(trace(lambda x, y: x * y, {"x": (), "y": ()}), "product")
    >>> print([line for line in text.splitlines() if "v2" in line][0].strip())
    const double v2 = x[0] * y[0];
    """
    obstacle = _obstacle(name)
    if obstacle:
        raise InputError(f"{name!r} cannot be the name of a C function: {obstacle}; {_WAY_OUT}")
    return "\n".join(_File(program, name, precision).lines()) + "\n"


def _obstacle(name: str) -> str | None:
    """Why a function of the exported file cannot have this name; None if it can."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        return "it is not made of letters, digits and underscores alone, a letter first"
    if name.startswith("_"):
        return "C keeps names that begin with an underscore for itself"
    if name in WORDS:
        return "it is a word of the language"
    if name in MACROS | OF_THE_LIBRARY:
        return "the C library has something of this name"
    if name in ("main", "w", AREA) or _OURS.fullmatch(name):
        return "the exported file uses it for something else"
    return None


class _File:
    """Names of all values and where they live, and the parts of the file."""

    def __init__(self, program: Program, name: str, precision: Precision) -> None:
        self.program, self.name = program, name
        self.precision, self.real = precision, precision.c_type
        self.inputs, self.outputs = _parameters(program, name)
        self.routine = Routine(program, name, self.inputs, self.outputs, precision)

    def lines(self) -> Iterator[str]:
        """All lines of the file."""
        yield from self.heading(self.routine.stack)
        yield from ["", "#include <math.h>", ""]
        yield from self.routine.lines()
        yield ""
        yield from self.test()

    def list(self, values: Sequence[float]) -> str:
        """Constants of an array."""
        return ", ".join(literal(value, self.precision) for value in values) or "0"

    def heading(self, stack: int) -> Iterator[str]:
        """The comment on top and the declaration."""
        cost = ", ".join(f"{times} {kind}" for kind, times in self.program.cost.items() if times)
        yield f"/* {self.name}, written by Whippletree. Operations: {cost or 'none'}."
        yield " *"
        for role, entries in (("Inputs", self.inputs), ("Outputs", self.outputs)):
            yield f" * {role}, in C order:"
            for entry in entries:
                shape = " x ".join(map(str, entry.shape)) or "1"
                yield f" *   {entry.name}: {shape} ({entry.size} {self.real}s)"
        yield " * No output may overlap an input or another output."
        if stack:
            kept = self.precision.bytes * stack
            yield f" * The function keeps {kept} bytes of intermediate results on the stack."
        yield f" * Define {self.name.upper()}_TEST_MAIN for a program that tests the function."
        yield " */"
        guard = f"{self.name.upper()}_H"
        yield from [f"#ifndef {guard}", f"#define {guard}", f"{self.routine.signature()};", "#endif"]

    def test(self) -> Iterator[str]:
        """A main program that checks one sample; its result is 0 if all is well."""
        samples = [_samples(entry, place) for place, entry in enumerate(self.inputs)]
        expected = _expected(self.program, samples)
        arguments = [f"in{i}" for i in range(len(samples))] + [f"out{i}" for i in range(len(expected))]
        yield from [f"#ifdef {self.name.upper()}_TEST_MAIN", "#include <stdio.h>", "", "int main(void) {"]
        for i, sample in enumerate(samples):
            yield f"    static const {self.real} in{i}[] = {{{self.list(sample)}}};"
        for i, values in enumerate(expected):
            yield f"    static const {self.real} expected{i}[] = {{{self.list(values)}}};"
            yield f"    static {self.real} out{i}[{max(len(values), 1)}];"
        yield f"    {self.name}({', '.join(arguments)});"
        yield "    int wrong = 0;"  # after the call, in case that the function has this name
        for i, (entry, values) in enumerate(zip(self.outputs, expected, strict=True)):
            yield f"    for (int i = 0; i < {len(values)}; i++) {{"
            yield f"        const double x = out{i}[i], y = expected{i}[i];"
            yield "        const int same ="
            allowed = _allowed(values, self.precision)
            yield f"            x == y || (x != x && y != y) || fabs(x - y) <= {allowed};"
            yield f'        printf("{entry.name}[%d] = %.17g%s\\n", i, x, same ? "" : "  WRONG");'
            yield "        wrong += !same;"
            yield "    }"
        yield from ["    return wrong != 0;", "}", "#endif"]


def _parameters(program: Program, function: str) -> tuple[list[Input], list[Input]]:
    """Inputs and outputs with names that C accepts and that differ from one another."""
    n_parts = program.n_instructions // LONGEST_FUNCTION + 1
    taken = {*_TAKEN, function, *(f"{function}_part{i}" for i in range(n_parts))}
    taken |= {*loop_names(program, function), f"{function.upper()}_H", f"{function.upper()}_TEST_MAIN"}
    inputs = [Input(_identifier("_".join(entry.words), taken), entry.shape) for entry in program.inputs]
    outputs = [
        Input(_identifier("_".join(["out", *map(str, path)]), taken), leaf.shape)
        for path, leaf in zip(paths(program.outputs), leaves(program.outputs), strict=True)
    ]
    return inputs, outputs


def _identifier(text: str, taken: set[str]) -> str:
    """A C identifier not taken yet."""
    base = re.sub(r"\W", "_", text, flags=re.ASCII)
    base = base if re.match(r"[A-Za-z]", base) and not _OURS.fullmatch(base) else f"x_{base}"
    name, count = base, 2
    while name in taken:
        name, count = f"{base}_{count}", count + 1
    taken.add(name)
    return name


def _allowed(values: Sequence[float], precision: Precision) -> str:
    """C expression of the difference from y that counts as none; floats lose what cancels."""
    if precision is DOUBLE:
        return "1e-9 * (1.0 + fabs(y))"
    return f"{1e-4 * (1.0 + max(map(abs, filter(isfinite, values)), default=0.0)):.3g}"


def _samples(entry: Input, place: int) -> list[float]:
    """Values between 0.2 and 0.8 without pattern, the same every time."""
    return [0.2 + 0.6 * ((0.6180339887 * (i + 1) + 0.2360679775 * place) % 1.0) for i in range(entry.size)]


def _expected(program: Program, samples: list[list[float]]) -> list[list[float]]:
    """What the interpreter makes of the samples, per output."""
    arguments = [np.reshape(s, e.shape) for s, e in zip(samples, program.inputs, strict=True)]
    flat: list[float] = program.flat(*arguments).tolist()
    result, start = [], 0
    for leaf in leaves(program.outputs):
        result.append(flat[start : start + prod(leaf.shape)])
        start += prod(leaf.shape)
    return result
