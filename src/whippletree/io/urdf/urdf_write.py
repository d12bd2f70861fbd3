"""Write a mechanism as URDF: a tree of bodies, frames as links on fixed joints, gears of two as mimics."""

from math import isfinite
from pathlib import Path
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...errors import with_article
from ...joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ...model.mechanism import GROUND, Body, Limits, Mechanism
from ...model.wording import describe
from ...shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from ...spatial import Inertia, Placement
from ..atomic import whole
from ..refusals import Refusals, text

NO_LIMIT = 1e16
"""A bound that is none: most readers of URDF take no infinite numbers."""

EARTH = (0.0, 0.0, -9.81)
"""m/s²: what readers give a model whose file says no gravity."""

WRITTEN = ("body", "frame", "gear", "shape")


def save(m: Mechanism, path: Path) -> None:
    """Write a file; FileError with the names of all that URDF cannot say."""
    refused = Refusals(path, "URDF")
    refused.other_kinds(m, WRITTEN)
    if m.gravity != EARTH:
        refused.add(f"gravity {m.gravity}, which is read as {EARTH}")
    robot = etree.Element("robot", name=m.name)
    links = {
        name: etree.SubElement(robot, "link", name=name) for name in (GROUND, *(b.name for b in m.bodies))
    }
    _looks(links[GROUND], m.ground_visuals, m.ground_collisions, "the ground", refused)
    gears = {gear.driven: gear for gear in m.gears}
    for body in m.bodies:
        _inertial(links[body.name], body.inertia)
        _looks(links[body.name], body.visuals, body.collisions, f"body {body.name!r}", refused)
        element = _joint(robot, body, refused)
        gear = gears.get(body.joint_name)
        if gear is not None and len(gear.terms) == 1 and not any(m.has("loop", name) for name in gear.joints):
            ((driver, ratio),) = gear.terms
            etree.SubElement(
                element, "mimic", joint=driver, multiplier=text([ratio]), offset=text([gear.offset])
            )
        elif gear is not None:
            refused.add(f"gear {gear.name!r}, of several drivers or of a loop joint")
    for shape in m.shapes:
        for tag in ("visual", "collision"):
            _look(links[shape.body], tag, shape, f"shape {shape.name!r}", refused).set("name", shape.name)
    taken = set(m.joint_names)
    for frame in m.frames:
        etree.SubElement(robot, "link", name=frame.name)
        name = f"{frame.name}_fixed"
        while name in taken:
            name += "_"
        taken.add(name)
        element = etree.SubElement(robot, "joint", name=name, type="fixed")
        _ends(element, frame.body, frame.name, frame.placement)
    for name in m.actuated:
        _transmission(robot, name)
    refused.tell()
    with whole(path) as file:
        file.write(etree.tostring(robot, pretty_print=True, xml_declaration=True, encoding="UTF-8"))


def _joint(robot: Any, body: Body, refused: Refusals) -> Any:
    name = body.joint_name
    kind, axis = _kind(body.joint, body.limits)
    if not kind:
        refused.add(f"joint {name!r}, a {describe(body.joint)}")
    for quantity in ("armature", "stiffness"):
        if getattr(body, quantity):
            refused.add(f"{quantity} of joint {name!r}")
    if body.limits.stiffness:
        refused.add(f"the stops of joint {name!r}")
    element = etree.SubElement(robot, "joint", name=name, type=kind)
    _ends(element, body.parent, body.name, body.placement)
    if axis is not None:
        etree.SubElement(element, "axis", xyz=text(axis))
    if kind not in ("fixed", ""):
        _limit(element, kind, body.limits)
    if body.damping or body.friction:
        said = {"damping": text([body.damping]), "friction": text([body.friction])}
        etree.SubElement(element, "dynamics", **said)
    return element


