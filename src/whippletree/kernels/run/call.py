"""A Python function made of machine code: argument checks, allocation and kernel in one native call.

The object this gives is an ordinary built-in function. It relies on the memory layout of CPython objects
and NumPy arrays, which is as stated for all versions listed here; on any other the caller goes through
ctypes, which is slower and needs no such knowledge.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..emit import call_layout as layout
from ..emit.call_layout import CALL, ENTRIES, TABLE
from ..trace.precision import Precision
from . import direct
from .machine import Code

_METH_FASTCALL, _METH_KEYWORDS = 0x0080, 0x0002
# Places in NumPy's table of C functions.
_PYARRAY_RETURN, _PYARRAY_NEW_FROM_DESCR = 76, 94
_OLDEST, _NEWEST = (3, 11), (3, 14)


@cache
def supported() -> bool:
    """Whether the layout of objects in this interpreter is the one `call_layout` states."""
    return (
        sys.implementation.name == "cpython"
        and _OLDEST <= sys.version_info[:2] <= _NEWEST
        and not hasattr(sys, "getobjects")  # builds that trace references have larger objects
        and struct.calcsize("P") == 8
        and int(np.__version__.split(".")[0]) == 2
        and _layout_holds()
        and direct.layout_holds()
    )


def _layout_holds() -> bool:
    """Whether the fields of arrays, tuples and floats stand where they are expected.

    In builds without a global lock they do not: every object begins with more there. (Python's own record of
    how it was built takes a millisecond to import.)
    """

    def word(thing: object, offset: int) -> int:
        return ctypes.c_int64.from_address(id(thing) + offset).value

    array, number, scalar = np.zeros((2, 3, 5)), 1.5, np.float64(2.5)
    pair = (array, number)
    flags = layout.PLAIN | layout.WRITEABLE
    return (
        word(array, layout.TYPE) == id(np.ndarray)
        and word(array, layout.DATA) == array.ctypes.data
        and ctypes.c_int.from_address(id(array) + layout.NDIM).value == 3
        and tuple((ctypes.c_int64 * 3).from_address(word(array, layout.DIMS))) == (2, 3, 5)
        and word(array, layout.DESCR) == id(array.dtype)
        and word(array.dtype, layout.KIND) == id(np.float64)
        and ctypes.string_at(id(array.dtype) + layout.KIND + 8, 3) == b"fd="
        and ctypes.c_int.from_address(id(array.dtype) + layout.KIND + 12).value == array.dtype.num
        and ctypes.c_int.from_address(id(array) + layout.FLAGS).value & flags == flags
        and ctypes.c_double.from_address(id(number) + layout.FLOAT).value == number
        and ctypes.c_double.from_address(id(scalar) + layout.FLOAT).value == scalar
        and word(pair, layout.SIZE) == 2
        and (word(pair, layout.ITEMS), word(pair, layout.ITEMS + 8)) == (id(array), id(number))
    )


def native_function(
    name: str, code: Code, precision: Precision, slow: Callable[..., Any], long_from: int
) -> Any:
    """The built-in function whose body is `wt_call` of this code.

    Args:
        name: Shown by `repr`.
        code: A module of `call_text`, used by nobody else: its table is filled here.
        precision: Of the arrays it was made for.
        slow: Called with the same arguments where they are not plain arrays of the right shape. The function
            keeps it and the code alive; it must not in turn refer to the function.
        long_from: Batches of so many states run without the interpreter's lock.
    """
    own = {"slow": id(slow), "long": long_from, "dtype": id(np.dtype(precision.dtype))}
    for entry, address in {**_process_table(), **own}.items():
        set_entry(code, entry, address)
    # A PyMethodDef has to outlive the function that refers to it. Its bytes, and all it refers to, are
    # items of the tuple that is the function's `self`: released when the function is, not before.
    name_bytes = name.encode() + b"\0"
    flags = _METH_FASTCALL | _METH_KEYWORDS
    definition = struct.pack("@PPiP", _payload(name_bytes), code.function(CALL), flags, 0)
    owner = (definition, name_bytes, slow, code)
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    create.restype = ctypes.py_object
    return create(_payload(definition), owner, None)


def set_entry(code: Code, entry: str, address: int) -> None:
    """Write an address into the table of a call module. What it points to must live as long as the code."""
    table = (ctypes.c_void_p * len(ENTRIES)).from_address(code.variable(TABLE))
    table[ENTRIES.index(entry)] = address


def _payload(data: bytes) -> int:
    """Address of the content of a bytes object."""
    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    assert address is not None
    return address


@cache
def _process_table() -> dict[str, int]:
    """Addresses of Python's and NumPy's objects and functions in this process."""
    api = _numpy_api()
    functions = {
        "new_tuple": "PyTuple_New",
        "vectorcall": "PyObject_Vectorcall",
        "incref": "Py_IncRef",
        "decref": "Py_DecRef",
        "release": "PyEval_SaveThread",
        "resume": "PyEval_RestoreThread",
    }
    table = {entry: _address(getattr(ctypes.pythonapi, function)) for entry, function in functions.items()}
    table["new_array"] = api[_PYARRAY_NEW_FROM_DESCR]
    table["to_scalar"] = api[_PYARRAY_RETURN]
    table["array_type"] = id(np.ndarray)
    table["float_type"] = id(float)
    table["float64_type"] = id(np.float64)
    table["tuple_type"] = id(tuple)
    table["out_name"] = id(sys.intern("out"))
    return table


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _numpy_api() -> Any:
    """NumPy's table of C functions."""
    from numpy._core import multiarray  # the only door to the capsule; there is no public one

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    pointer.restype = ctypes.c_void_p
    address = pointer(multiarray._ARRAY_API, None)
    return (ctypes.c_size_t * 400).from_address(address)
