"""The kinds of parts a mechanism has: one class and one row of a table each.

All that handles parts walks this table: equality, copies and changes of a mechanism, files, summary, report
and validation. A kind of a user is one more frozen dataclass with a field `name`, and one `register`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..joints import Joint
from ..shapes import Shape
from ..spatial import Array, Placement
from .contact import Contact, check_contact
from .driver_part import Distance, Driver, check_distance, check_driver
from .force import Force, check_force
from .gear import Gear, check_gear, check_locked
from .loop import Loop, check_closed, check_loop, loop_doubts, loop_faults
from .parts import GROUND, Body, Fault, Frame, PlacedShape, body_doubts, body_faults, check_body
from .report import body_data, loop_data, part_data
from .spring import Spring, check_spring
from .wording import describe, number, vector

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Name(NamedTuple):
    """A name that a part brings: of what, and among which others it is the only one."""

    of: str
    unique: str


class Reference(NamedTuple):
    """A field that names another part.

    Attributes:
        to: What it names: "body" or "frame", both of which may be the ground, "joint", or any other kind.
        fixed: Fields that are fixed to that body: placements, or points (3,) in m, in its frame.
    """

    to: tuple[str, ...]
    fixed: tuple[str, ...] = ()


def on_body(*fixed: str) -> Reference:
    """A field that names a body, or the ground; with the fields that are told in this body's frame."""
    return Reference(("body",), fixed)


def to(*kinds: str) -> Reference:
    """A field that names a part of one of these kinds, or several in a tuple."""
    return Reference(kinds)


def names_in(value: Any) -> tuple[Any, ...]:
    """What a field that refers to others holds: one name, or a tuple of them."""
    return value if isinstance(value, tuple) else (value,)


def with_names(value: Any, change: Callable[[str], str]) -> Any:
    """The same with every name changed."""
    return tuple(map(change, value)) if isinstance(value, tuple) else change(value)


def line_of(part: Any) -> str:
    """A part in one line: its name and what its fields hold."""
    words = [f"{f.name} {_words(getattr(part, f.name))}" for f in fields(part) if f.name != "name"]
    return f"{part.name}: {', '.join(words)}"


def _words(value: Any) -> str:
    if isinstance(value, bool | str) or value is None:
        return str(value)
    if isinstance(value, Placement):
        return vector(value.position)
    if isinstance(value, Joint):
        return describe(value)
    if isinstance(value, Shape):
        return f"{value.kind} {vector(value.saved()['size'])}".removesuffix(" ()")
    if isinstance(value, tuple | list | np.ndarray) and np.asarray(value).dtype.kind in "iuf":
        return vector(value)
    return number(value) if isinstance(value, int | float) else str(value)


def no_check(m: "Mechanism", part: Any) -> None:
    """Nothing is to be checked beside names and references."""


def no_faults(part: Any) -> Iterator[Fault]:
    """The class itself refuses whatever is wrong."""
    return iter(())


def may_go(part: Any, positions: Mapping[str, Array]) -> None:
    """It may be left out when joints are locked."""


@dataclass(frozen=True)
class Kind:
    """A row of the table.

    Attributes:
        name, plural: As in messages and files, "spring", and in `rename` and reports, "springs".
        part: The class, a frozen dataclass with a field `name`; it checks its own numbers.
        refers: Fields that name other parts.
        names: Fields that are names of the part itself; `name` is one, unique among parts of the kind.
        check: Raises ModelError for a part that does not fit a mechanism. Names and references are looked
            at anyway; the mechanism may hold an older part under the same name.
        faults: What is wrong with a part that files may hold, and a user may not say.
        doubts: What may be meant and is more likely a slip: warned of, never refused.
        lost: Called before `lock` leaves a part out, with positions of the locked joints by name, as its
            joints are locked or all of its bodies are one: raises ModelError if that must not be.
        line: The part in one line, for the summary; None for a kind that has a table there.
        data: The part as plain data, for JSON.
        defaults: Values of fields that a file need not say, made from those it has said.
        moves: Whether such parts have a say in how a mechanism moves.
    """

    name: str
    plural: str
    part: type
    refers: Mapping[str, Reference]
    names: Mapping[str, Name] | None = None
    check: Callable[["Mechanism", Any], None] = no_check
    faults: Callable[[Any], Iterator[Fault]] = no_faults
    doubts: Callable[[Any], Iterator[Fault]] = no_faults
    lost: Callable[[Any, Mapping[str, Array]], None] = may_go
    line: Callable[[Any], str] | None = line_of
    data: Callable[["Mechanism", Any], dict[str, Any]] = part_data
    defaults: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None
    moves: bool = True

    def own_names(self) -> Mapping[str, Name]:
        """The fields that are names of the part itself."""
        return self.names or {"name": Name(self.name, self.name)}


