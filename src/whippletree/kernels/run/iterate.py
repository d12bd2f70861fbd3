"""A program applied to its own results over and over, for many trajectories: the loop, too, is machine code.

The driver below calls a program's `wt_batch` for as many trajectories as it computes at a time, step after
step, before it goes on to the next ones. It only moves addresses: what a step writes is where the next one
reads, in the output array or, between two recorded steps, in a work space of a few rows that stays in the
processor's nearest memory. So a trajectory costs its steps and nothing more, whatever the program.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..emit.llvm import BATCH, WORK
from ..trace.precision import DOUBLE, Precision
from ..trace.program import Program
from ..trace.structure import leaves
from . import build, threads
from .machine import Code, host

Array = NDArray[np.floating[Any]]

_LINE = 64
_DRIVER = "wt_iterate"

# Entries of the plan are three numbers: an address, the distance between trajectories, and that between
# steps, in bytes. In order: the S states at the start, the V other inputs, the S outputs, the S rows of the
# work space. The table is that of `wt_batch`: S states in, V other inputs, S states out, two numbers each.
_TEXT = f"""
define void @{_DRIVER}(ptr %batch, ptr %plan, ptr %table, i64 %S, i64 %V, i64 %first, i64 %last,
                       i64 %width, i64 %steps, i64 %every) nounwind {{
start:
  %inputs = add i64 %S, %V
  %works = add i64 %inputs, %S
  %any_rows = icmp slt i64 %first, %last
  %any_steps = icmp sgt i64 %steps, 0
  %any = and i1 %any_rows, %any_steps
  br i1 %any, label %block, label %done

block:
  %i = phi i64 [%first, %start], [%next, %block_end]
  %beyond = add i64 %i, %width
  %full = icmp slt i64 %beyond, %last
  %end = select i1 %full, i64 %beyond, i64 %last
  call void @set(ptr %table, i64 0, ptr %plan, i64 0, i64 %inputs, i64 0, i64 0)
  br label %step

step:
  %k = phi i64 [0, %block], [%k_next, %step_end]
  %left = phi i64 [%every, %block], [%left_next, %step_end]
  %slot = phi i64 [0, %block], [%slot_next, %step_end]
  call void @set(ptr %table, i64 %S, ptr %plan, i64 %S, i64 %V, i64 %k, i64 0)
  %left_now = sub i64 %left, 1
  %recorded = icmp eq i64 %left_now, 0
  br i1 %recorded, label %record, label %pass

record:
  call void @set(ptr %table, i64 %inputs, ptr %plan, i64 %inputs, i64 %S, i64 %slot, i64 0)
  %slot_more = add i64 %slot, 1
  br label %step_end

pass:
  call void @set(ptr %table, i64 %inputs, ptr %plan, i64 %works, i64 %S, i64 0, i64 %i)
  br label %step_end

step_end:
  %left_next = phi i64 [%every, %record], [%left_now, %pass]
  %slot_next = phi i64 [%slot_more, %record], [%slot, %pass]
  call void %batch(ptr %table, i64 %i, i64 %end)
  %from = getelementptr {{i64, i64}}, ptr %table, i64 %inputs
  %bytes = mul i64 %S, 16
  call void @copy(ptr %table, ptr %from, i64 %bytes)
  %k_next = add i64 %k, 1
  %more = icmp slt i64 %k_next, %steps
  br i1 %more, label %step, label %block_end

block_end:
  %next = add i64 %i, %width
  %blocks = icmp slt i64 %next, %last
  br i1 %blocks, label %block, label %done

done:
  ret void
}}

