"""Machine code for a program: its text in LLVM IR, scalar or several states at a time.

Both forms come from the same instruction list with the same operations in the same order, and no flag lets
LLVM change either, so a state gives the same bits alone, in a batch, and in any lane of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ..trace.program import Program
from ..trace.structure import leaves
from .instructions import calls_first, functions_of, write_instruction
from .loop_bodies import MAIN, loop_functions
from .loop_calls import AREA, LoopCalls, area_text
from .memory import ROOM, Streams, flush_text, prefetch, room_size
from .transpose import load_rows, pieces, store_piece
from .vecmath import functions as vecmath
from .vecmath.lanes import Lanes, Real

BATCH = "wt_batch"
SHARE = "wt_share"
ONE = "wt_one"
WORK = "wt_work"
ONE_WORK = "wt_one_work"


def module_text(program: Program, width: int, fma: bool) -> str:
    """IR of a module with `BATCH`, `WORK`, `ROOM` and, for width 1, `ONE`.

    `void wt_batch(array *arrays, int64_t first, int64_t last)` computes the states first … last - 1.
    `arrays` holds for every input and then every output array its address and the distance in bytes
    between one state and the next: 0 gives all states the same input. One entry more is the address of
    memory, aligned to a cache line, for this call alone, or null.

    `void wt_share(array *arrays, int64_t *next, int64_t count, int64_t size)` takes pieces of so many states
    off a batch of `count` until none is left: `next`, 0 at first, is where the next piece begins, whichever
    thread takes it.

    `int64_t wt_work` is the number of bytes a call needs there: none here. `int64_t wt_room` is the number
    it can use to write results past the caches; it then wants output arrays without gaps between states.

    `void wt_one(double *, …)` takes the addresses of the input and output arrays of one state. `double
    *wt_one_work` is where the `wt_work` bytes of its memory begin.

    Args:
        program: What to compute.
        width: States per step: 1, 2, 4 or 8.
        fma: Whether the processor has a fused multiply-add.
    """
    functions = functions_of(program)
    parts = [
        f"@{WORK} = dso_local constant i64 0\n@{ONE_WORK} = dso_local global ptr null",
        f"@{ROOM} = dso_local constant i64 {room_size(program, width) if width > 1 else 0}",
        declarations(width),
        vecmath.prologue() if functions else "",
        vecmath.definitions(functions, width, fma, attributes(width)),
        loop_functions(program, width, fma, attributes(width)),
        _scalar(program, fma) if width == 1 else _vector(program, width, fma),
    ]
    return "\n".join(parts)


def attributes(width: int) -> str:
    """Function attributes: never narrower vectors than asked for, and spills that fill whole cache lines."""
    bits = 64 * width
    if width == 1:
        return "nounwind"
    return (
        f'nounwind alignstack({8 * width}) "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
    )


def declarations(width: int) -> str:
    """The intrinsics used."""
    suffix, real = ("f64", "double") if width == 1 else (f"v{width}f64", f"<{width} x double>")
    return f"""
declare {real} @llvm.fma.{suffix}({real}, {real}, {real})
declare {real} @llvm.sqrt.{suffix}({real})
declare {real} @llvm.fabs.{suffix}({real})
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i128 @llvm.ctlz.i128(i128, i1)
"""


def _scalar(program: Program, fma: bool) -> str:
    """`wt_one`, and `wt_batch` as a loop over it."""
    names = [f"%a{i}" for i in range(_arrays(program))]
    e = Lanes(1, fma)
    inputs: list[Real] = []
    for name, entry in zip(names, program.inputs, strict=False):
        inputs += load_rows(e, [name], entry.size)
    write_body(e, program, inputs, lambda array: [names[array]])
    body = "\n".join([area_text(program, 1), *e.lines])
    parameters = ", ".join(f"ptr {name}" for name in names)
    one = f"define void @{ONE}({parameters}) {attributes(1)} {{\n{body}\n  ret void\n}}\n"

    e = Lanes(1, fma)
    pointers = [row_address(e, array, "%i") for array in range(len(names))]
    e.lines.append(f"  call void @{ONE}({', '.join(f'ptr {p}' for p in pointers)})")
    return one + batch_loop(e)


def _vector(program: Program, width: int, fma: bool) -> str:
    """`wt_batch`, `width` states at a time."""
    e = Lanes(width, fma)
    indices = lane_indices(e)
    streams = Streams(e, program)

    def rows(array: int) -> list[str]:
        return [row_address(e, array, index) for index in indices]

    following = e.line(f"add i64 %i, {width}")
    for array, entry in enumerate(program.inputs):
        prefetch(e, row_address(e, array, following), entry.size)
    inputs: list[Real] = []
    for array, entry in enumerate(program.inputs):
        inputs += load_rows(e, rows(array), entry.size)
    write_body(e, program, inputs, lambda array: streams.rows(array, rows(array)))
    streams.flush()
    return flush_text(attributes(width)) + batch_loop(e, area_text(program, width) + streams.before())


def lane_indices(e: Lanes) -> list[str]:
    """The state in each lane of the step that begins at %i.

    Lanes beyond the last state repeat it: they read what may be read and write what is written anyway.
    """
    highest = e.line("sub i64 %last, 1")
    indices = []
    for lane in range(e.width):
        index = "%i" if lane == 0 else e.line(f"add i64 %i, {lane}")
        indices.append(e.line(f"call i64 @llvm.umin.i64(i64 {index}, i64 {highest})"))
    return indices


def _arrays(program: Program) -> int:
    return len(program.inputs) + sum(1 for _ in leaves(program.outputs))


def row_address(e: Lanes, array: int, index: str) -> str:
    """Address of one state's row of an array."""
    entry = e.line(f"getelementptr {{ptr, i64}}, ptr %arrays, i64 {array}")
    base = e.line(f"load ptr, ptr {entry}, align 8")
    stride_at = e.line(f"getelementptr i8, ptr {entry}, i64 8")
    stride = e.line(f"load i64, ptr {stride_at}, align 8")
    offset = e.line(f"mul i64 {index}, {stride}")
    return e.line(f"getelementptr i8, ptr {base}, i64 {offset}")


