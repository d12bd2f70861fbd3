"""Read a mechanism from Whippletree's own file format, TOML; docs/format.md describes it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from inspect import isabstract
from math import isinf
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ... import joints
from ...errors import FileError, InputError
from ...joints import Joint
from ...model.driver_motions import DriverMotion, motion_read
from ...model.fields import meant
from ...model.graph import Graph
from ...model.graph_parts import GRAPH_BODY, GRAPH_JOINT
from ...model.kinds import KINDS, Kind, names_in
from ...model.mechanism import GROUND, Geometry, Mechanism
from ...shapes import SHAPES, Shape
from ...spatial import Inertia, Placement
from ..file_source import Source
from ..findings import Findings, Problem
from .toml_graph import Joining, Ways, grown, other_kinds
from .toml_table import REQUIRED, Document, TomlTable, bound, number, numbers, rgba, text, texts, truth, whole

FORMAT = 1
"""The version of the format; a file of a later one is refused."""

JOINTS: dict[str, type[Joint]] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(): cls
    for name in joints.__all__
    if isinstance(cls := getattr(joints, name), type) and not isabstract(cls)
}
"""Joint types by their name in a file: "revolute", "spherical-euler" …"""


def load(
    source: Source,
    root: Joint | None = None,
    packages: Iterable[Path] = (),
    keep_zero_limits: bool = True,
) -> Mechanism:
    """The mechanism in a text. It means what it says: a root is refused, the others have no use."""
    if root is not None:
        raise InputError(f"root is {root!r}: {source.path.name} has its own root, only URDF files need one")
    m, findings = _mechanism(Document(source))
    error = findings.first_error()
    if error is not None:
        raise FileError(source.path, error.message, error.line)
    m.warnings += [f"{source.path}, {problem}" for problem in findings.problems()]
    return m


def problems(source: Source, packages: Iterable[Path] = ()) -> list[Problem]:
    """Every error for which `load` refuses the text, or the warnings it would give."""
    try:
        return _mechanism(Document(source))[1].problems()
    except FileError as error:
        return [Problem(error.line, error.message, "error")]


def _mechanism(document: Document) -> tuple[Mechanism, Findings]:
    """What can be read of a mechanism, and what is wrong with the rest; FileError if it is none at all."""
    top, findings = document.top, Findings()
    _check_version(document)
    lost: set[str] = set()
    if top.look("joint") is not None:
        ways = Ways(document)
        g = _graph(document, findings, lost)
        m, takes = grown(g, ways, document, findings)
        for kind in other_kinds():
            _add_all(takes, kind, document, findings, lost)
    else:
        m = Mechanism("unknown")
        _read_head(m, document, findings)
        for kind in KINDS.values():
            _add_all(m, kind, document, findings, lost)
        with findings.told():
            visuals, collisions = _ground_looks(top.table("ground"))
            m.change(GROUND, visuals=visuals, collisions=collisions)
    for error in top.left_over():
        findings.refuse(error)
    return m, findings


def load_graph(source: Source) -> Graph:
    """The graph in a text, of which no tree is made; what is wrong with parts as `load` finds it."""
    load(source)
    document, findings, lost = Document(source), Findings(), set[str]()
    if document.top.look("joint") is None:
        raise FileError(source.path, "is no graph: it has no [[joint]], its bodies name what carries them")
    g = _graph(document, findings, lost)
    for kind in other_kinds():
        _add_all(g, kind, document, findings, lost)
    return g


def _graph(document: Document, findings: Findings, lost: set[str]) -> Graph:
    """Bodies and joints of a graph, and its ground."""
    g = Graph("unknown")
    _read_head(g, document, findings)
    _add_all(g, GRAPH_BODY, document, findings, lost)
    _add_all(Joining(g), GRAPH_JOINT, document, findings, lost)
    with findings.told():
        g.ground_visuals, g.ground_collisions = _ground_looks(document.top.table("ground"))
    return g


def _check_version(document: Document) -> None:
    version = document.top.take("format", number, 0.0)
    if version == 0.0:
        raise FileError(document.path, f"is not a Whippletree mechanism: it has no line 'format = {FORMAT}'")
    if version != FORMAT:
        raise document.error(("format",), f"has format {version:g}; this version reads format {FORMAT}")


def _read_head(m: Mechanism | Graph, document: Document, findings: Findings) -> None:
    with findings.told():
        m.name = document.top.take("name", _name)
    with findings.told(), document.at(("gravity",)):
        m.gravity = document.top.take("gravity", numbers(3), (0.0, 0.0, -9.81))


def _ground_looks(ground: TomlTable | None) -> tuple[tuple[Geometry, ...], tuple[Geometry, ...]]:
    """What is seen of the ground, and what can be touched."""
    if ground is None:
        return (), ()
    visuals, collisions = (tuple(map(_geometry, ground.tables(key))) for key in ("visual", "collision"))
    ground.done()
    return visuals, collisions


def _add_all(takes: Any, kind: Kind, document: Document, findings: Findings, lost: set[str]) -> None:
    with findings.told():
        for entry in document.top.tables(kind.name):
            _add(takes, kind, entry, findings, lost)


def _name(value: Any) -> str:
    if not text(value).strip():
        raise ValueError("expected a name")
    return value


@cache
def _fields(part: type) -> tuple[tuple[Field[Any], Any], ...]:
    """The fields of a class with their types; of `one | None` the first, of `one | tuple[one, ...]` both."""
    types = get_type_hints(part)
    return tuple((field, _given(types[field.name])) for field in fields(part))


def _given(kind: Any) -> Any:
    if get_origin(kind) not in (UnionType, Union):
        return kind
    given = tuple(one for one in get_args(kind) if one is not NoneType)
    return given[0] if len(given) == 1 else given


def _add(m: Any, kind: Kind, entry: TomlTable, findings: Findings, lost: set[str]) -> None:
    """Add the part of an entry; what is impossible is an error with its line, what is odd a warning.

    A part at fault is lost, and so is one that refers to it, for which it is not blamed.
    """
    said: dict[str, Any] = {}
    defaults = kind.defaults or {}
    errors: list[FileError] = []
    for field, given in _fields(kind.part):
        default = field.default
        if field.default_factory is not MISSING and entry.look(field.name) is None:
            default = field.default_factory()
        try:
            if field.name in defaults and field.name not in said:
                default = defaults[field.name]({"name": "", **said})
            said[field.name] = _value(entry, field.name, given, default)
        except FileError as error:
            errors.append(error)
    errors += entry.left_over()
    referred = [name for field in kind.refers for name in names_in(said.get(field))]
    if not errors and lost.isdisjoint(name for name in referred if isinstance(name, str)):
        try:
            with entry.document.at(entry.way):
                part = kind.part(**said)
                m.append(part)
        except FileError as error:
            errors.append(error)
        else:
            for fault in kind.faults(part):
                line = entry.document.line((*entry.way, fault.field))
                findings.warning(line, f"{fault.title}: {fault.fault}")
            for doubt in kind.doubts(part):
                line = entry.document.line((*entry.way, doubt.field))
                findings.warning(line, f"{doubt.title}: {doubt.fault}")
            return
    lost.update(name for field in kind.own_names() if isinstance(name := entry.look(field), str))
    for error in errors:
        findings.refuse(error)


def _value(entry: TomlTable, key: str, kind: Any, default: Any) -> Any:
    """The value of a field by the type that its class gives it; the default, if that is not MISSING."""
    if isinstance(kind, tuple):  # one, or a list of several
        one, several = kind
        kind = several if isinstance(entry.look(key), list) else one
    if kind in OWN:
        return OWN[kind](entry, key)
    if is_dataclass(kind):
        return _record(entry, key, kind, default)
    return entry.take(key, _reader_for(kind, default), REQUIRED if default is MISSING else default)


def _reader_for(kind: Any, default: Any) -> Any:
    """What reads a plain value of a type; a number may be infinite where it is by default."""
    return bound if kind is float and isinstance(default, float) and isinf(default) else _reader(kind)


@cache
def _reader(kind: Any) -> Any:
    if kind == tuple[str, ...]:
        return texts
    if get_origin(kind) is tuple:
        inside = get_args(kind)
        return numbers(None if inside[-1] is Ellipsis else len(inside))
    return {float: number, int: whole, bool: truth}.get(kind, text)


def _record(entry: TomlTable, key: str, kind: Any, default: Any) -> Any:
    """A table of values, each with a default, as limits are."""
    table = entry.table(key)
    if table is None:
        return default
    said = {
        field.name: table.take(field.name, _reader_for(given, field.default), field.default)
        for field, given in _fields(kind)
    }
    table.done()
    with table.document.at(table.way):
        return kind(**said)


def _title(entry: TomlTable) -> str:
    """The part of an entry, as "body 'link'"."""
    return f"{entry.way[0]} {entry.look('name')!r}"


def _joint_of(entry: TomlTable, key: str) -> Joint:
    table = entry.table("joint")
    if table is None:
        raise entry.document.error(
            entry.way, f"{_title(entry)} has no joint, as joint = {{ type = 'fixed' }}"
        )
    return _joint(table)


def _motion(entry: TomlTable, key: str) -> DriverMotion:
    table = entry.table(key)
    if table is None:
        raise entry.document.error(entry.way, f"{_title(entry)} has no {key}, as {key} = {{ speed = 6.28 }}")
    readers = {"speed": number, "formula": text, "periodic": truth, "coefficients": _rows}
    names = ("speed", "formula", "times", "positions", "breaks", "coefficients", "periodic")
    said = {name: table.take(name, readers.get(name, numbers()), None) for name in names}
    table.done()
    try:
        return motion_read({name: value for name, value in said.items() if value is not None})
    except InputError as error:
        raise table.document.error(table.way, f"{_title(entry)}: {error}") from None


def _joint(table: TomlTable) -> Joint:
    kind = table.take("type", text)
    if kind not in JOINTS:
        raise table.document.error(
            (*table.way, "type"),
            f"joint type {kind!r} is not known; there are {', '.join(sorted(JOINTS))}{meant(kind, JOINTS)}",
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
    rpy = table.take("rpy", numbers(3), None)
    quaternion = table.take("quaternion", numbers(4), None)
    rotation = table.take("rotation", _matrix, None)
    table.done()
    with table.document.at(table.way):
        return Placement(position, rpy, quaternion, rotation)


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


def _mass(value: Any) -> float:
    if number(value) < 0:
        raise ValueError("expected kilograms, not negative")
    return number(value)


def _inertia(entry: TomlTable, key: str = "inertia") -> Inertia:
    """About the centre of mass, or the ten numbers kept inside, which lose no digit."""
    table = entry.table(key)
    if table is None:
        return Inertia.zero()
    mass = table.take("mass", _mass)
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
    color: Any = table.take("color", rgba, None)
    table.done()
    return Geometry(shape, placement, color)


def _shape(table: TomlTable) -> Shape:
    kind = table.take("kind", text)
    if kind not in SHAPES:
        raise table.document.error(
            (*table.way, "kind"),
            f"shape {kind!r} is not known; there are {', '.join(SHAPES)}{meant(kind, SHAPES)}",
        )
    keys = {"size": numbers(), "mesh": text, "heights": _rows}
    saved = {key: table.take(key, read, None) for key, read in keys.items()}
    with table.document.at(table.way):
        return SHAPES[kind].read({key: value for key, value in saved.items() if value is not None})


def _rows(value: Any) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list):
        raise ValueError("expected rows of numbers")
    return tuple(numbers()(row) for row in value)


OWN: dict[Any, Callable[[TomlTable, str], Any]] = {
    Placement: _placement,
    Inertia: _inertia,
    Shape: lambda entry, _: _shape(entry),
    Joint: _joint_of,
    DriverMotion: _motion,
    tuple[Geometry, ...]: lambda entry, key: tuple(map(_geometry, entry.tables(key.removesuffix("s")))),
}
"""What reads values that have a form of their own, by their type: from the entry and the key."""
