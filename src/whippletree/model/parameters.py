"""Numbers of a mechanism, by name: to be left open when a kernel is compiled, or changed."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..spatial import Array, Inertia, Placement, Transform, array
from .contact import Contact
from .loop import Loop
from .mechanism import Body, Mechanism
from .parts import body_faults
from .values import expect, vector


def parameter_names(m: Mechanism) -> list[str]:
    """Names of all numbers that `wt.compile(…, parameters=[…])` can leave open.

    "gravity.x" …, and for each body "body.mass" (kg), "body.com.x" … (m), "body.about_com.xx" …
    (kg m², about the centre of mass), "body.position.x" … (m, of its joint on the parent) and
    "body.armature" (kg m² or kg); for each loop "loop.position_p.x" … and "loop.position_s.x" … (m, of its
    joint on the predecessor and on the successor); for each contact "contact.friction",
    "contact.restitution" and, where they are given, "contact.stiffness" (N/m) and "contact.damping"
    (N s/m).

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
    >>> heavy = with_parameters(wt.examples.load("pendulum"), ["rod.mass"], np.array([2.5]))
    >>> float(wt.total_mass(heavy))
    2.5
    """
    expect("with_parameters", "m", m, Mechanism, "a Mechanism")
    numbers = _numbers(m)
    _check_names(m, names, numbers)
    values = vector(values, (len(names),), "values", "one entry per name")
    changed = dict(zip(names, values.tolist(), strict=True))
    numbers.update(changed)
    bodies = [
        _rebuilt(body, numbers) if any(name in changed for name in _body_numbers(body)) else body
        for body in m.bodies
    ]
    loops = [
        _moved(loop, numbers) if any(name in changed for name in _loop_numbers(loop)) else loop
        for loop in m.loops
    ]
    contacts = [_changed_contact(contact, changed) for contact in m.contacts]
    if values.dtype.kind == "f":
        for old, new in zip(m.bodies, bodies, strict=True):
            _check_real(old, new)
        for contact in contacts:
            replace(contact)  # which checks its numbers
    gravity = (numbers["gravity.x"], numbers["gravity.y"], numbers["gravity.z"])
    return m.with_parts(bodies=bodies, loops=loops, contacts=contacts, gravity=gravity)


def _numbers(m: Mechanism) -> dict[str, Any]:
    """Every number by name."""
    numbers = {f"gravity.{axis}": value for axis, value in zip("xyz", m.gravity, strict=True)}
    for body in m.bodies:
        numbers.update(_body_numbers(body))
    for loop in m.loops:
        numbers.update(_loop_numbers(loop))
    for contact in m.contacts:
        numbers.update(_contact_numbers(contact))
    return numbers


def _body_numbers(body: Body) -> dict[str, Any]:
    inertia, about = body.inertia, body.inertia.about_com
    numbers = {"mass": inertia.m}
    numbers.update({f"com.{axis}": inertia.com[k] for k, axis in enumerate("xyz")})
    for pair in ("xx", "xy", "xz", "yy", "yz", "zz"):
        numbers[f"about_com.{pair}"] = about["xyz".index(pair[0]), "xyz".index(pair[1])]
    numbers.update({f"position.{axis}": body.placement.position[k] for k, axis in enumerate("xyz")})
    numbers["armature"] = body.armature
    return {f"{body.name}.{name}": value for name, value in numbers.items()}


def _loop_numbers(loop: Loop) -> dict[str, Any]:
    sides = {"p": loop.placement_p.position, "s": loop.placement_s.position}
    return {
        f"{loop.name}.position_{side}.{axis}": position[k]
        for side, position in sides.items()
        for k, axis in enumerate("xyz")
    }


def _moved(loop: Loop, numbers: dict[str, Any]) -> Loop:
    """The loop with its joint elsewhere on both sides."""

    def placement(side: str, old: Placement) -> Placement:
        position = array([numbers[f"{loop.name}.position_{side}.{axis}"] for axis in "xyz"])
        return Placement.of(Transform(old.rotation.T, position))

    p, s = placement("p", loop.placement_p), placement("s", loop.placement_s)
    return replace(loop, placement_p=p, placement_s=s)


def _contact_numbers(contact: Contact) -> dict[str, Any]:
    values = {name: getattr(contact, name) for name in ("friction", "restitution", "stiffness", "damping")}
    return {f"{contact.name}.{name}": value for name, value in values.items() if value is not None}


def _changed_contact(contact: Contact, changed: dict[str, Any]) -> Contact:
    """The contact with other numbers, which it does not check: they may be symbolic."""
    made = copy(contact)
    for name in _contact_numbers(contact).keys() & changed.keys():
        object.__setattr__(made, name.rpartition(".")[2], changed[name])
    return made


def _rebuilt(body: Body, numbers: dict[str, Any]) -> Body:
    """The body made anew from its numbers."""

    def number(name: str) -> Any:
        return numbers[f"{body.name}.{name}"]

    com, position = (array([number(f"{part}.{axis}") for axis in "xyz"]) for part in ("com", "position"))
    moments = [[number("about_com." + "".join(sorted((a, b)))) for b in "xyz"] for a in "xyz"]
    placement = Placement.of(Transform(body.placement.rotation.T, position))
    inertia = Inertia(number("mass"), com, moments)
    return replace(body, inertia=inertia, placement=placement, armature=number("armature"))


def _check_real(old: Body, new: Body) -> None:
    """ModelError for a body of real numbers that has become impossible; files hold some that always were."""
    before = {(fault.field, fault.title) for fault in body_faults(old)}
    for fault in body_faults(new) if new is not old else ():
        if (fault.field, fault.title) not in before:
            raise ModelError(f"{fault.title}: {fault.fault}{fault.hint}")
    if new.armature < 0.0:
        raise ModelError(f"body {new.name!r}: armature is {new.armature:g}, must be 0 or more and finite")


def _check_names(m: Mechanism, names: Sequence[str], known: dict[str, Any]) -> None:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"parameters is {names!r}, expected a list of names, as ['gravity.z']")
    for name in names:
        if name not in known:
            raise InputError(
                f"{m.name!r} has no parameter {name!r}; there are gravity.x … and for each body mass, com.x, "
                "about_com.xx, position.x, armature …, for each loop position_p.x …, for each contact "
                "friction …, as in 'link3.mass' "
                "(wt.parameter_names lists them all)"
            )
    if len(set(names)) != len(names):
        raise InputError(f"parameters are named twice: {', '.join(names)}")
