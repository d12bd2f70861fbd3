"""Objects that are called without a detour: Python goes straight to the machine code of a function.

An object whose class has a `__call__` is called by way of a tuple of its arguments and a look at the class,
which takes as long as the code of a small kernel. Functions are spared that by a protocol (PEP 590): the
object holds the address of its code, and the type says where. Types made in Python cannot say so; here they
are told by hand, in fields of theirs that stand at the same place in all versions of `call.supported`.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

# Of a type: how large its objects are, where they hold the address, and what it can do.
_BASICSIZE, _OFFSET, _FLAGS = 32, 56, 168
_BASETYPE, _VECTORCALL, _DEFAULT = 1 << 10, 1 << 11, 1 << 18
_PLACE = object.__basicsize__
"""Where objects hold the address: behind what every object has."""


class _Spec(ctypes.Structure):
    """What Python makes a type of (PyType_Spec)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


def _with_room() -> type:
    """A type like `object` whose objects have room for an address, 0 at first."""
    end = (ctypes.c_void_p * 2)()
    name = f"{__name__}.WithRoom".encode()
    spec = _Spec(name, _PLACE + 8, 0, _DEFAULT | _BASETYPE, ctypes.addressof(end))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(("PyType_FromSpec", ctypes.pythonapi))
    return make(ctypes.addressof(spec))


def layout_holds() -> bool:
    """Whether the fields of types stand where they are expected."""
    partial = functools.partial  # which is called in this way itself
    return (
        _word(partial, _FLAGS) == partial.__flags__
        and bool(partial.__flags__ & _VECTORCALL)
        and _word(partial, _BASICSIZE) == partial.__basicsize__
        and 0 < _word(partial, _OFFSET) < partial.__basicsize__
        and WithRoom.__basicsize__ == _PLACE + 8
    )


def send_calls_to(called: Any, function: BuiltinFunctionType) -> None:
    """Let calls of an object go straight to the code of a built-in function, which it keeps.

    Args:
        called: An instance of a class derived from `WithRoom`, the only one of that class.
        function: One that takes arguments as an array, and names of the last ones (METH_FASTCALL and
            METH_KEYWORDS), and does not ask who it is.
    """
    address = ctypes.pythonapi.PyCFunction_GetFunction
    address.argtypes, address.restype = (ctypes.py_object,), ctypes.c_void_p
    # Only one ever: while it runs, nothing but the object keeps it.
    kept, kind = vars(called).setdefault("_called", function), type(called)
    ctypes.c_void_p.from_address(id(called) + _PLACE).value = address(kept)
    ctypes.c_ssize_t.from_address(id(kind) + _OFFSET).value = _PLACE
    ctypes.c_ulong.from_address(id(kind) + _FLAGS).value |= _VECTORCALL


def _word(kind: type, offset: int) -> int:
    return ctypes.c_ssize_t.from_address(id(kind) + offset).value


if TYPE_CHECKING:

    class WithRoom:
        """A class whose objects can be called without a detour."""

else:
    WithRoom = _with_room() if sys.implementation.name == "cpython" else type("WithRoom", (), {})