def _kind(joint: Joint, limits: Limits) -> tuple[str, Any]:
    """What URDF calls a joint, "" if nothing, and its axis."""
    if isinstance(joint, Fixed | Free):
        return ("fixed" if isinstance(joint, Fixed) else "floating"), None
    if isinstance(joint, Planar):
        return "planar", joint.axis
    plain = joint.on_axis()
    if type(plain) is Prismatic:
        return "prismatic", plain.axis
    if type(plain) is Revolute:
        bounded = limits.unknown or isfinite(limits.lower) or isfinite(limits.upper)
        return ("revolute" if bounded else "continuous"), plain.axis
    return "", None


def _limit(element: Any, kind: str, limits: Limits) -> None:
    """Bounds of a joint; those that are unknown stand as zeros, as in the files of others."""
    said = {}
    if kind in ("revolute", "prismatic"):
        bounds = (0.0, 0.0) if limits.unknown else (limits.lower, limits.upper)
        said = {"lower": _bound(bounds[0]), "upper": _bound(bounds[1])}
    elif not (isfinite(limits.effort) or isfinite(limits.velocity)):
        return
    etree.SubElement(element, "limit", **said, effort=_bound(limits.effort), velocity=_bound(limits.velocity))


def _bound(value: float) -> str:
    return text([min(max(value, -NO_LIMIT), NO_LIMIT)])


def _ends(element: Any, parent: str, child: str, at: Placement) -> None:
    _origin(element, at)
    etree.SubElement(element, "parent", link=parent)
    etree.SubElement(element, "child", link=child)


def _origin(element: Any, at: Placement) -> None:
    if at != Placement():
        etree.SubElement(element, "origin", xyz=text(at.position), rpy=text(at.rpy))


def _inertial(link: Any, inertia: Inertia) -> None:
    if inertia == Inertia.zero():
        return
    inertial = etree.SubElement(link, "inertial")
    _origin(inertial, Placement(inertia.com))
    etree.SubElement(inertial, "mass", value=text([inertia.m]))
    I = inertia.about_com
    pairs = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    etree.SubElement(inertial, "inertia", **{name: text([value]) for name, value in pairs.items()})


def _looks(link: Any, visuals: Any, collisions: Any, whose: str, refused: Refusals) -> None:
    for tag, shapes in (("visual", visuals), ("collision", collisions)):
        for shape in shapes:
            _look(link, tag, shape, f"a {tag} of {whose}", refused)


def _look(link: Any, tag: str, part: Any, title: str, refused: Refusals) -> Any:
    """A <visual> or <collision> with the shape, placement and colour of a part."""
    element = etree.SubElement(link, tag)
    _origin(element, part.placement)
    geometry = etree.SubElement(element, "geometry")
    said = _shape(part.shape)
    if said is None:
        refused.add(f"{title}, {with_article(part.shape.kind)}")
        return element
    etree.SubElement(geometry, part.shape.kind, **said)
    if part.color is not None and tag == "visual":
        material = etree.SubElement(element, "material", name="")
        etree.SubElement(material, "color", rgba=text(part.color))
    return element


def _shape(shape: Shape) -> dict[str, str] | None:
    if isinstance(shape, Box):
        return {"size": text(shape.size)}
    if isinstance(shape, Sphere):
        return {"radius": text([shape.radius])}
    if isinstance(shape, Cylinder | Capsule):
        return {"radius": text([shape.radius]), "length": text([shape.length])}
    if isinstance(shape, Mesh):
        return {"filename": shape.file, "scale": text(shape.scale)}
    return None


def _transmission(robot: Any, joint: str) -> None:
    """A motor, as ROS writes it."""
    element = etree.SubElement(robot, "transmission", name=f"{joint}_transmission")
    etree.SubElement(element, "type").text = "transmission_interface/SimpleTransmission"
    etree.SubElement(element, "joint", name=joint)
    actuator = etree.SubElement(element, "actuator", name=f"{joint}_motor")
    etree.SubElement(actuator, "mechanicalReduction").text = "1"
