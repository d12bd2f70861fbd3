"""What a value says, as a hash: the same in every process for values that are the same through and through.

Whole objects are hashed, every attribute of them, so that nothing can be forgotten; of those that say what a
copy in another process has of them (`__getstate__`), that. Only what is known to
consist of nothing else has such a hash: numbers, texts, containers, arrays, objects of this library's own
classes, and functions that stand in its modules. A function or a class of a user may depend on anything.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from types import FunctionType, NoneType
from typing import Any

import numpy as np

from .sources import PACKAGE

_BY_VALUE = 2  # version of the format: later ones also write which objects are one and the same
_ITSELF = frozenset(
    [bool, int, float, complex, str, bytes, NoneType]
)  # `marshal` writes them in full and tells them apart


def content(value: Any) -> str | None:
    """Hash of a value, None if it holds something that has none.

    >>> content((1, 2.0)) == content((1, 2.0)), content((1, 2.0)) == content((1.0, 2))
    (True, False)
    >>> content(lambda: 0) is None
    True
    """
    try:
        plain = _plain(value)
    except (_OpaqueError, RecursionError):  # the latter: something holds itself
        return None
    return hashlib.sha256(marshal.dumps(plain, _BY_VALUE)).hexdigest()


class _OpaqueError(Exception):
    """There is something whose content cannot be known."""


def _plain(value: Any) -> Any:
    """The value as nested tuples and lists of what is written in full."""
    kind = type(value)
    if kind in _ITSELF:
        return value
    if kind is tuple or kind is list:
        return kind.__name__, _plain_items(value)
    if kind is np.ndarray or isinstance(value, np.generic):
        if value.dtype.hasobject:
            raise _OpaqueError
        return "array", kind.__name__, value.dtype.str, value.shape, value.tobytes()
    if kind is dict:
        return "dict", _plain_items(value), _plain_items(value.values())
    if kind is slice:
        return "slice", _plain_items((value.start, value.stop, value.step))
    if kind is FunctionType:
        return "function", _home(value)
    own, slots, derived, says = _class(kind)
    if own is None:
        raise _OpaqueError
    state = value.__getstate__() if says else getattr(value, "__dict__", None)
    if state:
        names = _in_order(tuple(state), derived)
        items = [state[name] for name in names]
    else:
        names, items = [], []
    if slots:
        filled = [name for name in slots if hasattr(value, name)]
        names, items = [*filled, *names], [*(getattr(value, name) for name in filled), *items]
    if isinstance(value, tuple):
        items += value
    return own, names, _plain_items(items)


def _plain_items(values: Iterable[Any]) -> list[Any]:
    """Several of them; most are plain already."""
    return [value if type(value) in _ITSELF else _plain(value) for value in values]


@cache
def _class(kind: type) -> tuple[str | None, tuple[str, ...], frozenset[str], bool]:
    """Where one of our classes stands, None for any other; its slots; what follows from other attributes;
    and whether its objects say what counts."""
    bases = [base for base in kind.__mro__ if base not in (object, tuple) and base.__module__ != "abc"]
    names = [name for base in bases if (name := own_name(base)) is not None]
    if not names or len(names) != len(bases):
        return None, (), frozenset(), False
    slots = [base.__dict__.get("__slots__", ()) for base in bases]
    derived = [name for base in bases for name, x in vars(base).items() if isinstance(x, cached_property)]
    flat = tuple(name for some in slots for name in ([some] if isinstance(some, str) else some))
    says = kind.__getstate__ is not object.__getstate__ and not flat  # with slots it is those, in a list
    return names[0], flat, frozenset(derived), says


@lru_cache(1024)
def _in_order(names: tuple[str, ...], left_out: frozenset[str]) -> list[str]:
    """Names in an order of their own; objects of a class mostly have the same."""
    return sorted({*names} - left_out)


def own_name(thing: Any) -> str | None:
    """Module and name of a class or function that stands in a module of this library; None for others."""
    module, name = thing.__module__ or "", thing.__qualname__
    if module.partition(".")[0] != PACKAGE:
        return None
    return f"{module}:{name}" if getattr(sys.modules.get(module), name, None) is thing else None


def _home(function: Any) -> str:
    """Where a function stands: in its own module, or under its own name in a package around that."""
    found = own_name(function)
    if found is not None:
        return found
    package = function.__module__ or ""
    while (package := package.rpartition(".")[0]).partition(".")[0] == PACKAGE:
        if getattr(sys.modules.get(package), function.__name__, None) is function:
            return f"{package}:{function.__name__}"
    raise _OpaqueError
