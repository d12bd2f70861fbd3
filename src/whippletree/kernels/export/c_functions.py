"""A program as functions in C: pieces of straight lines that hand on what they share, and loops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from ..trace.ops import LOOP_OPS, OPS
from ..trace.precision import DOUBLE, Precision
from ..trace.program import Cycle, Input, Program, operands

# Compilers take time and memory more than in proportion to the length of a function.
LONGEST_FUNCTION = 500

AREA = "area"
"""The array in which the arguments of loops lie."""


def literal(value: float, precision: Precision) -> str:
    """A constant that reads back as the same number."""
    if value != value:
        return "NAN"
    if not isfinite(value):
        return "INFINITY" if value == inf else "(-INFINITY)"
    # The shortest text that reads back as the same number.
    text = repr(value) if precision is DOUBLE else f"{np.float32(precision.rounded(value))!s}f"
    return f"({text})" if text.startswith("-") else text


def loop_names(program: Program, name: str) -> list[str]:
    """Names of the functions for the loops of a function: for a pass of each, and for all of its passes."""
    own = [f"{name}_{what}{first}" for first in program.loops for what in ("pass", "loop")]
    inner = (loop_names(loop.body, f"{name}_pass{first}") for first, loop in program.loops.items())
    return sum(inner, own)


class PlacedInstruction(NamedTuple):
    """An instruction: operation, number of its value, those of its operands, place in the area or -1."""

    op: str
    out: int
    numbers: tuple[int, ...]
    place: int


class Routine:
    """A function in C, with the functions it calls: its pieces, and its loops.

    Args:
        program: What it computes.
        name: Its name.
        inputs: Arrays it reads, with names that C accepts.
        outputs: Arrays it writes.
        precision: Of all numbers.
        linkage: "static " for one that only this file calls.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        inputs: Sequence[Input],
        outputs: Sequence[Input],
        precision: Precision,
        linkage: str = "",
    ) -> None:
        self.program = program
        self.name = name
        self.linkage = linkage
        self.inputs = inputs
        self.outputs = outputs
        self.precision = precision
        self.real: str = precision.c_type
        self.cell: list[str] = [f"{entry.name}[{i}]" for entry in inputs for i in range(entry.size)]
        self.cell.extend(literal(value, precision) for value in program.constants)
        result = [f"{entry.name}[{i}]" for entry in outputs for i in range(entry.size)]
        self.loops: dict[int, Routine] = {
            first: self.one_pass(first, loop) for first, loop in program.loops.items()
        }
        self.instructions: list[PlacedInstruction] = [
            self.without_order(*instruction) for instruction in operands(program)
        ]
        count = len(self.instructions)
        self.pieces = [range(i, min(i + LONGEST_FUNCTION, count)) for i in range(0, count, LONGEST_FUNCTION)]
        self.pieces = self.pieces or [range(0)]
        self.first: int = program.first_instruction
        self.wanted: dict[int, list[str]] = {}  # per value the outputs it goes to
        for cell, value in zip(result, program.results, strict=True):
            self.wanted.setdefault(value, []).append(cell)
        self.slot, self.n_slots = self.workspace()

    def one_pass(self, first: int, loop: Cycle) -> Routine:
        """The function for a pass of a loop: the state and what is given, to the next state."""
        body, real = loop.body, [Input("out", (loop.n_state,))]
        return Routine(body, f"{self.name}_pass{first}", body.inputs, real, self.precision, "static ")

    def without_order(self, op: str, out: int, numbers: tuple[int, ...]) -> PlacedInstruction:
        """An instruction of a loop with its place in the area, and without what only tells the order."""
        if op not in LOOP_OPS:
            return PlacedInstruction(op, out, numbers, -1)
        place = int(self.program.constants[numbers[-1] - self.program.first_constant])
        return PlacedInstruction(op, out, numbers[1:2] if op == "argument" else (), place)

    @property
    def stack(self) -> int:
        """Numbers it keeps on the stack at most, those of what it calls included."""
        inner = (loop.stack + len(loop.program.results) for loop in self.loops.values())
        return self.n_slots + self.program.n_places + max(inner, default=0)

    def signature(self) -> str:
        """Without what is in the function."""
        parameters = [f"const {self.real} *restrict {entry.name}" for entry in self.inputs]
        parameters += [f"{self.real} *restrict {entry.name}" for entry in self.outputs]
        return f"{self.linkage}void {self.name}({', '.join(parameters) or 'void'})"

    def home(self, value: int) -> int:
        """The piece that computes a value."""
        return (value - self.first) // LONGEST_FUNCTION

    def workspace(self) -> tuple[dict[int, int], int]:
        """A place in the workspace for every value that one piece computes and another one reads."""
        until: dict[int, int] = {}
        for place, statement in enumerate(self.instructions):
            for value in statement.numbers:
                if value >= self.first and self.home(value) != place // LONGEST_FUNCTION:
                    until[value] = place // LONGEST_FUNCTION
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
        for first, loop in self.program.loops.items():
            yield from self.loop_lines(first, loop)
        if len(self.pieces) == 1:
            body = list(self.body(0))
            yield f"{self.signature()} {{"
            yield from self.area()
            yield from self.silence(body)
            yield from body
            yield "}"
            return
        calls = []
        for piece in range(len(self.pieces)):
            body = list(self.body(piece))
            parameters, arguments = self.parameters(body)
            yield f"static void {self.name}_part{piece}({parameters}) {{"
            yield from body
            yield from ["}", ""]
            calls.append(f"    {self.name}_part{piece}({arguments});")
        yield f"{self.signature()} {{"
        if self.n_slots:
            yield f"    {self.real} w[{self.n_slots}];"
        yield from self.area()
        yield from self.silence(calls)
        yield from calls
        yield "}"

    def area(self) -> Iterator[str]:
        """The array for arguments of loops, if there are any."""
        if self.program.n_places:
            yield f"    {self.real} {AREA}[{self.program.n_places}];"

    def loop_lines(self, first: int, loop: Cycle) -> Iterator[str]:
        """The function for a pass of a loop, and the one for all of its passes, upon the loop's arguments."""
        one, n = self.loops[first], loop.n_state
        yield from one.lines()
        at = f"&{AREA}[i * {n}]" if loop.apart else AREA
        yield from [
            "",
            f"static void {self.name}_loop{first}({self.real} *{AREA}) {{",
            f"    {self.real} next[{max(n, 1)}];",
            f"    for (int i = 0; i < {loop.times}; i++) {{",
            f"        {self.real} *state = {at};",
            f"        {one.name}(state, &{AREA}[{loop.n_kept}], next);",
            f"        for (int k = 0; k < {n}; k++) {{",
            "            state[k] = next[k];",
            "        }",
            "    }",
            "}",
            "",
        ]

    def parameters(self, body: list[str]) -> tuple[str, str]:
        """The arrays a piece uses, as declarations and as arguments."""
        used = set(re.findall(r"\b([A-Za-z]\w*)\[", "\n".join(body)))
        entries = [(f"const {self.real} *restrict {e.name}", e.name) for e in self.inputs if e.name in used]
        entries += [(f"{self.real} *restrict {e.name}", e.name) for e in self.outputs if e.name in used]
        entries += [(f"{self.real} *restrict {name}", name) for name in ("w", AREA) if name in used]
        return ", ".join(e[0] for e in entries) or "void", ", ".join(e[1] for e in entries)

    def silence(self, body: list[str]) -> Iterator[str]:
        """Statements that keep the compiler from warning about arrays of no use."""
        used = set(re.findall(r"\b([A-Za-z]\w*)\b", "\n".join(body)))
        for entry in (*self.inputs, *self.outputs):
            if entry.name not in used:
                yield f"    (void){entry.name};"

    def body(self, piece: int) -> Iterator[str]:
        """The statements of one piece."""
        loaded: set[int] = set()
        statements: list[str] = []
        for place in self.pieces[piece]:
            op, out, numbers, at = self.instructions[place]
            for value in numbers:
                if value in self.slot and self.home(value) != piece and value not in loaded:
                    loaded.add(value)
                    kind, test = ("int", " != 0") if self.is_condition(value) else (self.real, "")
                    yield f"    const {kind} v{value} = w[{self.slot[value]}]{test};"
            if op == "argument":
                statements.append(f"    {AREA}[{at}] = {self.text(numbers[0])};")
            elif op == "repeat":
                statements.append(f"    {self.name}_loop{at}(&{AREA}[{at}]);")
            else:
                kind, value = self.real, f"{AREA}[{at}]"
                if op != "item":
                    kind = "int" if OPS[op].is_condition else self.real
                    value = self.expression(OPS[op].c).format(*[self.text(v) for v in numbers])
                statements.append(f"    const {kind} v{out} = {value};")
            statements.extend(f"    {cell} = v{out};" for cell in self.wanted.get(out, ()))
        yield from statements
        for place in self.pieces[piece]:
            out = self.instructions[place].out
            if out in self.slot:
                yield f"    w[{self.slot[out]}] = v{out};"
        if piece == 0:
            for value, cells in self.wanted.items():
                if value < self.first:
                    yield from (f"    {cell} = {self.text(value)};" for cell in cells)

    def expression(self, text: str) -> str:
        """The expression with the functions of the library for the precision."""
        return text if self.precision is DOUBLE else re.sub(r"\b([a-z]\w*)\(", r"\1f(", text)

    def is_condition(self, value: int) -> bool:
        op = self.instructions[value - self.first].op
        return op in OPS and OPS[op].is_condition

    def text(self, value: int) -> str:
        return f"v{value}" if value >= self.first else self.cell[value]
