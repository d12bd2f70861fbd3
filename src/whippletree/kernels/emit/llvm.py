"""Machine code for a program: its text in LLVM IR, scalar or several states at a time.

Both forms come from the same instruction list with the same operations in the same order, and no flag lets
LLVM change either, so a state gives the same bits alone, in a batch, and in any lane of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from ..trace.program import Instruction, Program
from ..trace.structure import leaves
from .angle_lanes import AngleLanes
from .instructions import calls_first, functions_of, write_instruction
from .loop_bodies import MAIN, loop_functions
from .loop_calls import AREA, LoopCalls, area_text
from .memory import ROOM, Prefetches, Streams, flush_text, room_size
from .pack_code import PackCode
from .pack_gain import Pack
from .result_slots import ResultSlots
from .spills import SpillCode
from .transpose import load_pieces, load_rows, pieces, store_piece
from .vecmath import functions as vecmath
from .vecmath.lanes import Form, Lanes, Real
from .waiting import Angles, Item, Known, scalar_order, spills_alone, spills_in_lanes

BATCH = "wt_batch"
SHARE = "wt_share"
ONE = "wt_one"
WORK = "wt_work"
STEP = "wt.step"
ONE_WORK = "wt_one_work"

_WIDTHS = (1, 2, 4, 8, 16)


def module_text(program: Program, form: Form, lanes: int, registers: int) -> str:
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

    `void wt_one(real *, …)` takes the addresses of the input and output arrays of one state. `void
    *wt_one_work` is where the `wt_work` bytes of its memory begin.

    Args:
        program: What to compute.
        form: Of its numbers; the width is how many states a step takes.
        lanes: Numbers to a vector register; for width 1, where they take several angles at once.
        registers: How many of these there are.
    """
    functions = functions_of(program)
    code = _scalar(program, form, lanes, registers) if form.width == 1 else _vector(program, form, registers)
    code = loop_functions(program, form, attributes(form)) + code
    forms = [form.of_width(width) for width in _WIDTHS]
    parts = [
        f"@{WORK} = dso_local constant i64 0\n@{ONE_WORK} = dso_local global ptr null",
        f"@{ROOM} = dso_local constant i64 {room_size(program, form) if form.width > 1 else 0}",
        declarations(*forms),
        vecmath.prologue(form) if functions else "",
        *(
            vecmath.definitions(
                [name for name in functions if f"{vecmath.symbol(name, f.width)}(" in code], f, attributes(f)
            )
            for f in forms
        ),
        code,
    ]
    return "\n".join(parts)


def attributes(form: Form | None = None) -> str:
    """Function attributes: never narrower vectors than asked for, and spills that fill whole cache lines."""
    if form is None or form.width == 1:
        return "nounwind"
    bits = 8 * form.bytes
    return (
        f'nounwind alignstack({form.bytes}) "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
    )


def declarations(*forms: Form) -> str:
    """The intrinsics used, for values of these forms."""
    texts = [
        """
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i128 @llvm.ctlz.i128(i128, i1)"""
    ]
    for form in forms:
        suffix, real = form.precision.suffix, form.type
        suffix = suffix if form.width == 1 else f"v{form.width}{suffix}"
        texts.append(f"""
declare {real} @llvm.fma.{suffix}({real}, {real}, {real})
declare {real} @llvm.sqrt.{suffix}({real})
declare {real} @llvm.fabs.{suffix}({real})""")
    return "".join(texts) + "\n"


