"""Kernels called one after the other, over and over, by machine code: a script.

A script is a list of instructions on numbers in memory: call a kernel, copy, write a row, branch. All that is
computed is computed by kernels, so that a script says only in which order. It runs without the interpreter,
until it comes to `Halt`, has filled its rows, or has gone round as often as it was told; the memory holds
where it was, so that the next call goes on from there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..emit.llvm import BATCH, ONE, WORK
from . import build
from .kernel import Kernel
from .machine import Code, host

Array = NDArray[np.float64]

_RUN = "wt_script"
_CALL, _FOREIGN, _COPY, _READ, _WRITE, _UNLESS, _AGAIN, _NEXT, _STOP = range(9)

_MOST = 9
"""Arguments of a foreign function, at most. One that takes fewer does not look at the others."""

_LOADS = "\n".join(
    f"  %p{k}_at = getelementptr ptr, ptr %b, i64 {k}\n  %p{k} = load ptr, ptr %p{k}_at, align 8"
    for k in range(_MOST)
)
_PASSED = ", ".join(f"ptr %p{k}" for k in range(_MOST))

# An instruction is four words: what to do, and what with.
_TEXT = f"""
define i64 @{_RUN}(ptr %code, i64 %rows, i64 %rounds) nounwind {{
start:
  br label %fetch
fetch:
  %at = phi i64 [0, %start], [%after, %call], [%after, %foreign], [%after, %copied], [%unless_at, %unless],
    [%to, %around], [%after, %more]
  %row = phi i64 [0, %start], [%row, %call], [%row, %foreign], [%row, %copied], [%row, %unless],
    [%row, %around], [%row_next, %more]
  %left = phi i64 [%rounds, %start], [%left, %call], [%left, %foreign], [%left, %copied], [%left, %unless],
    [%left_now, %around], [%left, %more]
  %after = add i64 %at, 1
  %here = getelementptr [4 x i64], ptr %code, i64 %at
  %a_at = getelementptr i64, ptr %here, i64 1
  %b_at = getelementptr i64, ptr %here, i64 2
  %c_at = getelementptr i64, ptr %here, i64 3
  %op = load i64, ptr %here, align 8
  %a = load ptr, ptr %a_at, align 8
  %b = load ptr, ptr %b_at, align 8
  %to = load i64, ptr %b_at, align 8
  %count = load i64, ptr %c_at, align 8
  switch i64 %op, label %done [i64 {_CALL}, label %call i64 {_FOREIGN}, label %foreign
    i64 {_COPY}, label %copy i64 {_READ}, label %read i64 {_WRITE}, label %write i64 {_UNLESS}, label %unless
    i64 {_AGAIN}, label %again i64 {_NEXT}, label %next]

call:
  call void %a(ptr %b, i64 0, i64 1)
  br label %fetch

foreign:
{_LOADS}
  call void %a({_PASSED})
  br label %fetch

read:
  %along = mul i64 %row, %count
  %from_row = getelementptr double, ptr %a, i64 %along
  br label %copy

write:
  %ahead = mul i64 %row, %count
  %row_at = getelementptr double, ptr %b, i64 %ahead
  br label %copy

copy:
  %source = phi ptr [%a, %fetch], [%from_row, %read], [%a, %write]
  %target = phi ptr [%b, %fetch], [%b, %read], [%row_at, %write]
  %in_blocks = and i64 %count, -8
  br label %block
block:
  %i = phi i64 [0, %copy], [%i_next, %eight]
  %blocks = icmp slt i64 %i, %in_blocks
  br i1 %blocks, label %eight, label %rest
eight:
  %from_eight = getelementptr double, ptr %source, i64 %i
  %onto_eight = getelementptr double, ptr %target, i64 %i
  %values = load <8 x double>, ptr %from_eight, align 8
  store <8 x double> %values, ptr %onto_eight, align 8
  %i_next = add i64 %i, 8
  br label %block
rest:
  %j = phi i64 [%i, %block], [%j_next, %number]
  %numbers = icmp slt i64 %j, %count
  br i1 %numbers, label %number, label %copied
number:
  %from = getelementptr double, ptr %source, i64 %j
  %onto = getelementptr double, ptr %target, i64 %j
  %value = load double, ptr %from, align 8
  store double %value, ptr %onto, align 8
  %j_next = add i64 %j, 1
  br label %rest
copied:
  br label %fetch

unless:
  %flag = load double, ptr %a, align 8
  %holds = fcmp ogt double %flag, 0.0
  %unless_at = select i1 %holds, i64 %after, i64 %to
  br label %fetch

again:
  %left_now = sub i64 %left, 1
  %rounds_left = icmp sgt i64 %left_now, 0
  br i1 %rounds_left, label %around, label %done
around:
  br label %fetch

next:
  %row_next = add i64 %row, 1
  %room = icmp slt i64 %row_next, %rows
  br i1 %room, label %more, label %done
more:
  br label %fetch

done:
  %last = phi i64 [%row, %fetch], [%row, %again], [%row_next, %next]
  ret i64 %last
}}
"""

_RUN_TYPES = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
_Run = ctypes.CFUNCTYPE(*_RUN_TYPES)  # without the interpreter's lock
_RunLocked = ctypes.PYFUNCTYPE(*_RUN_TYPES)  # with it: functions in Python would have to take it each time
_Called = ctypes.PYFUNCTYPE(None)  # it is given arguments like a kernel, and does not look at them


@dataclass(frozen=True, eq=False)
class Call:
    """Call a kernel: `inputs` are where it reads, `outputs` where it writes. No array may be both."""

    kernel: Kernel
    inputs: Sequence[Array]
    outputs: Sequence[Array]


@dataclass(frozen=True, eq=False)
class CallMany:
    """Call a kernel for several states, by its vector code.

    Arrays hold a row for each state, with other numbers behind it maybe; one row of an input serves all.
    """

    kernel: Kernel
    inputs: Sequence[Array]
    outputs: Sequence[Array]


@dataclass(frozen=True, eq=False)
class CallForeign:
    """Call a C function that takes only addresses, as those of LAPACK do, and gives nothing.

    It is given the address of the first number of each array, of any type. It needs no lock of Python.
    """

    address: int
    arguments: Sequence[NDArray[Any]]


@dataclass(frozen=True, eq=False)
class CallPython:
    """Call a function without arguments, which must not raise."""

    function: Callable[[], None]


@dataclass(frozen=True, eq=False)
class Copy:
    """Copy the numbers of an array to another of the same size."""

    source: Array
    target: Array


@dataclass(frozen=True, eq=False)
class Read:
    """Copy the numbers of the present row of an array, (rows, …), into another."""

    rows: Array
    target: Array


@dataclass(frozen=True, eq=False)
class Write:
    """Copy the numbers of an array into the present row of another, (rows, …)."""

    source: Array
    rows: Array


@dataclass(frozen=True)
class Label:
    """A place to go to."""

    name: str


@dataclass(frozen=True, eq=False)
class Unless:
    """Go to a label unless a number is above zero; what is not a number is not."""

    flag: Array
    label: str


@dataclass(frozen=True)
class Again:
    """Go to a label for another round; the script ends if it was the last."""

    label: str


@dataclass(frozen=True)
class Next:
    """The present row is complete; the script ends if it was the last."""


@dataclass(frozen=True)
class Halt:
    """The script ends."""


Instruction = (
    Call | CallMany | CallForeign | CallPython | Copy | Read | Write | Label | Unless | Again | Next | Halt
)


@cache
def _interpreter() -> tuple[Code, Callable[..., int], Callable[..., int]]:
    code = build.text_code(_TEXT, host())
    return code, _Run(code.function(_RUN)), _RunLocked(code.function(_RUN))


class Script:
    """Instructions, ready to run.

    Args:
        instructions: In order. Arrays are of float64, in C order, and stay where they are.

    >>> from whippletree.kernels.trace.recording import trace
    >>> double = Kernel(trace(lambda x: (2.0 * x, 100.0 - 2.0 * x), {"x": ()}))
    >>> x, next_x, room, rows = np.array([3.0]), np.zeros(1), np.zeros(1), np.zeros((9, 1))
    >>> script = Script([
    ...     Label("go"), Call(double, [x], [next_x, room]), Copy(next_x, x), Write(x, rows), Next(),
    ...     Unless(room, "end"), Again("go"), Label("end"), Halt(),
    ... ])
    >>> script(9, 100), rows[:6, 0]
    (6, array([  6.,  12.,  24.,  48.,  96., 192.]))
    """

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self._kept: list[Any] = []  # all that machine code knows by its address
        plain = [entry for entry in instructions if not isinstance(entry, Label)]
        places, number = {}, 0
        for entry in instructions:
            if isinstance(entry, Label):
                places[entry.name] = number
            else:
                number += 1
        self._code = np.array([self._words(entry, places) for entry in plain], dtype=np.int64)
        _, free, locked = _interpreter()
        calls_python = any(isinstance(entry, CallPython) for entry in plain)
        self._at, self._run = self._code.ctypes.data, locked if calls_python else free

    def __call__(self, rows: int, rounds: int) -> int:
        """Run from the first instruction; returns how many rows were written, at most `rows` ≥ 1."""
        return self._run(self._at, rows, rounds)

    def _words(self, entry: Instruction, places: dict[str, int]) -> tuple[int, int, int, int]:
        match entry:
            case Call():
                return self._called(entry)
            case CallMany():
                return self._called_side_by_side(entry)
            case CallForeign():
                return self._given(entry.address, entry.arguments)
            case CallPython():
                called = _Called(entry.function)
                self._kept.append(called)
                address = ctypes.cast(called, ctypes.c_void_p).value
                assert address is not None
                return _CALL, address, 0, 0
            case Copy():
                assert entry.source.size == entry.target.size > 0
                return _COPY, self._address(entry.source), self._address(entry.target), entry.target.size
            case Read():
                assert entry.rows[0].size == entry.target.size > 0
                return _READ, self._address(entry.rows), self._address(entry.target), entry.target.size
            case Write():
                assert entry.source.size == entry.rows[0].size > 0
                return _WRITE, self._address(entry.source), self._address(entry.rows), entry.source.size
            case Unless():
                return _UNLESS, self._address(entry.flag), places[entry.label], 0
            case Again():
                return _AGAIN, 0, places[entry.label], 0
            case Next():
                return _NEXT, 0, 0, 0
            case _:
                return _STOP, 0, 0, 0

    def _given(self, address: int, arguments: Sequence[NDArray[Any]]) -> tuple[int, int, int, int]:
        """A call of the function at an address, which takes those of arrays."""
        addresses = [array.__array_interface__["data"][0] for array in arguments]
        assert all(array.flags.c_contiguous for array in arguments)
        table = np.array(addresses + [0] * (_MOST - len(addresses)), np.int64)
        self._kept += [*arguments, table]
        return _FOREIGN, address, table.ctypes.data, 0

    def _called(self, entry: Call) -> tuple[int, int, int, int]:
        """A call of a kernel: as a function of addresses, or as a batch of one where it needs memory."""
        code = entry.kernel.scalar_code()
        arrays = [*entry.inputs, *entry.outputs]
        shapes = entry.kernel.array_shapes()
        assert [array.size for array in arrays] == [prod(shape) for shape in shapes]
        assert all(array.dtype == np.float64 for array in arrays)
        size = ctypes.c_int64.from_address(code.variable(WORK)).value
        self._kept.append(code)
        if size == 0 and len(arrays) <= _MOST:
            return self._given(code.function(ONE), arrays)
        work = np.empty(size + 64, np.uint8)  # aligned to a line
        table = np.array(
            [*((self._address(array), 0) for array in arrays), (-(-work.ctypes.data // 64) * 64, 0)], np.int64
        )
        self._kept += [work, table]
        return _CALL, code.function(BATCH), table.ctypes.data, 0

    def _called_side_by_side(self, entry: CallMany) -> tuple[int, int, int, int]:
        code = entry.kernel.vector_code()
        arrays = [*entry.inputs, *entry.outputs]
        count = len(entry.outputs[0])
        for array, shape in zip(arrays, entry.kernel.array_shapes(), strict=True):
            assert array.dtype == np.float64
            assert array[0].flags.c_contiguous
            assert array[0].size == prod(shape)
            assert len(array) in (1, count)
        size = ctypes.c_int64.from_address(code.variable(WORK)).value
        work = np.empty(size + 64, np.uint8)  # aligned to a line; none is given where none is needed
        places = [
            (array.__array_interface__["data"][0], array.strides[0] if len(array) > 1 else 0)
            for array in arrays
        ]
        table = np.array([*places, (-(-work.ctypes.data // 64) * 64 if size else 0, 0)], np.int64)
        called = np.array([table.ctypes.data, 0, count, *[0] * (_MOST - 3)], np.int64)
        self._kept += [code, work, table, called, *arrays]
        return _FOREIGN, code.function(BATCH), called.ctypes.data, 0

    def _address(self, array: Array) -> int:
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        self._kept.append(array)
        return array.__array_interface__["data"][0]
