"""LLVM IR of an outlined program: its steps, and a loop that calls them by a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trace.ops import LOOP_OPS, OPS
from ..trace.program import Program
from ..trace.structure import leaves
from .instructions import functions_of, write_instruction
from .lane_layout import LANES
from .llvm import (
    BATCH,
    ONE,
    ONE_WORK,
    WORK,
    attributes,
    batch_loop,
    declarations,
    lane_indices,
    row_address,
)
from .loop_bodies import MAIN, loop_functions
from .loop_calls import AREA, LoopCalls
from .loop_results import loop_results
from .memory import ROOM
from .outline import FLIP, Outline, Subroutine, outline
from .transpose import load_rows, store_piece
from .vecmath import functions as vecmath
from .vecmath.lanes import Form, Lanes, Real, Truth


def outlined_text(program: Program, form: Form) -> str:
    """IR of a module for a long program, in all like that of `llvm.module_text`, but that it needs memory.

    `wt_one` takes that at `wt_one_work`, so there must never be two calls of it at once.
    """
    program, places = loop_results(program)
    found = outline(program)
    results = np.where(
        places < 0, found.results, found.slots + places
    )  # loops have their memory behind slots
    used = functions_of(program)
    parts = [
        declarations(*dict.fromkeys((form, form.of_width(LANES)))),
        vecmath.prologue(form) if used else "",
        vecmath.definitions(used, form, attributes(form)),
        f"@{WORK} = dso_local constant i64 {form.bytes * (found.slots + program.n_places)}",
        f"@{ROOM} = dso_local constant i64 0",
        f"@{ONE_WORK} = dso_local global ptr null",
        _data("calls", found.calls.astype(np.int32)),
        _data("table", found.table.astype(np.int32)),
        _data("constants", _rounded(found.constants, form)),
        _data("literals", _rounded(found.literals, form)),
        _data("results", results.astype(np.int32)),
        loop_functions(program, form, attributes(form)),
        *(_step(number, step, found.slots, form) for number, step in enumerate(found.steps)),
        _dispatch(found, form),
        _read(form),
        _write(form),
        _batch(program, found, form),
        _one(program, form) if form.width == 1 else "",
    ]
    return "\n".join(parts)


def _rounded(numbers: NDArray[np.float64], form: Form) -> NDArray[np.floating[Any]]:
    rounded = map(form.precision.rounded, numbers.tolist())
    return np.fromiter(rounded, form.precision.dtype, len(numbers))


def _data(name: str, array: NDArray[np.generic]) -> str:
    """A table, in the bytes of this machine."""
    data = array.tobytes() or b"\0"
    text = "".join(map(_BYTES.__getitem__, data))
    return f'@wt.{name} = private unnamed_addr constant [{len(data)} x i8] c"{text}", align 8'


_BYTES = [f"\\{byte:02X}" for byte in range(256)]


def _slot(e: Lanes, work: str, slot: str) -> str:
    """Address of a slot."""
    return e.line(f"getelementptr {e.real_type}, ptr {work}, i64 {slot}")


def _load(e: Lanes, address: str) -> Real:
    return Real(e.line(f"load {e.real_type}, ptr {address}, align {e.bytes}"))


def _splat(e: Lanes, number: str) -> Real:
    """One number in every lane."""
    if e.width == 1:
        return Real(number)
    head = e.line(f"insertelement {e.real_type} undef, {e.element} {number}, i32 0")
    zeros = f"<{e.width} x i32> zeroinitializer"
    return Real(e.line(f"shufflevector {e.real_type} {head}, {e.real_type} undef, {zeros}"))


def _step(number: int, step: Subroutine, slots_of_all: int, form: Form) -> str:
    """`void wt.step.N(work, row of the table, constants)`. Operands are loaded where they are first used.

    Arguments of loops lie behind all slots.
    """
    e = Lanes(form)
    if any(op in LOOP_OPS for op, *_ in step.instructions):
        e.lines.append(f"  {AREA} = getelementptr {e.real_type}, ptr %work, i64 {slots_of_all}")
    bases: dict[int, str] = {}

    def base(source: int) -> str:
        """Address of the frame of a source; -2 and -1 are the call's own."""
        if source not in bases:
            at = e.line(f"getelementptr i32, ptr %row, i64 {2 + source}")
            slot = e.line(f"sext i32 {e.line(f'load i32, ptr {at}, align 4')} to i64")
            bases[source] = _slot(e, "%work", slot)
        return bases[source]

    def operand(k: int) -> str:
        external = step.externals[k]
        if external.literal is not None:
            return e.real(external.literal)
        if external.source < 0:
            at = e.line(f"getelementptr {e.element}, ptr %constants, i64 {external.place}")
            return _splat(e, e.line(f"load {e.element}, ptr {at}, align {e.size}"))
        value = _load(e, _slot(e, base(external.source), str(external.place)))
        return e.compare("une", value, e.real(0.0)) if external.is_condition else value

    values = [""] * (len(step.externals) + len(step.instructions))
    pairs: dict[int, tuple[Real, Real]] = {}
    slots = {number: (k - 2, place) for k in (0, 1) for place, number in enumerate(step.kept[k])}
    for instruction in step.instructions:
        op, out, *operands = instruction
        for k in operands:
            if 0 <= k < len(step.externals) and not values[k]:
                values[k] = operand(k)
        if op == FLIP:
            values[out] = e.flip_sign(Real(values[operands[0]]), e.bits(Real(values[operands[1]])))
        else:
            write_instruction(e, instruction, values, pairs, LoopCalls(AREA, MAIN))
        if out in slots:
            value = values[out]
            if op in OPS and OPS[op].is_condition:
                value = e.select(Truth(value), e.real(1.0), e.real(0.0))
            frame, place = slots[out]
            at = _slot(e, base(frame), str(place))
            # Volatile for the reason given in `store_piece`.
            e.lines.append(f"  store volatile {e.real_type} {value}, ptr {at}, align {e.bytes}")
    body = "\n".join(e.lines)
    head = f"define internal void @wt.step.{number}(ptr %work, ptr %row, ptr %constants)"
    return f"{head} {attributes(form)} {{\n{body}\n  ret void\n}}\n"


