"""Numbers of a mechanism, by name: to be left open when a kernel is compiled, or changed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..spatial import Array, Inertia, Placement, Transform, array
from ..spatial.rotation import exp
from .fields import meant, with_open
from .gear import Gear
from .mechanism import Body, Mechanism
from .parts import body_faults
from .values import expect, vector


def parameter_names(m: Mechanism) -> list[str]:
    """Names of all numbers that `wt.compile(…, parameters=[…])` can leave open, and `rollout` varies.

    "gravity.x" …, and for each body "body.mass" (kg), "body.com.x" … (m), "body.about_com.xx" …
    (kg m², about the centre of mass), "body.position.x" … (m, of its joint on the parent), "body.turn.x" …
    (rad, a further turn of that joint about the axes it has, by the rotation vector; 0 as it is),
    "body.armature" (kg m² or kg), "body.damping", "body.friction" and "body.stiffness" of its joint.

    For each loop "loop.position_p.x" …, "loop.turn_p.x" …, and the same with s (of its joint on the
    predecessor and on the successor), "loop.damping", "loop.friction" and "loop.stiffness"; for each frame
    "frame.position.x" … and "frame.turn.x" …; for each gear "gear.ratio", or of several drivers
    "gear.ratio.sun" …, and "gear.offset"; for each spring "spring.point_a.x" …, "spring.point_b.x" … (m),
    "spring.stiffness", "spring.damping" and "spring.length"; for each force "force.force.x" … (N) and
    "force.torque.x" … (N m); for each contact "contact.friction", "contact.restitution" and, where they are
    given, "contact.stiffness" (N/m) and "contact.damping" (N s/m); for each driver "driver.amplitude" and
    "driver.offset". Where two parts of one name have the same number, that of the later kind is told with
    its kind in front, as "spring.elbow.damping".

    >>> import whippletree as wt
    >>> wt.parameter_names(wt.examples.load("pendulum"))[3:8]
    ['rod.mass', 'rod.com.x', 'rod.com.y', 'rod.com.z', 'rod.about_com.xx']
    """
    expect("parameter_names", "m", m, Mechanism, "a Mechanism")
    return list(_numbers(m))


def parameter_values(m: Mechanism, names: Sequence[str]) -> Array:
    """(len(names),) what the mechanism itself has for these numbers.

    >>> import whippletree as wt
    >>> wt.parameter_values(wt.examples.load("pendulum"), ["rod.mass", "gravity.z", "rod.com.z"])
    array([ 1.  , -9.81, -0.5 ])
    """
    expect("parameter_values", "m", m, Mechanism, "a Mechanism")
    numbers = _numbers(m)
    _check_names(m, names, numbers)
    return np.array([numbers[name] for name in names], dtype=float)


def with_parameters(m: Mechanism, names: Sequence[str], values: Array) -> Mechanism:
    """The mechanism with other numbers, which may be symbolic; real ones must be possible.

    Raises:
        InputError: Names that are no parameters, or another number of values.
        ModelError: An inertia that no body has, an armature, friction or stiffness below 0.

    >>> import whippletree as wt
    >>> heavy = wt.with_parameters(wt.examples.load("pendulum"), ["rod.mass"], np.array([2.5]))
    >>> float(wt.total_mass(heavy))
    2.5
    """
    expect("with_parameters", "m", m, Mechanism, "a Mechanism")
    numbers = _numbers(m)
    _check_names(m, names, numbers)
    values = vector(values, (len(names),), "values", "one entry per name")
    changed = dict(zip(names, values.tolist(), strict=True))
    numbers.update(changed)
    parts: dict[str, list[Any]] = {}
    for kind, of_kind in m.kinds():
        if kind.name in KNOWN:
            parts[kind.plural] = [_changed(kind.name, part, numbers, changed, values) for part in of_kind]
    gravity = (numbers["gravity.x"], numbers["gravity.y"], numbers["gravity.z"])
    return m.with_parts(**parts, gravity=gravity)


PLAIN: dict[str, tuple[str, ...]] = {
    "body": ("damping", "friction", "stiffness"),
    "loop": ("damping", "friction", "stiffness"),
    "gear": ("ratio", "offset"),
    "spring": ("stiffness", "damping", "length"),
    "contact": ("friction", "restitution", "stiffness", "damping"),
    "driver": ("amplitude", "offset"),
}
"""Fields that are numbers, by kind; None where there is none."""

VECTORS = {"spring": ("point_a", "point_b"), "force": ("force", "torque")}
"""Fields that are three numbers."""

PLACED = {
    "body": {"": "placement"},
    "loop": {"_p": "placement_p", "_s": "placement_s"},
    "frame": {"": "placement"},
}
"""Fields that are placements, by what follows the names of their numbers."""

KNOWN = tuple(dict.fromkeys((*PLACED, *PLAIN, *VECTORS)))
"""Kinds that have numbers."""


def _numbers(m: Mechanism) -> dict[str, Any]:
    """Every number by name."""
    numbers = {f"gravity.{axis}": value for axis, value in zip("xyz", m.gravity, strict=True)}
    for kind, parts in m.kinds():
        for part in parts if kind.name in KNOWN else ():
            for name, value in _own_numbers(kind.name, part).items():
                whole = f"{part.name}.{name}"
                numbers[whole if whole not in numbers else f"{kind.name}.{whole}"] = value
    return numbers


def _own_numbers(kind: str, part: Any) -> dict[str, Any]:
    """The numbers of a part by what they are called in it."""
    found: dict[str, Any] = _inertia_numbers(part) if isinstance(part, Body) else {}
    for ending, field in PLACED.get(kind, {}).items():
        position = getattr(part, field).position
        found.update({f"position{ending}.{axis}": position[k] for k, axis in enumerate("xyz")})
        found.update({f"turn{ending}.{axis}": 0.0 for axis in "xyz"})
    if isinstance(part, Body):
        found["armature"] = part.armature
    for field in VECTORS.get(kind, ()):
        found.update({f"{field}.{axis}": getattr(part, field)[k] for k, axis in enumerate("xyz")})
    for name in PLAIN.get(kind, ()):
        value = getattr(part, name)
        if isinstance(part, Gear) and isinstance(value, tuple):  # ratios of several drivers
            found.update({f"{name}.{driver}": ratio for driver, ratio in part.terms})
        elif value is not None:
            found[name] = value
    return found


def _inertia_numbers(body: Body) -> dict[str, Any]:
    inertia, about = body.inertia, body.inertia.about_com
    numbers = {"mass": inertia.m}
    numbers.update({f"com.{axis}": inertia.com[k] for k, axis in enumerate("xyz")})
    for pair in ("xx", "xy", "xz", "yy", "yz", "zz"):
        numbers[f"about_com.{pair}"] = about["xyz".index(pair[0]), "xyz".index(pair[1])]
    return numbers


def _changed(kind: str, part: Any, numbers: dict[str, Any], changed: dict[str, Any], values: Array) -> Any:
    """The part with other numbers, which it checks itself only if they are real."""
    own = _own_numbers(kind, part)

    def name_of(number: str) -> str:
        # Of two parts of one name, the one of the later kind has its kind in front.
        longer = f"{kind}.{part.name}.{number}"
        return longer if longer in numbers else f"{part.name}.{number}"

    here = {number for number in own if name_of(number) in changed}
    if not here:
        return part
    own = {number: numbers[name_of(number)] for number in own}
    fields: dict[str, Any] = {name: own[name] for name in PLAIN.get(kind, ()) if name in here}
    if isinstance(part, Gear) and any(number.startswith("ratio.") for number in here):
        fields["ratio"] = tuple(own[f"ratio.{driver}"] for driver, _ in part.terms)
    for field in VECTORS.get(kind, ()):
        if here & {f"{field}.{axis}" for axis in "xyz"}:
            fields[field] = tuple(own[f"{field}.{axis}"] for axis in "xyz")
    for ending, field in PLACED.get(kind, {}).items():
        fields[field] = _placed(getattr(part, field), own, ending, here)
    if isinstance(part, Body):
        new = _rebuilt(part, own, fields)
        if values.dtype.kind == "f":
            _check_real(part, new)
        return new
    return replace(part, **fields) if values.dtype.kind == "f" else with_open(part, **fields)


def _placed(old: Placement, own: dict[str, Any], ending: str, here: set[str]) -> Placement:
    """A placement with another position, and turned further."""
    turned = {f"turn{ending}.{axis}" for axis in "xyz"}
    if not here & (turned | {f"position{ending}.{axis}" for axis in "xyz"}):
        return old
    position = array([own[f"position{ending}.{axis}"] for axis in "xyz"])
    rotation = old.rotation
    if here & turned:
        rotation = rotation @ exp(array([own[f"turn{ending}.{axis}"] for axis in "xyz"]))
    return Placement.of(Transform(rotation.T, position))


def _rebuilt(body: Body, own: dict[str, Any], fields: dict[str, Any]) -> Body:
    """The body made anew from its numbers."""
    com = array([own[f"com.{axis}"] for axis in "xyz"])
    moments = [[own["about_com." + "".join(sorted((a, b)))] for b in "xyz"] for a in "xyz"]
    return replace(body, inertia=Inertia(own["mass"], com, moments), armature=own["armature"], **fields)


def _check_real(old: Body, new: Body) -> None:
    """ModelError for a body of real numbers that has become impossible; files hold some that always were."""
    before = {(fault.field, fault.title) for fault in body_faults(old)}
    for fault in body_faults(new) if new is not old else ():
        if (fault.field, fault.title) not in before:
            raise ModelError(f"{fault.title}: {fault.fault}{fault.hint}")
    for name in ("armature", *PLAIN["body"]):
        if getattr(new, name) < 0.0:
            value = getattr(new, name)
            raise ModelError(f"body {new.name!r}: {name} is {value:g}, must be 0 or more and finite")


def _check_names(m: Mechanism, names: Sequence[str], known: dict[str, Any]) -> None:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"parameters is {names!r}, expected a list of names, as ['gravity.z']")
    for name in names:
        if name not in known:
            raise InputError(
                f"{m.name!r} has no parameter {name!r}; there are gravity.x … and for each body mass, com.x, "
                "about_com.xx, position.x, armature …, for each loop position_p.x …, for springs, gears, "
                "frames, forces, contacts and drivers their own, as in 'link3.mass' (wt.parameter_names "
                f"lists them all){meant(name, known)}"
            )
    if len(set(names)) != len(names):
        raise InputError(f"parameters are named twice: {', '.join(names)}")
