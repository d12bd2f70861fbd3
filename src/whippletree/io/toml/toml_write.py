"""Write a mechanism in Whippletree's own file format, TOML; docs/format.md describes it.

Numbers are written with all the digits that tell them apart, and in the form that reads back to the
same bits: angles and moments about the centre of mass where these do, else the matrix or the moments kept
inside. So a file that was loaded and saved again is the same file.
"""

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from ...errors import FileError
from ...joints import Joint
from ...model.driver_motions import DriverMotion
from ...model.graph import Graph
from ...model.kinds import Kind
from ...model.mechanism import Geometry, Mechanism
from ...shapes import SHAPES, Shape
from ...spatial import Array, Inertia, Placement
from ..atomic import whole
from .toml_read import FORMAT, JOINTS

Pairs = list[tuple[str, Any]]


def save(m: Mechanism | Graph, path: Path) -> None:
    """Write the mechanism, or the graph, into a file, whole or not at all."""
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


def dumps(m: Mechanism | Graph) -> str:
    """The text of the file; ValueError for what the format has no words for."""
    head = [("format", FORMAT), ("name", m.name), ("gravity", m.gravity)]
    parts = ["# A mechanism of Whippletree: SI units, radians, quaternions w, x, y, z.\n" + _lines(head)]
    parts += _tables("ground", {"visuals": m.ground_visuals, "collisions": m.ground_collisions})
    for kind, entries in m.kinds():
        for part in entries:
            looks = {
                f.name: getattr(part, f.name) for f in fields(part) if _is_geometry(getattr(part, f.name))
            }
            pairs = [pair for f in fields(part) if f.name not in looks for pair in _field(kind, part, f)]
            parts += [f"[[{kind.name}]]\n" + _lines(pairs), *_tables(kind.name, looks)]
    return "\n".join(parts)


def _is_geometry(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], Geometry)


def _tables(title: str, looks: dict[str, tuple[Geometry, ...]]) -> list[str]:
    """Shapes of a body or the ground, each under a header of its own."""
    return [
        f"[[{title}.{key.removesuffix('s')}]]\n" + _lines(_geometry(shape))
        for key, shapes in looks.items()
        for shape in shapes
    ]


def _field(kind: Kind, part: Any, field: Field[Any]) -> Pairs:
    """What a file says of a field: nothing, if it is what the reader takes by itself."""
    default = field.default if field.default_factory is MISSING else field.default_factory()
    if field.name in (kind.defaults or {}):
        said = {f.name: getattr(part, f.name) for f in fields(part)}
        default = (kind.defaults or {})[field.name](said)
    value = getattr(part, field.name)
    if _hints(kind.part)[field.name] is float and isinstance(value, int):
        value = float(value)
    try:
        pairs = _pairs(field.name, value)
    except _SymbolicError:
        raise ValueError(f"numbers of {kind.name} {part.name!r} are symbolic") from None
    return [] if default is not MISSING and _lines(pairs) == _lines(_pairs(field.name, default)) else pairs


@cache  # asked for every field of every part
def _hints(part: type) -> dict[str, Any]:
    return get_type_hints(part)


class _SymbolicError(Exception):
    """There is a number that has no value yet."""


def _pairs(key: str, value: Any) -> Pairs:
    """Keys and values of the file for a value of a part."""
    if value is None:
        return []
    if isinstance(value, Placement):
        return _placement(value, key)
    if isinstance(value, Inertia):
        return [] if value == Inertia.zero() else [(key, _inertia(value))]
    if isinstance(value, Joint):
        return [(key, _joint(value))]
    if isinstance(value, Shape):
        return _shape(value)
    if isinstance(value, DriverMotion):
        return [(key, value.saved())]
    if is_dataclass(value):
        said = {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) != f.default}
        return [(key, said)] if said else []
    return [(key, value)]


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
    if placement.position.dtype == object:
        raise _SymbolicError
    table: dict[str, Any] = {}
    if not _same(placement.position, np.zeros(3)):
        table["position"] = placement.position
    if not _same(placement.rotation, Placement().rotation):
        rpy = placement.rpy
        exact = _same(Placement(rpy=rpy).rotation, placement.rotation)
        table.update({"rpy": rpy} if exact else {"rotation": placement.rotation})
    return [(key, table)] if table else []


def _inertia(inertia: Inertia) -> dict[str, Any]:
    if inertia.I.dtype == object:
        raise _SymbolicError
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


def _geometry(geometry: Geometry) -> Pairs:
    pairs = [*_shape(geometry.shape), *_placement(geometry.placement)]
    return pairs if geometry.color is None else [*pairs, ("color", geometry.color)]


def _shape(shape: Shape) -> Pairs:
    if SHAPES.get(shape.kind) is not type(shape):
        name = type(shape).__name__
        raise ValueError(f"the shape {name} is not one of Whippletree's own, which are {', '.join(SHAPES)}")
    return [("kind", shape.kind), *((key, value) for key, value in shape.saved().items() if len(value))]


def _same(a: Array, b: Array) -> bool:
    """Whether two arrays of floats have the same bits, signs of zeros included."""
    return np.asarray(a, dtype=float).tobytes() == np.asarray(b, dtype=float).tobytes()


def _lines(pairs: Pairs) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in pairs)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # JSON escapes as TOML does, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        raise ValueError("None has no place in a mechanism")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(_float(entry))}" for key, entry in value.items()) + " }"
    if isinstance(value, tuple | list | np.ndarray):
        return "[" + ", ".join(_value(_float(entry)) for entry in value) + "]"
    return repr(float(value))


def _float(value: Any) -> Any:
    """Whole numbers of a mechanism are floats that happen to be whole."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
