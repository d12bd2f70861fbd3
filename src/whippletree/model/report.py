"""A mechanism as plain data, for `whippletree info --json`."""

from dataclasses import asdict
from typing import Any

import numpy as np

from ..spatial import Placement
from .mechanism import Mechanism
from .parts import Body
from .summary import describe, mass_and_center


def mechanism_data(m: Mechanism) -> dict[str, Any]:
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
        "bodies": [_body(m, i, body) for i, body in enumerate(m.bodies)],
        "frames": [{"name": f.name, "body": f.body, **_placement(f.placement)} for f in m.frames],
        "gears": [asdict(gear) for gear in m.gears],
        "loops": [
            {
                "name": loop.name,
                "type": describe(loop.joint),
                "predecessor": {"body": loop.predecessor, **_placement(loop.placement_p)},
                "successor": {"body": loop.successor, **_placement(loop.placement_s)},
            }
            for loop in m.loops
        ],
        "springs": [
            {**asdict(spring), "point_a": list(spring.point_a), "point_b": list(spring.point_b)}
            for spring in m.springs
        ],
        "forces": [
            {**asdict(force), "force": list(force.force), "torque": list(force.torque)} for force in m.forces
        ],
        "warnings": list(m.warnings),
    }


def _body(m: Mechanism, i: int, body: Body) -> dict[str, Any]:
    limits = body.limits
    return {
        "name": body.name,
        "parent": body.parent,
        "joint": {
            "name": body.joint_name,
            "type": describe(body.joint),
            "q": [m.q_index[i].start, m.q_index[i].stop],
            "qd": [m.v_index[i].start, m.v_index[i].stop],
            "lower": _number(limits.lower),
            "upper": _number(limits.upper),
            "velocity": _number(limits.velocity),
            "effort": _number(limits.effort),
            "stop_stiffness": limits.stiffness,
            "stop_dissipation": limits.dissipation,
            "armature": body.armature,
            "damping": body.damping,
            "friction": body.friction,
            "stiffness": body.stiffness,
            "rest": None if body.rest is None else _numbers(body.rest),
            **_placement(body.placement),
        },
        "mass": _number(body.inertia.m),
        "center_of_mass": _numbers(body.inertia.com) if body.inertia.m else None,
        "inertia_about_center_of_mass": [_numbers(row) for row in body.inertia.about_com],
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return {"position": _numbers(placement.position), "quaternion": _numbers(placement.quaternion)}


def _numbers(values: Any) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