; Entries to, to + 1, … of the table, from as many of the plan, at a step; row `first` is where they begin.
define internal void @set(ptr %table, i64 %to, ptr %plan, i64 %from, i64 %count, i64 %step, i64 %first)
    nounwind {{
start:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %entry, label %done
entry:
  %j = phi i64 [0, %start], [%j_next, %entry]
  %source = add i64 %from, %j
  %target = add i64 %to, %j
  %source_at = getelementptr {{i64, i64, i64}}, ptr %plan, i64 %source
  %row_at = getelementptr i8, ptr %source_at, i64 8
  %step_at = getelementptr i8, ptr %source_at, i64 16
  %base = load i64, ptr %source_at, align 8
  %row = load i64, ptr %row_at, align 8
  %stride = load i64, ptr %step_at, align 8
  %ahead = mul i64 %step, %stride
  %behind = mul i64 %first, %row
  %there = add i64 %base, %ahead
  %address = sub i64 %there, %behind
  %target_at = getelementptr {{i64, i64}}, ptr %table, i64 %target
  store i64 %address, ptr %target_at, align 8
  %target_row_at = getelementptr i8, ptr %target_at, i64 8
  store i64 %row, ptr %target_row_at, align 8
  %j_next = add i64 %j, 1
  %more = icmp slt i64 %j_next, %count
  br i1 %more, label %entry, label %done
done:
  ret void
}}

define internal void @copy(ptr %to, ptr %from, i64 %bytes) nounwind {{
start:
  %any = icmp sgt i64 %bytes, 0
  br i1 %any, label %word, label %done
word:
  %j = phi i64 [0, %start], [%j_next, %word]
  %from_at = getelementptr i8, ptr %from, i64 %j
  %to_at = getelementptr i8, ptr %to, i64 %j
  %value = load i64, ptr %from_at, align 8
  store i64 %value, ptr %to_at, align 8
  %j_next = add i64 %j, 8
  %more = icmp slt i64 %j_next, %bytes
  br i1 %more, label %word, label %done
done:
  ret void
}}
"""

_Driver = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 7)  # runs without the GIL


@cache
def _driver() -> tuple[Code, Callable[..., None]]:
    code = build.text_code(_TEXT, host())
    return code, _Driver(code.function(_DRIVER))


class Series(NamedTuple):
    """An input for every trajectory and step.

    Attributes:
        array: Whose last axes are one step's.
        row: Bytes between trajectories; 0: the same for all.
        step: Bytes between steps; 0: the same for all.
    """

    array: Array
    row: int
    step: int

    @classmethod
    def of(cls, array: Array, shape: tuple[int, ...]) -> Series:
        """An array of one step's shape, the same for all, or (rows, steps, *shape) of one row or many."""
        if array.ndim == len(shape):
            return cls(_packed(array, 0), 0, 0)
        array = _packed(array, 2)
        return cls(array, array.strides[0] if len(array) > 1 else 0, array.strides[1])

    def part(self, first: int, last: int, rows: NDArray[np.intp] | None = None) -> Series:
        """Some steps, of all trajectories or of those with the given numbers."""
        if not self.step:
            return self if rows is None or not self.row else self._replace(array=self.array[rows])
        array = self.array[:, first:last] if rows is None or not self.row else self.array[rows, first:last]
        return Series(array, array.strides[0] if self.row else 0, array.strides[1])


def _packed(array: Array, axes: int) -> Array:
    """The array with what is behind its first axes in C order; itself if it is so already."""
    inner = array[(0,) * axes]
    return array if inner.flags.c_contiguous and array.flags.aligned else np.array(array, order="C")


def overwritten(array: Array, steps: int) -> Array:
    """(rows, steps, *shape) out of (rows, *shape): to write into where only the last step is of interest."""
    shape, strides = (len(array), steps, *array.shape[1:]), (array.strides[0], 0, *array.strides[1:])
    return np.lib.stride_tricks.as_strided(array, shape, strides)


