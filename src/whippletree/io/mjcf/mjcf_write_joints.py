"""Joints as MJCF has them: hinges, slides, balls and free ones, several on a body."""

from math import inf, isfinite
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...dynamics.crba import crba
from ...joints import (
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Translation,
    Universal,
)
from ...model.mechanism import GROUND, Body, Mechanism
from ...model.wording import describe
from ...spatial import Placement
from ..refusals import Refusals, text
from ..stops import DISSIPATION

VELOCITY = "velocity limit of "
"""Begins the name of a <numeric> with the velocity limit of a joint, for which MJCF has no other place."""


def simple_joints(joint: Joint) -> list[tuple[str, Any]] | None:
    """The types and axes of MJCF's joints that move alike, one behind the other; None if there are none.

    Coordinates and velocities are those of the joint, in its order.
    """
    plain = joint.on_axis() or joint
    axes = np.eye(3)
    if type(plain) is Revolute:
        return [("hinge", plain.axis)]
    if type(plain) is Prismatic:
        return [("slide", plain.axis)]
    if type(plain) is Cylindrical:
        return [("hinge", plain.axis), ("slide", plain.axis)]
    if isinstance(joint, Universal):
        return [("hinge", joint.first), ("hinge", joint.second)]
    if isinstance(joint, Translation):
        return [("slide", axis) for axis in axes]
    if isinstance(joint, SphericalEuler):
        return [("hinge", axes["xyz".index(letter)]) for letter in joint.sequence]
    if isinstance(joint, Spherical):
        return [("ball", None)]
    if isinstance(joint, Free):
        return [("free", None)]
    return [] if isinstance(joint, Fixed) else None


def add_joint(element: Any, m: Mechanism, body: Body, at: Placement, refused: Refusals) -> None:
    """Write the joint of a body; its frame is at a placement in the body that the element stands for."""
    name, joints = body.joint_name, simple_joints(body.joint)
    if joints is None:
        refused.add(f"joint {name!r}, a {describe(body.joint)}")
        return
    if isinstance(body.joint, Free) and (body.parent != GROUND or body.placement != Placement()):
        refused.add(f"free joint {name!r} that is not told in the frame of the ground")
    if isinstance(body.joint, Free) and (body.armature or body.limits.stiffness):
        refused.add(f"armature or stops of free joint {name!r}")
    number = m.joint_number(name)
    for k, (kind, axis) in enumerate(joints):
        said = {"name": name if k == 0 else f"{name}.{k + 1}", "type": kind}
        if axis is not None:
            said["axis"] = text(at.rotation @ np.array(axis))
        if np.any(at.position):
            said["pos"] = text(at.position)
        if body.stiffness:
            rest = body.joint.neutral() if body.rest is None else np.array(body.rest)
            said["stiffness"] = text([body.stiffness])
            if kind == "ball" and np.any(rest != body.joint.neutral()):
                refused.add(f"rest of joint {name!r}: that of a ball is where the file places it")
            elif kind != "ball":
                said["springref"] = text([rest[k]])
        said |= {
            attribute: text([value])
            for attribute, value in (
                ("armature", body.armature),
                ("damping", body.damping),
                ("frictionloss", body.friction),
            )
            if value
        }
        said |= _bounds(m, number, k, body, refused)
        etree.SubElement(element, "joint", **said)


def _bounds(m: Mechanism, number: int, k: int, body: Body, refused: Refusals) -> dict[str, str]:
    """Range, stop and effort of one of a body's joints; a range without a stop is not `limited`."""
    limits, said = body.limits, {}
    if isfinite(limits.effort):
        said |= {"actuatorfrcrange": text([-limits.effort, limits.effort]), "actuatorfrclimited": "true"}
    if limits.lower == -inf and limits.upper == inf:
        return said
    if not body.joint.has_rates:
        refused.add(f"limits of joint {body.joint_name!r}, a {describe(body.joint)}")
        return said
    if not (isfinite(limits.lower) and isfinite(limits.upper)):
        refused.add(f"limits of joint {body.joint_name!r} on one side only")
    said |= {"range": text([limits.lower, limits.upper]), "limited": "true" if limits.stiffness else "false"}
    if limits.stiffness:
        if limits.dissipation != DISSIPATION:
            refused.add(f"dissipation {limits.dissipation:g} of the stops of joint {body.joint_name!r}")
        # MuJoCo scales by the inertia that the joint moves at the start; damping is critical.
        H = np.asarray(crba(m, m.neutral()), dtype=float)
        rate = limits.stiffness * float(
            np.linalg.inv(H)[m.v_index[number].start + k, m.v_index[number].start + k]
        )
        said["solreflimit"] = text([-rate, -2.0 * np.sqrt(rate)])
    return said
