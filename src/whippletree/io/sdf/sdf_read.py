"""SDF, the descriptions of Gazebo: from a file to a mechanism (http://sdformat.org/spec).

Links may be joined in any way, loops included: a graph, of which a tree is found. Links that fixed joints
hold together are one body, named after the first; the others stay as frames under their names. What no
joint holds to the world floats freely. At zero all links are where the file places them.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, ModelError
from ...joints import Free, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from ...model.graph import Graph
from ...model.graph_parts import GraphBody, GraphJoint
from ...model.mechanism import GROUND, Mechanism
from ...model.moved_parts import move_shapes
from ...spatial import Inertia, Placement
from ..file_source import Source
from ..findings import Problem
from .sdf_gearbox import gearbox_gear
from .sdf_groups import Groups
from .sdf_parts import SdfAxis
from .sdf_scene import ScopedJoint, SdfScene

ROOT_JOINT = "root_joint"
"""Name of the joint between the ground and what floats; with the link's name before it if that is several."""


def load(source: Source, root: Joint | None, packages: Iterable[Path]) -> Mechanism:
    """The mechanism in an SDF text; what no joint holds to the world hangs on `root`, `Free()` if None."""
    scene, m = _mechanism(source, root, packages)
    error = scene.findings.first_error()
    if error is not None or m is None:
        raise FileError(
            source.path, error.message if error else "nothing to load", error.line if error else None
        )
    m.warnings += [str(problem) for problem in scene.findings.problems()]
    return m


def problems(source: Source, packages: Iterable[Path]) -> list[Problem]:
    """Everything that is wrong with an SDF text, or stands in it and is not carried by the model."""
    try:
        return _mechanism(source, None, packages)[0].findings.problems()
    except FileError as error:
        return [Problem(error.line, error.message, "error")]


def _mechanism(
    source: Source, root: Joint | None, packages: Iterable[Path]
) -> tuple[SdfScene, Mechanism | None]:
    scene = SdfScene(source, packages)
    _check_ends(scene)
    for name in scene.poses.frames:
        scene.poses.pose(name)
    if scene.findings.first_error() is not None:
        return scene, None
    return scene, _Builder(scene, root).mechanism()


def _check_ends(scene: SdfScene) -> None:
    """Report joints at links that are not there, or at one link twice."""
    for joint in scene.joints.values():
        ends = []
        for end in (joint.joint.parent, joint.joint.child):
            link = scene.poses.link_of(scene.poses.full(joint.scope, end, joint.model))
            if end and link is None:
                known = ", ".join(sorted(scene.links)[:8])
                message = f"joint {joint.joint.name!r} names {end!r}: there is no link or frame of this name"
                scene.findings.error(joint.joint.line, f"{message}; links: {known}")
            ends.append(link)
        if ends[0] is not None and ends[0] == ends[1]:
            scene.findings.error(
                joint.joint.line, f"joint {joint.joint.name!r} has {ends[0]!r} as parent and as child"
            )