class Iteration:
    """Machine code that applies a program to its own results.

    Args:
        program: Its outputs are as many arrays as `states`, of the shapes of its first inputs.
        states: How many inputs are fed with the outputs of the step before.
        width: Trajectories at a time: as many as fill a vector, or 1 where there is but one to compute.
        precision: Of all arrays.

    >>> from whippletree.kernels.trace.recording import trace
    >>> program = trace(lambda x, u: 0.5 * x + u, {"x": (2,), "u": (2,)})
    >>> half, out = Iteration(program, 1), np.empty((3, 4, 2))
    >>> half([np.ones((3, 2))], [Series(np.array([1.0, 0.0]), 0, 0)], [out], steps=8, every=2, threads=1)
    >>> out[0, :, 0]
    array([1.75      , 1.9375    , 1.984375  , 1.99609375])
    """

    def __init__(
        self, program: Program, states: int, width: int | None = None, precision: Precision = DOUBLE
    ) -> None:
        shapes = [leaf.shape for leaf in leaves(program.outputs)]
        assert shapes == [entry.shape for entry in program.inputs[:states]]
        self.program = program
        self.states = states
        self.precision = precision
        self.width: int = host().lanes(precision) if width is None else width
        self._code = build.kernel_code(program, host(), self.width, precision)
        self._work_bytes = ctypes.c_int64.from_address(self._code.variable(WORK)).value

    def __reduce__(self) -> tuple[type[Iteration], tuple[Program, int, int | None, Precision]]:
        # Compiled anew where it arrives, for the vectors that are there.
        return Iteration, (self.program, self.states, 1 if self.width == 1 else None, self.precision)

    @property
    def state_shapes(self) -> list[tuple[int, ...]]:
        """Of one trajectory's states."""
        return [entry.shape for entry in self.program.inputs[: self.states]]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of one step's entry of each series: of all inputs that are no states."""
        return [entry.shape for entry in self.program.inputs[self.states :]]

    def __call__(
        self,
        starts: Sequence[Array],
        series: Sequence[Series],
        outs: Sequence[Array],
        *,
        steps: int,
        every: int,
        threads: int,
    ) -> None:
        """Run all trajectories.

        Args:
            starts: (count, *shape) for each state, or (1, *shape) if all start alike.
            series: For each further input, in order.
            outs: (count, steps // every, *shape) for each state, in C order: where the recorded ones go.
            steps: How many.
            every: Of how many steps the last is recorded.
            threads: How many at most.
        """
        _run(self, starts, series, outs, steps, every, threads)

    def plan(
        self, starts: Sequence[Array], series: Sequence[Series], outs: Sequence[Array]
    ) -> list[tuple[int, int, int]]:
        """The driver's plan without the work space."""
        entries = [(_address(a), a.strides[0] if len(a) > 1 else 0, 0) for a in starts]
        entries += [(_address(s.array), s.row, s.step) for s in series]
        return entries + [(_address(a), a.strides[0], a.strides[1]) for a in outs]


def _run(
    iteration: Iteration,
    starts: Sequence[Array],
    series: Sequence[Series],
    outs: Sequence[Array],
    steps: int,
    every: int,
    n_threads: int,
) -> None:
    count, width, S = len(outs[0]), iteration.width, iteration.states
    precision = iteration.precision
    inputs = len(iteration.program.inputs)
    sizes = [precision.bytes * entry.size for entry in iteration.program.inputs[:S]]
    batch, (_, drive) = iteration._code.function(BATCH), _driver()

    piece, n_threads = threads.pieces(count, width, n_threads)
    begins = itertools.count(0, piece)  # `next` on it is atomic

    def work() -> None:
        room = _Room(sum(sizes) * width + iteration._work_bytes + 2 * _LINE)
        rows, address = [], room.address
        for size in sizes:
            rows.append((address, size, 0))
            address += size * width
        # The plan is made here, so that whoever has this work has the arrays, also after an interrupt.
        plan = np.array([*iteration.plan(starts, series, outs), *rows], dtype=np.int64)
        table = np.zeros((inputs + S + 1, 2), dtype=np.int64)
        if iteration._work_bytes:
            table[-1, 0] = -(-address // _LINE) * _LINE
        while (first := next(begins)) < count:
            drive(
                *(batch, plan.ctypes.data, table.ctypes.data),
                *(S, inputs - S, first, min(first + piece, count), width, steps, every),
            )

    threads.run(work, n_threads)


class _Room:
    """Memory that begins with a cache line."""

    def __init__(self, size: int) -> None:
        self._memory = np.zeros(size + _LINE, np.uint8)
        self.address = -(-self._memory.ctypes.data // _LINE) * _LINE


def _address(array: Any) -> int:
    return array.__array_interface__["data"][0]
