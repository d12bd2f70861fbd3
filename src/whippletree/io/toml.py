"""Read a mechanism from Whippletree's own file format, TOML; docs/format.md describes it."""

import re
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from .. import joints
from ..errors import FileError, InputError
from ..joints import Joint
from ..model.mechanism import Body, Geometry, Limits, Mechanism
from ..model.physical import inertia_fault
from ..shapes import SHAPES, Shape
from ..spatial import Inertia, Placement
from .findings import Problem
from .toml_table import Document, TomlTable, number, numbers, text

FORMAT = 1
"""The version of the format; a file of a later one is refused."""

JOINTS: dict[str, type[Joint]] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(): cls
    for name in joints.__all__
    if isinstance(cls := getattr(joints, name), type) and cls is not Joint
}
"""Joint types by their name in a file: "revolute", "spherical-euler" …"""


def load(path: Path, root: Joint | None = None, packages: Iterable[Path] = ()) -> Mechanism:
    """The mechanism in a file. Its root and its meshes are in it: a root is refused, packages have no use."""
    if root is not None:
        raise InputError(f"root is {root!r}: {path.name} has its own root, only URDF files need one")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from None
    return parse(path, data)


def parse(path: Path, data: bytes) -> Mechanism:
    """The mechanism in the content of a file, whose path is named in errors."""
    return _mechanism(Document(path, data))


def problems(path: Path, packages: Iterable[Path] = ()) -> list[Problem]:
    """The error for which `load` refuses the file, or the warnings it would give."""
    try:
        m = load(path)
    except FileError as error:
        return [Problem(error.line, error.message, "error")]
    return [Problem(None, warning, "warning") for warning in m.warnings]


def _mechanism(document: Document) -> Mechanism:
    top = document.top
    version = top.take("format", number, 0.0)
    if version == 0.0:
        raise FileError(document.path, f"is not a Whippletree mechanism: it has no line 'format = {FORMAT}'")
    if version != FORMAT:
        raise document.error(("format",), f"has format {version:g}; this version reads format {FORMAT}")
    gravity = top.take("gravity", numbers(3), (0.0, 0.0, -9.81))
    m = Mechanism(top.take("name", _name), gravity)
    for entry in top.tables("body"):
        _add_body(m, entry)
    for entry in top.tables("frame"):
        name, body, placement = entry.take("name", text), entry.take("body", text), _placement(entry)
        _end(entry, lambda n=name, b=body, p=placement: m.add_frame(n, b, p))
    for entry in top.tables("loop"):
        _add_loop(m, entry)
    for entry in top.tables("gear"):
        names = [entry.take(key, text) for key in ("name", "driver", "driven")]
        values = (entry.take("ratio", number), entry.take("offset", number, 0.0))
        _end(entry, lambda n=names, v=values: m.add_gear(*n, *v))
    for entry in top.tables("spring"):
        _add_spring(m, entry)
    for entry in top.tables("force"):
        names = [entry.take(key, text) for key in ("name", "frame")]
        values = [entry.take(key, numbers(3), (0.0, 0.0, 0.0)) for key in ("force", "torque")]
        reference: Any = entry.take("reference", text, "body")
        _end(entry, lambda n=names, v=values, r=reference: m.add_force(*n, *v, reference=r))
    ground = top.table("ground")
    if ground is not None:
        m.ground_visuals.extend(_geometry(shape) for shape in ground.tables("visual"))
        m.ground_collisions.extend(_geometry(shape) for shape in ground.tables("collision"))
        ground.done()
    top.done()
    return m


def _name(value: Any) -> str:
    if not text(value).strip():
        raise ValueError("expected a name")
    return value


def _end(entry: TomlTable, add: Any) -> None:
    """Refuse what is left over of an entry, then add it to the mechanism; errors name its line."""
    entry.done()
    with entry.document.at(entry.way):
        add()


def _add_body(m: Mechanism, entry: TomlTable) -> None:
    name = entry.take("name", text)
    joint = _joint_of(entry, f"body {name!r}")
    properties: dict[str, Any] = {
        key: entry.take(key, number, 0.0) for key in ("armature", "damping", "friction", "stiffness")
    }
    properties["rest"] = entry.take("rest", numbers(), None)
    limits = entry.table("limits")
    if limits is not None:
        given: Any = {f.name: limits.take(f.name, number, f.default) for f in fields(Limits)}
        limits.done()
        properties["limits"] = Limits(**given)
    for key in ("visual", "collision"):
        properties[key + "s"] = tuple(_geometry(shape) for shape in entry.tables(key))
    body = Body(
        name,
        joint,
        entry.take("parent", text, "ground"),
        _placement(entry),
        _inertia(entry),
        entry.take("joint_name", text, name),
        **properties,
    )
    _end(entry, lambda: m.append(body))
    fault = inertia_fault(body.inertia)
    if fault is not None:
        line = entry.document.line((*entry.way, "inertia"))
        m.warnings.append(f"{entry.document.path}, line {line}: body {name!r}: {fault}")


