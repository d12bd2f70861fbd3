"""A program as one self-contained C99 file, with its header inside and a test to compile on request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isfinite, prod

import numpy as np

from ...errors import InputError
from ..trace.ops import OPS
from ..trace.precision import DOUBLE, Precision
from ..trace.program import Input, Program, operands
from ..trace.structure import leaves, paths
from ..trace.unroll import unrolled
from .c_names import MACROS, OF_THE_LIBRARY, WORDS

# Compilers take time and memory more than in proportion to the length of a function.
_LONGEST_FUNCTION = 500

# Names that arrays cannot have where the function is computed.
_FUNCTIONS = {
    word + end for row in OPS.values() for word in re.findall(r"[a-z]\w*", row.c) for end in ("", "f")
}
_TAKEN: frozenset[str] = WORDS | MACROS | _FUNCTIONS | {"main", "w"}

# Names of values, and of arrays in the test.
_OURS = re.compile(r"(v|in|out|expected)\d+")

_WAY_OUT = 'give the kernel another name, as k.name = "dynamics"'


def to_c(program: Program, name: str = "kernel", precision: Precision = DOUBLE) -> str:
    """The text of a C file that defines `void name(inputs..., outputs...)`, all of them arrays of numbers.

    Inputs and outputs are laid out in C order and must not overlap. Compiled with NAME_TEST_MAIN defined, the
    file is a program that compares the function with values computed when the file was written. Loops are
    written out.

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
    return "\n".join(_File(unrolled(program), name, precision).lines()) + "\n"


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
    if name in ("main", "w") or _OURS.fullmatch(name):
        return "the exported file uses it for something else"
    return None


class _File:
    """Names of all values and where they live, and the parts of the file."""

    def __init__(self, program: Program, name: str, precision: Precision) -> None:
        self.program = program
        self.precision, self.real = precision, precision.c_type
        self.name = name
        self.inputs, self.outputs = _parameters(program, name)
        self.cell = [f"{entry.name}[{i}]" for entry in self.inputs for i in range(entry.size)]
        self.cell.extend(self.literal(value) for value in program.constants)
        self.result = [f"{entry.name}[{i}]" for entry in self.outputs for i in range(entry.size)]

    def lines(self) -> Iterator[str]:
        """All lines of the file."""
        functions = _Functions(self)
        yield from self.heading(functions.n_slots)
        yield from ["", "#include <math.h>", ""]
        yield from functions.lines()
        yield ""
        yield from self.test()

    def signature(self) -> str:
        parameters = [f"const {self.real} *restrict {entry.name}" for entry in self.inputs]
        parameters += [f"{self.real} *restrict {entry.name}" for entry in self.outputs]
        return f"void {self.name}({', '.join(parameters) or 'void'})"

    def literal(self, value: float) -> str:
        """A constant of the precision."""
        if self.precision is DOUBLE or not isfinite(value):
            return _literal(value)
        # The shortest text that reads back as the same float.
        text = f"{np.float32(self.precision.rounded(value))!s}f"
        return f"({text})" if text.startswith("-") else text

    def list(self, values: Sequence[float]) -> str:
        """Constants of an array."""
        return ", ".join(map(self.literal, values)) or "0"

    def heading(self, n_slots: int) -> Iterator[str]:
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
        if n_slots:
            kept = self.precision.bytes * n_slots
            yield f" * The function keeps {kept} bytes of intermediate results on the stack."
        yield f" * Define {self.name.upper()}_TEST_MAIN for a program that tests the function."
        yield " */"
        guard = f"{self.name.upper()}_H"
        yield from [f"#ifndef {guard}", f"#define {guard}", f"{self.signature()};", "#endif"]

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


