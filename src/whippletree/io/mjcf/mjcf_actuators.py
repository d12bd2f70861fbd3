"""Actuators of an MJCF model: which joints have a motor, and how strong it is."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from .mjcf_view import MjcfView, mujoco
from .mjcf_write_joints import VELOCITY


def add_actuators(m: Mechanism, view: MjcfView) -> None:
    """Make joints with a motor actuated, and bound their efforts by what the motors can do."""
    model = view.model
    effort: dict[int, float] = {}
    elsewhere, servos, uneven = [], [], []
    for a in range(model.nactuator):
        name = view.named("ACTUATOR", a) or f"actuator{a + 1}"
        on_joint = int(model.actuator_trntype[a]) in (
            int(mujoco.mjtTrn.mjTRN_JOINT),
            int(mujoco.mjtTrn.mjTRN_JOINTINPARENT),
        )
        j = int(model.actuator_trnid[a][0])
        if not on_joint or view.off("ACTUATION"):
            elsewhere.append(name)
            continue
        if not _is_motor(model, a):
            servos.append(name)
        gear = np.array(model.actuator_gear[model.actuator_outadr[a]])
        most, even = _strength(model, a)
        if not even:
            uneven.append(name)
        effort[j] = effort.get(j, 0.0) + most * float(np.max(np.abs(gear)))
        _add_rotor(m, view, a, j, float(gear[0]))
    velocities = _velocities(view)
    for j, joint_name in view.joint_names.items():
        most, velocity = effort.get(j, inf), velocities.get(joint_name, inf)
        if model.jnt_actfrclimited[j]:
            most = min(most, float(np.max(np.abs(model.jnt_actfrcrange[j]))))
        if j in effort or most < inf or velocity < inf:
            body = m.bodies[m.joint_number(joint_name)]
            limits = replace(body.limits, effort=most, velocity=velocity)
            m.change(body.name, kind="body", actuated=j in effort, limits=limits)
    view.left_out("actuator", elsewhere, "only motors of joints have a counterpart")
    view.left_out(
        "actuator", servos, "its joint has a motor here; the law of its force, by a control, is not carried"
    )
    view.left_out("actuator", uneven, "is not as strong both ways: its effort is the larger")


def _velocities(view: MjcfView) -> dict[str, float]:
    """Velocity limits of joints, by names, in the place that `wt.save` gives them."""
    model, found = view.model, {}
    for k in range(model.nnumeric):
        name = view.named("NUMERIC", k)
        if name.startswith(VELOCITY):
            found[name.removeprefix(VELOCITY)] = float(model.numeric_data[model.numeric_adr[k]])
    return found


def _is_motor(model: Any, a: int) -> bool:
    """Whether its force is a factor times its control."""
    return (
        int(model.actuator_gaintype[a]) == int(mujoco.mjtGain.mjGAIN_FIXED)
        and int(model.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_NONE)
        and int(model.actuator_dyntype[a]) == int(mujoco.mjtDyn.mjDYN_NONE)
    )


def _strength(model: Any, a: int) -> tuple[float, bool]:
    """The largest force of an actuator before its gear, and whether it is the same both ways."""
    most, even = inf, True
    if model.actuator_forcelimited[a]:
        low, high = (float(x) for x in model.actuator_forcerange[a])
        most, even = max(abs(low), abs(high)), low == -high
    c = int(model.actuator_ctrladr[a])
    if _is_motor(model, a) and model.actuator_ctrllimited[c]:
        low, high = (float(model.actuator_gainprm[a][0]) * float(x) for x in model.actuator_ctrlrange[c])
        if max(abs(low), abs(high)) < most:
            most, even = max(abs(low), abs(high)), low == -high
    return most, even


def _add_rotor(m: Mechanism, view: MjcfView, a: int, j: int, gear: float) -> None:
    """Armature and damping that belong to an actuator."""
    model, body = view.model, m.bodies[m.joint_number(view.joint_names[j])]
    armature, damping = float(model.actuator_armature[a]), float(model.actuator_damping[a])
    if view.off("DAMPER"):
        damping = 0.0
    if armature or damping:
        m.change(
            body.name,
            kind="body",
            armature=body.armature + gear**2 * armature,
            damping=body.damping + gear**2 * damping,
        )
