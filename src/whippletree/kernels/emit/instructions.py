"""Instructions in LLVM IR, one by one."""

from __future__ import annotations

from collections.abc import Sequence

from ..trace.ops import LOOP_OPS, OPS
from ..trace.program import Instruction, Program
from .loop_calls import LoopCalls, write_loop_instruction
from .vecmath import functions as vecmath
from .vecmath.lanes import Lanes, Real, Truth

CALLED = {"sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log"}
"""Operations that are calls of functions; the sine and the cosine of an angle are one."""


def functions_of(program: Program) -> set[str]:
    """The vector functions a program calls, its loops included."""
    called = CALLED.intersection(program.columns.names)
    own = {"sincos" if name in ("sin", "cos") else name for name in called}
    return own.union(*(functions_of(loop.body) for loop in program.loops.values()))


def calls_first(instructions: Sequence[Instruction], first: int) -> list[Instruction]:
    """Function calls on inputs moved to the front, where few values are alive that they would displace."""
    early = [i for i in instructions if i[0] in CALLED and max(i[2:]) < first]
    if not early:
        return list(instructions)
    moved = {i[1] for i in early}
    return early + [i for i in instructions if i[1] not in moved]


def write_instruction(
    e: Lanes,
    instruction: Instruction,
    values: list[str],
    pairs: dict[int, tuple[Real, Real]],
    calls: LoopCalls,
) -> None:
    """Write one instruction and note its value."""
    op, out, a, b, c = instruction
    if op in LOOP_OPS:
        write_loop_instruction(e, instruction, values, calls)
        return
    real = e.real_type
    name = OPS[op].llvm
    if op in ("add", "sub", "mul", "div"):
        values[out] = e.line(f"{name} {real} {values[a]}, {values[b]}")
    elif op == "fma":
        values[out] = e.fma(Real(values[a]), Real(values[b]), Real(values[c]))
    elif op == "fms":
        values[out] = e.fms(Real(values[a]), Real(values[b]), Real(values[c]))
    elif op == "fnma":
        values[out] = e.fnma(Real(values[a]), Real(values[b]), Real(values[c]))
    elif op in ("sin", "cos"):
        if a not in pairs:
            pairs[a] = _call_sincos(e, values[a])
        values[out] = pairs[a][op == "cos"]
    elif op in CALLED:
        arguments = ", ".join(f"{real} {values[x]}" for x in (a, b) if x >= 0)
        values[out] = e.line(f"call {real} {vecmath.symbol(op, e.width)}({arguments})")
    elif name == "fneg":
        values[out] = e.neg(Real(values[a]))
    elif name == "floor":
        values[out] = e.floor(Real(values[a]))
    elif name in ("sqrt", "fabs"):
        values[out] = e.intrinsic(name, Real(values[a]))
    elif name in ("minimum", "maximum"):
        values[out] = _extreme(e, name, Real(values[a]), Real(values[b]))
    elif name.startswith("fcmp "):
        values[out] = e.compare(name.removeprefix("fcmp "), Real(values[a]), Real(values[b]))
    elif name == "select":
        values[out] = e.select(Truth(values[a]), Real(values[b]), Real(values[c]))
    elif name in ("and", "or"):
        values[out] = e.line(f"{name} {e.truth_type} {values[a]}, {values[b]}")
    elif name == "not":
        values[out] = e.line(f"xor {e.truth_type} {values[a]}, {e.splat('i1', 'true')}")
    else:
        raise NotImplementedError(f"operation {op!r} has no LLVM form")


def _call_sincos(e: Lanes, x: str) -> tuple[Real, Real]:
    pair = f"{{{e.real_type}, {e.real_type}}}"
    both = e.line(f"call {pair} {vecmath.symbol('sincos', e.width)}({e.real_type} {x})")
    return Real(e.line(f"extractvalue {pair} {both}, 0")), Real(e.line(f"extractvalue {pair} {both}, 1"))


def _extreme(e: Lanes, name: str, a: Real, b: Real) -> Real:
    """The smaller or larger; NaN if either is, as NumPy has it."""
    relation = "olt" if name == "minimum" else "ogt"
    chosen = e.select(e.compare(relation, a, b), a, b)
    return e.select(e.compare("uno", a, a), a, chosen)
