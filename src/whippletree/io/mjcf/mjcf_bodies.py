"""Bodies and joints of an MJCF model as a tree.

In MuJoCo a body has any number of joints, which move it one after the other; each turns or shifts about its
own anchor and axis, given in the body's frame. Here a body has one: those before the last carry bodies
without mass. The frame of a body is that of its last joint: the body's axes, at the joint's anchor; where
that is not the body's own origin, a frame named as "arm.origin" keeps it. A body without joints is part of
the one that carries it, and stays as a frame under its name.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ...joints import Free, Joint, Prismatic, Revolute, Spherical
from ...model.mechanism import GROUND, Body, Limits, Mechanism
from ...spatial import Inertia, Placement
from ...spatial.rotation import from_quaternion
from ..stops import DISSIPATION
from .mjcf_view import MjcfView, mujoco


def add_bodies(m: Mechanism, view: MjcfView) -> None:
    """Bodies with joints and inertia, frames for those without joints, and the sites as frames."""
    model = view.model
    bodies: list[Body] = []
    inertias: dict[str, Inertia] = {GROUND: Inertia.zero()}
    frames: list[tuple[str, str, Placement]] = []
    for b in range(1, model.nbody):
        name = view.called("place", view.named("BODY", b), "body", f"body{b}")
        carrier, at = view.place[int(model.body_parentid[b])]
        pose = at @ Placement(model.body_pos[b], quaternion=model.body_quat[b])
        joints = range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
        if not joints:
            view.place[b] = carrier, pose
            frames.append((name, carrier, pose))
        else:
            chain = _chain(view, name, carrier, pose, joints)
            bodies += chain
            inertias.update((body.name, Inertia.zero()) for body in chain)
            # The frame of the last joint sits at its anchor.
            anchor = np.array(model.jnt_pos[joints[-1]])
            view.place[b] = name, Placement(-anchor)
            if np.any(anchor):
                frames.append((view.called("place", "", "frame", f"{name}.origin"), name, Placement(-anchor)))
        carrier, at = view.place[b]
        inertias[carrier] = inertias[carrier] + _inertia(model, b).to_parent(at.transform())
    for body in bodies:
        m.append(replace(body, inertia=inertias[body.name]))
    for name, carrier, placement in frames:
        m.add_frame(name, carrier, placement)
    _add_sites(m, view)


def _chain(view: MjcfView, name: str, carrier: str, pose: Placement, joints: range) -> list[Body]:
    """A body on all its joints, the last of which carries the body itself."""
    model, chain = view.model, []
    before = np.zeros(3)
    for j in joints:
        last = j == joints[-1]
        title = view.named("JOINT", j)
        joint_name = view.called("joint", title, "joint", name if last else f"{name}.{j - joints[0] + 1}")
        view.joint_names[j] = joint_name
        own = name if last else view.called("place", "", "body", f"{name}.{title or j - joints[0] + 1}")
        joint, zero = _joint(model, j)
        anchor = np.array(model.jnt_pos[j])
        # A free body's position is told in the world, whatever the file says of where it is.
        placement = Placement() if isinstance(joint, Free) else pose @ Placement(anchor - before) @ zero
        chain.append(
            _with_properties(view, j, Body(own, joint, carrier, placement, Inertia.zero(), joint_name))
        )
        carrier, pose, before = own, Placement(), anchor
    return chain


def _joint(model: Any, j: int) -> tuple[Joint, Placement]:
    """The joint, and where it stands at zero: MuJoCo's qpos is `ref` in the position of the file."""
    kind, axis = int(model.jnt_type[j]), np.array(model.jnt_axis[j])
    if kind == mujoco.mjtJoint.mjJNT_FREE:
        return Free(), Placement()
    if kind == mujoco.mjtJoint.mjJNT_BALL:
        return Spherical(), Placement()
    ref = float(model.qpos0[model.jnt_qposadr[j]])
    if kind == mujoco.mjtJoint.mjJNT_SLIDE:
        return Prismatic(axis), Placement(-ref * axis)
    if ref == 0.0:
        return Revolute(axis), Placement()
    half = -0.5 * ref
    return Revolute(axis), Placement(quaternion=(np.cos(half), *(np.sin(half) * axis)))


