"""The parts of an SDF file: links with inertia and shapes, joints with axes (http://sdformat.org/spec)."""

import math
from dataclasses import dataclass, field

import numpy as np

from ...joints.base import perpendicular
from ...model.mechanism import Geometry, Limits
from ...model.parts import Color
from ...model.physical import inertia_fault
from ...shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from ...spatial import Inertia, Placement
from ..findings import Findings
from ..mesh_paths import Meshes
from ..xml import Element
from .sdf_poses import HERE

JOINT_TYPES = (
    "revolute",
    "continuous",
    "prismatic",
    "ball",
    "universal",
    "revolute2",
    "screw",
    "gearbox",
    "fixed",
)
NO_LIMIT = 1e16
"""What SDF writes for a bound that is none; likewise -1 of an effort or a velocity."""

MEANINGS = {
    "plugin": "programs of the Gazebo simulator, not part of the model",
    "sensor": "sensors are not part of the model",
    "light": "lights are not part of the model",
    "surface": "contact settings of a simulator, not part of the model",
    "physics": "settings of a simulator, not part of the model",
    "scene": "looks of a world, not part of the model",
    "gui": "looks of a program, not part of the model",
    "self_collide": "contacts are made by m.add_contact",
    "velocity_decay": "damping of a simulator, not of the model",
    "enable_wind": "there is no wind",
    "kinematic": "links that no force moves are not part of the model",
    "must_be_base_link": "a setting of a simulator",
    "allow_auto_disable": "a setting of a simulator",
    "projector": "looks only",
    "particle_emitter": "looks only",
    "audio_source": "sounds only",
    "provide_feedback": "wt.reactions tells the forces of every joint",
    "cast_shadows": "looks only",
    "transparency": "colours have an opacity",
    "material": "only the colours diffuse and ambient are kept",
    "laser_retro": "a setting of a sensor",
    "max_contacts": "a setting of a simulator",
    "meta": "notes of a program",
    "fluid_added_mass": "there is no fluid",
    "dissipation": "stops have a law of their own",
    "visual@name": "shapes have no names in the model",
    "collision@name": "shapes have no names in the model",
    "size": "a plane has no end",
}
"""What elements and attributes are about that the model does not carry."""


@dataclass(frozen=True)
class SdfPose:
    """A <pose>, and in which frame it is told; "" for the one that its place implies."""

    placement: Placement = HERE
    relative_to: str = ""


@dataclass(frozen=True)
class SdfLink:
    """A <link>, everything in its own frame."""

    inertia: Inertia
    visuals: tuple[Geometry, ...]
    collisions: tuple[Geometry, ...]
    weighs: bool


@dataclass(frozen=True)
class SdfAxis:
    """An <axis> of a joint: its direction, in the frame of a name, and what holds it back."""

    xyz: tuple[float, float, float] = (0.0, 0.0, 1.0)
    expressed_in: str = ""
    in_model: bool = False
    limits: Limits = field(default_factory=Limits)
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    mimic: tuple[str, float, float] | None = None
    """Leading joint, ratio and offset."""


