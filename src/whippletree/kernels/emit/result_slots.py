"""Results in slots: many outputs leave a step by a loop that writes whole lines of memory.

Written as soon as they are there, results go to half lines all over a row, and the exchanges among lanes lie
between the operations. Where there are many it is quicker to put every value, as it is, into a slot, and to
let a loop bring slots into rows afterwards. A value that is a result several times, as in a symmetric matrix,
has one slot.

Past the caches only whole lines go well, and rows begin anywhere in a line. As many rows further on as a line
has numbers, a row begins at the same place of a line again. So lanes take states that far apart: the same
columns are whole lines in all of them, and leave straight from registers. A line in which one row ends and
the next begins waits, in a room beside, for the next step, which computes that next row in the same lane; at
the ends of a turn of steps its columns are written one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..trace.program import Program
from ..trace.structure import leaves
from .transpose import store_lines, store_piece
from .vecmath.lanes import Lanes, Real

FEWEST = 200
"""Numbers of an output array from which on slots gain."""

_MOST = 8192  # slots; they lie on the stack
_LINE = 64  # bytes of a cache line


class ResultSlots:
    """The slots of a program's results.

    Attributes:
        sizes: Of the output arrays that have slots, by their number, counted from the inputs on.
        slot: By number of a value.
    """

    def __init__(self, e: Lanes, program: Program) -> None:
        self.e = e
        self.sizes: dict[int, int] = {}
        self.slot: dict[int, int] = {}
        self._places: list[int] = []  # slots of all results of these arrays
        begin = 0
        for array, leaf in enumerate(leaves(program.outputs), start=len(program.inputs)):
            numbers = program.results[begin : begin + leaf.size]
            begin += leaf.size
            if e.width > 2 and leaf.size >= FEWEST and len(self.slot.keys() | set(numbers)) <= _MOST:
                self.sizes[array] = leaf.size
                self._places += [self.slot.setdefault(number, len(self.slot)) for number in numbers]

    @property
    def room_bytes(self) -> int:
        """Bytes of room that lines need which wait for the next step."""
        return 2 * _LINE * self.e.width * len(self.sizes)

    @property
    def _apart(self) -> int:
        """How many states the lanes are apart where results go past the caches: numbers to a line."""
        return _LINE // self.e.size

    @property
    def turn(self) -> int:
        """Steps until all states between those of the first one have had theirs."""
        return self._apart if self.sizes else 1

    def states(self) -> list[str]:
        """The state in each lane of the step that begins at %i; %past says whether they are apart.

        They are where %streamed says so and there are enough of them, else one after the other. Lanes beyond
        the last state repeat it, as those of `lane_indices` do.
        """
        e, group = self.e, self._apart * self.e.width
        passed = e.line("sub i64 %i, %first")
        inside = e.line(f"and i64 {passed}, {group - 1}")
        begin = e.line(f"sub i64 %i, {inside}")
        fits = e.line(f"icmp sle i64 {e.line(f'add i64 {begin}, {group}')}, %last")
        e.lines.append(f"  %past = and i1 %streamed, {fits}")
        e.lines.append(f"  %turn = udiv i64 {inside}, {e.width}")
        base = e.line(f"select i1 %past, i64 {e.line(f'add i64 {begin}, %turn')}, i64 %i")
        highest = e.line("sub i64 %last, 1")
        found = []
        for lane in range(e.width):
            step = e.line(f"select i1 %past, i64 {lane * self._apart}, i64 {lane}")
            index = e.line(f"add i64 {base}, {step}")
            found.append(e.line(f"call i64 @llvm.umin.i64(i64 {index}, i64 {highest})"))
        return found

    def before(self) -> str:
        """What comes once, in front of all steps: the memory."""
        if not self.sizes:
            return ""
        e = self.e
        return f"""
  %slots = alloca [{len(self.slot)} x {e.real_type}], align {e.bytes}
  %rows = alloca [{e.width} x ptr], align 8"""

    def note(self, number: int, values: Sequence[str]) -> None:
        """This value has been written."""
        if number in self.slot:
            e = self.e
            at = e.line(f"getelementptr {e.real_type}, ptr %slots, i64 {self.slot[number]}")
            # Volatile for the reason given in `store_piece`.
            e.lines.append(f"  store volatile {e.real_type} {values[number]}, ptr {at}, align {e.bytes}")

    def flush(self, rows: Callable[[int], Sequence[str]]) -> None:
        """Bring all slots into rows, which begin at the addresses given for an output array."""
        if not self.sizes:
            return
        e, begin = self.e, 0
        ends = e.line(f"icmp sle i64 {e.line('sub i64 %last, %i')}, {e.width}")
        is_last = e.line(f"and i1 %streamed, {ends}")
        for number, (array, size) in enumerate(self.sizes.items()):
            room = e.line(f"getelementptr i8, ptr %room, i64 {2 * _LINE * e.width * number}")
            for lane, row in enumerate(rows(array)):
                at = e.line(f"getelementptr ptr, ptr %rows, i64 {lane}")
                e.lines.append(f"  store ptr {row}, ptr {at}, align 8")
            places = e.line(f"getelementptr i32, ptr @wt.places, i64 {begin}")
            e.lines.append(
                f"  call void @wt.rows(i1 %past, ptr %rows, ptr %slots, ptr {places}, i64 {size}, "
                f"ptr {room}, i64 %turn, i1 {is_last})"
            )
            begin += size

    def text(self, attributes: str) -> str:
        """The function that does so, and its table: where in memory the slot of every result begins."""
        if not self.sizes:
            return ""
        listed = ", ".join(f"i32 {slot * self.e.bytes}" for slot in self._places)
        table = f"@wt.places = private unnamed_addr constant [{len(self._places)} x i32] [{listed}]\n"
        width = self.e.width
        loops = [
            self._loop("lines", width, store_lines, attributes),
            self._loop("pieces", width, store_piece, attributes),
            self._loop("columns", 1, store_piece, attributes),
        ]
        rows = _ROWS.format(
            attributes=attributes,
            width=width,
            size=self.e.size,
            apart=self._apart,
            last=self._apart - 1,
            line=_LINE,
            pair=2 * _LINE,
            line_end=_LINE - 1,
        )
        return table + "".join(loops) + rows

    def _loop(
        self,
        name: str,
        step: int,
        store: Callable[[Lanes, Sequence[str], int, Sequence[Real]], None],
        attributes: str,
    ) -> str:
        """`wt.name(rows, slots, places, begin, end, latest)`: columns from begin to end, so many at a time.

        None begins behind the latest, so that the last ones may overlap with those before.
        """
        e = Lanes(self.e.form)
        columns = []
        for k in range(step):
            at = e.line(f"getelementptr i32, ptr %places, i64 {e.line(f'add i64 %j, {k}')}")
            slot = e.line(f"zext i32 {e.line(f'load i32, ptr {at}, align 4')} to i64")
            value_at = e.line(f"getelementptr i8, ptr %slots, i64 {slot}")
            columns.append(Real(e.line(f"load {e.real_type}, ptr {value_at}, align {e.bytes}")))
        rows = []
        for lane in range(e.width):
            row = e.line(f"load ptr, ptr {e.line(f'getelementptr ptr, ptr %rows, i64 {lane}')}, align 8")
            rows.append(e.line(f"getelementptr {e.element}, ptr {row}, i64 %j"))
        store(e, rows, 0, columns)
        return _LOOP.format(name=name, step=step, body="\n".join(e.lines), attributes=attributes)


_LOOP = """
define internal void @wt.{name}(ptr %rows, ptr %slots, ptr %places, i64 %begin, i64 %end, i64 %latest)
    {attributes} {{
start:
  %any = icmp ult i64 %begin, %end
  br i1 %any, label %loop, label %done
loop:
  %at = phi i64 [%begin, %start], [%next, %loop]
  %j = call i64 @llvm.umin.i64(i64 %at, i64 %latest)
{body}
  %next = add i64 %at, {step}
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

_ROWS = """
; Where in the room column 0 of every row would lie, were column %column at the second half of its two lines.
define internal void @wt.beside(ptr %rows, ptr %room, i64 %column) {attributes} {{
start:
  br label %loop
loop:
  %l = phi i64 [0, %start], [%next, %loop]
  %pair = mul i64 %l, {pair}
  %back = mul i64 %column, {size}
  %half = add i64 %pair, {line}
  %offset = sub i64 %half, %back
  %place = getelementptr i8, ptr %room, i64 %offset
  %at = getelementptr ptr, ptr %rows, i64 %l
  store ptr %place, ptr %at, align 8
  %next = add i64 %l, 1
  %more = icmp ult i64 %next, {width}
  br i1 %more, label %loop, label %done
done:
  ret void
}}

; The lines in which the rows before end, by so many bytes, and these begin.
define internal void @wt.join(ptr %rows, ptr %room, i64 %bytes) {attributes} {{
start:
  br label %loop
loop:
  %l = phi i64 [0, %start], [%next, %loop]
  %pair = mul i64 %l, {pair}
  %half = add i64 %pair, {line}
  %offset = sub i64 %half, %bytes
  %source = getelementptr i8, ptr %room, i64 %offset
  %row_at = getelementptr ptr, ptr %rows, i64 %l
  %row = load ptr, ptr %row_at, align 8
  %back = sub i64 0, %bytes
  %target = getelementptr i8, ptr %row, i64 %back
  %seam = load <8 x double>, ptr %source, align {size}
  store <8 x double> %seam, ptr %target, align {line}, !nontemporal !0
  %next = add i64 %l, 1
  %more = icmp ult i64 %next, {width}
  br i1 %more, label %loop, label %done
done:
  ret void
}}

define internal void @wt.rows(
    i1 %past, ptr %rows, ptr %slots, ptr %places, i64 %size, ptr %room, i64 %turn, i1 %is_last
) noinline {attributes} {{
start:
  %beside = alloca [{width} x ptr], align 8
  %latest = sub i64 %size, {width}
  br i1 %past, label %past_caches, label %directly
past_caches: ; lines begin at the same column of all rows
  %row = load ptr, ptr %rows, align 8
  %address = ptrtoint ptr %row to i64
  %before = and i64 %address, {line_end}
  %ahead = sub i64 0, %address
  %bytes = and i64 %ahead, {line_end}
  %first = udiv i64 %bytes, {size}
  %behind = sub i64 %size, %first
  %over = and i64 %behind, {last}
  %end = sub i64 %size, %over
  call void @wt.lines(ptr %rows, ptr %slots, ptr %places, i64 %first, i64 %end, i64 %latest)
  %whole = icmp eq i64 %first, 0
  br i1 %whole, label %ends, label %begins
begins:
  %is_begin = icmp eq i64 %turn, 0
  br i1 %is_begin, label %alone, label %joined
alone:
  call void @wt.columns(ptr %rows, ptr %slots, ptr %places, i64 0, i64 %first, i64 %size)
  br label %ends
joined:
  call void @wt.beside(ptr %beside, ptr %room, i64 0)
  call void @wt.pieces(ptr %beside, ptr %slots, ptr %places, i64 0, i64 {apart}, i64 %latest)
  call void @wt.join(ptr %rows, ptr %room, i64 %before)
  br label %ends
ends:
  %is_end = icmp eq i64 %turn, {last}
  br i1 %is_end, label %last_columns, label %kept
last_columns:
  call void @wt.columns(ptr %rows, ptr %slots, ptr %places, i64 %end, i64 %size, i64 %size)
  br label %done
kept:
  %kept_from = sub i64 %size, {apart}
  call void @wt.beside(ptr %beside, ptr %room, i64 %size)
  call void @wt.pieces(ptr %beside, ptr %slots, ptr %places, i64 %kept_from, i64 %size, i64 %latest)
  br label %done
directly:
  call void @wt.pieces(ptr %rows, ptr %slots, ptr %places, i64 0, i64 %size, i64 %latest)
  br label %done
done:
  br i1 %is_last, label %wait, label %away
wait:
  fence seq_cst ; stores past the caches are not ordered otherwise
  ret void
away:
  ret void
}}
"""
