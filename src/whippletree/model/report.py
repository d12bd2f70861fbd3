"""A mechanism as plain data, for `whippletree info --json`."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..joints import Joint
from ..shapes import Shape
from ..spatial import Placement
from .driver_motions import DriverMotion
from .loop import Loop
from .parts import Body
from .summary import mass_and_center
from .wording import describe

if TYPE_CHECKING:
    from .mechanism import Mechanism


def mechanism_data(m: "Mechanism") -> dict[str, Any]:
    """Numbers, texts, lists and dictionaries that JSON can hold; what is infinite or unknown is None.

    SI units; quaternions are w, x, y, z; indices count from 0, the stop of a range is not in it.

    >>> import whippletree as wt
    >>> data = mechanism_data(wt.examples.load("pendulum"))
    >>> data["nv"], data["bodies"][0]["joint"]["type"]
    (1, 'Revolute y')
    """
    mass, com = mass_and_center(m)
    return {
        "name": m.name,
        "gravity": list(m.gravity),
        "nq": m.nq,
        "nv": m.nv,
        "mass": mass,
        "center_of_mass_at_neutral": None if com is None else _numbers(com),
        **{kind.plural: [kind.data(m, part) for part in parts] for kind, parts in m.kinds()},
        "warnings": list(m.warnings),
    }


def body_data(m: "Mechanism", body: Body) -> dict[str, Any]:
    """A body, its joint and what it weighs; without its looks."""
    i = m.body_number(body.name)
    return {
        "name": body.name,
        "parent": body.parent,
        "joint": {
            "name": body.joint_name,
            "type": describe(body.joint),
            "q": [m.q_index[i].start, m.q_index[i].stop],
            "qd": [m.v_index[i].start, m.v_index[i].stop],
            "armature": body.armature,
            **_joint_data(body),
            **_placement(body.placement),
        },
        "mass": _number(body.inertia.m),
        "center_of_mass": _numbers(body.inertia.com) if body.inertia.m else None,
        "inertia_about_center_of_mass": [_numbers(row) for row in body.inertia.about_com],
    }


def part_data(m: "Mechanism", part: Any) -> dict[str, Any]:
    """A part of any kind, field by field; `placement` is told as position and quaternion of the part."""
    data: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Placement) and field.name == "placement":
            data.update(_placement(value))
        else:
            data["type" if isinstance(value, Joint) else field.name] = _plain(value)
    return data


def loop_data(m: "Mechanism", loop: Loop) -> dict[str, Any]:
    """A loop joint with its two ends."""
    return {
        "name": loop.name,
        "type": describe(loop.joint),
        **_joint_data(loop),
        "predecessor": {"body": loop.predecessor, **_placement(loop.placement_p)},
        "successor": {"body": loop.successor, **_placement(loop.placement_s)},
    }


def _joint_data(part: Body | Loop) -> dict[str, Any]:
    """Limits and forces of a joint, of a body or of a loop."""
    limits = part.limits
    return {
        "lower": _number(limits.lower),
        "upper": _number(limits.upper),
        "velocity": _number(limits.velocity),
        "effort": _number(limits.effort),
        "stop_stiffness": limits.stiffness,
        "stop_dissipation": limits.dissipation,
        "damping": part.damping,
        "friction": part.friction,
        "stiffness": part.stiffness,
        "rest": None if part.rest is None else _numbers(part.rest),
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Placement):
        return _placement(value)
    if isinstance(value, Joint):
        return describe(value)
    if isinstance(value, DriverMotion):
        return str(value)
    if isinstance(value, Shape):
        return {"kind": value.kind, **{key: _plain(said) for key, said in value.saved().items()}}
    if isinstance(value, tuple | list | np.ndarray):
        return [_plain(entry) for entry in value]
    return _number(value)


def _placement(placement: Placement) -> dict[str, Any]:
    return {"position": _numbers(placement.position), "quaternion": _numbers(placement.quaternion)}


def _numbers(values: Any) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
