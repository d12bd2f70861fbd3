"""Nested values: arrays and numbers inside tuples, lists and dictionaries, flattened and put back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...errors import InputError


@dataclass(frozen=True, slots=True)
class Leaf:
    """An array of this shape; the shape () is a single number."""

    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of scalars."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Branch:
    """A tuple, named tuple, list or dictionary of further structures; `keys` are those of a dictionary."""

    kind: type
    children: tuple[Structure, ...]
    keys: tuple[Any, ...] = ()


Structure = Leaf | Branch


def leaves(structure: Structure) -> Iterator[Leaf]:
    """The leaves in order, first to last."""
    if isinstance(structure, Leaf):
        yield structure
    else:
        for child in structure.children:
            yield from leaves(child)


def size(structure: Structure) -> int:
    """Number of scalars in all leaves together."""
    return sum(leaf.size for leaf in leaves(structure))


def flatten(value: Any) -> tuple[Structure, list[Any]]:
    """The structure of a nested value and all its scalars, arrays in C order.

    Sequences are structure, never arrays: `[x, y]` is a list of two numbers.

    >>> structure, scalars = flatten({"a": np.array([[1.0, 2.0]]), "b": (3.0,)})
    >>> scalars, structure.keys
    ([1.0, 2.0, 3.0], ('a', 'b'))
    """
    scalars: list[Any] = []
    return _flatten(value, scalars, "result"), scalars


def _flatten(value: Any, scalars: list[Any], path: str) -> Structure:
    if isinstance(value, dict):
        children = tuple(_flatten(child, scalars, f"{path}[{key!r}]") for key, child in value.items())
        return Branch(dict, children, tuple(value))
    if isinstance(value, tuple | list):
        children = tuple(_flatten(child, scalars, f"{path}[{i}]") for i, child in enumerate(value))
        return Branch(type(value), children)
    if value is None or isinstance(value, str | bytes | set):
        raise InputError(
            f"{path} is {value!r}; a kernel returns numbers and arrays, in tuples, lists or dictionaries"
        )
    array = np.asarray(value)
    scalars.extend(array.ravel().tolist() if array.dtype != object else array.ravel())
    return Leaf(array.shape)


def unflatten(structure: Structure, arrays: Iterable[Any]) -> Any:
    """Put arrays, one for every leaf, back into the structure they came from."""
    return _unflatten(structure, iter(arrays))


def _unflatten(structure: Structure, arrays: Iterator[Any]) -> Any:
    if isinstance(structure, Leaf):
        return next(arrays)
    children = [_unflatten(child, arrays) for child in structure.children]
    if structure.kind is dict:
        return dict(zip(structure.keys, children, strict=True))
    if hasattr(structure.kind, "_make"):  # a named tuple takes its fields one by one
        return structure.kind(*children)
    return structure.kind(children)


def paths(structure: Structure) -> Iterator[tuple[Any, ...]]:
    """For every leaf in order the keys and positions that lead to it."""
    if isinstance(structure, Leaf):
        yield ()
    else:
        keys = structure.keys or range(len(structure.children))
        for key, child in zip(keys, structure.children, strict=True):
            for path in paths(child):
                yield (key, *path)
