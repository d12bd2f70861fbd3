"""A mechanism as it is at one moment: a copy, and a key by which what was made for it is found again."""

from collections.abc import Hashable, Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from ..shapes import Mesh, Shape
from .contact import touching_shapes
from .kinds import Kind, kind_of, names_in
from .mechanism import Mechanism

LOOKS = frozenset({"visuals", "collisions", "color"})
"""Fields that have no say in how a mechanism moves."""


class Snapshot:
    """A copy of a mechanism, equal to others of the same key: for `lru_cache` and its kin.

    Args:
        m: The mechanism; it may be built further while the copy is kept.
        key: What decides. By default `motion_key(m)`: all that decides how it moves.

    Attributes:
        m: The copy, which is not to be changed.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> Snapshot(m) == Snapshot(wt.rename(m, bodies={"rod": "bob"}))
    True
    """

    def __init__(self, m: Mechanism, key: Hashable = None) -> None:
        if key is None:  # a mechanism that was not changed since is the same, and so are its copies
            self.m, self._key, self._hash = m.once(_now)
        else:
            self.m: Mechanism = m.copy()
            self._key = key
            self._hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and (self._key is other._key or self._key == other._key)

    def __hash__(self) -> int:
        return self._hash


def _now(m: Mechanism) -> tuple[Mechanism, Hashable, int]:
    """A copy, what decides how it moves, and the hash of that."""
    key = _the_same(motion_key(m))
    return m.copy(), key, hash(key)


@lru_cache(maxsize=64)
def _the_same(key: Hashable) -> Hashable:
    """The first of all keys that are equal: that they are is then seen without looking at what they hold."""
    return key


def motion_key(m: Mechanism) -> Hashable:
    """All that decides how a mechanism moves: its parts without names and looks, and the gravity.

    Shapes have a say if they may touch.
    """
    sides = [side for contact in m.contacts for side in (contact.a, contact.b)]
    solids = tuple(
        tuple((*solid[1:], corners(solid.shape)) for solid in touching_shapes(m, side)) for side in sides
    )
    moving = [(kind, part) for kind, parts in m.kinds() if kind.moves for part in parts]
    return (m.gravity, solids, *((kind.name, *_values(m, kind, part)) for kind, part in moving))


def corners(shape: Shape) -> bytes:
    """Those that a mesh was given: meshes of one file are equal, however many of its corners they have."""
    return shape.vertices.tobytes() if isinstance(shape, Mesh) and shape.vertices is not None else b""


def tree_key(m: Mechanism) -> Hashable:
    """How joints, loops and gears are placed: all that decides which numbers of a mechanism meet which."""
    bodies = ((body.joint, parent, body.placement) for body, parent in zip(m.bodies, m.parents, strict=True))
    closing = [(kind, part) for kind, parts in m.kinds() if kind.name in ("loop", "gear") for part in parts]
    return (*bodies, *((kind.name, *_values(m, kind, part)) for kind, part in closing))


def _values(m: Mechanism, kind: Kind, part: Any) -> Iterator[Hashable]:
    """What the fields hold, names of other parts as what they stand for."""
    silent = LOOKS.union(kind.own_names())
    for field in fields(part):
        if field.name in silent:
            continue
        value = getattr(part, field.name)
        if field.name in kind.refers:
            yield tuple(_named(m, kind.refers[field.name].to, name) for name in names_in(value))
        elif isinstance(value, np.ndarray):
            yield (value.shape, value.dtype.str, value.tobytes())
        else:
            yield value


def _named(m: Mechanism, kinds: tuple[str, ...], name: str) -> Hashable:
    """What a name stands for: the number of a body or joint, the place of a frame, all of another part."""
    of = next(of for of in kinds if m.has(of, name))
    if of in ("body", "joint"):
        return m.number(of, name)
    part = m.parts(of)[m.number(of, name)]
    return (of, *_values(m, kind_of(part), part))
