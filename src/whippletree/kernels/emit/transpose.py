"""Rows in memory to columns in lanes and back, as LLVM IR.

A batch lies in memory one state after the other; vector code wants one coordinate of several states. Pieces
of B neighbouring coordinates are read from each of W rows and exchanged among registers. Where the row is
no multiple of B the last piece overlaps the one before, so no access leaves the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .vecmath.lanes import Lanes, Real


def load_rows(e: Lanes, rows: Sequence[str], size: int) -> list[Real]:
    """Column j over all lanes, for every j: lane l from the row that starts at pointer `rows[l]`."""
    return [column for piece in load_pieces(e, rows, size) for column in piece]


def load_pieces(e: Lanes, rows: Sequence[str], size: int) -> Iterator[list[Real]]:
    """The columns of `load_rows`, a few at a time, as soon as they are there."""
    loaded = 0
    for start, width in pieces(size, e.width):
        if width == 1:
            found = [_load_column(e, rows, start)]
        else:
            read = [_load(e, row, start, width) for row in rows]
            found = _exchange(e, _join(e, read, width), width)
        yield found[loaded - start :]
        loaded = start + width


def store_piece(e: Lanes, rows: Sequence[str], start: int, columns: Sequence[Real]) -> None:
    """The opposite, for one of the `pieces` of a row: columns start, start + 1, …

    Stores are volatile, which they need not be, because LLVM then leaves them as they are: it would spend
    time quadratic in their number on attempts to merge and to reorder them.
    """
    width = len(columns)
    if width == 1:
        _store_column(e, rows, start, columns[0])
        return
    joined = _exchange(e, columns, width)
    for l, row in enumerate(rows):
        piece = _cut(e, joined[l % width], l // width, width)
        e.lines.append(
            f"  store volatile {_vector(e, width)} {piece}, ptr {_at(e, row, start)}, align {e.size}"
        )


def store_lines(e: Lanes, rows: Sequence[str], start: int, columns: Sequence[Real]) -> None:
    """As many columns as lanes, past the caches, to addresses that are whole vectors apart from 0."""
    for row, line in zip(rows, _exchange(e, columns, e.width), strict=True):
        e.lines.append(
            f"  store {e.real_type} {line}, ptr {_at(e, row, start)}, align {e.bytes}, !nontemporal !0"
        )


def pieces(size: int, lanes: int) -> list[tuple[int, int]]:
    """(start, width) of the pieces that cover a row of `size` numbers."""
    width = min(lanes, 4)  # wider pieces need more exchanges and save no loads worth having
    if lanes == 1 or size <= 1:
        return [(j, 1) for j in range(size)]
    while width > size:
        width //= 2
    found = [(start, width) for start in range(0, size - width + 1, width)]
    left = size % width
    if left == 1:
        found.append((size - 1, 1))
    elif left:
        found.append((size - width, width))
    return found


def _vector(e: Lanes, width: int) -> str:
    return f"<{width} x {e.element}>"


def _at(e: Lanes, row: str, index: int) -> str:
    return row if index == 0 else e.line(f"getelementptr {e.element}, ptr {row}, i64 {index}")


def _load(e: Lanes, row: str, start: int, width: int) -> Real:
    return Real(e.line(f"load {_vector(e, width)}, ptr {_at(e, row, start)}, align {e.size}"))


def _load_column(e: Lanes, rows: Sequence[str], index: int) -> Real:
    values = [e.line(f"load {e.element}, ptr {_at(e, row, index)}, align {e.size}") for row in rows]
    if e.width == 1:
        return Real(values[0])
    column = "undef"
    for l, value in enumerate(values):
        column = e.line(f"insertelement {e.real_type} {column}, {e.element} {value}, i32 {l}")
    return Real(column)


def _store_column(e: Lanes, rows: Sequence[str], index: int, column: Real) -> None:
    for l, row in enumerate(rows):
        value = column if e.width == 1 else e.line(f"extractelement {e.real_type} {column}, i32 {l}")
        e.lines.append(f"  store volatile {e.element} {value}, ptr {_at(e, row, index)}, align {e.size}")


def _shuffle(e: Lanes, a: Real, b: Real, width: int, mask: Sequence[int]) -> Real:
    indices = ", ".join(f"i32 {i}" for i in mask)
    vector = _vector(e, width)
    return Real(e.line(f"shufflevector {vector} {a}, {vector} {b}, <{len(mask)} x i32> <{indices}>"))


def _join(e: Lanes, read: list[Real], width: int) -> list[Real]:
    """Vector k, of `width`, holds the pieces of rows k, k + width, … side by side."""
    joined = []
    for k in range(width):
        parts, size = read[k::width], width
        while len(parts) > 1:
            parts = [
                _shuffle(e, a, b, size, range(2 * size)) for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
            size *= 2
        joined.append(parts[0])
    return joined


def _cut(e: Lanes, joined: Real, group: int, width: int) -> Real:
    """Piece `group` of a vector."""
    if width == e.width:
        return joined
    return _shuffle(e, joined, joined, e.width, range(group * width, (group + 1) * width))


def _exchange(e: Lanes, vectors: Sequence[Real], width: int) -> list[Real]:
    """Transpose the width x width blocks, one for every group of lanes, across `width` vectors."""
    values = list(vectors)
    step = 1
    while step < width:
        for k in range(width):
            if k & step:
                continue
            a, b = values[k], values[k + step]
            low, high = [], []
            for lane in range(e.width):
                if lane & step:
                    low.append(e.width + lane - step)
                    high.append(e.width + lane)
                else:
                    low.append(lane)
                    high.append(lane + step)
            values[k] = _shuffle(e, a, b, e.width, low)
            values[k + step] = _shuffle(e, a, b, e.width, high)
        step *= 2
    return values