def _scalar(program: Program, form: Form, lanes: int, registers: int) -> str:
    """`wt_one`, and `wt_batch` as a loop over it."""
    names = [f"%a{i}" for i in range(_arrays(program))]
    e = Lanes(form)
    inputs: list[Real] = []
    for name, entry in zip(names, program.inputs, strict=False):
        inputs += load_rows(e, [name], entry.size)
    angles = AngleLanes(program, form.of_width(lanes))
    results = _Results(e, program, lambda array: [names[array]], ResultSlots(e, program))  # no slots
    packs = PackCode(e, program, angles.rest, form.of_width(lanes))
    order = scalar_order(program, angles, packs)
    homes = [(name, k) for name, entry in zip(names, program.inputs, strict=False) for k in range(entry.size)]

    def home(value: int) -> str:
        name, k = homes[value]
        return e.line(f"getelementptr {e.element}, ptr {name}, i64 {k}")

    spills = SpillCode(e, spills_alone(program, order, angles, packs, results.whole, registers), home)
    for number in range(len(inputs)):
        spills.write(number, inputs)
    _StateCode(e, program, inputs, results, spills).write_one(order, angles, packs)
    body = "\n".join([area_text(program, form), angles.memory(), spills.before(), *e.lines])
    widest = form.of_width(max(angles.form.width, packs.width))
    parameters = ", ".join(f"ptr {name}" for name in names)
    one = f"define void @{ONE}({parameters}) {attributes(widest)} {{\n{body}\n  ret void\n}}\n"

    e = Lanes(form)
    pointers = [row_address(e, array, "%i") for array in range(len(names))]
    e.lines.append(f"  call void @{ONE}({', '.join(f'ptr {p}' for p in pointers)})")
    return one + batch_loop(e)


