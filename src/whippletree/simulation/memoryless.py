"""What a function of a user reads besides its arguments, if that is all it can depend on.

A function is recorded only if the record is right as long as what it has read is the same: numbers, texts,
arrays and mechanisms by their content, functions of this library and of NumPy. One that reads anything else,
or writes anywhere but into its own variables, is called as it stands.
"""

import dis
import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot

KNOWN = ("math", "numpy", "whippletree")
"""Packages whose functions have no memory, but for `UNSURE`."""

FOLDERS = tuple(str(Path(file).parent) + os.sep for file in (np.__file__, Path(__file__).parent))
"""Where those that are written in Python are."""

UNSURE = frozenset(
    {
        "random",
        "seterr",
        "eval",
        "exec",
        "globals",
        "locals",
        "getattr",
        "open",
        "input",
        "isinstance",
        "type",
    }
)
"""Names that lead to functions that have, or to what is not seen here."""

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.number)


class _Unknown(Exception):
    """Something that may change unseen."""


def what_it_reads(function: Any) -> Hashable | None:
    """Equal as long as a function gives equal results for equal arguments; None if that is not known.

    >>> height = 0.3
    >>> def above(t, q, qd):
    ...     return q[0] - height
    >>> before = what_it_reads(above)
    >>> height = 0.4
    >>> before is None, what_it_reads(above) == before
    (False, False)
    >>> seen = []
    >>> what_it_reads(lambda t, q, qd: seen.append(t) or q[0]) is None
    True
    """
    try:
        return _read(function, set())
    except _Unknown:
        return None


def _read(value: Any, within: set[int]) -> Hashable:
    if isinstance(value, PLAIN):
        return type(value), value
    if isinstance(value, np.ndarray) and value.dtype.kind in "bif":
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mechanism):
        return Snapshot(value)
    if isinstance(value, tuple):
        return tuple(_read(entry, within) for entry in value)
    if isinstance(value, ModuleType | np.ufunc | BuiltinFunctionType | FunctionType | Kernel | type):
        if isinstance(value, Kernel) or _is_known(value):
            return value
        if isinstance(value, FunctionType):
            return _of_function(value, within)
    raise _Unknown


def _is_known(value: Any) -> bool:
    if isinstance(value, np.ufunc):
        return True
    if isinstance(value, FunctionType):
        return value.__code__.co_filename.startswith(FOLDERS)
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    if name == "builtins":
        return value.__name__ not in UNSURE and value is not print
    return (name or "").split(".")[0] in KNOWN


def _of_function(function: FunctionType, within: set[int]) -> Hashable:
    if id(function) in within:  # it calls itself
        return function.__code__
    within = {*within, id(function)}
    try:
        cells = tuple(_read(cell.cell_contents, within) for cell in function.__closure__ or ())
    except ValueError:  # a cell that is still empty
        raise _Unknown from None
    defaults = (
        _read(function.__defaults__ or (), within),
        _read(tuple((function.__kwdefaults__ or {}).items()), within),
    )
    found, builtin = [], function.__builtins__
    for name in sorted(set(_global_names(function.__code__))):
        if name not in function.__globals__ and name not in builtin:
            raise _Unknown
        found.append((name, _read(function.__globals__.get(name, builtin.get(name)), within)))
    return function.__code__, cells, defaults, tuple(found)


def _global_names(code: CodeType) -> Iterator[str]:
    if UNSURE & set(code.co_names):
        raise _Unknown
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name.startswith(("STORE_", "DELETE_", "IMPORT_", "YIELD", "SEND")) and name != "STORE_FAST":
            raise _Unknown
        if name in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for entry in code.co_consts:
        if isinstance(entry, CodeType):
            yield from _global_names(entry)