def _dispatch(found: Outline, form: Form) -> str:
    """`void wt.run(work)`: all calls, one after the other."""
    names = ", ".join(f"ptr @wt.step.{k}" for k in range(len(found.steps)))
    return f"""
@wt.steps = internal constant [{len(found.steps)} x ptr] [{names}]

define internal void @wt.run(ptr %work) {attributes()} {{
start:
  br label %call
call:
  %i = phi i64 [0, %start], [%next, %call]
  %at = getelementptr [3 x i32], ptr @wt.calls, i64 %i
  %step = load i32, ptr %at, align 4
  %row_at = getelementptr i32, ptr %at, i64 1
  %row = load i32, ptr %row_at, align 4
  %constant_at = getelementptr i32, ptr %at, i64 2
  %constant = load i32, ptr %constant_at, align 4
  %step_at = getelementptr ptr, ptr @wt.steps, i32 %step
  %function = load ptr, ptr %step_at, align 8
  %own_row = getelementptr i32, ptr @wt.table, i32 %row
  %own_constants = getelementptr {form.precision.element}, ptr @wt.constants, i32 %constant
  call void %function(ptr %work, ptr %own_row, ptr %own_constants)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {len(found.calls)}
  br i1 %more, label %call, label %done
done:
  ret void
}}
"""


def _columns_loop(e: Lanes, head: str, piece: int, body: str) -> str:
    """A function that treats columns %j … %j + piece - 1 as long as there are so many, then ends at %left."""
    return f"""
define internal i64 {head} {attributes(e.form)} {{
start:
  br label %test
test:
  %j = phi i64 [%from, %start], [%next, %column]
  %next = add i64 %j, {piece}
  %fits = icmp sle i64 %next, %size
  br i1 %fits, label %column, label %left
column:
{body}
  br label %test
left:
  ret i64 %j
}}
"""


def _row_pointers(e: Lanes) -> list[str]:
    """Where column %j of every lane's row lies."""
    rows = []
    for lane in range(e.width):
        at = e.line(f"getelementptr ptr, ptr %rows, i64 {lane}")
        row = e.line(f"load ptr, ptr {at}, align 8")
        rows.append(e.line(f"getelementptr {e.element}, ptr {row}, i64 %j"))
    return rows


_READ, _WRITTEN = 4, 8  # columns treated together at most; whole lines of memory are written quicker


def _widths(width: int, most: int) -> list[int]:
    """Columns treated together: as many as make one exchange among lanes, then fewer, then one by one.

    Of one state nothing is exchanged, but the loop goes round less often.
    """
    return list(dict.fromkeys(min(width if width > 1 else most, columns) for columns in (most, 4, 1)))


