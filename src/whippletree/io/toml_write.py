"""Write a mechanism in Whippletree's own file format, TOML; docs/format.md describes it.

Numbers are written with all the digits that tell them apart, and in the form that reads back to the
same bits: angles and moments about the centre of mass where these do, else the matrix or the moments kept
inside. So a file that was loaded and saved again is the same file.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError
from ..joints import Joint
from ..model.mechanism import Body, Geometry, Limits, Mechanism
from ..shapes import SHAPES
from ..spatial import Array, Inertia, Placement
from .atomic import whole
from .toml import FORMAT, JOINTS

Pairs = list[tuple[str, Any]]


def save(m: Mechanism, path: Path) -> None:
    """Write the mechanism into a file, whole or not at all."""
    try:
        text = dumps(m).encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(
            path, f"cannot be written: {error.object[error.start]!r} is not a valid character"
        ) from None
    except ValueError as error:
        raise FileError(path, f"cannot be written: {error}") from None
    with whole(path) as file:
        file.write(text)


def dumps(m: Mechanism) -> str:
    """The text of the file; ValueError for what the format has no words for."""
    head = [("format", FORMAT), ("name", m.name), ("gravity", m.gravity)]
    parts = ["# A mechanism of Whippletree: SI units, radians, quaternions w, x, y, z.\n" + _lines(head)]
    for key, shapes in (("visual", m.ground_visuals), ("collision", m.ground_collisions)):
        parts += [f"[[ground.{key}]]\n" + _lines(_geometry(shape)) for shape in shapes]
    for body in m.bodies:
        parts.append("[[body]]\n" + _lines(_body(body)))
        for key, shapes in (("visual", body.visuals), ("collision", body.collisions)):
            parts += [f"[[body.{key}]]\n" + _lines(_geometry(shape)) for shape in shapes]
    for frame in m.frames:
        pairs = [("name", frame.name), ("body", frame.body), *_placement(frame.placement)]
        parts.append("[[frame]]\n" + _lines(pairs))
    for loop in m.loops:
        pairs: Pairs = [("name", loop.name), ("joint", _joint(loop.joint))]
        pairs += [("predecessor", loop.predecessor), ("successor", loop.successor)]
        pairs += _placement(loop.placement_p, "placement_p") + _placement(loop.placement_s, "placement_s")
        parts.append("[[loop]]\n" + _lines(pairs))
    for kind, entries in (("gear", m.gears), ("spring", m.springs), ("force", m.forces)):
        for entry in entries:
            pairs = [(field.name, getattr(entry, field.name)) for field in fields(entry)]
            parts.append(f"[[{kind}]]\n" + _lines(pairs))
    return "\n".join(parts)


def _body(body: Body) -> Pairs:
    if object in (body.inertia.I.dtype, body.placement.position.dtype):
        raise ValueError(f"numbers of body {body.name!r} are symbolic")
    pairs: Pairs = [("name", body.name), ("parent", body.parent), ("joint", _joint(body.joint))]
    if body.joint_name != body.name:
        pairs.append(("joint_name", body.joint_name))
    pairs += _placement(body.placement)
    if body.inertia != Inertia.zero():
        pairs.append(("inertia", _inertia(body.inertia)))
    limits = {
        field.name: getattr(body.limits, field.name)
        for field in fields(Limits)
        if getattr(body.limits, field.name) != field.default
    }
    if limits:
        pairs.append(("limits", limits))
    for key in ("armature", "damping", "friction", "stiffness"):
        if getattr(body, key) != 0.0:
            pairs.append((key, float(getattr(body, key))))
    if body.rest is not None:
        pairs.append(("rest", body.rest))
    return pairs


def _joint(joint: Joint) -> dict[str, Any]:
    names = {cls: name for name, cls in JOINTS.items()}
    if type(joint) not in names:
        raise ValueError(
            f"the joint type {type(joint).__name__} is not one of Whippletree's own, "
            f"which are {', '.join(sorted(JOINTS))}"
        )
    table: dict[str, Any] = {"type": names[type(joint)]}
    for field in fields(joint):  # pyright: ignore[reportArgumentType]  # every joint type is a dataclass
        value = getattr(joint, field.name)
        table[field.name] = _joint(value) if isinstance(value, Joint) else _letter(value)
    return table


def _letter(value: Any) -> Any:
    """An axis by its letter, where it is one of the coordinate axes; anything else as it is."""
    if isinstance(value, tuple) and len(value) == 3:
        for k, letter in enumerate("xyz"):
            for sign, name in ((1.0, letter), (-1.0, "-" + letter)):
                if _same(np.array(value), sign * np.eye(3)[k] + 0.0):
                    return name
    return value


def _placement(placement: Placement, key: str = "placement") -> Pairs:
    table: dict[str, Any] = {}
    if not _same(placement.position, np.zeros(3)):
        table["position"] = placement.position
    if not _same(placement.rotation, Placement().rotation):
        rpy = placement.rpy
        exact = _same(Placement(rpy=rpy).rotation, placement.rotation)
        table.update({"rpy": rpy} if exact else {"rotation": placement.rotation})
    return [(key, table)] if table else []


def _inertia(inertia: Inertia) -> dict[str, Any]:
    com, about_com = inertia.com, inertia.about_com
    for digits in (12, 15, 17):  # the roundest numbers that lead to the same bits
        c, about = _rounded(com, digits), _rounded(about_com, digits)
        moments = np.diag(about) if np.array_equal(about, np.diag(np.diag(about))) else about
        again = Inertia(inertia.m, c, moments)
        if _same(again.h, inertia.h) and _same(again.I, inertia.I):
            return {"mass": inertia.m, "com": c, "about_com": moments}
    return {"mass": inertia.m, "first_moment": inertia.h, "about_origin": inertia.I}


def _rounded(values: Array, digits: int) -> Array:
    """The values to so many significant digits of the largest."""
    largest = np.max(np.abs(values))
    if digits == 17 or not 0.0 < largest < np.inf:
        return values
    return np.round(values, digits - 1 - int(np.floor(np.log10(largest)))) + 0.0


def _geometry(shape: Geometry) -> Pairs:
    kind = shape.shape.kind
    if SHAPES.get(kind) is not type(shape.shape):
        name = type(shape.shape).__name__
        raise ValueError(f"the shape {name} is not one of Whippletree's own, which are {', '.join(SHAPES)}")
    pairs: Pairs = [("kind", kind), *shape.shape.saved().items(), *_placement(shape.placement)]
    return pairs if shape.color is None else [*pairs, ("color", shape.color)]


def _same(a: Array, b: Array) -> bool:
    """Whether two arrays of floats have the same bits, signs of zeros included."""
    return np.asarray(a, dtype=float).tobytes() == np.asarray(b, dtype=float).tobytes()


def _lines(pairs: Pairs) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in pairs)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # JSON escapes as TOML does, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool) or value is None:
        raise ValueError(f"{value!r} has no place in a mechanism")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(_float(entry))}" for key, entry in value.items()) + " }"
    if isinstance(value, tuple | list | np.ndarray):
        return "[" + ", ".join(_value(_float(entry)) for entry in value) + "]"
    return repr(float(value))


def _float(value: Any) -> Any:
    """Whole numbers of a mechanism are floats that happen to be whole."""
    return float(value) if isinstance(value, int) else value
