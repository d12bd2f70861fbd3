"""A mechanism with something of everything, and all the values in it; for tests of what is kept on disk."""

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

import whippletree as wt

Path = tuple[tuple[str, Any], ...]


def rich() -> wt.Mechanism:
    """A mechanism that uses every kind of part."""
    m = wt.Mechanism("rich", gravity=(0.3, -0.2, -9.7))
    shape = wt.Geometry(wt.Box((0.1, 0.2, 0.3)), wt.Placement((0.4, 0.5, 0.6)), (0.1, 0.2, 0.3, 0.4))
    m.add_body(
        "one",
        wt.Revolute((0.36, 0.48, 0.8)),
        placement=wt.Placement((0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6)),
        inertia=wt.Inertia(1.5, (0.1, -0.2, 0.3), np.diag([0.4, 0.5, 0.6])),
        joint_name="first",
        limits=wt.Limits(-1.5, 2.5, 3.5, 4.5, 5.5, 0.65),
        armature=0.25,
        damping=0.35,
        friction=0.45,
        stiffness=0.55,
        rest=(0.15,),
        visuals=(shape,),
        collisions=(shape,),
    )
    m.add_body("two", wt.Helical("y", 0.05), "one", wt.Placement((0.3, 0.1, 0.2)), wt.Inertia(2.5))
    m.add_body("three", wt.Reversed(wt.Universal("x", "z")), "two", inertia=wt.Inertia(0.5, (0.1, 0.2, 0.3)))
    m.add_frame("tool", "two", wt.Placement((0.7, 0.8, 0.9), quaternion=(0.5, 0.5, -0.5, 0.5)))
    m.add_gear("gear", "first", "two", 2.5, 0.125)
    m.add_spring("spring", "ground", (0.1, 0.2, 0.3), "three", (0.4, 0.5, 0.6), 70.0, 8.0, 0.9)
    m.add_loop("pin", wt.Spherical(), "ground", "three", wt.Placement((0.1, 0.0, 0.2)), wt.Placement())
    m.add_force("wind", "tool", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), "aligned")
    m.add_shape("foot", wt.Capsule(0.1, 0.3), "two", wt.Placement((0.1, 0.5, 0.3)), (0.9, 0.8, 0.7, 0.6))
    m.add_contact("touch", "foot", "three", 0.35, 0.15, 900.0, 7.5)
    m.add_distance("reach", "ground", "tool")
    m.add_driver("ramp", "0.5 * t", "reach", 0.75, 0.85)
    m.change("ground", visuals=(shape,), collisions=(shape,))
    m.warnings.append("nothing")
    return m


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every number and text in a value, and to every list, tuple and dictionary."""
    for step, item in _items(value):
        yield from places(item, (*path, step))
    if not dataclasses.is_dataclass(value) and not isinstance(
        value, wt.Mechanism | wt.Placement | wt.Inertia
    ):
        yield path


def _items(value: Any) -> list[tuple[tuple[str, Any], Any]]:
    if isinstance(value, wt.Mechanism):
        # What is kept of public attributes follows from these.
        held = [(name, item) for name, item in vars(value).items() if name[0] == "_" or name == "warnings"]
        return [(("attribute", name), item) for name, item in held]
    if dataclasses.is_dataclass(value):
        return [(("attribute", f.name), getattr(value, f.name)) for f in dataclasses.fields(value)]
    if isinstance(value, wt.Placement):
        return [(("attribute", name), getattr(value, name)) for name in ("position", "rotation")]
    if isinstance(value, wt.Inertia):
        return [(("attribute", name), getattr(value, name)) for name in ("m", "h", "I")]
    if isinstance(value, np.ndarray):
        return [(("item", index), item) for index, item in np.ndenumerate(value)]
    if isinstance(value, dict):
        return [(("item", key), item) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [(("item", i), item) for i, item in enumerate(value)]
    return []


def changed(value: Any, path: Path) -> Any:
    """A copy in which one thing is another."""
    if not path:
        return _other(value)
    (kind, key), *rest = path
    if kind == "attribute":
        other = copy.copy(value)
        object.__setattr__(other, key, changed(getattr(value, key), tuple(rest)))
        return other
    item = changed(value[key], tuple(rest))
    if isinstance(value, tuple):
        return (*value[:key], item, *value[key + 1 :])
    other = value.copy()
    other[key] = item
    return other


def _other(value: Any) -> Any:
    if value is None:
        return (0.5,)
    if isinstance(value, str):
        return value + "'"
    if isinstance(value, int | float):
        return value + 1 if np.isfinite(value) else 0.5
    if isinstance(value, slice):
        return slice(value.start, value.stop + 1)
    if isinstance(value, np.ndarray):
        return value[..., None]  # the same numbers in another shape
    if isinstance(value, dict):
        return {**value, "more": 1}
    return type(value)([*value, 0.5])
