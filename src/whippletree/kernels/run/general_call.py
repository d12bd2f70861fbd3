"""The way into a kernel for arguments of every form: by name, lists, other dtypes, any strides, broadcast."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from math import prod
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, refuse_masked
from ..emit.llvm import BATCH, ONE, ONE_WORK, SHARE, WORK
from ..emit.memory import LINE, ROOM, STREAMED
from ..trace.arguments import bind
from ..trace.precision import Precision
from ..trace.program import Input, Program
from ..trace.structure import Structure, leaves, paths
from . import build, call, threads
from .machine import Code, host
from .threads import checked

Array = NDArray[np.floating[Any]]
Shape = tuple[int, ...]

# Runs without the interpreter's lock.
_Share = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

_SHORTEST_PIECE = 1 << 18  # instructions; handing less to another thread takes longer than doing it


class Checked:
    """Calls a program's machine code after checking and arranging the arguments.

    Code is made when it is first needed: scalar for one state, vector for more.

    Attributes:
        program: What is computed.
    """

    def __init__(self, program: Program, precision: Precision) -> None:
        self.program = program
        self._precision = precision
        self._dtype = np.dtype(precision.dtype)
        self._entrances: list[Code] = []
        self._lock = Lock()
        self._codes: dict[int, tuple[Code, Any, int, int]] = {}  # by width: code, wt_share, wt_work, wt_room
        self._memory = local()

    def __call__(self, *arguments: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Check, run, and return the output arrays: one alone as it is, any other number in a tuple."""
        n_threads = checked(threads)
        inputs = self.program.inputs
        bound = bind([entry.name for entry in inputs], arguments, named)
        values = [_real(entry, value, self._dtype) for entry, value in zip(inputs, bound, strict=True)]
        leads = [v.shape[: v.ndim - len(entry.shape)] for entry, v in zip(inputs, values, strict=True)]
        batch = _common(inputs, leads)
        count = prod(batch)
        rows = [_rows(v, lead, batch) for v, lead in zip(values, leads, strict=True)]

        shapes = [(*batch, *leaf.shape) for leaf in leaves(self.program.outputs)]
        places = (
            list(_destinations(self.program.outputs, out, shapes, self._dtype)) if out is not None else None
        )
        results = [
            np.empty(shape, self._dtype)
            if place is None or not _plain(place) or _overlaps(place, values)
            else place
            for place, shape in zip(places or [None] * len(shapes), shapes, strict=True)
        ]
        if count:
            tables = [r.reshape(count, prod(r.shape[len(batch) :])) for r in results]
            self._run(rows, tables, count, n_threads)
        if places is not None:
            for place, result in zip(places, results, strict=True):
                if place is not result:
                    place[...] = result
            results = places
        else:
            results = [result if result.ndim else result[()] for result in results]  # numbers, not 0-d arrays
        return results[0] if len(results) == 1 else tuple(results)

    def _run(self, inputs: Sequence[Array], results: Sequence[Array], count: int, n_threads: int) -> None:
        """Compute all rows. Inputs of one row are the same for all."""
        width = 1 if count == 1 else host().lanes(self._precision)
        function, work_bytes, room_bytes = self._function(width)
        if sum(array.nbytes for array in (*inputs, *results)) >= STREAMED:
            work_bytes = max(work_bytes, room_bytes)
        per_piece = max(1, _SHORTEST_PIECE // (self.program.n_executed + 1) // width) * width
        size, n_threads = threads.pieces(count, per_piece, n_threads)
        begin = np.zeros(1, np.int64)  # of the next piece

        def work() -> None:
            # Made here, so that whoever has this work has the arrays, also after an interrupt.
            arrays = [
                (t.__array_interface__["data"][0], t.strides[0] if len(t) > 1 else 0)
                for t in (*inputs, *results)
            ]
            table = np.array([*arrays, (self._workspace(work_bytes), 0)], dtype=np.int64)
            function(table.ctypes.data, begin.ctypes.data, count, size)

        threads.run(work, n_threads)

    def _workspace(self, size: int) -> int:
        """Address of memory for this thread's call alone; kept for the next."""
        if size == 0:
            return 0
        memory = getattr(self._memory, "array", None)
        if memory is None or len(memory) < size + LINE:
            memory = self._memory.array = np.empty(size + LINE, np.uint8)
        return _aligned(memory)

    def _function(self, width: int) -> tuple[Any, int, int]:
        """The code for `width` states at a time, made if there is none; the memory it needs and can use."""
        with self._lock:
            if width not in self._codes:
                code = build.kernel_code(self.program, host(), width, self._precision)
                work_bytes, room_bytes = (
                    ctypes.c_int64.from_address(code.variable(name)).value for name in (WORK, ROOM)
                )
                if width == 1:
                    # One piece of memory will do: an entrance keeps the interpreter's lock for one state.
                    self._memory_of_one = np.empty(work_bytes + LINE, np.uint8)
                    ctypes.c_int64.from_address(code.variable(ONE_WORK)).value = _aligned(self._memory_of_one)
                else:
                    # The first line says whether a call has it: an entrance may run without the lock.
                    self._memory_of_batch = np.zeros(work_bytes + 2 * LINE, np.uint8)
                self._codes[width] = code, _Share(code.function(SHARE)), work_bytes, room_bytes
                self._announce()
            return self._codes[width][1:]

    def code(self, width: int) -> Code:
        """The machine code for `width` states at a time."""
        self._function(width)
        return self._codes[width][0]

    def attach(self, entrance: Code) -> None:
        """Let a native call module know of all code it can run, now and later."""
        with self._lock:
            self._entrances.append(entrance)
            self._announce()

    def _announce(self) -> None:
        for width, (code, _, work_bytes, _) in self._codes.items():
            for entrance in self._entrances:
                if width == 1:
                    call.set_entry(entrance, "one", code.function(ONE))
                else:
                    work = _aligned(self._memory_of_batch) + LINE if work_bytes else 0
                    call.set_entry(entrance, "work", work)
                    call.set_entry(entrance, "batch", code.function(BATCH))


def _aligned(memory: NDArray[np.uint8]) -> int:
    """Address of the first whole line."""
    return -(-memory.ctypes.data // LINE) * LINE


def _real(entry: Input, value: Any, dtype: np.dtype[Any]) -> Array:
    """The argument as an array of this dtype whose last axes have the input's shape."""
    refuse_masked(value, entry.name)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{entry.name} is not an array of numbers: {error}") from error
    if array.dtype.kind not in "fiub":
        raise InputError(f"{entry.name} has dtype {array.dtype}, expected real numbers")
    axes = len(entry.shape)
    if array.ndim < axes or array.shape[array.ndim - axes :] != entry.shape:
        batched = ", ".join(["...", *map(str, entry.shape)])
        raise InputError(f"{entry.name} has shape {array.shape}, expected {entry.shape} or ({batched})")
    with np.errstate(over="ignore"):
        converted = array.astype(dtype, copy=False)
    if converted is not array and np.isinf(converted).any() and np.isfinite(array[np.isinf(converted)]).any():
        largest = float(np.abs(array[np.isfinite(array)]).max())
        raise InputError(
            f"{entry.name} has the number {largest:g}, and {dtype} ends at {np.finfo(dtype).max:g}"
        )
    return converted


def _common(inputs: Sequence[Input], leads: Sequence[Shape]) -> Shape:
    """The leading axes of all arguments, broadcast against one another."""
    batch: Shape = ()
    for i, lead in enumerate(leads):
        try:
            batch = np.broadcast_shapes(batch, lead)
        except ValueError:
            for j in range(i):
                try:
                    np.broadcast_shapes(leads[j], lead)
                except ValueError:
                    raise InputError(
                        f"{inputs[j].name} has leading axes {leads[j]}, {inputs[i].name} has {lead}: "
                        "lengths must be equal or 1"
                    ) from None
            raise
    return batch


def _rows(value: Array, lead: Shape, batch: Shape) -> Array:
    """The argument as a table, one row a state with its numbers side by side; one row if it serves all."""
    shape = value.shape[len(lead) :]
    size = prod(shape)
    if prod(lead) == 1:
        table = value.reshape(1, size)
    elif lead == batch:
        table = value.reshape(prod(batch), size)
    else:
        table = np.broadcast_to(value, (*batch, *shape)).reshape(prod(batch), size)
    if not table.flags.aligned or (size > 1 and table.strides[1] != table.itemsize):
        table = table.copy()
    return table


def _plain(array: Array) -> bool:
    """Whether machine code can write into the array as it is."""
    return array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative


def _overlaps(array: Array, others: Sequence[Array]) -> bool:
    return any(np.may_share_memory(array, other) for other in others)


def _destinations(
    structure: Structure, out: Any, shapes: Sequence[Shape], dtype: np.dtype[Any]
) -> Iterator[Array]:
    """The arrays of `out`, nested as the outputs are, checked; no two of them hold the same memory."""
    labelled: list[tuple[str, Array]] = []
    for path, shape in zip(paths(structure), shapes, strict=True):
        place, label = out, "out" + "".join(f"[{key!r}]" for key in path)
        try:
            for key in path:
                place = place[key]
        except (TypeError, KeyError, IndexError) as error:
            raise InputError(f"{label} is missing: out must be nested as the outputs are") from error
        if not isinstance(place, np.ndarray):
            raise InputError(f"{label} is of type {type(place).__name__}, expected a NumPy array")
        if place.dtype != dtype:
            raise InputError(f"{label} has dtype {place.dtype}, expected {dtype}")
        if place.shape != shape:
            raise InputError(f"{label} has shape {place.shape}, expected {shape}")
        if not place.flags.writeable:
            raise InputError(f"{label} is read-only")
        refuse_masked(place, label)
        for other, array in labelled:
            if np.shares_memory(array, place):
                raise InputError(f"{other} and {label} share memory: give each output an array of its own")
        labelled.append((label, place))
        yield place