def batch_loop(e: Lanes, before: str = "") -> str:
    """`wt_batch` around the body of one step, `before` coming first, once; and `wt_share` around that."""
    body = "\n".join(e.lines)
    return f"""
define void @{BATCH}(ptr %arrays, i64 %first, i64 %last) {attributes(e.width)} {{
start:
{before}
  %any = icmp slt i64 %first, %last
  br i1 %any, label %step, label %done
step:
  %i = phi i64 [%first, %start], [%next, %step]
{body}
  %next = add i64 %i, {e.width}
  %more = icmp slt i64 %next, %last
  br i1 %more, label %step, label %done
done:
  ret void
}}

define void @{SHARE}(ptr %arrays, ptr %next, i64 %count, i64 %size) {attributes(e.width)} {{
start:
  br label %take
take:
  %first = atomicrmw add ptr %next, i64 %size monotonic, align 8
  %any = icmp slt i64 %first, %count
  br i1 %any, label %piece, label %done
piece:
  %end = add i64 %first, %size
  %last = call i64 @llvm.umin.i64(i64 %end, i64 %count)
  call void @{BATCH}(ptr %arrays, i64 %first, i64 %last)
  br label %take
done:
  ret void
}}
"""


def write_body(e: Lanes, program: Program, inputs: Sequence[Real], rows: Callable[[int], list[str]]) -> None:
    """Write all instructions, and the stores of the results.

    Args:
        e: Where to write.
        program: What to write.
        inputs: The input scalars, all loaded: from here on outputs may overwrite where they came from.
        rows: Gives the addresses, one a lane, at which an output array begins; arrays count from the inputs.
    """
    values: list[str] = [*inputs, *(e.real(c) for c in program.constants)]
    values += [""] * len(program.instructions)
    results = _Results(e, program, rows)
    for number in range(program.first_instruction):
        results.note(number, values)
    calls = LoopCalls(AREA, MAIN)
    pairs: dict[int, tuple[Real, Real]] = {}  # argument to (sine, cosine)
    for instruction in calls_first(program.instructions, program.first_instruction):
        write_instruction(e, instruction, values, pairs, calls)
        results.note(instruction[1], values)


class _Results:
    """Stores each piece of an output row as soon as its last value is there, so that none waits long."""

    def __init__(self, e: Lanes, program: Program, rows: Callable[[int], list[str]]) -> None:
        self.e = e
        self.rows = cache(rows)
        self.pieces: list[tuple[int, int, list[int]]] = []  # array, first column, values
        self.missing: list[int] = []  # of each piece: values not there yet
        self.users: dict[int, list[int]] = {}  # value to pieces
        begin = 0
        for array, leaf in enumerate(leaves(program.outputs), start=len(program.inputs)):
            for start, width in pieces(leaf.size, e.width):
                numbers = list(program.results[begin + start : begin + start + width])
                for number in set(numbers):
                    self.users.setdefault(number, []).append(len(self.pieces))
                self.missing.append(len(set(numbers)))
                self.pieces.append((array, start, numbers))
            begin += leaf.size

    def note(self, number: int, values: list[str]) -> None:
        """This value has been written."""
        for piece in self.users.get(number, ()):
            self.missing[piece] -= 1
            if not self.missing[piece]:
                array, start, numbers = self.pieces[piece]
                store_piece(self.e, self.rows(array), start, [Real(values[n]) for n in numbers])
