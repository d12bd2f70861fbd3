"""What a native call knows of CPython and NumPy: where fields stand, and small functions that read them."""

from __future__ import annotations

from typing import NamedTuple

from ..trace.precision import Precision
from ..trace.program import Program
from ..trace.structure import leaves
from .llvm import attributes

Shape = tuple[int, ...]

CALL = "wt_call"
TABLE = "wt_python"

# Entries of the table, in order.
ENTRIES = (
    "array_type",  # type object of numpy.ndarray
    "dtype",  # that of native numbers of the precision; arrays that were pickled have copies of it
    "float_type",  # type object of float
    "float64_type",  # type object of numpy.float64
    "tuple_type",  # type object of tuple
    "out_name",  # the interned string "out"
    "slow",  # what takes over when something is not plain: a Python callable
    "one",  # address of wt_one; null as long as it is not compiled
    "batch",  # address of wt_batch of the vector code; likewise
    "work",  # memory for one call of it at a time, null for none; a line before it, whether it is taken
    "long",  # number of states from which on other threads may run meanwhile
    "new_array",  # PyArray_NewFromDescr
    "to_scalar",  # PyArray_Return
    "new_tuple",  # PyTuple_New
    "vectorcall",  # PyObject_Vectorcall
    "incref",  # Py_IncRef
    "decref",  # Py_DecRef
    "release",  # PyEval_SaveThread
    "resume",  # PyEval_RestoreThread
)

# Layout of CPython objects and NumPy arrays on 64-bit builds with a GIL.
TYPE = 8
SIZE = 16  # of a tuple
ITEMS = tuple.__basicsize__  # of a tuple; from Python 3.14 on its hash stands before them
FLOAT = 16  # value of a float or numpy.float64
DATA, NDIM, DIMS, DESCR, FLAGS = 16, 24, 32, 56, 64
KIND = 16  # of a dtype: the type of its numbers, and a word of kind, byte order and number
PLAIN = 0x001 | 0x100  # C-contiguous, aligned
WRITEABLE = 0x400


class Signature(NamedTuple):
    """Everything that a native call depends on, but for the code of this package.

    Attributes:
        inputs, results: Shapes of the arrays of a program.
        precision: What these are made of.
        items: Where those of a tuple stand in this version of Python.
    """

    inputs: list[Shape]
    results: list[Shape]
    precision: Precision
    items: int = ITEMS

    @staticmethod
    def of(program: Program, precision: Precision) -> Signature:
        """That of a program."""
        results = [leaf.shape for leaf in leaves(program.outputs)]
        return Signature([entry.shape for entry in program.inputs], results, precision)


MOST_AXES = 32


HELPERS = f"""
@{TABLE} = dso_local global [{len(ENTRIES)} x ptr] zeroinitializer

; Number of axes in front of the given shape, -1 if this is not a plain array ending in it.
define internal i64 @wt_lead(ptr %a, i64 %ndim, ptr %dims, i32 %flags) {attributes()} {{
start:
  %type_at = getelementptr i8, ptr %a, i64 {TYPE}
  %type = load ptr, ptr %type_at
  %array_type = load ptr, ptr @{TABLE}
  %is_array = icmp eq ptr %type, %array_type
  br i1 %is_array, label %array, label %no
array:
  %descr_at = getelementptr i8, ptr %a, i64 {DESCR}
  %descr = load ptr, ptr %descr_at
  %dtype_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("dtype")}
  %dtype = load ptr, ptr %dtype_at
  %its_kind = getelementptr i8, ptr %descr, i64 {KIND}
  %kind = getelementptr i8, ptr %dtype, i64 {KIND}
  %is_real = call i1 @wt_same(ptr %its_kind, ptr %kind, i64 2)
  %flags_at = getelementptr i8, ptr %a, i64 {FLAGS}
  %has = load i32, ptr %flags_at
  %wanted = and i32 %has, %flags
  %plain = icmp eq i32 %wanted, %flags
  %good = and i1 %is_real, %plain
  %ndim_at = getelementptr i8, ptr %a, i64 {NDIM}
  %ndim32 = load i32, ptr %ndim_at
  %has_ndim = sext i32 %ndim32 to i64
  %lead = sub i64 %has_ndim, %ndim
  %enough = icmp sge i64 %lead, 0
  %fits = and i1 %good, %enough
  br i1 %fits, label %shape, label %no
shape:
  %dims_at = getelementptr i8, ptr %a, i64 {DIMS}
  %all = load ptr, ptr %dims_at
  %tail = getelementptr i64, ptr %all, i64 %lead
  %same = call i1 @wt_same(ptr %tail, ptr %dims, i64 %ndim)
  br i1 %same, label %yes, label %no
yes:
  ret i64 %lead
no:
  ret i64 -1
}}

define internal i1 @wt_same(ptr %a, ptr %b, i64 %count) {attributes()} {{
start:
  br label %test
test:
  %i = phi i64 [0, %start], [%next, %compare]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %compare, label %yes
compare:
  %a_at = getelementptr i64, ptr %a, i64 %i
  %b_at = getelementptr i64, ptr %b, i64 %i
  %a_i = load i64, ptr %a_at
  %b_i = load i64, ptr %b_at
  %next = add i64 %i, 1
  %equal = icmp eq i64 %a_i, %b_i
  br i1 %equal, label %test, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}

; A new array of numbers; null and an exception set if there is no memory.
define internal ptr @wt_new(i32 %ndim, ptr %dims) {attributes()} {{
  %incref_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("incref")}
  %incref = load ptr, ptr %incref_at
  %dtype_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("dtype")}
  %dtype = load ptr, ptr %dtype_at
  call void %incref(ptr %dtype)
  %new_at = getelementptr ptr, ptr @{TABLE}, i64 {ENTRIES.index("new_array")}
  %new = load ptr, ptr %new_at
  %type = load ptr, ptr @{TABLE}
  %a = call ptr %new(ptr %type, ptr %dtype, i32 %ndim, ptr %dims, ptr null, ptr null, i32 0, ptr null)
  ret ptr %a
}}
"""