@dataclass(frozen=True)
class SdfJoint:
    """A <joint>: names as they stand in the file."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: SdfPose
    axes: tuple[SdfAxis, ...]
    pitch: float
    """m/rad, of a screw."""
    ratio: float
    reference: str
    """Of a gearbox: its ratio, and the body that its angles are told against."""


class SdfReader:
    """Reads the parts of one file; what is wrong goes to the findings."""

    def __init__(self, findings: Findings, meshes: Meshes, version: tuple[int, ...]) -> None:
        self._findings, self._meshes, self._version = findings, meshes, version

    def pose(self, element: Element) -> SdfPose:
        pose = element.child("pose")
        if pose is None:
            return SdfPose()
        relative_to = pose.text("relative_to") or pose.text("frame") or ""
        if pose.text("rotation_format") == "quat_xyzw":
            x, y, z, qx, qy, qz, qw = pose.content_numbers(7)
            if not math.hypot(qx, qy, qz, qw) > 1e-9:
                pose.error(f"{pose}: give a quaternion of norm 1")
                return SdfPose(relative_to=relative_to)
            return SdfPose(Placement((x, y, z), quaternion=(qw, qx, qy, qz)), relative_to)
        if not pose.content():
            return SdfPose(relative_to=relative_to)
        x, y, z, *rpy = pose.content_numbers(6)
        if (pose.text("degrees") or "").lower() in ("true", "1"):
            rpy = [math.radians(angle) for angle in rpy]
        if any(math.isnan(value) for value in (x, y, z, *rpy)):
            return SdfPose(relative_to=relative_to)
        return SdfPose(Placement((x, y, z), rpy=rpy) if any(rpy) else Placement((x, y, z)), relative_to)

    # Links

    def link(self, element: Element) -> SdfLink:
        return SdfLink(
            self._inertia(element),
            tuple(shape for part in element.children("visual") if (shape := self._shape(part))),
            tuple(shape for part in element.children("collision") if (shape := self._shape(part))),
            element.inner_truth("gravity", True),
        )

    def _inertia(self, link: Element) -> Inertia:
        """In the link's frame; what the format takes for granted if the file gives none."""
        inertial = link.child("inertial")
        if inertial is None:
            self._findings.often(
                link.line, "<link> without <inertial>", "1 kg and 1 kg m² about each axis, as SDF says"
            )
            return Inertia(1.0, about_com=(1.0, 1.0, 1.0))
        if (inertial.text("auto") or "").lower() in ("true", "1"):
            inertial.error(f"{inertial} is to be computed from shapes: write mass and inertia")
        at = self.pose(inertial).placement
        mass, moments = inertial.inner_number("mass", 1.0), inertial.child("inertia")
        xx, xy, xz, yy, yz, zz = (
            default if moments is None else moments.inner_number(f"i{pair}", default)
            for pair, default in (
                ("xx", 1.0),
                ("xy", 0.0),
                ("xz", 0.0),
                ("yy", 1.0),
                ("yz", 0.0),
                ("zz", 1.0),
            )
        )
        if mass < 0:
            inertial.error(f"{inertial}: mass is {mass:g} kg, it must not be negative")
        if not np.all(np.isfinite([mass, xx, xy, xz, yy, yz, zz])) or mass < 0:
            return Inertia.zero()  # an error has been reported
        about_com = at.rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.rotation.T
        inertia = Inertia(mass, at.position, 0.5 * (about_com + about_com.T))
        fault = inertia_fault(inertia)
        if fault is not None:
            self._findings.warning(inertial.line, f"{inertial}: {fault}")
        return inertia

    def _shape(self, element: Element) -> Geometry | None:
        at = self.pose(element)
        if at.relative_to:
            element.error(f"{element} is placed in {at.relative_to!r}: shapes are placed in their link here")
        geometry = element.child("geometry")
        made = None if geometry is None else self._solid(geometry)
        if made is None:
            self._findings.often(element.line, f"<{element.tag}> of another shape", "is left out")
            return None
        shape, turn = made
        return Geometry(shape, at.placement @ turn, self._color(element))

    def _solid(self, geometry: Element) -> tuple[Shape, Placement] | None:
        """The shape, and how it is turned in the frame of its element."""
        if (box := geometry.child("box")) is not None:
            x, y, z = self._sizes(box, "size", 3)
            return Box((x, y, z)), HERE
        if (sphere := geometry.child("sphere")) is not None:
            return Sphere(*self._sizes(sphere, "radius", 1)), HERE
        if (cylinder := geometry.child("cylinder")) is not None:
            return Cylinder(*self._sizes(cylinder, "radius", 1), *self._sizes(cylinder, "length", 1)), HERE
        if (capsule := geometry.child("capsule")) is not None:
            return Capsule(*self._sizes(capsule, "radius", 1), *self._sizes(capsule, "length", 1)), HERE
        if (ellipsoid := geometry.child("ellipsoid")) is not None:
            x, y, z = self._sizes(ellipsoid, "radii", 3)
            return Ellipsoid((x, y, z)), HERE
        if (plane := geometry.child("plane")) is not None:
            normal = plane.child("normal")
            direction = (0.0, 0.0, 1.0) if normal is None else normal.content_numbers(3)
            length = math.hypot(*direction)
            if not length > 1e-9:
                plane.error(f"{plane}: its normal has the length {length:g}, give a direction")
                return None
            axis = np.array(direction) / length
            return Plane(), Placement(rotation=np.stack([*perpendicular(axis), axis], axis=1))
        if (mesh := geometry.child("mesh")) is not None:
            uri, scale = mesh.inner("uri"), mesh.child("scale")
            x, y, z = (1.0, 1.0, 1.0) if scale is None else scale.content_numbers(3)
            if not uri:
                mesh.error(f"{mesh} has no <uri>: add the mesh's file")
            if not uri or any(math.isnan(factor) for factor in (x, y, z)):
                return None
            return Mesh(self._meshes.find(uri, mesh.line), (x, y, z)), HERE
        return None

    def _sizes(self, shape: Element, tag: str, count: int) -> tuple[float, ...]:
        """Numbers that a shape needs, none of them negative; ones for those that are wrong, and told."""
        child = shape.child(tag)
        if child is None:
            shape.error(f"{shape} has no <{tag}>")
            return (1.0,) * count
        sizes = child.content_numbers(count)
        if any(size < 0 for size in sizes):
            child.error(f"{child} is {child.content()}: it must not be negative")
        return tuple(size if size >= 0 else 1.0 for size in sizes)

    def _color(self, element: Element) -> Color | None:
        material = element.child("material")
        given = None if material is None else material.child("diffuse") or material.child("ambient")
        if given is None:
            return None
        shares = given.content().split()
        r, g, b, a, *_ = (*given.content_numbers(len(shares)), 1.0) if len(shares) in (3, 4) else (0.5,) * 4
        return tuple(min(max(x, 0.0), 1.0) if x == x else 0.5 for x in (r, g, b, a))  # pyright: ignore[reportReturnType]

    # Joints

    def joint(self, element: Element) -> SdfJoint:
        name, kind = element.required("name"), element.required("type")
        if kind and kind not in JOINT_TYPES:
            element.error(f"{element} has the type {kind!r}; known: {', '.join(JOINT_TYPES)}")
        parts = [element.child(tag) for tag in ("axis", "axis2")]
        axes = tuple(SdfAxis() if part is None else self._axis(part) for part in parts)
        pitch = element.inner_number("screw_thread_pitch", math.nan) / (2.0 * math.pi)
        old = element.inner_number("thread_pitch", math.nan)
        if kind == "screw" and math.isnan(pitch):
            # The older word counts turns per length, the other way round.
            pitch = -1.0 / old if old and not math.isnan(old) else 1.0 / (2.0 * math.pi)
        return SdfJoint(
            name,
            element.line,
            kind,
            self._end(element, "parent"),
            self._end(element, "child"),
            self.pose(element),
            axes,
            pitch,
            element.inner_number("gearbox_ratio", 1.0),
            element.inner("gearbox_reference_body"),
        )

    def _end(self, element: Element, tag: str) -> str:
        end = element.inner(tag)
        if not end:
            element.error(f"{element} has no <{tag}>: name a link in it, or world")
        return end

    def _axis(self, element: Element) -> SdfAxis:
        xyz = element.child("xyz")
        direction = (0.0, 0.0, 1.0) if xyz is None else xyz.content_numbers(3)
        if not math.hypot(*direction) > 1e-9:
            if not any(math.isnan(x) for x in direction):
                element.error(f"{element}: its xyz has no length, give a direction, such as 0 0 1")
            direction = (0.0, 0.0, 1.0)
        in_model = element.inner_truth("use_parent_model_frame", self._version < (1, 5))
        dynamics, limits = element.child("dynamics"), self._limits(element.child("limit"))
        held = {"damping": 0.0, "friction": 0.0, "spring_stiffness": 0.0, "spring_reference": 0.0}
        if dynamics is not None:
            for tag in held:
                held[tag] = dynamics.inner_number(tag, 0.0)
                if held[tag] < 0 and tag != "spring_reference":
                    dynamics.error(f"{dynamics}: {tag} is {held[tag]:g}, it must not be negative")
        x, y, z = direction
        return SdfAxis(
            (x, y, z),
            "" if xyz is None else xyz.text("expressed_in") or "",
            in_model,
            limits,
            held["damping"],
            held["friction"],
            held["spring_stiffness"],
            held["spring_reference"],
            self._mimic(element.child("mimic")),
        )

    def _limits(self, limit: Element | None) -> Limits:
        if limit is None:
            return Limits()
        lower = limit.inner_number("lower", -math.inf, infinite=True)
        upper = limit.inner_number("upper", math.inf, infinite=True)
        effort, velocity = (limit.inner_number(tag, -1.0, infinite=True) for tag in ("effort", "velocity"))
        lower, upper = -math.inf if lower <= -NO_LIMIT else lower, math.inf if upper >= NO_LIMIT else upper
        effort, velocity = (math.inf if bound < 0 else bound for bound in (effort, velocity))
        if lower > upper:
            limit.error(f"{limit}: lower {lower:g} is above upper {upper:g}")
            return Limits()
        stiffness = limit.inner_number("stiffness", 0.0)
        if not stiffness >= 0.0:
            limit.error(f"{limit}: stiffness is {stiffness:g}, it must not be negative")
            stiffness = 0.0
        return Limits(lower, upper, velocity, effort, stiffness)

    def _mimic(self, mimic: Element | None) -> tuple[str, float, float] | None:
        if mimic is None:
            return None
        if (mimic.text("axis") or "axis") != "axis":
            mimic.error(f"{mimic} follows another axis than the first: gears couple joints of one axis")
        ratio, offset = mimic.inner_number("multiplier", 1.0), mimic.inner_number("offset", 0.0)
        return mimic.required("joint"), ratio, offset - ratio * mimic.inner_number("reference", 0.0)