class _Builder:
    """Builds the graph of a scene without errors."""

    def __init__(self, scene: SdfScene, root: Joint | None) -> None:
        self._scene, self._root = scene, Free() if root is None else root
        self._groups = Groups(scene)
        gravity = {} if scene.gravity is None else {"gravity": scene.gravity}
        self._graph = Graph(scene.name, **gravity)

    def mechanism(self) -> Mechanism:
        try:
            self._add_bodies()
            ways = self._add_joints()
            self._add_roots()
            self._add_frames()
            self._add_gears(ways)
            return self._graph.mechanism()
        except ModelError as error:
            self._scene.findings.error(None, str(error))
            return Mechanism(self._scene.name)

    def _add_bodies(self) -> None:
        for group, members in self._groups.members.items():
            inertia, visuals, collisions = Inertia.zero(), [], []
            for name in members:
                link, at = self._scene.links[name], self._groups.placement(name)
                inertia = inertia + link.inertia.to_parent(at.transform())
                visuals += move_shapes(link.visuals, at)
                collisions += move_shapes(link.collisions, at)
            if group == GROUND:
                self._graph.ground_visuals, self._graph.ground_collisions = tuple(visuals), tuple(collisions)
            else:
                self._graph.append(GraphBody(group, inertia, tuple(visuals), tuple(collisions)))

    def _add_joints(self) -> dict[str, GraphJoint]:
        """Every joint that moves; two with a body without mass between for two axes that are parallel."""
        made: dict[str, GraphJoint] = {}
        for name, scoped in self._scene.joints.items():
            joint = scoped.joint
            if joint.kind in ("fixed", "gearbox"):
                continue
            ends = [self._groups.at(self._full(scoped, end), name) for end in (joint.parent, joint.child)]
            (parent, at_p), (child, at_s) = ends
            if parent == child:
                what = f"joint {name!r}"
                self._scene.findings.warning(
                    joint.line, f"{what} moves nothing: both its links are {parent!r}"
                )
                continue
            axes = [self._axis(scoped, axis) for axis in joint.axes]
            if joint.kind == "revolute2" and np.linalg.norm(np.cross(*axes)) < 1e-9:
                between = f"{name}.between"
                self._graph.append(GraphBody(between))
                first, second = (_held(axis) for axis in joint.axes)
                self._graph.append(GraphJoint(name, Revolute(axes[0]), parent, between, at_p, **first))
                last = GraphJoint(
                    f"{name}.second", Revolute(axes[1]), between, child, Placement(), at_s, **second
                )
                self._graph.append(last)
                continue
            kind, held = self._joint(scoped, axes)
            made[name] = GraphJoint(name, kind, parent, child, at_p, at_s, **held)
            self._graph.append(made[name])
        return made

    def _joint(self, scoped: ScopedJoint, axes: list[Any]) -> tuple[Joint, dict[str, Any]]:
        """The joint of a type, and what holds it back."""
        joint = scoped.joint
        if joint.kind == "ball":
            return Spherical(), {"damping": joint.axes[0].damping, "friction": joint.axes[0].friction}
        if joint.kind in ("universal", "revolute2"):
            first, second = joint.axes
            held = _held(first)
            if _held(first) != _held(second):
                self._scene.findings.warning(
                    joint.line,
                    f"joint {joint.name!r}: both its axes have the limits and damping of the first",
                )
            if np.linalg.norm(np.cross(*axes)) < 1e-9:
                self._scene.findings.error(joint.line, f"joint {joint.name!r}: its axes are parallel")
                return Revolute(axes[0]), held
            return Universal(*axes), {**held, "rest": (first.rest, second.rest) if first.stiffness else None}
        if joint.kind == "prismatic":
            return Prismatic(axes[0]), _held(joint.axes[0])
        if joint.kind == "screw":
            return Helical(axes[0], joint.pitch), _held(joint.axes[0])
        return Revolute(axes[0]), _held(joint.axes[0])

    def _axis(self, scoped: ScopedJoint, axis: SdfAxis) -> Any:
        """A joint's axis in the joint's own frame."""
        poses = self._scene.poses
        own = poses.pose(poses.full(scoped.scope, scoped.joint.name, scoped.model)).rotation
        frame = axis.expressed_in or ("__model__" if axis.in_model else scoped.joint.name)
        seen_in = poses.pose(poses.full(scoped.scope, frame, scoped.model)).rotation
        direction = own.T @ seen_in @ np.array(axis.xyz)
        # Rounding of frames that are not turned against each other leaves zeros that are not quite zero.
        direction = np.where(np.abs(direction) < 1e-15 * np.max(np.abs(direction)), 0.0, direction)
        return direction / np.linalg.norm(direction)

    def _add_roots(self) -> None:
        """Let what no joint holds to the ground hang on the root joint, by the first of its bodies."""
        loose = self._groups.loose(self._graph)
        for body in loose:
            name = ROOT_JOINT if len(loose) == 1 else f"{body}.{ROOT_JOINT}"
            at = self._scene.poses.pose(body)
            self._graph.append(GraphJoint(name, self._root, GROUND, body, at))

    def _add_frames(self) -> None:
        for group, members in self._groups.members.items():
            for link in members:
                if link != group:
                    self._graph.add_frame(link, group, self._groups.placement(link))
        for name, frame in self._scene.poses.frames.items():
            if frame.kind == "frame" and self._scene.poses.link_of(name) is not None:
                body, at = self._groups.at(name, name)
                self._graph.add_frame(name, body, at)
        for name, link in self._scene.links.items():
            body, at = self._groups.at(name, name)
            gravity = self._graph.gravity
            if not link.weighs and body != GROUND and link.inertia.m:
                self._graph.add_frame(f"{name}.afloat", body, at @ Placement(link.inertia.com))
                force = [-link.inertia.m * g for g in gravity]
                self._graph.add_force(f"{name}.afloat", f"{name}.afloat", force, reference="aligned")

    def _add_gears(self, ways: dict[str, GraphJoint]) -> None:
        """Mimics and gearboxes."""
        for name, scoped in self._scene.joints.items():
            joint, mimic = scoped.joint, scoped.joint.axes[0].mimic
            if joint.kind == "gearbox":
                gear = gearbox_gear(self._scene, self._groups, name, ways)
                if gear is not None:
                    self._graph.add(gear)
            elif mimic is not None:
                leader = self._full(scoped, mimic[0])
                if leader in ways and name in ways:
                    self._graph.add_gear(f"{name}.mimic", leader, name, mimic[1], mimic[2])
                else:
                    self._scene.findings.error(
                        joint.line,
                        f"joint {joint.name!r} mimics {mimic[0]!r}: there is no joint of this name",
                    )

    def _full(self, scoped: ScopedJoint, name: str) -> str:
        return self._scene.poses.full(scoped.scope, name, scoped.model)


def _held(axis: SdfAxis) -> dict[str, Any]:
    """What holds a joint back that has this axis."""
    held = {"limits": axis.limits, "damping": axis.damping, "friction": axis.friction}
    return {**held, "stiffness": axis.stiffness, "rest": (axis.rest,) if axis.stiffness else None}
