"""Batches larger than the caches: inputs asked for ahead of time, results written past the caches. As IR.

A store to memory that no cache holds first reads the line it is about to overwrite. Results of large batches
are therefore gathered in a few lines of room that stay in the nearest cache, and whole lines of them leave
by stores that bypass the caches and read nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..trace.program import Program
from ..trace.structure import leaves
from .result_slots import ResultSlots
from .vecmath.lanes import Form, Lanes

ROOM = "wt_room"

STREAMED = 3 << 23
"""Bytes of all arrays of a call; caches hold less, and results would not be found there anyway."""

LINE = 64
"""Bytes of a cache line, and of the widest vector."""


def room_size(program: Program, form: Form) -> int:
    """Bytes of room that the results of a step need."""
    streams = Streams(Lanes(form), program)
    return streams.slots.room_bytes or sum(_room_of(size, form) for size in streams.sizes.values())


def _room_of(size: int, form: Form) -> int:
    """A step's rows, a line that may be carried over in front of them, and one to read beyond the end."""
    return -(-size * form.bytes // LINE) * LINE + 2 * LINE


class Prefetches:
    """Asks for inputs some steps ahead, if their rows lie side by side; else in vain, which harms nothing.

    A processor waits for few lines at a time, and asked for more at once it stands still. So they are asked
    for one by one while a step is computed, and two steps ahead at least, as what is asked for last is needed
    soon.
    They are to come into the second cache: the first one is full of a step's own values.

    Args:
        e: Where to write.
        rows: Where the inputs of a later step begin, and the numbers of each.
        places: How many places there will be to write them at.
    """

    AHEAD = 2

    def __init__(self, e: Lanes, rows: Sequence[tuple[str, int]], places: int) -> None:
        self.e = e
        self._lines = [(row, at) for row, size in rows for at in range(0, size * e.bytes, LINE)]
        self._places = places
        self._passed = self._written = 0

    def place(self) -> None:
        """One of the places: write as many as are due there."""
        self._passed += 1
        due = len(self._lines) * self._passed // self._places
        for row, offset in self._lines[self._written : due]:
            at = self.e.line(f"getelementptr i8, ptr {row}, i64 {offset}")
            self.e.lines.append(f"  call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 2, i32 1)")
        self._written = due


class Streams:
    """The way of a batch's results into memory: through the room where there is one, else directly.

    Attributes:
        slots: The arrays that go by slots.
        sizes: Of those that go by the room, by their number, counted from the inputs on: all, if none has
            slots.
    """

    def __init__(self, e: Lanes, program: Program) -> None:
        self.e = e
        self.slots = ResultSlots(e, program)
        arrays = [entry.size for entry in program.inputs] + [leaf.size for leaf in leaves(program.outputs)]
        self._n_arrays = len(arrays)
        self.sizes = {
            array: size
            for array, size in enumerate(arrays)
            if array >= len(program.inputs) and not self.slots.sizes
        }
        self._first_rows: dict[int, str] = {}

    def before(self) -> str:
        """What comes once, in front of all steps: whether there is room."""
        return f"""
  %room_at = getelementptr {{ptr, i64}}, ptr %arrays, i64 {self._n_arrays}
  %room = load ptr, ptr %room_at, align 8
  %streamed = icmp ne ptr %room, null{self.slots.before()}"""

    def rows(self, array: int, direct: Sequence[str]) -> list[str]:
        """Where each lane's row of an output array is to be written.

        Args:
            array: Its number, counted from the inputs on.
            direct: Where the rows lie in the end.
        """
        e, size = self.e, self.sizes.get(array, 0)
        if size * e.bytes < LINE:  # `wt.flush` takes a line at least, and little is gained
            return list(direct)
        self._first_rows[array] = direct[0]
        # Lines in the room begin where lines in memory do.
        address = e.line(f"ptrtoint ptr {direct[0]} to i64")
        shift = e.line(f"and i64 {address}, {LINE - 1}")
        begin = e.line(f"getelementptr i8, ptr {self._room(array)}, i64 {shift}")
        found = []
        for lane, row in enumerate(direct):
            gathered = e.line(f"getelementptr i8, ptr {begin}, i64 {e.size * size * lane}")
            found.append(e.line(f"select i1 %streamed, ptr {gathered}, ptr {row}"))
        return found

    def flush(self) -> None:
        """Send what the step at %i has gathered on its way."""
        e = self.e
        left = e.line("sub i64 %last, %i")
        count = e.line(f"call i64 @llvm.umin.i64(i64 {left}, i64 {e.width})")
        is_first = e.line("icmp eq i64 %i, %first")
        is_last = e.line(f"icmp sle i64 {left}, {e.width}")
        for array, row in self._first_rows.items():
            size = e.line(f"mul i64 {count}, {e.size * self.sizes[array]}")
            e.lines.append(
                f"  call void @wt.flush(i1 %streamed, ptr {row}, ptr {self._room(array)}, "
                f"i64 {size}, i1 {is_first}, i1 {is_last})"
            )

    def _room(self, array: int) -> str:
        """Address of an output array's part of the room."""
        before = [_room_of(size, self.e.form) for other, size in self.sizes.items() if other < array]
        return self.e.line(f"getelementptr i8, ptr %room, i64 {sum(before)}")


def flush_text(form: Form, attributes: str) -> str:
    """`void wt.flush(streamed, to, from, bytes, is first, is last)`: whole lines from the room to memory.

    The room holds the bytes that belong at `to`, a line at least but on the last step, behind those left over
    from the step before in its first line. On the first step there are none: the bytes of that line in front
    of `to` are not ours to write.
    """
    element, size = form.precision.element, form.precision.bytes
    return f"""
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define internal void @wt.copy(ptr %to, ptr %from, i64 %begin, i64 %end) {attributes} {{
start:
  br label %test
test:
  %at = phi i64 [%begin, %start], [%next, %copy]
  %more = icmp ult i64 %at, %end
  br i1 %more, label %copy, label %done
copy:
  %source = getelementptr i8, ptr %from, i64 %at
  %target = getelementptr i8, ptr %to, i64 %at
  %value = load {element}, ptr %source, align {size}
  store {element} %value, ptr %target, align {size}
  %next = add i64 %at, {size}
  br label %test
done:
  ret void
}}

define internal void @wt.flush(i1 %streamed, ptr %to, ptr %from, i64 %bytes, i1 %is_first, i1 %is_last)
    noinline {attributes} {{
start:
  br i1 %streamed, label %begin, label %done
begin:
  %address = ptrtoint ptr %to to i64
  %shift = and i64 %address, {LINE - 1}
  %end = add i64 %shift, %bytes
  %back = sub i64 0, %shift
  %line = getelementptr i8, ptr %to, i64 %back
  %unaligned = icmp ne i64 %shift, 0
  %partial = and i1 %is_first, %unaligned
  br i1 %partial, label %head, label %lines
head:
  %head_end = call i64 @llvm.umin.i64(i64 %end, i64 {LINE})
  call void @wt.copy(ptr %line, ptr %from, i64 %shift, i64 %head_end)
  br label %lines
lines:
  %at = phi i64 [0, %begin], [%head_end, %head], [%next, %store]
  %next = add i64 %at, {LINE}
  %source = getelementptr i8, ptr %from, i64 %at
  %fits = icmp ule i64 %next, %end
  br i1 %fits, label %store, label %rest
store:
  %target = getelementptr i8, ptr %line, i64 %at
  %whole = load <8 x double>, ptr %source, align {LINE}
  store <8 x double> %whole, ptr %target, align {LINE}, !nontemporal !0
  br label %lines
rest:
  br i1 %is_last, label %tail, label %carry
carry:
  %begun = load <8 x double>, ptr %source, align {size}
  store <8 x double> %begun, ptr %from, align {LINE}
  ret void
tail:
  call void @wt.copy(ptr %line, ptr %from, i64 %at, i64 %end)
  fence seq_cst ; the stores above are not ordered otherwise
  ret void
done:
  ret void
}}

!0 = !{{i32 1}}
"""