def _add_loop(m: Mechanism, entry: TomlTable) -> None:
    name = entry.take("name", text)
    joint = _joint_of(entry, f"loop {name!r}")
    predecessor, successor = (entry.take(key, text) for key in ("predecessor", "successor"))
    at_p, at_s = (_placement(entry, key) for key in ("placement_p", "placement_s"))
    _end(entry, lambda: m.add_loop(name, joint, predecessor, successor, at_p, at_s))


def _add_spring(m: Mechanism, entry: TomlTable) -> None:
    keys = ("name", "body_a", "body_b")
    given: dict[str, Any] = {key: entry.take(key, text) for key in keys}
    given.update({key: entry.take(key, numbers(3)) for key in ("point_a", "point_b")})
    given["stiffness"] = entry.take("stiffness", number)
    given.update({key: entry.take(key, number, 0.0) for key in ("damping", "length")})
    _end(entry, lambda: m.add_spring(**given))


def _joint_of(entry: TomlTable, title: str) -> Joint:
    table = entry.table("joint")
    if table is None:
        raise entry.document.error(entry.way, f"{title} has no joint, as joint = {{ type = 'fixed' }}")
    return _joint(table)


def _joint(table: TomlTable) -> Joint:
    kind = table.take("type", text)
    if kind not in JOINTS:
        raise table.document.error(
            (*table.way, "type"), f"joint type {kind!r} is not known; there are {', '.join(sorted(JOINTS))}"
        )
    given: dict[str, Any] = {}
    for field in fields(JOINTS[kind]):  # pyright: ignore[reportArgumentType]  # every joint type is a dataclass
        if field.type is Joint:
            inside = table.table(field.name)
            if inside is None:
                raise table.document.error(table.way, f"a {kind} joint has no {field.name!r}, which it needs")
            given[field.name] = _joint(inside)
            continue
        value = table.take(field.name, {float: number, str: text}.get(field.type, _axis), None)
        if value is not None:
            given[field.name] = value
    table.done()
    with table.document.at(table.way):
        try:
            return JOINTS[kind](**given)
        except TypeError as error:
            raise table.document.error(table.way, f"a {kind} joint: {error}") from None


def _axis(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return numbers(3)(value)


def _placement(entry: TomlTable, key: str = "placement") -> Placement:
    table = entry.table(key)
    if table is None:
        return Placement()
    position = table.take("position", numbers(3), (0.0, 0.0, 0.0))
    turn = {
        "rpy": table.take("rpy", numbers(3), None),
        "quaternion": table.take("quaternion", numbers(4), None),
        "rotation": table.take("rotation", _matrix, None),
    }
    table.done()
    with table.document.at(table.way):
        return Placement(position, **turn)


def _matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError("expected three rows of three numbers")
    return tuple(numbers(3)(row) for row in value)


def _moments(value: Any) -> Any:
    return (
        _matrix(value)
        if isinstance(value, list) and value and isinstance(value[0], list)
        else numbers(3)(value)
    )


def _inertia(entry: TomlTable) -> Inertia:
    """About the centre of mass, or the ten numbers kept inside, which lose no digit."""
    table = entry.table("inertia")
    if table is None:
        return Inertia.zero()
    mass = table.take("mass", number)
    com = table.take("com", numbers(3), None)
    about_com = table.take("about_com", _moments, None)
    first_moment = table.take("first_moment", numbers(3), None)
    about_origin = table.take("about_origin", numbers(6), None)
    table.done()
    if first_moment is None and about_origin is None:
        moments = None if about_com is None else np.array(about_com)
        if moments is not None and moments.ndim == 2 and not np.array_equal(moments, moments.T):
            raise table.document.error(table.way, "about_com is not symmetric")
        return Inertia(mass, np.zeros(3) if com is None else np.array(com), moments)
    if first_moment is None or about_origin is None or com is not None or about_com is not None:
        raise table.document.error(
            table.way,
            "inertia takes either com and about_com, or first_moment and about_origin, both of each pair",
        )
    return Inertia.from_parts(mass, np.array(first_moment), np.array(about_origin))


def _geometry(table: TomlTable) -> Geometry:
    shape, placement = _shape(table), _placement(table)
    color: Any = table.take("color", numbers(4), None)
    table.done()
    return Geometry(shape, placement, color)


def _shape(table: TomlTable) -> Shape:
    kind = table.take("kind", text)
    if kind not in SHAPES:
        raise table.document.error(
            (*table.way, "kind"), f"shape {kind!r} is not known; there are {', '.join(SHAPES)}"
        )
    keys = {"size": numbers(), "mesh": text, "heights": _rows}
    saved = {key: table.take(key, read, None) for key, read in keys.items()}
    with table.document.at(table.way):
        return SHAPES[kind].read({key: value for key, value in saved.items() if value is not None})


def _rows(value: Any) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list):
        raise ValueError("expected rows of numbers")
    return tuple(numbers()(row) for row in value)
