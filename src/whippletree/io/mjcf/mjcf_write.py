"""Write a mechanism as MJCF: bodies in bodies, joints as hinges, slides and balls, loops as equalities.

A body without mass that carries one other becomes one more joint of that one, which is how MJCF says it.
"""

from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...joints import Free
from ...model.mechanism import GROUND, Body, Mechanism
from ...model.physical import inertia_fault
from ...spatial import Inertia, Placement
from ..atomic import whole
from ..refusals import Refusals, text
from .mjcf_write_couplings import add_couplings_of, second_point
from .mjcf_write_joints import add_joint, simple_joints
from .mjcf_write_shapes import ShapeWriter

WRITTEN = ("body", "frame", "gear", "loop", "spring", "shape", "contact")

LEAST = 1.01e-15
"""kg and kg m²: MuJoCo wants more than 1e-15 of every body that moves."""

ROUNDING = 1e-12
"""Of the moments about a joint's axis: changes by less are no changes."""


def save(m: Mechanism, path: Path) -> None:
    """Write a file; FileError with the names of all that MJCF cannot say."""
    refused = Refusals(path, "MJCF")
    refused.other_kinds(m, WRITTEN)
    root = etree.Element("mujoco", model=m.name)
    settings = {"angle": "radian", "autolimits": "false", "inertiafromgeom": "false"}
    etree.SubElement(root, "compiler", **settings)
    etree.SubElement(root, "option", gravity=text(m.gravity))
    asset = etree.SubElement(root, "asset")
    _Bodies(m, root, asset, refused).write()
    add_couplings_of(m, root, refused)
    if not len(asset):
        root.remove(asset)
    refused.tell()
    with whole(path) as file:
        file.write(etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8"))


class _Bodies:
    """Writes the tree, with what is fixed to its bodies."""

    def __init__(self, m: Mechanism, root: Any, asset: Any, refused: Refusals) -> None:
        self._m, self._refused = m, refused
        self._world = etree.SubElement(root, "worldbody")
        self._shapes = ShapeWriter(asset, refused)
        self._carried: dict[str, list[str]] = {}
        for body in m.bodies:
            self._carried.setdefault(body.parent, []).append(body.name)
        parts = [*m.frames, *m.shapes]
        self._held: set[str] = {part.body for part in parts}
        self._held |= {end for loop in m.loops for end in (loop.predecessor, loop.successor)}
        self._held |= {end for spring in m.springs for end in (spring.body_a, spring.body_b)}

    def write(self) -> None:
        m = self._m
        elements: dict[str, Any] = {GROUND: self._world}
        # The body, its pose in the element that holds it, and joints that come before its own.
        before: dict[str, tuple[str, Placement, list[tuple[Body, Placement]]]] = {}
        for body in m.bodies:
            holder, pose, joints = before.pop(body.parent, (body.parent, Placement(), []))
            pose = pose @ body.placement
            # Seen from this body's frame at zero, what came before it is where it was.
            joints = [(other, body.placement.inverse() @ at) for other, at in joints]
            if self._is_link(body):
                before[body.name] = (holder, pose, [*joints, (body, Placement())])
                continue
            element = etree.SubElement(elements[holder], "body", name=body.name)
            elements[body.name] = element
            _place(element, pose)
            for other, at in [*joints, (body, Placement())]:
                add_joint(element, m, other, at, self._refused)
            self._inertial(element, body)
            self._shapes.looks(element, body.visuals, body.collisions, body.name)
        self._shapes.looks(self._world, m.ground_visuals, m.ground_collisions, GROUND)
        for shape in m.shapes:
            self._shapes.named(elements[shape.body], shape)
        for frame in m.frames:
            _place(etree.SubElement(elements[frame.body], "site", name=frame.name), frame.placement)
        for loop in m.loops:
            for body, at, end in (
                (loop.predecessor, loop.placement_p, "p"),
                (loop.successor, loop.placement_s, "s"),
            ):
                self._site(elements[body], f"{loop.name}.{end}", at)
                if (further := second_point(loop)) is not None:
                    self._site(elements[body], f"{loop.name}.{end}2", at @ Placement(further))
        for spring in m.springs:
            for body, point, end in (
                (spring.body_a, spring.point_a, "a"),
                (spring.body_b, spring.point_b, "b"),
            ):
                self._site(elements[body], f"{spring.name}.{end}", Placement(point))

    def _is_link(self, body: Body) -> bool:
        """Whether a body is nothing but a joint on the way to the one that it carries."""
        alone = len(self._carried.get(body.name, ())) == 1 and body.name not in self._held
        bare = body.inertia == Inertia.zero() and not body.visuals and not body.collisions
        if not (alone and bare) or isinstance(body.joint, Free):
            return False
        (child,) = self._carried[body.name]
        turned = not np.array_equal(self._m.bodies[self._m.body_number(child)].placement.rotation, np.eye(3))
        # A ball joint's quaternion would be told in other axes.
        return simple_joints(body.joint) is not None and not (turned and body.joint.nq != body.joint.nv)

    def _site(self, element: Any, name: str, at: Placement) -> None:
        if self._m.has("frame", name):
            self._refused.add(f"frame {name!r}, which is the name of an end of a loop or spring")
        _place(etree.SubElement(element, "site", name=name), at)

    def _inertial(self, element: Any, body: Body) -> None:
        inertia = body.inertia
        if inertia == Inertia.zero() and not body.joint.nv:
            return
        fault = inertia_fault(inertia)
        moments, axes = np.linalg.eigh(inertia.about_com)
        said = _possible(moments, ROUNDING * float(np.max(np.abs(inertia.I))))
        if fault is not None:
            self._refused.add(f"inertia of body {body.name!r}: {fault}")
        elif inertia.m < LEAST or said is None:
            self._refused.add(f"body {body.name!r} without mass or moments of inertia, which MuJoCo wants")
        else:
            axes = axes * np.sign(np.linalg.det(axes))
            turn = text(Placement(rotation=axes).quaternion)
            place = {"pos": text(inertia.com), "quat": turn, "mass": text([inertia.m])}
            etree.SubElement(element, "inertial", **place, diaginertia=text(said))


def _possible(moments: Any, rounding: float) -> tuple[float, ...] | None:
    """Principal moments, from the least on, as MuJoCo takes them; None if they differ by more than rounding.

    Each is more than zero, which those of a rod or of a point are not, and none is more than the other two.
    """
    a, b, c = (float(max(moment, LEAST)) for moment in moments)
    c = min(c, a + b)
    return (a, b, c) if np.max(np.abs(np.array([a, b, c]) - moments)) <= rounding else None


def _place(element: Any, at: Placement) -> None:
    if np.any(at.position):
        element.set("pos", text(at.position))
    if not np.array_equal(at.rotation, np.eye(3)):
        element.set("quat", text(at.quaternion))