def _with_properties(view: MjcfView, j: int, body: Body) -> Body:
    """The body with limits, rotor, damping, friction and spring of its joint."""
    model, name, joint = view.model, body.joint_name, body.joint
    v, q = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    said: dict[str, Any] = {
        "armature": float(model.dof_armature[v]),
        "damping": 0.0 if view.off("DAMPER") else float(model.dof_damping[v]),
        "friction": 0.0 if view.off("FRICTIONLOSS", "CONSTRAINT") else float(model.dof_frictionloss[v]),
        "limits": _limits(view, j, joint),
    }
    if isinstance(joint, Free) and said["armature"]:
        view.left_out("armature of joint", [name], "an inertia without weight has no counterpart")
        said["armature"] = 0.0
    stiffness = 0.0 if view.off("SPRING") else float(model.jnt_stiffness[j])
    if stiffness and joint.carries_spring:
        said["stiffness"] = stiffness
        said["rest"] = tuple(float(x) for x in model.qpos_spring[q : q + joint.nq])
    elif stiffness:
        view.left_out("stiffness of joint", [name], "a free joint carries no spring, put one between points")
    if np.any(model.jnt_stiffnesspoly[j]) or np.any(model.dof_dampingpoly[v]):
        view.left_out(
            "higher powers of stiffness and damping of joint", [name], "springs and dampers are linear here"
        )
    if model.jnt_plasticadr[j] >= 0:
        view.left_out("plastic spring of joint", [name], "springs do not yield here")
    if model.jnt_margin[j]:
        view.left_out("margin of the limits of joint", [name], "stops begin at the limits here")
    return replace(body, **said)


def _limits(view: MjcfView, j: int, joint: Joint) -> Limits:
    """The range of a joint, with stops as stiff as MuJoCo's.

    At its limit MuJoCo holds a joint with the impedance d by the acceleration d² K of `solref`, times the
    inertia that it moves in the initial position: K d² = 1 / (timeconst · dampratio)².
    """
    model = view.model
    lower, upper = (float(x) for x in model.jnt_range[j])
    if not model.jnt_limited[j]:  # a range that is given all the same is known, and exerts no force
        return Limits(lower, upper) if joint.has_rates and lower < upper else Limits()
    if not joint.has_rates:
        view.left_out(
            "range of joint",
            [view.joint_names[j]],
            f"limits of its angle, up to {upper:g} rad, have no place",
        )
        return Limits()
    if view.off("LIMIT", "CONSTRAINT"):
        return Limits(lower, upper)
    first, second = (float(x) for x in model.jnt_solref[j])
    if first > 0.0 and second > 0.0:
        first = first if view.off("REFSAFE") else max(first, 2.0 * float(model.opt.timestep))
        rate = 1.0 / (first * second) ** 2
    else:
        rate = -first if first < 0.0 else 0.0
    moved = float(model.dof_invweight0[model.jnt_dofadr[j]])
    if not (moved > 0.0 and rate > 0.0):
        return Limits(lower, upper)
    return Limits(lower, upper, stiffness=rate / moved, dissipation=DISSIPATION)


def _inertia(model: Any, b: int) -> Inertia:
    """Of a body of the file, in its own frame."""
    R = from_quaternion(np.array(model.body_iquat[b]))
    about_com = R @ np.diag(model.body_inertia[b]) @ R.T
    return Inertia(float(model.body_mass[b]), np.array(model.body_ipos[b]), 0.5 * (about_com + about_com.T))


def _add_sites(m: Mechanism, view: MjcfView) -> None:
    model = view.model
    for s in range(model.nsite):
        name = view.named("SITE", s)
        if name:
            carrier, at = view.at(int(model.site_bodyid[s]), model.site_pos[s], model.site_quat[s])
            m.add_frame(view.called("place", name, "site", name), carrier, at)
