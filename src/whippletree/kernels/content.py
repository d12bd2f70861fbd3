"""What a value says, as a hash: the same in every process for values that are the same through and through.

Whole objects are hashed, every attribute of them, so that nothing can be forgotten. Only what is known to
consist of nothing else has such a hash: numbers, texts, containers, arrays, objects of this library's own
classes, and functions that stand in its modules. A function or a class of a user may depend on anything.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from types import FunctionType, NoneType
from typing import Any

import numpy as np

from .sources import PACKAGE

_ITSELF = frozenset([bool, int, float, complex, str, bytes, NoneType])  # told apart by what `repr` writes


def content(value: Any) -> str | None:
    """Hash of a value, None if it holds something that has none.

    >>> content((1, 2.0)) == content((1, 2.0)), content((1, 2.0)) == content((1.0, 2))
    (True, False)
    >>> content(lambda: 0) is None
    True
    """
    try:
        text = repr(_plain(value))
    except (_OpaqueError, RecursionError):  # the latter: something holds itself
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _OpaqueError(Exception):
    """There is something whose content cannot be known."""


def _plain(value: Any) -> Any:
    """The value as nested tuples of what `repr` writes in full."""
    kind = type(value)
    if kind in _ITSELF:
        return value
    if kind is tuple or kind is list:
        return kind.__name__, [_plain(item) for item in value]
    if kind is np.ndarray or isinstance(value, np.generic):
        if value.dtype.hasobject:
            raise _OpaqueError
        return "array", kind.__name__, value.dtype.str, value.shape, value.tobytes()
    if kind is dict:
        return "dict", [(_plain(key), _plain(item)) for key, item in value.items()]
    if kind is slice:
        return "slice", _plain(value.start), _plain(value.stop), _plain(value.step)
    if kind is FunctionType:
        return "function", _home(value)
    own, slots = _class(kind)
    if own is None:
        raise _OpaqueError
    state = [(name, _plain(item)) for name, item in sorted(getattr(value, "__dict__", {}).items())]
    state += [(name, _plain(getattr(value, name))) for name in slots if hasattr(value, name)]
    if isinstance(value, tuple):
        state += [_plain(item) for item in value]
    return own, state


@cache
def _class(kind: type) -> tuple[str | None, tuple[str, ...]]:
    """Where one of our classes stands, None for any other; and the names of its slots."""
    bases = [base for base in kind.__mro__ if base not in (object, tuple) and base.__module__ != "abc"]
    names = [name for base in bases if (name := own_name(base)) is not None]
    if not names or len(names) != len(bases):
        return None, ()
    slots = [base.__dict__.get("__slots__", ()) for base in bases]
    return names[0], tuple(name for some in slots for name in ([some] if isinstance(some, str) else some))


def own_name(thing: Any) -> str | None:
    """Module and name of a class or function that stands in a module of this library; None for others."""
    module, name = thing.__module__ or "", thing.__qualname__
    if module.partition(".")[0] != PACKAGE:
        return None
    return f"{module}:{name}" if getattr(sys.modules.get(module), name, None) is thing else None


def _home(function: Any) -> str:
    """Where a function stands: in its own module, or under its own name among the public ones."""
    found = own_name(function)
    if found is None and getattr(sys.modules.get(PACKAGE), function.__name__, None) is function:
        found = f"{PACKAGE}:{function.__name__}"
    if found is None:
        raise _OpaqueError
    return found
