"""What couples bodies and joints, as MJCF says it: equalities, tendons, motors, pairs that touch."""

from math import isfinite
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...joints import Fixed, Revolute, Spherical
from ...model.loop import Loop
from ...model.mechanism import Limits, Mechanism
from ...model.wording import describe
from ..refusals import Refusals, text
from .mjcf_write_joints import VELOCITY, simple_joints

STIFF = {"solimp": "0.9999 0.9999 0.001", "solref": "0.004 1"}
"""As near to a constraint as MuJoCo goes."""


def add_couplings_of(m: Mechanism, root: Any, refused: Refusals) -> None:
    """Write loops, gears, springs, motors, contacts and velocity limits."""
    equality, tendon = etree.SubElement(root, "equality"), etree.SubElement(root, "tendon")
    for loop in m.loops:
        _loop(equality, loop, refused)
    for gear in m.gears:
        _gear(equality, tendon, m, gear, refused)
    for spring in m.springs:
        said = {"stiffness": spring.stiffness, "damping": spring.damping, "springlength": spring.length}
        element = etree.SubElement(
            tendon, "spatial", name=spring.name, **{key: text([value]) for key, value in said.items()}
        )
        for end in ("a", "b"):
            etree.SubElement(element, "site", site=f"{spring.name}.{end}")
    actuator = etree.SubElement(root, "actuator")
    for body in m.bodies:
        if body.actuated:
            for k, (kind, _) in enumerate(simple_joints(body.joint) or ()):
                if kind in ("ball", "free"):
                    refused.add(f"the motor of joint {body.joint_name!r}, a {describe(body.joint)}")
                joint = body.joint_name if k == 0 else f"{body.joint_name}.{k + 1}"
                etree.SubElement(actuator, "motor", name=joint, joint=joint)
    contact = etree.SubElement(root, "contact")
    for part in m.contacts:
        if part.restitution or part.stiffness is not None:
            refused.add(f"restitution or stiffness of contact {part.name!r}")
        if not all(m.has("shape", side) for side in (part.a, part.b)):
            refused.add(f"contact {part.name!r} of bodies: name two shapes")
        friction = text([part.friction, part.friction, 0.005, 0.0001, 0.0001])
        etree.SubElement(contact, "pair", name=part.name, geom1=part.a, geom2=part.b, friction=friction)
    custom = etree.SubElement(root, "custom")
    for body in m.bodies:
        if isfinite(body.limits.velocity):
            said = {"name": f"{VELOCITY}{body.joint_name}", "data": text([body.limits.velocity])}
            etree.SubElement(custom, "numeric", **said)
    for element in (equality, tendon, actuator, contact, custom):
        if not len(element):
            root.remove(element)


def _loop(equality: Any, loop: Loop, refused: Refusals) -> None:
    """A ball or a weld between two sites; a hinge as two balls on its axis."""
    for quantity in ("damping", "friction", "stiffness", "actuated"):
        if getattr(loop, quantity):
            refused.add(f"{quantity} of loop {loop.name!r}")
    if loop.limits != Limits():
        refused.add(f"limits of loop {loop.name!r}")
    ends = {"site1": f"{loop.name}.p", "site2": f"{loop.name}.s"}
    plain = loop.joint.on_axis()
    if isinstance(loop.joint, Spherical | Fixed):
        tag = "connect" if isinstance(loop.joint, Spherical) else "weld"
        etree.SubElement(equality, tag, name=loop.name, **ends, **STIFF)
    elif type(plain) is Revolute:
        etree.SubElement(equality, "connect", name=loop.name, **ends, **STIFF)
        further = {"site1": f"{loop.name}.p2", "site2": f"{loop.name}.s2"}
        etree.SubElement(equality, "connect", name=f"{loop.name}.2", **further, **STIFF)
    else:
        refused.add(f"loop {loop.name!r}, a {describe(loop.joint)}")


def _gear(equality: Any, tendon: Any, m: Mechanism, gear: Any, refused: Refusals) -> None:
    if any(m.has("loop", joint) for joint in gear.joints):
        refused.add(f"gear {gear.name!r} of a loop joint")
        return
    if len(gear.terms) == 1:
        ((driver, ratio),) = gear.terms
        said = {"joint1": gear.driven, "joint2": driver, "polycoef": text([gear.offset, ratio, 0, 0, 0])}
        etree.SubElement(equality, "joint", name=gear.name, **said, **STIFF)
        return
    cord = etree.SubElement(tendon, "fixed", name=gear.name)
    for joint, coefficient in ((gear.driven, 1.0), *((driver, -ratio) for driver, ratio in gear.terms)):
        etree.SubElement(cord, "joint", joint=joint, coef=text([coefficient]))
    said = {"tendon1": gear.name, "polycoef": text([gear.offset, 0, 0, 0, 0])}
    etree.SubElement(equality, "tendon", name=gear.name, **said, **STIFF)


def second_point(loop: Loop) -> Any:
    """(3,) a second point on the axis of a hinge that closes a loop, in its frames; None for other joints."""
    plain = loop.joint.on_axis()
    return np.array(plain.axis) if type(plain) is Revolute else None
