"""The parts of a URDF file: links with inertia and shapes, joints with limits and mimicry."""

import math
from typing import NamedTuple

import numpy as np

from ...joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ...model.mechanism import Geometry, Limits
from ...model.parts import NO_LIMITS
from ...model.physical import inertia_fault
from ...shapes import SHAPES, Mesh
from ...spatial import Inertia, Placement
from ..findings import Findings
from ..mesh_paths import Meshes
from ..xml import Element

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SHAPE_TAGS = ("box", "sphere", "cylinder", "capsule", "mesh")
VERSIONS = ("1.0", "1.1", "1.2")

MEANINGS = {
    "gazebo": "settings of the Gazebo simulator, not part of the model",
    "transmission": "motors and transmissions are not part of the model",
    "ros2_control": "settings of ros2_control, not part of the model",
    "sensor": "sensors are not part of the model",
    "safety_controller": "soft limits of a controller, not part of the model",
    "calibration": "reference positions of a real robot, not part of the model",
    "contact": "contact settings of a simulator, not part of the model",
    "texture": "textures are not kept, colours are",
    "limit@acceleration": "the model has limits of position, velocity and effort only",
    "limit@deceleration": "the model has limits of position, velocity and effort only",
    "limit@jerk": "the model has limits of position, velocity and effort only",
    "visual@name": "shapes have no names in the model",
    "collision@name": "shapes have no names in the model",
}
"""What elements and attributes are about that the model does not carry."""

NOT_GIVEN = "taken as not given, so there is no such limit; keep_zero_limits=True keeps it"
"""What zeros mean that a file was filled up with."""

HERE = Placement()
"""The placement of what stands without an <origin>."""

WEIGHTLESS = Inertia.zero()
"""Of links without <inertial>."""

Color = tuple[float, float, float, float]


class UrdfLink(NamedTuple):
    """A <link>: everything in the link's own frame."""

    name: str
    line: int
    inertia: Inertia
    visuals: tuple[Geometry, ...]
    collisions: tuple[Geometry, ...]


class Mimic(NamedTuple):
    """A <mimic>: this joint's position is ratio · driver's + offset."""

    line: int
    driver: str
    ratio: float
    offset: float


class LinkJoint(NamedTuple):
    """A <joint> between two links; its frame, at `placement` in the parent, is the child's frame."""

    name: str
    line: int
    parent: str
    child: str
    placement: Placement
    joint: Joint
    limits: Limits
    damping: float
    friction: float
    mimic: Mimic | None