def _read(form: Form) -> str:
    """`i64 wt.read.P(rows, from, size, slots)`: transpose columns of input rows into slots."""
    texts = []
    for piece in _widths(form.width, _READ):
        e = Lanes(form)
        for k, column in enumerate(load_rows(e, _row_pointers(e), piece)):
            slot = e.line(f"add i64 %j, {k}")
            at = _slot(e, "%slots", slot)
            e.lines.append(f"  store {e.real_type} {column}, ptr {at}, align {e.bytes}")
        head = f"@wt.read.{piece}(ptr %rows, i64 %from, i64 %size, ptr %slots)"
        texts.append(_columns_loop(e, head, piece, "\n".join(e.lines)))
    return "\n".join(texts)


def _write(form: Form) -> str:
    """`i64 wt.write.P(rows, from, size, work, results)`: transpose slots into columns of output rows."""
    texts = []
    for piece in _widths(form.width, _WRITTEN):
        e = Lanes(form)
        columns = []
        for k in range(piece):
            at = e.line(f"getelementptr i32, ptr %results, i64 {e.line(f'add i64 %j, {k}')}")
            slot = e.line(f"sext i32 {e.line(f'load i32, ptr {at}, align 4')} to i64")
            columns.append(_load(e, _slot(e, "%work", slot)))
        rows = _row_pointers(e)
        if form.width > 1:
            store_piece(e, rows, 0, columns)
        else:
            for k, column in enumerate(columns):
                store_piece(e, rows, k, [column])
        head = f"@wt.write.{piece}(ptr %rows, i64 %from, i64 %size, ptr %work, ptr %results)"
        texts.append(_columns_loop(e, head, piece, "\n".join(e.lines)))
    return "\n".join(texts)


def _batch(program: Program, found: Outline, form: Form) -> str:
    """`wt_batch`: for each group of states, inputs into slots, all calls, slots into outputs."""
    e = Lanes(form)
    outputs = [leaf.size for leaf in leaves(program.outputs)]
    n_arrays = len(program.inputs) + len(outputs)
    work_at = e.line(f"getelementptr {{ptr, i64}}, ptr %arrays, i64 {n_arrays}")
    work = e.line(f"load ptr, ptr {work_at}, align 8")
    indices = lane_indices(e)

    def columns(name: str, most: int, array: int, size: int, rest: str) -> None:
        """Treat all columns of an array, in pieces of decreasing width."""
        for lane, index in enumerate(indices):
            at = e.line(f"getelementptr ptr, ptr %rows, i64 {lane}")
            e.lines.append(f"  store ptr {row_address(e, array, index)}, ptr {at}, align 8")
        begin = "0"
        for piece in _widths(form.width, most):
            begin = e.line(f"call i64 @wt.{name}.{piece}(ptr %rows, i64 {begin}, i64 {size}, {rest})")

    start = 0
    for array, entry in enumerate(program.inputs):
        columns("read", _READ, array, entry.size, f"ptr {_slot(e, work, str(start))}")
        start += entry.size
    for k in range(len(found.literals)):
        at = e.line(f"getelementptr {e.element}, ptr @wt.literals, i64 {k}")
        value = _splat(e, e.line(f"load {e.element}, ptr {at}, align {e.size}"))
        slot = _slot(e, work, str(start + k))
        e.lines.append(f"  store {e.real_type} {value}, ptr {slot}, align {e.bytes}")
    e.lines.append(f"  call void @wt.run(ptr {work})")
    start = 0
    for array, size in enumerate(outputs, start=len(program.inputs)):
        results = e.line(f"getelementptr i32, ptr @wt.results, i64 {start}")
        columns("write", _WRITTEN, array, size, f"ptr {work}, ptr {results}")
        start += size
    return batch_loop(e, f"  %rows = alloca [{e.width} x ptr], align 8")


def _one(program: Program, form: Form) -> str:
    """`wt_one`: the table of arrays, and `wt_batch` on it."""
    e = Lanes(form)
    names = [f"%a{k}" for k in range(len(program.inputs) + sum(1 for _ in leaves(program.outputs)))]
    e.lines.append(f"  %arrays = alloca [{len(names) + 1} x {{ptr, i64}}], align 8")
    for k, name in enumerate([*names, e.line(f"load ptr, ptr @{ONE_WORK}, align 8")]):
        at = e.line(f"getelementptr {{ptr, i64}}, ptr %arrays, i64 {k}")
        e.lines.append(f"  store ptr {name}, ptr {at}, align 8")
    body = "\n".join(e.lines)
    head = f"define void @{ONE}({', '.join(f'ptr {name}' for name in names)}) {attributes()}"
    return f"{head} {{\n{body}\n  call void @{BATCH}(ptr %arrays, i64 0, i64 1)\n  ret void\n}}\n"