class _Functions:
    """The instructions, in as many functions as their number asks for."""

    def __init__(self, file: _File) -> None:
        self.file = file
        self.program = program = file.program
        self.instructions = list(operands(program))
        count = len(self.instructions)
        self.pieces = [
            range(i, min(i + _LONGEST_FUNCTION, count)) for i in range(0, count, _LONGEST_FUNCTION)
        ]
        self.pieces = self.pieces or [range(0)]
        self.first = program.first_instruction
        self.wanted: dict[int, list[str]] = {}  # per value the outputs it goes to
        for cell, value in zip(file.result, program.results, strict=True):
            self.wanted.setdefault(value, []).append(cell)
        self.slot, self.n_slots = self.workspace()

    def home(self, value: int) -> int:
        """The piece that computes a value."""
        return (value - self.first) // _LONGEST_FUNCTION

    def workspace(self) -> tuple[dict[int, int], int]:
        """A place in the workspace for every value that one piece computes and another one reads."""
        until: dict[int, int] = {}
        for place, (_, _, numbers) in enumerate(self.instructions):
            for value in numbers:
                if value >= self.first and self.home(value) != place // _LONGEST_FUNCTION:
                    until[value] = place // _LONGEST_FUNCTION
        ends: list[list[int]] = [[] for _ in self.pieces]
        for value, piece in until.items():
            ends[piece].append(value)
        starts: list[list[int]] = [[] for _ in self.pieces]
        for value in until:
            starts[self.home(value)].append(value)
        slot: dict[int, int] = {}
        free: list[int] = []
        used = 0
        for piece in range(len(self.pieces)):
            # A piece reads before it writes, so that what it reads last may be overwritten by it.
            free.extend(slot[value] for value in ends[piece])
            for value in starts[piece]:
                if not free:
                    free.append(used)
                    used += 1
                slot[value] = free.pop()
        return slot, used

    def lines(self) -> Iterator[str]:
        """All functions, the last of which calls the others."""
        file = self.file
        if len(self.pieces) == 1:
            body = list(self.body(0))
            yield f"{file.signature()} {{"
            yield from self.silence(body)
            yield from body
            yield "}"
            return
        calls = []
        for piece in range(len(self.pieces)):
            body = list(self.body(piece))
            parameters, arguments = self.parameters(body)
            yield f"static void {file.name}_part{piece}({parameters}) {{"
            yield from body
            yield from ["}", ""]
            calls.append(f"    {file.name}_part{piece}({arguments});")
        yield f"{file.signature()} {{"
        if self.n_slots:
            yield f"    {file.real} w[{self.n_slots}];"
        yield from self.silence(calls)
        yield from calls
        yield "}"

    def parameters(self, body: list[str]) -> tuple[str, str]:
        """The arrays a piece uses, as declarations and as arguments."""
        used = set(re.findall(r"\b([A-Za-z]\w*)\[", "\n".join(body)))
        entries = [
            (f"const {self.file.real} *restrict {e.name}", e.name) for e in self.file.inputs if e.name in used
        ]
        entries += [
            (f"{self.file.real} *restrict {e.name}", e.name) for e in self.file.outputs if e.name in used
        ]
        entries += [(f"{self.file.real} *restrict w", "w")] if "w" in used else []
        return ", ".join(e[0] for e in entries) or "void", ", ".join(e[1] for e in entries)

    def silence(self, body: list[str]) -> Iterator[str]:
        """Statements that keep the compiler from warning about arrays of no use."""
        used = set(re.findall(r"\b([A-Za-z]\w*)\b", "\n".join(body)))
        for entry in (*self.file.inputs, *self.file.outputs):
            if entry.name not in used:
                yield f"    (void){entry.name};"

    def body(self, piece: int) -> Iterator[str]:
        """The statements of one piece."""
        loaded: set[int] = set()
        statements: list[str] = []
        for place in self.pieces[piece]:
            op, out, numbers = self.instructions[place]
            row = OPS[op]
            for value in numbers:
                if value in self.slot and self.home(value) != piece and value not in loaded:
                    loaded.add(value)
                    kind, test = ("int", " != 0") if self.is_condition(value) else (self.file.real, "")
                    yield f"    const {kind} v{value} = w[{self.slot[value]}]{test};"
            kind = "int" if row.is_condition else self.file.real
            value = self.expression(row.c).format(*[self.text(v) for v in numbers])
            statements.append(f"    const {kind} v{out} = {value};")
            statements.extend(f"    {cell} = v{out};" for cell in self.wanted.get(out, ()))
        yield from statements
        for place in self.pieces[piece]:
            out = self.instructions[place][1]
            if out in self.slot:
                yield f"    w[{self.slot[out]}] = v{out};"
        if piece == 0:
            for value, cells in self.wanted.items():
                if value < self.first:
                    yield from (f"    {cell} = {self.text(value)};" for cell in cells)

    def expression(self, text: str) -> str:
        """The expression with the functions of the library for the precision."""
        return text if self.file.precision is DOUBLE else re.sub(r"\b([a-z]\w*)\(", r"\1f(", text)

    def is_condition(self, value: int) -> bool:
        return OPS[self.instructions[value - self.first][0]].is_condition

    def text(self, value: int) -> str:
        return f"v{value}" if value >= self.first else self.file.cell[value]


def _parameters(program: Program, function: str) -> tuple[list[Input], list[Input]]:
    """Inputs and outputs with names that C accepts and that differ from one another."""
    n_parts = program.n_instructions // _LONGEST_FUNCTION + 1
    taken = {*_TAKEN, function, *(f"{function}_part{i}" for i in range(n_parts))}
    taken |= {f"{function.upper()}_H", f"{function.upper()}_TEST_MAIN"}
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


def _literal(value: float) -> str:
    """A double that reads back as the same number."""
    if value != value:
        return "NAN"
    text = repr(value) if isfinite(value) else ("INFINITY" if value == inf else "-INFINITY")
    return f"({text})" if text.startswith("-") else text


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
