"""Arguments of a kernel: arrays, or tuples, lists and dictionaries of arrays, and the arrays in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import InputError
from .structure import Branch, Leaf, Structure, leaves, paths

Shape = tuple[int, ...]
Declared: TypeAlias = "Shape | Mapping[Any, Declared] | Sequence[Declared]"
"""How an argument is declared: by its shape, or by a dictionary, tuple or list of such."""

MOST = 10_000_000
"""Entries of an input: programs of so many numbers are beyond any compiler."""


class Part(NamedTuple):
    """Where an array stands: in which argument, at the end of which keys and positions, and in what."""

    argument: str
    path: tuple[Any, ...]
    structure: Structure


class Input(NamedTuple):
    """An input array: an argument of its own or, with `part`, inside of one; its name then tells where."""

    name: str
    shape: Shape
    part: Part | None = None

    @property
    def size(self) -> int:
        """Number of scalars."""
        return Leaf(self.shape).size

    @property
    def words(self) -> list[str]:
        """The argument's name, and the keys and positions in it: what to make a name of."""
        return [self.name] if self.part is None else [self.part.argument, *map(str, self.part.path)]


def entries(arguments: Mapping[str, Structure]) -> tuple[Input, ...]:
    """All arrays of all arguments, in order.

    >>> both = Branch(dict, (Leaf((7,)), Leaf(())), ("kp", "kd"))
    >>> [entry.name for entry in entries({"q": Leaf((7,)), "gains": both})]
    ['q', "gains['kp']", "gains['kd']"]
    """
    found = []
    for name, structure in arguments.items():
        for path, leaf in zip(paths(structure), leaves(structure), strict=True):
            part = Part(name, path, structure) if isinstance(structure, Branch) else None
            found.append(Input(_label(name, *path), leaf.shape, part))
    return tuple(found)


def structures(inputs: Sequence[Input]) -> dict[str, Structure]:
    """The arguments that these arrays are in, or are: inverse of `entries`."""
    parts = (entry.part or Part(entry.name, (), Leaf(entry.shape)) for entry in inputs)
    return {part.argument: part.structure for part in parts}


def declared(name: str, value: Any) -> Structure:
    """The structure of an argument from its declaration."""
    if isinstance(value, Mapping):
        keys, values = tuple(value), list(value.values())
        kind = dict
    elif isinstance(value, tuple | list):
        if not hasattr(value, "_fields") and all(isinstance(n, int | np.integer) for n in value):
            shape = tuple(int(n) for n in value)
            if any(n < 0 for n in shape):
                raise InputError(f"input {name} has shape {shape}; lengths must not be negative")
            if prod(shape) > MOST:
                raise InputError(
                    f"input {name} has shape {shape}, which is {prod(shape)} entries; each becomes a number "
                    f"of the program, and {MOST} are the most"
                )
            return Leaf(shape)
        kind, keys, values = type(value), (), list(value)
    else:
        raise InputError(f"input {name} is {value!r}: give a shape, as (7,), or a dictionary of shapes")
    if not values:
        raise InputError(f"input {name} is an empty {kind.__name__}: give it arrays, or leave it out")
    places = keys or range(len(values))
    children = [declared(_label(name, key), child) for key, child in zip(places, values, strict=True)]
    return Branch(kind, tuple(children), keys)


def bind(names: Sequence[str], arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """One value for every name, in order, from those given by position and those given by name."""
    listed = ", ".join(names)
    if len(arguments) > len(names):
        raise InputError(f"{len(arguments)} arguments given, expected {len(names)}: {listed}")
    bound = dict(zip(names, arguments, strict=False))
    for name, value in named.items():
        if name not in names:
            raise InputError(f"no input is called {name!r}; the inputs are {listed}")
        if name in bound:
            raise InputError(f"{name} is given twice, by position and by name")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        raise InputError(f"{', '.join(missing)} not given; the inputs are {listed}")
    return [bound[name] for name in names]


def arrays(name: str, structure: Structure, value: Any) -> Iterator[Any]:
    """The arrays of an argument, in the order of `entries`; InputError if it is nested in another way."""
    if isinstance(structure, Leaf):
        yield value
        return
    count = len(structure.children)
    if structure.kind is dict:
        expected = ", ".join(map(repr, structure.keys))
        if not isinstance(value, Mapping):
            raise InputError(f"{name} is of type {type(value).__name__}, expected a dict with {expected}")
        for key in value:
            if key not in structure.keys:
                raise InputError(f"{name} has an unknown key {key!r}; its keys are {expected}")
        for key in structure.keys:
            if key not in value:
                raise InputError(f"{name} has no {key!r}; its keys are {expected}")
    elif not isinstance(value, tuple | list):
        kind = structure.kind.__name__
        raise InputError(f"{name} is of type {type(value).__name__}, expected a {kind} of {count} entries")
    elif len(value) != count:
        raise InputError(f"{name} has {len(value)} entries, expected {count}")
    for key, child in zip(structure.keys or range(count), structure.children, strict=True):
        yield from arrays(_label(name, key), child, value[key])


def _label(name: str, *path: Any) -> str:
    return name + "".join(f"[{key!r}]" for key in path)
