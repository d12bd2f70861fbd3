"""Functions of a user that depend on nothing but their arguments and on what can be seen here.

A function is recorded only if the record is right as long as what it has read is the same: numbers, texts,
arrays and mechanisms by their content, functions named here by being the same. All that is not named is
refused, and so is a function that writes anywhere but into its own variables, or asks what kind of numbers
it was given; it is called as it stands.
"""

import dis
import math
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..checks.checking import PUBLIC
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..spatial import maximum, minimum, where
from .memoryless_names import ARRAYS, BUILTINS, INSTRUCTIONS, MECHANISMS, NUMPY, ROOMS

Read = tuple[Hashable, Any]
"""What a value is known by, and what stands for it in the record."""


@dataclass(frozen=True)
class Memoryless:
    """A function of a user, equal to another that is the same and reads the same.

    Attributes:
        key: Equal as long as the function gives equal results for equal arguments.
        function: The same function; all it reads is as it is now, and cannot be written to.
    """

    key: Hashable
    function: Callable[..., Any] = field(compare=False)


class _Unknown(Exception):
    """Something that may change unseen."""


def memoryless(function: Any) -> Memoryless | None:
    """A function with all that it reads besides its arguments; None if that is not known.

    >>> height = 0.3
    >>> def above(t, q, qd):
    ...     return q[0] - height
    >>> before = memoryless(above)
    >>> height = 0.4
    >>> memoryless(above).key == before.key
    False
    >>> before.function(0.0, [1.0], [0.0]), above(0.0, [1.0], [0.0])
    (0.7, 0.6)
    >>> seen = []
    >>> memoryless(lambda t, q, qd: seen.append(t) or q[0]) is None
    True
    """
    try:
        return Memoryless(*_of_function(function, {})) if type(function) is FunctionType else None
    except _Unknown:
        return None


def _read(value: Any, made: dict[int, FunctionType]) -> Read:
    kind = type(value)  # what is derived from these may do anything
    if kind is float:
        return (kind, value.hex()), value  # 0.0 is not -0.0
    if kind in (bool, int, type(None)) or (kind is str and "%" not in value):  # texts may take in numbers
        return (kind, value), value
    if kind is np.ndarray and value.dtype.kind in "biuf":
        seen = value.view()
        seen.flags.writeable = False
        return (value.dtype.str, value.shape, value.tobytes()), seen
    if kind in (np.float64, np.float32, np.int64, np.int32, np.bool_):
        return (kind, value.tobytes()), value
    if kind is Mechanism:
        return value.once(_as_it_is), value.copy()
    if kind is tuple:
        entries = [_read(entry, made) for entry in value]
        return (kind, *(key for key, _ in entries)), tuple(stands for _, stands in entries)
    if kind is Kernel or id(value) in _known():
        return value, value
    if kind is FunctionType:
        return _of_function(value, made)
    raise _Unknown


def _as_it_is(_: Mechanism) -> object:
    """One for a mechanism and its copies until a change: names and frames count, as do those of a user."""
    return object()


def _of_function(function: FunctionType, made: dict[int, FunctionType]) -> Read:
    code, builtin = function.__code__, function.__builtins__
    if id(function) in made:  # it calls itself
        return code, made[id(function)]
    if type(function.__globals__) is not dict or type(builtin) is not dict:
        raise _Unknown
    cells, names = tuple(CellType() for _ in code.co_freevars), {"__builtins__": {}}
    same = made[id(function)] = FunctionType(code, names, code.co_name, None, cells)
    found: list[Hashable] = []

    def read(value: Any) -> Any:
        key, stands = _read(value, made)
        found.append(key)
        return stands

    for cell, own in zip(function.__closure__ or (), cells, strict=True):
        try:
            own.cell_contents = read(cell.cell_contents)
        except ValueError:  # a cell that is still empty
            raise _Unknown from None
    same.__defaults__ = read(function.__defaults__)
    keywords = function.__kwdefaults__ or {}
    same.__kwdefaults__ = dict(zip(keywords, read(tuple(keywords.values())), strict=True))
    for name in sorted(set(_global_names(code))):
        if name not in function.__globals__ and name not in builtin:
            raise _Unknown
        names[name] = read(function.__globals__.get(name, builtin.get(name)))
    return (code, *found), same


def _global_names(code: CodeType) -> Iterator[str]:
    """What a function takes from around it; _Unknown if it does anything that is not named."""
    for instruction in dis.get_instructions(code):
        if instruction.opname not in INSTRUCTIONS:
            raise _Unknown
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and instruction.argval not in _attributes():
            raise _Unknown
    for entry in code.co_consts:
        if type(entry) is CodeType:
            yield from _global_names(entry)
        elif type(entry) is bytes or (type(entry) is str and "%" in entry):
            raise _Unknown


@cache
def _doors() -> dict[str, Callable[..., Any]]:
    """Functions of this library that are meant for numbers and symbols alike, by name."""
    ours = {name: door for name, door in PUBLIC.items() if door.__module__.split(".")[1] in ROOMS}
    return {**ours, "where": where, "minimum": minimum, "maximum": maximum}


@cache
def _known() -> dict[int, Any]:
    """What has no memory, by identity; the packages themselves are, as attributes are looked at by name."""
    functions = [getattr(np, name) for name in NUMPY] + [np.linalg.norm, *_doors().values(), *BUILTINS]
    functions += [value for value in vars(math).values() if callable(value)]
    packages: list[ModuleType] = [np, np.linalg, math, *_rooms()]
    return {id(value): value for value in (*functions, *packages)}


def _rooms() -> list[ModuleType]:
    names = ["whippletree", *(f"whippletree.{room}" for room in ROOMS)]
    return [sys.modules[name] for name in names if name in sys.modules]


@cache
def _attributes() -> frozenset[str]:
    """Names that mean nothing with a memory, whichever of the things known here they are asked of."""
    names = {name for name in vars(math) if not name.startswith("_")}
    return frozenset({*names, *NUMPY, *ARRAYS, *MECHANISMS, *ROOMS, *_doors(), "linalg", "norm"})
