"""Loops in machine code: a function for each body, one that runs the loop asked for, and the calls of these.

The arguments of a loop lie side by side in memory. The function reads state and given values there and
leaves the next state there, as often as the loop says; so a body is in the code once, however often it runs.
"""

from __future__ import annotations

from typing import NamedTuple

from ..trace.program import Instruction, Program
from .vecmath.lanes import Form, Lanes, Real

AREA = "%area"


class LoopCalls(NamedTuple):
    """How the code of a program reaches its loops.

    Attributes:
        area: Address of the program's memory for arguments of loops.
        runner: The function that runs the loop whose arguments begin at a place of it.
    """

    area: str
    runner: str


def area_text(program: Program, form: Form) -> str:
    """The line that makes room for arguments on the stack, at `AREA`; none if there are no loops."""
    if not program.loops:
        return ""
    return f"  {AREA} = alloca [{program.n_places} x {form.type}], align {form.bytes}"


def write_loop_instruction(e: Lanes, instruction: Instruction, values: list[str], calls: LoopCalls) -> None:
    """Write one of `LOOP_OPS`. What tells the order has no value in machine code; zero stands for it."""
    op, out, _, b, c = instruction
    if op == "argument":
        store_place(e, values[b], _place(e, calls.area, values[c]), e.width)
        values[out] = e.real(0.0)
    elif op == "repeat":
        e.lines.append(f"  call void {calls.runner}(ptr {calls.area}, i64 {_whole(e, values[b])})")
        values[out] = e.real(0.0)
    else:
        values[out] = load_place(e, _place(e, calls.area, values[b]), e.width)


def store_place(e: Lanes, value: str, address: str, aligned: int) -> None:
    """Put a value into memory, aligned to so many numbers; volatile for the reason given in `store_piece`."""
    e.lines.append(f"  store volatile {e.real_type} {value}, ptr {address}, align {e.size * aligned}")


def load_place(e: Lanes, address: str, aligned: int) -> Real:
    """What lies in memory at an address."""
    return Real(e.line(f"load {e.real_type}, ptr {address}, align {e.size * aligned}"))


def splat_place(e: Lanes, address: str) -> Real:
    """A number in memory, in every lane."""
    one = e.line(f"load {e.element}, ptr {address}, align {e.size}")
    head = e.line(f"insertelement {e.real_type} poison, {e.element} {one}, i32 0")
    zeros = f"<{e.width} x i32> zeroinitializer"
    return Real(e.line(f"shufflevector {e.real_type} {head}, {e.real_type} poison, {zeros}"))


def _whole(e: Lanes, number: str) -> str:
    """A number, the same in every lane, as an integer; of a constant LLVM finds it itself."""
    one = number if e.width == 1 else e.line(f"extractelement {e.real_type} {number}, i32 0")
    return e.line(f"fptosi {e.element} {one} to i64")


def _place(e: Lanes, area: str, place: str) -> str:
    return e.line(f"getelementptr {e.real_type}, ptr {area}, i64 {_whole(e, place)}")
