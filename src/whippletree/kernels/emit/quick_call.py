"""The shortest way from Python into code: one state in plain arrays of the very shapes, arrays of results.

`wt_call` is this way and nothing else, compiled with care; whatever is not so goes to `wt_general`, which is
called rarely enough, or for long enough, to be compiled in haste. All checks are written out: of all arrays
at once, first whether they are some, so that nothing else is read as one, then their fields, then their axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from .call_layout import CALL, DATA, DESCR, DIMS, ENTRIES, FLAGS, ITEMS, NDIM, PLAIN, TABLE, TYPE, Shape
from .llvm import attributes

GENERAL = "wt_general"


def quick_call_text(shapes: Sequence[Shape], results: Sequence[Shape]) -> str:
    """IR of `wt_call`; `wt_shape` of the results has to be there, and `wt_general`."""
    writer = _QuickWriter()
    if all(shapes) and results and all(results):
        writer.write(shapes, results)
    else:
        writer.lines.append("  br label %general")
    writer.lines += [
        "general:",
        f"  %handed = call ptr @{GENERAL}(ptr %self, ptr %args, i64 %nargs, ptr %names)",
        "  ret ptr %handed",
    ]
    body = "\n".join(writer.lines)
    head = f"define ptr @{CALL}(ptr %self, ptr %args, i64 %told, ptr %names) {attributes()}"
    # The highest bit says what may be done to the place before the arguments: nothing is.
    count = f"  %nargs = and i64 %told, {(1 << 63) - 1}"
    return f"{head} {{\nstart:\n{count}\n{body}\n}}\n"


class _QuickWriter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def write(self, shapes: Sequence[Shape], results: Sequence[Shape]) -> None:
        """The whole way, with a branch to %general wherever something is not as it should be."""
        code = self._entry("one")
        self._all(
            [f"icmp eq i64 %nargs, {len(shapes)}", "icmp eq ptr %names, null", f"icmp ne ptr {code}, null"]
        )
        slots = [self._value(f"getelementptr ptr, ptr %args, i64 {i}") for i in range(len(shapes))]
        arrays = [self._value(f"load ptr, ptr {slot}, align 8") for slot in slots]
        array_type = self._entry("array_type")
        self._all([f"icmp eq ptr {self._field(a, TYPE)}, {array_type}" for a in arrays])
        dtype, plain = self._entry("dtype"), []
        for a, shape in zip(arrays, shapes, strict=True):
            flags = self._value(f"and i32 {self._field(a, FLAGS, 'i32')}, {PLAIN}")
            plain += [
                f"icmp eq ptr {self._field(a, DESCR)}, {dtype}",
                f"icmp eq i32 {flags}, {PLAIN}",
                f"icmp eq i32 {self._field(a, NDIM, 'i32')}, {len(shape)}",
            ]
        self._all(plain)
        same = []
        for a, shape in zip(arrays, shapes, strict=True):
            dims = self._field(a, DIMS)
            same += [f"icmp eq i64 {self._field(dims, 8 * k, 'i64')}, {d}" for k, d in enumerate(shape)]
        self._all(same)
        data = [self._field(a, DATA) for a in arrays]
        made: list[str] = []
        for k, shape in enumerate(results, start=len(shapes)):
            new = self._value(f"call ptr @wt_new(i32 {len(shape)}, ptr @wt_shape{k})")
            self._unless_null(new, made)
            made.append(new)
        data += [self._field(new, DATA) for new in made]
        self.lines.append(f"  call void {code}({', '.join(f'ptr {at}' for at in data)})")
        if len(made) == 1:
            self.lines.append(f"  ret ptr {made[0]}")
            return
        several = self._value(f"call ptr {self._entry('new_tuple')}(i64 {len(made)})")
        self._unless_null(several, made)
        for k, new in enumerate(made):
            at = self._value(f"getelementptr i8, ptr {several}, i64 {ITEMS + 8 * k}")
            self.lines.append(f"  store ptr {new}, ptr {at}, align 8")
        self.lines.append(f"  ret ptr {several}")

    def _unless_null(self, new: str, made: Sequence[str]) -> None:
        """Go on if there was memory; else let go of what was made before, with the exception that is set."""
        failed = self._value(f"icmp eq ptr {new}, null")
        self._count += 1
        here, there = f"n{self._count}", f"b{self._count}"
        self.lines += [f"  br i1 {failed}, label %{here}, label %{there}", f"{here}:"]
        for old in made:
            self.lines.append(f"  call void {self._entry('decref')}(ptr {old})")
        self.lines += ["  ret ptr null", f"{there}:"]

    def _value(self, text: str) -> str:
        self._count += 1
        self.lines.append(f"  %t{self._count} = {text}")
        return f"%t{self._count}"

    def _field(self, base: str, offset: int, kind: str = "ptr") -> str:
        return self._value(f"load {kind}, ptr {self._value(f'getelementptr i8, ptr {base}, i64 {offset}')}")

    def _entry(self, name: str) -> str:
        return self._field(f"@{TABLE}", 8 * ENTRIES.index(name))

    def _all(self, conditions: Sequence[str]) -> None:
        """Go on if all conditions hold."""
        first, *others = (self._value(condition) for condition in conditions)
        for other in others:
            first = self._value(f"and i1 {first}, {other}")
        self._count += 1
        self.lines += [f"  br i1 {first}, label %b{self._count}, label %general", f"b{self._count}:"]
