"""Gearboxes of an SDF file: θ₂ = -ratio · θ₁, angles of child and parent against a reference body."""

from collections.abc import Mapping

import numpy as np

from ...joints import Revolute
from ...model.gear import Gear
from ...model.graph_parts import GraphJoint
from .sdf_groups import Groups
from .sdf_scene import SdfScene


def gearbox_gear(scene: SdfScene, groups: Groups, name: str, joints: Mapping[str, GraphJoint]) -> Gear | None:
    """The gear between the hinges of a gearbox's links on its reference body; reported if there are none."""
    scoped = scene.joints[name]
    joint, found = scoped.joint, []
    reference = scene.poses.full(scoped.scope, joint.reference, scoped.model)
    if not joint.reference or scene.poses.link_of(reference) is None:
        scene.findings.error(
            joint.line, f"joint {joint.name!r} has no <gearbox_reference_body> that is a link"
        )
        return None
    ground = groups.group_of(reference)
    for end, axis in zip((joint.parent, joint.child), joint.axes, strict=True):
        wheel = groups.group_of(scene.poses.full(scoped.scope, end, scoped.model))
        hinge = next((g for g in joints.values() if {g.predecessor, g.successor} == {ground, wheel}), None)
        if hinge is None or not isinstance(hinge.joint, Revolute):
            scene.findings.error(
                joint.line,
                f"joint {joint.name!r}: no hinge joins {end!r} and the reference body {joint.reference!r}",
            )
            return None
        about = scene.poses.pose(hinge.name).rotation @ np.array(hinge.joint.axis)
        frame = axis.expressed_in or ("__model__" if axis.in_model else joint.name)
        turns = scene.poses.pose(scene.poses.full(scoped.scope, frame, scoped.model)).rotation @ axis.xyz
        forwards = (hinge.predecessor == ground) == (float(about @ turns) > 0.0)
        found.append((hinge.name, 1.0 if forwards else -1.0))
    (parent, sign_p), (child, sign_c) = found
    return Gear(name, parent, child, -joint.ratio * sign_p * sign_c)