def _vector(program: Program, form: Form, registers: int) -> str:
    """`wt_batch`, several states at a time."""
    e = Lanes(form)
    streams = Streams(e, program)
    indices = streams.slots.states() if streams.slots.sizes else lane_indices(e)

    def rows(array: int) -> list[str]:
        return [row_address(e, array, index) for index in indices]

    results = _Results(e, program, lambda array: streams.rows(array, rows(array)), streams.slots)
    instructions = calls_first(program.instructions, program.first_instruction)
    spills = SpillCode(e, spills_in_lanes(program, instructions, results.whole, registers))
    inputs: list[Real] = []
    for array, entry in enumerate(program.inputs):
        for piece in load_pieces(e, rows(array), entry.size):
            inputs += piece
            for number in range(len(inputs) - len(piece), len(inputs)):
                spills.write(number, inputs)
    body = _StateCode(e, program, inputs, results, spills)
    body.store_known()
    ahead = e.line(f"add i64 %i, {(Prefetches.AHEAD + streams.slots.turn - 1) * e.width}")
    following = [(row_address(e, array, ahead), entry.size) for array, entry in enumerate(program.inputs)]
    prefetches = Prefetches(e, following, len(program.instructions))
    for instruction in instructions:
        body.write(instruction)
        prefetches.place()
    streams.slots.flush(rows)
    streams.flush()
    texts = flush_text(form, attributes(form)) + streams.slots.text(attributes(form))
    return texts + batch_loop(e, area_text(program, form) + streams.before() + spills.before())


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
    """`wt_batch` around the body of one step, `before` coming first; and `wt_share` around that.

    The step is a function of its own: were it the body of a loop, LLVM would take constants out of that, for
    which there are no registers.
    """
    body = "\n".join(e.lines)
    return f"""
define internal void @{STEP}(ptr %arrays, i64 %first, i64 %last, i64 %i) noinline {attributes(e.form)} {{
{before}
{body}
  ret void
}}

define void @{BATCH}(ptr %arrays, i64 %first, i64 %last) {attributes(e.form)} {{
start:
  %any = icmp slt i64 %first, %last
  br i1 %any, label %step, label %done
step:
  %i = phi i64 [%first, %start], [%next, %step]
  call void @{STEP}(ptr %arrays, i64 %first, i64 %last, i64 %i)
  %next = add i64 %i, {e.width}
  %more = icmp slt i64 %next, %last
  br i1 %more, label %step, label %done
done:
  ret void
}}

define void @{SHARE}(ptr %arrays, ptr %next, i64 %count, i64 %size) {attributes(e.form)} {{
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


class _StateCode:
    """Writes instructions, and the stores of the results.

    Args:
        e: Where to write.
        program: What to write.
        inputs: The input scalars, all loaded: from here on outputs may overwrite where they came from.
        results: Where to write these.
        spills: What waits in memory.
    """

    def __init__(
        self, e: Lanes, program: Program, inputs: Sequence[Real], results: _Results, spills: SpillCode
    ) -> None:
        self.e = e
        self.values: list[str] = [*inputs, *(e.real(c) for c in program.constants)]
        self.values += [""] * len(program.instructions)
        self._results = results
        self._spills = spills
        self._calls = LoopCalls(AREA, MAIN)
        self._pairs: dict[int, tuple[Real, Real]] = {}  # argument to (sine, cosine)
        self._known = range(program.first_instruction)

    def store_known(self) -> None:
        """Store results that are inputs or constants, before the first instruction."""
        for number in self._known:
            for piece in self._results.note(number, self.values):
                self._results.store(piece, self.values)

    def write(self, instruction: Instruction) -> None:
        """Write an instruction."""
        self._spills.read(self.values)
        write_instruction(self.e, instruction, self.values, self._pairs, self._calls)
        self._spills.write(instruction[1], self.values)
        self._note(instruction[1])

    def _note(self, number: int) -> None:
        """Store what this value was the last one of."""
        for piece in self._results.note(number, self.values):
            self._spills.read(self.values)
            self._results.store(piece, self.values)

    def write_one(self, order: Sequence[Item], angles: AngleLanes, packs: PackCode) -> None:
        """Write all instructions of one state, sines and cosines of several angles and packs together."""
        free = 0
        for item in order:
            if isinstance(item, Angles):
                self._spills.read(self.values)
                free = angles.write(self.e, item.numbers, self.values, free)
            elif isinstance(item, Pack):
                packs.write(item, self.values)
                for number in item.numbers:
                    self._note(number)
            elif isinstance(item, Known):
                for number in self._known:
                    self._note(number)
            elif (known := angles.load(self.e, item)) is None:
                self.write(item)
            else:
                self._spills.read(self.values)
                self.values[item[1]] = known
                self._spills.write(item[1], self.values)
                self._note(item[1])


class _Results:
    """Stores each piece of an output row as soon as its last value is there, so that none waits long.

    Args:
        e: Where to write.
        program: Whose results.
        rows: Gives the addresses, one a lane, at which an output array begins; arrays count from the inputs.
        slots: Those of arrays whose results are brought there at the end.

    Attributes:
        pieces: Array, first column and values of each.
    """

    def __init__(
        self, e: Lanes, program: Program, rows: Callable[[int], list[str]], slots: ResultSlots
    ) -> None:
        self.e = e
        self.slots = slots
        self.rows = cache(rows)
        self.pieces: list[tuple[int, int, list[int]]] = []
        self._missing: list[int] = []  # of each piece: values not there yet
        self._users: dict[int, list[int]] = {}  # value to pieces
        begin = 0
        for array, leaf in enumerate(leaves(program.outputs), start=len(program.inputs)):
            for start, width in pieces(leaf.size, e.width) if array not in slots.sizes else ():
                numbers = list(program.results[begin + start : begin + start + width])
                for number in set(numbers):
                    self._users.setdefault(number, []).append(len(self.pieces))
                self._missing.append(len(set(numbers)))
                self.pieces.append((array, start, numbers))
            begin += leaf.size

    def whole(self, order: Iterable[int]) -> dict[int, list[list[int]]]:
        """By value what is stored with it as the last one, if values come in this order."""
        at = {number: k for k, number in enumerate(order)}
        found: dict[int, list[list[int]]] = {}
        for _, _, numbers in self.pieces:
            found.setdefault(max(numbers, key=lambda n: at.get(n, -1)), []).append(numbers)
        return found

    def note(self, number: int, values: list[str]) -> list[int]:
        """This value has been written; gives the pieces that are whole now."""
        self.slots.note(number, values)
        users = self._users.get(number, [])
        for piece in users:
            self._missing[piece] -= 1
        return [piece for piece in users if not self._missing[piece]]

    def store(self, piece: int, values: list[str]) -> None:
        """Store a piece that is whole."""
        array, start, numbers = self.pieces[piece]
        store_piece(self.e, self.rows(array), start, [Real(values[n]) for n in numbers])
