"""Results in slots: many outputs leave a step by a loop that writes whole lines of memory.

Written as soon as they are there, results go to half lines all over a row, and the exchanges among lanes lie
between the operations. Where there are many it is quicker to put every value, as it is, into a slot, and to
let a loop bring slots into rows afterwards. A value that is a result several times, as in a symmetric matrix,
has one slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..trace.program import Program
from ..trace.structure import leaves
from .transpose import store_piece
from .vecmath.lanes import Lanes, Real

FEWEST = 200
"""Numbers of an output array from which on slots gain."""

_MOST = 8192  # slots; they lie on the stack
_LINE = 64  # bytes of a cache line
_GATHERED = 16 * _LINE  # bytes of a row that are gathered in the room
_HEAD = _GATHERED + _LINE
_ROOM_ROW = _HEAD + _LINE  # bytes of a row's part of the room: the line before, those gathered, how it began


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
        """Bytes of room that results on their way past the caches need."""
        return _room_bytes(self.e.width) * len(self.sizes)

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
        """Bring all slots into rows, which begin at the addresses given for an output array.

        Where %streamed says so they go past the caches, by way of %room.
        """
        if not self.sizes:
            return
        e, begin, room = self.e, 0, "%room"
        left = e.line("sub i64 %last, %i")
        count = e.line(f"call i64 @llvm.umin.i64(i64 {left}, i64 {e.width})")
        is_first = e.line("icmp eq i64 %i, %first")
        is_last = e.line(f"icmp sle i64 {left}, {e.width}")
        for array, size in self.sizes.items():
            for lane, row in enumerate(rows(array)):
                at = e.line(f"getelementptr ptr, ptr %rows, i64 {lane}")
                e.lines.append(f"  store ptr {row}, ptr {at}, align 8")
            places = e.line(f"getelementptr i32, ptr @wt.places, i64 {begin}")
            e.lines.append(
                f"  call void @wt.rows(i1 %streamed, ptr %rows, ptr %slots, ptr {places}, i64 {size}, "
                f"ptr {room}, i64 {count}, i1 {is_first}, i1 {is_last})"
            )
            begin += size
            room = e.line(f"getelementptr i8, ptr {room}, i64 {_room_bytes(e.width)}")

    def text(self, attributes: str) -> str:
        """The function that does so, and its table: where in memory the slot of every result begins."""
        if not self.sizes:
            return ""
        listed = ", ".join(f"i32 {slot * self.e.bytes}" for slot in self._places)
        table = f"@wt.places = private unnamed_addr constant [{len(self._places)} x i32] [{listed}]\n"
        return table + _ROWS.format(
            attributes=attributes,
            width=self.e.width,
            element=self.e.element,
            size=self.e.size,
            columns=_GATHERED // self.e.size,
            pair=_ROOM_ROW * self.e.width,
            to_room=self._transposed(_room_rows, self.e.width // 2),  # near by, where stores are cheap
            to_rows=self._transposed(_given_rows, self.e.width),
        )

    def _transposed(self, rows: Callable[[Lanes], list[str]], width: int) -> str:
        """Slots of the columns from %j on, as many as there are lanes, into rows at these addresses.

        Of each row so many numbers are stored at a time: with fewer, there are fewer exchanges among lanes.
        """
        e = Lanes(self.e.form)
        columns = []
        for k in range(e.width):
            at = e.line(f"getelementptr i32, ptr %places, i64 {e.line(f'add i64 %j, {k}')}")
            slot = e.line(f"zext i32 {e.line(f'load i32, ptr {at}, align 4')} to i64")
            value_at = e.line(f"getelementptr i8, ptr %slots, i64 {slot}")
            columns.append(Real(e.line(f"load {e.real_type}, ptr {value_at}, align {e.bytes}")))
        addresses = rows(e)
        for start in range(0, e.width, width):
            store_piece(e, addresses, start, columns[start : start + width])
        return "\n".join(e.lines)


def _room_bytes(width: int) -> int:
    """Bytes of an array's part of the room."""
    return _ROOM_ROW * width + 2 * _LINE


