"""Machine code that XLA calls: it takes the buffers of a call and runs a program on them.

XLA hands over a structure that is laid down in `xla/ffi/api/c_api.h` (version 0.1 and later, which only add
to its end). The handler is made by LLVM, so that no compiler is needed. Nothing of the running process is
written into its text, which depends on the shapes alone and is kept on disk: the addresses it needs stand in
a table that is filled after loading.

All arrays have the same axes in front: of one state there are none, and the scalar code runs; else the vector
code. XLA calls from threads of its own, several at once, so memory to work in is taken for each call.
"""

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ..kernels.emit.llvm import BATCH, WORK
from ..kernels.run import build
from ..kernels.run.machine import Code, host
from ..kernels.trace.program import Program
from ..kernels.trace.structure import leaves

HANDLER, TABLE = "wt_ffi", "wt_ffi_table"
ENTRIES = ("one", "many", "one_bytes", "many_bytes", "allocate", "free")
"""`wt_batch` of the scalar and of the vector code, bytes that each needs to work in, and memory for them."""

# Where fields stand: of a call, of its extension that asks for the version, of a buffer.
EXTENSION, ARGUMENTS, RESULTS = 8, 72, 112
KIND, METADATA, METADATA_KIND, MAJOR, MINOR = 8, 24, 1, 24, 28
DATA, RANK, DIMS = 24, 32, 40

LINE = 64  # bytes of a cache line, with which the memory begins


class Handler(NamedTuple):
    """A handler and the code that it runs, which must live as long as XLA may call it.

    Attributes:
        address: Of the function.
        codes: Of the handler, of one state, of many.
    """

    address: int
    codes: tuple[Code, Code, Code]


def handler(program: Program) -> Handler:
    """The handler of a program: its buffers are the inputs and the results, in order."""
    inputs = [entry.size for entry in program.inputs]
    results = list(leaves(program.outputs))
    text = handler_text(inputs, [leaf.size for leaf in results], len(results[0].shape))
    code = build.text_code(text, host())
    one, many = (build.kernel_code(program, host(), width) for width in (1, host().width))
    values = [c.function(BATCH) for c in (one, many)]
    values += [ctypes.c_int64.from_address(c.variable(WORK)).value for c in (one, many)]
    table = (ctypes.c_int64 * len(ENTRIES)).from_address(code.variable(TABLE))
    table[:] = [*values, *_memory_functions()]
    return Handler(code.function(HANDLER), (code, one, many))


@cache
def _memory_functions() -> tuple[int, int]:
    """Addresses of functions that take and give back memory, without the interpreter's lock."""
    functions = ctypes.pythonapi.PyMem_RawMalloc, ctypes.pythonapi.PyMem_RawFree
    take, give = (ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    assert take is not None
    assert give is not None
    return take, give


def handler_text(inputs: Sequence[int], results: Sequence[int], axes: int) -> str:
    """The text of a handler.

    Args:
        inputs, results: Number of scalars of each array of one state.
        axes: Of the first result of one state: those before are the batch.
    """
    sizes = [*((ARGUMENTS, n, size) for n, size in enumerate(inputs)),
             *((RESULTS, n, size) for n, size in enumerate(results))]  # fmt: skip
    rows = "".join(_row(place, *entry) for place, entry in enumerate(sizes))
    work = len(sizes)
    return f"""
@{TABLE} = dso_local global [{len(ENTRIES)} x i64] zeroinitializer

define ptr @{HANDLER}(ptr %call) nounwind {{
start:
  %arrays = alloca [{work + 1} x {{ptr, i64}}]
  %extension_at = getelementptr i8, ptr %call, i64 {EXTENSION}
  %extension = load ptr, ptr %extension_at
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %run, label %extended
extended:
  %kind_at = getelementptr i8, ptr %extension, i64 {KIND}
  %kind = load i32, ptr %kind_at
  %asks = icmp eq i32 %kind, {METADATA_KIND}
  br i1 %asks, label %version, label %run
version:
  %metadata_at = getelementptr i8, ptr %extension, i64 {METADATA}
  %metadata = load ptr, ptr %metadata_at
  %major_at = getelementptr i8, ptr %metadata, i64 {MAJOR}
  store i32 0, ptr %major_at
  %minor_at = getelementptr i8, ptr %metadata, i64 {MINOR}
  store i32 1, ptr %minor_at
  ret ptr null
run:
{rows}
  %rank_at = getelementptr i8, ptr %buffer{len(inputs)}, i64 {RANK}
  %rank = load i64, ptr %rank_at
  %dims_at = getelementptr i8, ptr %buffer{len(inputs)}, i64 {DIMS}
  %dims = load ptr, ptr %dims_at
  %lead = sub i64 %rank, {axes}
  br label %count
count:
  %axis = phi i64 [0, %run], [%axis_next, %multiply]
  %states = phi i64 [1, %run], [%states_next, %multiply]
  %more = icmp slt i64 %axis, %lead
  br i1 %more, label %multiply, label %counted
multiply:
  %dim_at = getelementptr i64, ptr %dims, i64 %axis
  %dim = load i64, ptr %dim_at
  %states_next = mul i64 %states, %dim
  %axis_next = add i64 %axis, 1
  br label %count
counted:
  %single = icmp eq i64 %states, 1
  %which = select i1 %single, i64 0, i64 1
  %code_at = getelementptr ptr, ptr @{TABLE}, i64 %which
  %code = load ptr, ptr %code_at
  %bytes_index = add i64 %which, {ENTRIES.index("one_bytes")}
  %bytes_at = getelementptr i64, ptr @{TABLE}, i64 %bytes_index
  %bytes = load i64, ptr %bytes_at
  %work_at = getelementptr {{ptr, i64}}, ptr %arrays, i64 {work}
  store {{ptr, i64}} zeroinitializer, ptr %work_at
  %needs = icmp sgt i64 %bytes, 0
  br i1 %needs, label %with_memory, label %without
without:
  call void %code(ptr %arrays, i64 0, i64 %states)
  ret ptr null
with_memory:
  %whole = add i64 %bytes, {LINE}
  %allocate_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("allocate")}
  %allocate = load ptr, ptr %allocate_at
  %free_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("free")}
  %free = load ptr, ptr %free_at
  %memory = call ptr %allocate(i64 %whole)
  %address = ptrtoint ptr %memory to i64
  %further = add i64 %address, {LINE - 1}
  %aligned = and i64 %further, {-LINE}
  store i64 %aligned, ptr %work_at
  call void %code(ptr %arrays, i64 0, i64 %states)
  call void %free(ptr %memory)
  ret ptr null
}}
"""


def _row(place: int, listed: int, number: int, size: int) -> str:
    """The lines that put a buffer into the table of arrays: its address, and bytes from state to state."""
    return f"""
  %list_at{place} = getelementptr i8, ptr %call, i64 {listed}
  %list{place} = load ptr, ptr %list_at{place}
  %buffer_at{place} = getelementptr ptr, ptr %list{place}, i64 {number}
  %buffer{place} = load ptr, ptr %buffer_at{place}
  %data_at{place} = getelementptr i8, ptr %buffer{place}, i64 {DATA}
  %data{place} = load ptr, ptr %data_at{place}
  %array{place} = getelementptr {{ptr, i64}}, ptr %arrays, i64 {place}
  store ptr %data{place}, ptr %array{place}
  %stride{place} = getelementptr i8, ptr %array{place}, i64 8
  store i64 {8 * size}, ptr %stride{place}"""