KINDS: dict[str, Kind] = {}
"""All kinds by name, in the order in which parts are written, read and put together."""

SHARING: dict[str, list[str]] = {}
"""What has its names in common, by the words for it: "joint" holds the names of joints and loops."""

_BY_CLASS: dict[type, Kind] = {}


def register(kind: Kind) -> None:
    """Add a row to the table; ModelError if it does not fit.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Motor:
    ...     name: str
    ...     joint: str
    ...     gain: float = 1.0
    >>> register(Kind("motor", "motors", Motor, refers={"joint": to("joint")}))
    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> m.add(Motor("drive", "rod", gain=2.5))
    >>> m.parts("motor")[0].gain
    2.5
    >>> unregister("motor")
    """
    if not is_dataclass(kind.part) or "name" not in (known := [f.name for f in fields(kind.part)]):
        raise ModelError(f"kind {kind.name!r}: {kind.part.__name__} is no dataclass with a field 'name'")
    for field in (*kind.refers, *(f for refers in kind.refers.values() for f in refers.fixed)):
        if field not in known:
            raise ModelError(f"kind {kind.name!r}: {kind.part.__name__} has no field {field!r}")
    taken = {*RESERVED, *(word for other in KINDS.values() for word in (other.name, other.plural))}
    for word in (kind.name, kind.plural):
        if word in taken:
            raise ModelError(f"there is a kind {word!r} already: choose another name")
    if kind.part in _BY_CLASS:
        raise ModelError(f"{kind.part.__name__} is of kind {_BY_CLASS[kind.part].name!r} already")
    KINDS[kind.name] = _BY_CLASS[kind.part] = kind
    for name in kind.own_names().values():
        SHARING.setdefault(name.unique, []).append(name.of)


def unregister(name: str) -> None:
    """Take a kind out of the table, as tests do; mechanisms with such parts are no longer understood."""
    kind = KINDS.pop(name)
    del _BY_CLASS[kind.part]
    for own in kind.own_names().values():
        SHARING[own.unique].remove(own.of)


def kind_of(part: Any) -> Kind:
    """The row of a part; ModelError for what is no part."""
    if type(part) not in _BY_CLASS:
        known = ", ".join(cls.__name__ for cls in _BY_CLASS)
        raise ModelError(f"{part!r} is no part of a mechanism; there are {known}")
    return _BY_CLASS[type(part)]


def _loop_line(loop: Loop) -> str:
    return (
        f"{loop.name}: {describe(loop.joint)} from {loop.predecessor} at {vector(loop.placement_p.position)} "
        f"to {loop.successor} at {vector(loop.placement_s.position)}{_joint_words(loop)}"
    )


def _joint_words(loop: Loop) -> str:
    """What a loop joint has that not all have, each after a comma."""
    words = [f"{name} {number(value)}" for name in LOOP_QUANTITIES if (value := getattr(loop, name))]
    if np.isfinite([loop.limits.lower, loop.limits.upper]).any():
        words.append(f"limits {number(loop.limits.lower)} … {number(loop.limits.upper)}")
    return "".join(f", {word}" for word in [*words, *(["motor"] if loop.actuated else [])])


LOOP_QUANTITIES = ("damping", "friction", "stiffness")
"""What of a loop joint is shown if it is there."""