def _given_rows(e: Lanes) -> list[str]:
    """Where column %j lies in every row."""
    found = []
    for lane in range(e.width):
        row = e.line(f"load ptr, ptr {e.line(f'getelementptr ptr, ptr %rows, i64 {lane}')}, align 8")
        found.append(e.line(f"getelementptr {e.element}, ptr {row}, i64 %j"))
    return found


def _room_rows(e: Lanes) -> list[str]:
    """Where column %j, the %k-th of those gathered, lies in the room."""
    begins = [
        e.line(f"getelementptr i8, ptr %room, i64 {_ROOM_ROW * lane + _LINE}") for lane in range(e.width)
    ]
    return [e.line(f"getelementptr {e.element}, ptr {begin}, i64 %k") for begin in begins]


def _line(k: int) -> str:
    """Send a line of those that are gathered, the k-th from the first that is whole."""
    return f"""  %source_{k} = getelementptr i8, ptr %sources, i64 {_LINE * k}
  %target_{k} = getelementptr i8, ptr %targets, i64 {_LINE * k}
  %line_{k} = load <8 x double>, ptr %source_{k}, align 4
  store <8 x double> %line_{k}, ptr %target_{k}, align {_LINE}, !nontemporal !0
"""


# Past the caches only whole lines go well. Of each row some lines at a time are gathered in the room, behind
# the one before them, and leave by lines of memory, which begin anywhere in that one. A line in which one row
# ends and the next begins is put together at the end; that of the last row waits for the next step.
_ROWS = f"""
define internal void @wt.rows(
    i1 %streamed, ptr %rows, ptr %slots, ptr %places, i64 %size,
    ptr %room, i64 %count, i1 %is_first, i1 %is_last
) noinline {{attributes}} {{{{
start:
  %last_block = sub i64 %size, {{width}}
  br i1 %streamed, label %some, label %directly
some:
  %c = phi i64 [0, %start], [%c_next, %sent]
  %left = sub i64 %size, %c
  %columns = call i64 @llvm.umin.i64(i64 %left, i64 {{columns}})
  br label %gather
gather:
  %at = phi i64 [0, %some], [%at_next, %gather]
  %column = add i64 %c, %at
  %j = call i64 @llvm.umin.i64(i64 %column, i64 %last_block)
  %k = sub i64 %j, %c
{{to_room}}
  %at_next = add i64 %at, {{width}}
  %gather_more = icmp ult i64 %at_next, %columns
  br i1 %gather_more, label %gather, label %send
send:
  %l = phi i64 [0, %gather], [%l_next, %row_sent]
  %row_at = getelementptr ptr, ptr %rows, i64 %l
  %row = load ptr, ptr %row_at, align 8
  %own = mul i64 %l, {_ROOM_ROW}
  %from = getelementptr i8, ptr %room, i64 %own
  %address = ptrtoint ptr %row to i64
  %shift = and i64 %address, {_LINE - 1}
  %head = sub i64 {_LINE}, %shift
  %to = getelementptr {{element}}, ptr %row, i64 %c
  %bytes = mul i64 %columns, {{size}}
  %sources = getelementptr i8, ptr %from, i64 %head
  %before = sub i64 %head, {_LINE}
  %targets = getelementptr i8, ptr %to, i64 %before
  %all_lines = icmp eq i64 %columns, {{columns}}
  %begins = icmp eq i64 %c, 0
  br i1 %begins, label %begin, label %go_on
begin:
  %first_at = getelementptr i8, ptr %from, i64 {_LINE}
  %first_8 = load <8 x double>, ptr %first_at, align 4
  %head_at = getelementptr i8, ptr %from, i64 {_HEAD}
  store <8 x double> %first_8, ptr %head_at, align 4
  %second = add i64 %head, {_LINE}
  br i1 %all_lines, label %lines, label %line
go_on:
  br i1 %all_lines, label %first_line, label %line
first_line:
{_line(0)}  br label %lines
lines: ; as many as there mostly are, without a loop
{"".join(map(_line, range(1, _GATHERED // _LINE)))}  br label %row_sent
line:
  %place = phi i64 [%head, %go_on], [%second, %begin], [%place_next, %store]
  %fits = icmp ule i64 %place, %bytes
  br i1 %fits, label %store, label %row_sent
store:
  %source = getelementptr i8, ptr %from, i64 %place
  %behind = sub i64 %place, {_LINE}
  %target = getelementptr i8, ptr %to, i64 %behind
  %whole = load <8 x double>, ptr %source, align 4
  store <8 x double> %whole, ptr %target, align {_LINE}, !nontemporal !0
  %place_next = add i64 %place, {_LINE}
  br label %line
row_sent:
  %latest_at = getelementptr i8, ptr %from, i64 %bytes
  %latest = load <8 x double>, ptr %latest_at, align 4
  store <8 x double> %latest, ptr %from, align 4
  %l_next = add i64 %l, 1
  %more_rows = icmp ult i64 %l_next, %count
  br i1 %more_rows, label %send, label %sent
sent:
  %c_next = add i64 %c, {{columns}}
  %more = icmp ult i64 %c_next, %size
  br i1 %more, label %some, label %seams
seams:
  %pair = getelementptr i8, ptr %room, i64 {{pair}} ; ends and beginnings of rows; the last end is kept here
  br label %seam
seam:
  %r = phi i64 [0, %seams], [%r_next, %joined]
  %r_at = getelementptr ptr, ptr %rows, i64 %r
  %r_row = load ptr, ptr %r_at, align 8
  %r_own = mul i64 %r, {_ROOM_ROW}
  %r_from = getelementptr i8, ptr %room, i64 %r_own
  %r_head_at = getelementptr i8, ptr %r_from, i64 {_HEAD}
  %r_head = load <8 x double>, ptr %r_head_at, align 4
  %r_address = ptrtoint ptr %r_row to i64
  %r_shift = and i64 %r_address, {_LINE - 1}
  %r_bytes = sub i64 {_LINE}, %r_shift
  %r_is_0 = icmp eq i64 %r, 0
  %alone = and i1 %r_is_0, %is_first
  br i1 %alone, label %in_front, label %join
in_front:
  call void @wt.copy(ptr %r_row, ptr %r_head_at, i64 0, i64 %r_bytes)
  br label %joined
join:
  %second_half = getelementptr i8, ptr %pair, i64 {_LINE}
  store <8 x double> %r_head, ptr %second_half, align 4
  %seam_at = getelementptr i8, ptr %pair, i64 %r_bytes
  %seam_line = load <8 x double>, ptr %seam_at, align 4
  %back = sub i64 0, %r_shift
  %seam_to = getelementptr i8, ptr %r_row, i64 %back
  store <8 x double> %seam_line, ptr %seam_to, align {_LINE}, !nontemporal !0
  br label %joined
joined:
  %r_end = load <8 x double>, ptr %r_from, align 4
  store <8 x double> %r_end, ptr %pair, align 4
  %r_next = add i64 %r, 1
  %more_seams = icmp ult i64 %r_next, %count
  br i1 %more_seams, label %seam, label %all
all:
  br i1 %is_last, label %tail, label %done
tail:
  %end_at = getelementptr {{element}}, ptr %r_row, i64 %size
  %end_address = ptrtoint ptr %end_at to i64
  %over = and i64 %end_address, {_LINE - 1}
  %tail_begin = sub i64 {_LINE}, %over
  %line_before = getelementptr i8, ptr %end_at, i64 {-_LINE}
  call void @wt.copy(ptr %line_before, ptr %pair, i64 %tail_begin, i64 {_LINE})
  fence seq_cst ; the stores above are not ordered otherwise
  ret void
directly:
  call void @wt.direct(ptr %rows, ptr %slots, ptr %places, i64 %last_block)
  br label %done
done:
  ret void
}}}}

; Without the room; the last columns overlap with those before.
define internal void @wt.direct(ptr %rows, ptr %slots, ptr %places, i64 %last_block) {{attributes}} {{{{
start:
  br label %columns
columns:
  %j = phi i64 [0, %start], [%next, %columns]
{{to_rows}}
  %further = add i64 %j, {{width}}
  %next = call i64 @llvm.umin.i64(i64 %further, i64 %last_block)
  %more = icmp ne i64 %j, %last_block
  br i1 %more, label %columns, label %done
done:
  ret void
}}}}
"""