class PartReader:
    """Reads the parts of one file; what is wrong goes to the findings."""

    def __init__(
        self, robot: Element, meshes: Meshes, findings: Findings, keep_zero_limits: bool = False
    ) -> None:
        self._findings = findings
        self._keep_zero_limits = keep_zero_limits
        self._meshes = meshes
        self._version = robot.text("version") or "1.0"
        if self._version not in VERSIONS:
            findings.warning(
                robot.line,
                f"URDF version {self._version!r} is unknown, read as 1.0; known: {', '.join(VERSIONS)}",
            )
        self._colors: dict[str, Color] = {}
        for material in robot.children("material"):
            self._color(material)

    # Links

    def link(self, element: Element) -> UrdfLink:
        name = element.required("name")
        return UrdfLink(
            name,
            element.line,
            self._inertia(element.child("inertial")),
            tuple(shape for visual in element.children("visual") if (shape := self._shape(visual))),
            tuple(shape for part in element.children("collision") if (shape := self._shape(part))),
        )

    def _inertia(self, inertial: Element | None) -> Inertia:
        """In the link's frame; none if the file gives none."""
        if inertial is None:
            return WEIGHTLESS
        origin = self._placement(inertial)
        mass_element, moments_element = inertial.child("mass"), inertial.child("inertia")
        if mass_element is None:
            self._findings.warning(
                inertial.line, f"{inertial} has no <mass>: taken as none, the link has no inertia"
            )
            if moments_element is not None:
                for pair in ("xx", "xy", "xz", "yy", "yz", "zz"):
                    moments_element.text(f"i{pair}")
            return WEIGHTLESS
        if moments_element is None:
            inertial.error(f"{inertial} has no <inertia>: give both <mass> and <inertia>")
        mass = mass_element.number("value")
        if mass < 0:
            mass_element.error(f"{mass_element} is {mass:g} kg: it must not be negative")
        moments = [
            math.nan if moments_element is None else self._moment(moments_element, pair)
            for pair in ("xx", "xy", "xz", "yy", "yz", "zz")
        ]
        if moments_element is None or not np.all(np.isfinite([mass, *moments])) or mass < 0:
            return WEIGHTLESS  # an error has been reported
        xx, xy, xz, yy, yz, zz = moments
        R = origin.rotation
        about_com = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        inertia = Inertia(mass, origin.position, about_com)
        # Impossible inertias ship with well-known robots, and the equations hold for them as for others.
        fault = inertia_fault(inertia)
        if fault is not None:
            self._findings.warning(moments_element.line, f"{moments_element}: {fault}")
        return inertia

    def _moment(self, inertia: Element, pair: str) -> float:
        name, mixed = f"i{pair}", pair[0] != pair[1]
        if mixed and inertia.text(name) is None:
            self._findings.often(inertia.line, f"<inertia> without {name}", "taken as 0")
        return inertia.number(name, 0.0 if mixed else None)

    def _placement(self, element: Element) -> Placement:
        """The element's <origin>; its own frame if there is none."""
        origin = element.child("origin")
        if origin is None:
            return HERE
        position = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
        if origin.text("quat_xyzw") is None:
            rpy = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
            if any(map(math.isnan, (*position, *rpy))):
                return HERE
            return Placement(position, rpy=rpy) if any(rpy) else Placement(position)
        if origin.text("rpy") is not None:
            origin.error(f"{origin} has rpy and quat_xyzw: keep one of them")
        x, y, z, w = origin.numbers("quat_xyzw", 4)
        norm = math.hypot(x, y, z, w)
        if norm < 1e-9:
            origin.error(f"{origin}: quat_xyzw has norm {norm:g}, give a quaternion of norm 1")
        # NaN stands for a number that has been reported.
        good = norm >= 1e-9 and not np.any(np.isnan(position))
        return Placement(position, quaternion=(w, x, y, z)) if good else HERE

    # Shapes

    def _shape(self, element: Element) -> Geometry | None:
        placement = self._placement(element)
        material = element.child("material")
        color = None if material is None else self._color(material)
        geometry = element.child("geometry")
        shapes = [] if geometry is None else [part for tag in SHAPE_TAGS for part in geometry.children(tag)]
        if not shapes:
            known = ", ".join(f"<{tag}>" for tag in SHAPE_TAGS)
            self._findings.warning(element.line, f"{element} has no shape and is left out; known: {known}")
            return None
        for second in shapes[1:]:
            second.set_aside(f"{element} has a second shape: passed over, give each its own <{element.tag}>")
        shape = shapes[0]
        if shape.tag == "mesh":
            name = shape.required("filename")
            path = self._meshes.find(name, shape.line) if name else ""
            scale = shape.numbers("scale", 3, (1.0, 1.0, 1.0))
            if not path or np.any(np.isnan(scale)):  # which has been reported
                return None
            return Geometry(Mesh(path, (scale[0], scale[1], scale[2])), placement, color)
        if shape.tag == "box":
            size = shape.numbers("size", 3)
        elif shape.tag == "sphere":
            size = (shape.number("radius"),)
        else:
            size = (shape.number("radius"), shape.number("length"))
        if any(x < 0 for x in size):
            listed = " ".join(f"{x:g}" for x in size)
            shape.error(f"{shape} has the size {listed}: it must not be negative")
        if not all(x >= 0 for x in size):  # NaN stands for a number that has been reported
            return None
        return Geometry(SHAPES[shape.tag].read({"size": size}), placement, color)

    def _color(self, material: Element) -> Color | None:
        """The colour a <material> gives or, by its name, refers to."""
        name, color = material.text("name"), material.child("color")
        if color is None:
            if name not in self._colors:
                what = f"material {name!r}" if name else "<material>"
                self._findings.not_carried(material.line, what, "gives no colour and none was given before")
            return self._colors.get(name or "")
        given = color.numbers("rgba", 4)
        r, g, b, a = (min(share, 1.0) if share > 0.0 else 0.0 for share in given)  # nan: an error was told
        if any(share < 0.0 or share > 1.0 for share in given):
            taken = f"taken as {r:g} {g:g} {b:g} {a:g}"
            self._findings.warning(color.line, f"{color}: rgba goes beyond 0 … 1: {taken}")
        if name:
            known = self._colors.setdefault(name, (r, g, b, a))
            if known != (r, g, b, a):
                self._findings.not_carried(
                    material.line, f"a second colour of material {name!r}", "used for its own shape only"
                )
        return (r, g, b, a)

    # Joints

    def joint(self, element: Element) -> LinkJoint:
        name, kind = element.required("name"), element.required("type")
        if kind and kind not in JOINT_TYPES:
            element.error(f"{element} has the type {kind!r}; known: {', '.join(JOINT_TYPES)}")
        damping, friction = self._dynamics(element, kind)
        return LinkJoint(
            name,
            element.line,
            self._end(element, "parent"),
            self._end(element, "child"),
            self._placement(element),
            self._motion(element, kind),
            self._limits(element, kind),
            damping,
            friction,
            self._mimic(element, kind),
        )

    def _end(self, element: Element, tag: str) -> str:
        end = element.child(tag)
        if end is None:
            element.error(f'{element} has no <{tag}>: add <{tag} link="…"/>')
            return ""
        return end.required("link")

    def _motion(self, element: Element, kind: str) -> Joint:
        axis_element = element.child("axis")
        if kind not in ("revolute", "continuous", "prismatic", "planar"):
            if axis_element is not None:
                axis_element.text("xyz")  # allowed there, and without meaning
            return Free() if kind == "floating" else Fixed()
        axis = (1.0, 0.0, 0.0) if axis_element is None else axis_element.numbers("xyz", 3)
        if any(math.isnan(x) for x in axis):
            axis = (1.0, 0.0, 0.0)
        length = math.hypot(*axis)
        if length < 1e-9:
            (axis_element or element).error(
                f"axis of {element} is ({' '.join(f'{x:g}' for x in axis)}), of length {length:g}: "
                "give a direction, such as 0 0 1"
            )
            axis = (1.0, 0.0, 0.0)
        elif abs(length - 1.0) > 1e-3:
            self._findings.warning(
                (axis_element or element).line,
                f"axis of {element} has the length {length:.4g}, expected 1: scaled to 1",
            )
        make = {"prismatic": Prismatic, "planar": Planar}.get(kind, Revolute)
        return make(axis)

    def _limits(self, element: Element, kind: str) -> Limits:
        limit = element.child("limit")
        bounded = kind in ("revolute", "prismatic")
        if limit is None:
            if bounded:
                element.error(
                    f'{element} is {kind} and has no <limit>: add <limit lower="…" upper="…" effort="…" '
                    'velocity="…"/>' + (" or make it continuous" if kind == "revolute" else "")
                )
            return NO_LIMITS
        if kind == "fixed":
            for name in ("lower", "upper", "effort", "velocity"):
                limit.text(name)
            self._findings.not_carried(limit.line, "<limit> of a fixed joint", "there is nothing to limit")
            return NO_LIMITS
        new = self._version == "1.2"
        for name in ("effort", "velocity"):
            if not new and limit.text(name) is None:
                self._findings.often(limit.line, f"<limit> without {name}", "there is no such limit")
        effort, velocity = (
            self._no_zero(limit, name, limit.number(name, math.inf, infinite=True))
            for name in ("effort", "velocity")
        )
        lower = limit.number("lower", None if new and bounded else 0.0, infinite=True)
        upper = limit.number("upper", None if new and bounded else 0.0, infinite=True)
        if not bounded:
            if limit.text("lower") is not None or limit.text("upper") is not None:
                self._findings.not_carried(
                    limit.line, f"lower and upper limit of a {kind} joint", "such a joint has no bounds"
                )
            return Limits(velocity=velocity, effort=effort)
        one_sided = [name for name in ("lower", "upper") if limit.text(name) is None]
        if len(one_sided) == 1:
            self._findings.often(limit.line, f"<limit> without {one_sided[0]}", "taken as 0, as URDF says")
        if lower > upper:
            self._findings.warning(
                limit.line,
                f"{limit}: lower {lower:g} is above upper {upper:g}: taken as {upper:g} … {lower:g}",
            )
            lower, upper = upper, lower
        if lower == upper == 0.0 and not self._keep_zero_limits:
            given = limit.text("lower") is not None or limit.text("upper") is not None
            what = "limits of 0 … 0" if given else f"<limit> of a {kind} joint without lower and upper"
            self._findings.often(limit.line, what, NOT_GIVEN)
            return Limits(velocity=velocity, effort=effort, unknown=True)
        limits = Limits(lower, upper, velocity, effort)
        doubt = limits.doubt() if kind == "revolute" else None
        if doubt is not None:
            self._findings.warning(limit.line, f"{limit}: {doubt}")
        return limits

    def _no_zero(self, limit: Element, name: str, value: float) -> float:
        """A limit as it is given; none for 0, which would leave a joint without its motor or its motion."""
        if value < 0:
            limit.error(f"{limit}: {name} is {value:g}, it must not be negative")
        if value != 0.0 or self._keep_zero_limits:
            return value
        self._findings.often(limit.line, f"{name} limit of 0", NOT_GIVEN)
        return math.inf

    def _dynamics(self, element: Element, kind: str) -> tuple[float, float]:
        dynamics = element.child("dynamics")
        if dynamics is None:
            return 0.0, 0.0
        damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        for name, value in (("damping", damping), ("friction", friction)):
            if value < 0:
                dynamics.error(f"{dynamics}: {name} is {value:g}, it must not be negative")
        if kind == "fixed":
            if damping or friction:
                what = "<dynamics> of a fixed joint"
                self._findings.not_carried(dynamics.line, what, "nothing moves there")
            return 0.0, 0.0
        return damping, friction

    def _mimic(self, element: Element, kind: str) -> Mimic | None:
        mimic = element.child("mimic")
        if mimic is None:
            return None
        made = Mimic(
            mimic.line, mimic.required("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        )
        if kind == "fixed":
            self._findings.not_carried(mimic.line, "<mimic> of a fixed joint", "there is nothing to drive")
            return None
        return made