def _frame_line(frame: Frame) -> str:
    return f"{frame.name} on {frame.body} at {vector(frame.placement.position)}"


def _gear_line(gear: Gear) -> str:
    terms = " + ".join(f"{number(ratio)} · {driver}" for driver, ratio in gear.terms)
    return f"{gear.name}: {gear.driven} = {terms} + {number(gear.offset)}"


def _spring_line(s: Spring) -> str:
    return (
        f"{s.name}: {s.body_a} {vector(s.point_a)} to {s.body_b} {vector(s.point_b)}, "
        f"{number(s.stiffness)} N/m, {number(s.damping)} N s/m, length {number(s.length)} m"
    )


def _force_line(f: Force) -> str:
    return f"{f.name}: on {f.frame}, {vector(f.force)} N, {vector(f.torque)} N m, {f.reference}"


def _contact_line(c: Contact) -> str:
    given = f"{c.name}: {c.a} on {c.b}, friction {number(c.friction)}, restitution {number(c.restitution)}"
    if c.stiffness is None:
        return f"{given}, rigid"
    return f"{given}, {number(c.stiffness)} N/m, {number(c.damping or 0.0)} N s/m"


def _driver_line(d: Driver) -> str:
    return f"{d.name}: {d.joint} = {number(d.amplitude)} · ({d.position}) + {number(d.offset)}"


RESERVED = ("format", "name", "gravity", "ground", "warnings", "joint", "joints")
"""Words that mean something else in files, reports and `rename`."""

PLACE = "body, frame or shape"
JOINT = "joint"

for _kind in (
    Kind(
        "body",
        "bodies",
        Body,
        refers={"parent": on_body("placement")},
        names={"name": Name("body", PLACE), "joint_name": Name("joint", JOINT)},
        check=check_body,
        faults=body_faults,
        doubts=body_doubts,
        line=None,
        data=body_data,
        defaults={"parent": lambda said: GROUND, "joint_name": lambda said: said["name"]},
    ),
    Kind(
        "loop",
        "loops",
        Loop,
        refers={"predecessor": on_body("placement_p"), "successor": on_body("placement_s")},
        names={"name": Name("loop", JOINT)},
        check=check_loop,
        faults=loop_faults,
        doubts=loop_doubts,
        lost=check_closed,
        line=_loop_line,
        data=loop_data,
    ),
    Kind(
        "frame",
        "frames",
        Frame,
        refers={"body": on_body("placement")},
        names={"name": Name("frame", PLACE)},
        line=_frame_line,
        moves=False,
    ),
    Kind(
        "gear",
        "gears",
        Gear,
        refers={"driver": to("joint", "loop"), "driven": to("joint", "loop")},
        check=check_gear,
        lost=check_locked,
        line=_gear_line,
    ),
    Kind(
        "spring",
        "springs",
        Spring,
        refers={"body_a": on_body("point_a"), "body_b": on_body("point_b")},
        check=check_spring,
        line=_spring_line,
    ),
    Kind(
        "force", "forces", Force, refers={"frame": to("frame", "body")}, check=check_force, line=_force_line
    ),
    Kind(
        "shape",
        "shapes",
        PlacedShape,
        refers={"body": on_body("placement")},
        names={"name": Name("shape", PLACE)},
        moves=False,
    ),
    Kind(
        "contact",
        "contacts",
        Contact,
        refers={"a": to("shape", "body"), "b": to("shape", "body")},
        check=check_contact,
        line=_contact_line,
    ),
    Kind(
        "distance",
        "distances",
        Distance,
        refers={"frame_a": to("frame", "body"), "frame_b": to("frame", "body")},
        names={"name": Name("distance", JOINT)},
        check=check_distance,
    ),
    Kind(
        "driver",
        "drivers",
        Driver,
        refers={"joint": to("joint", "loop", "distance")},
        check=check_driver,
        line=_driver_line,
        defaults={"joint": lambda said: said["name"]},
        moves=False,  # they are asked where motions are, and no part of what is compiled for a mechanism
    ),
):
    register(_kind)
