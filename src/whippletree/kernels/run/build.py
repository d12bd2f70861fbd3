"""The machine code of a program, from the cache or newly made."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite

from ...uncollected import uncollected
from ..emit.call_ir import call_text
from ..emit.call_layout import Signature
from ..emit.fuse import fuse
from ..emit.lane_layout import side_by_side
from ..emit.llvm import module_text
from ..emit.outline_ir import outlined_text
from ..emit.schedule import schedule
from ..emit.vecmath.lanes import Form
from ..store import cache as disk
from ..store import sources
from ..trace.precision import DOUBLE, Precision
from ..trace.program import Program
from .machine import Code, Host, compile_object

_LONGEST_STRAIGHT = 24_000


def _maker() -> str | None:
    """What makes the code: the version of LLVM's binding and our own sources; None if these are not known."""
    found = sources.digest("kernels")
    return None if found is None else f"llvmlite {llvmlite.__version__}, whippletree {found}"


def kernel_code(program: Program, target: Host, width: int, precision: Precision = DOUBLE) -> Code:
    """Code of `wt_batch`, and of `wt_one` for width 1."""
    content = f"{program.digest} {width} {precision.dtype}"
    return _code(content, target, lambda: kernel_text(program, target, width, precision))


def call_code(program: Program, target: Host, precision: Precision) -> Code:
    """Code of `wt_call`; programs of the same shapes share it on disk."""
    signature = Signature.of(program, precision)
    return _code(repr(signature), target, lambda: call_text(signature), effort=0)


def text_code(text: str, target: Host) -> Code:
    """Code of a text in LLVM IR."""
    return _code(text, target, lambda: text)


def _code(content: str, target: Host, text: Callable[[], str], effort: int = 1) -> Code:
    """Code by what determines it, made of the text if it is not in the cache."""
    maker = _maker()
    if maker is None:
        return Code(compile_object(text(), target, effort), target)
    name = disk.key(content, maker, target.triple, target.cpu, target.features, f"fma {target.fma}")
    data = disk.load(name)
    if data is None:
        data = compile_object(text(), target, effort)
        disk.save(name, data)
    return Code(data, target)


def is_long(program: Program) -> bool:
    """Whether straight-line code, which LLVM compiles in more than linear time, would take too long."""
    return program.n_instructions > _LONGEST_STRAIGHT


@uncollected()
def kernel_text(program: Program, target: Host, width: int, precision: Precision = DOUBLE) -> str:
    """IR of a program's code for `width` states at a time."""
    form = Form(width, target.fma, precision)
    ordered = schedule(fuse(program) if target.fma else program)
    if width == 1:
        ordered = side_by_side(ordered)
    if is_long(program):
        return outlined_text(ordered, form)
    return module_text(ordered, form, target.lanes(precision), target.registers)
