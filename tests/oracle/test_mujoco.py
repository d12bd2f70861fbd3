"""Dynamics of ten real robots on fixed and free roots. Source of truth: MuJoCo, from the same files.

MuJoCo can read no more than the mechanics of most of these files: shapes and what other programs
left in them are taken out, and it is told to repair nothing. A free root is written into the file,
as a `floating` joint, so that both sides read that as well.
"""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
import whippletree as wt
from pinocchio_cases import TOLERANCE, distance

etree: Any = importlib.import_module("lxml.etree")
mujoco: Any = importlib.import_module("mujoco")  # both are compiled and carry no types

ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "g1 with hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "tiago pro": "tiago_pro_description/robots/tiago_pro.urdf",
}

NOT_MECHANICS = ("gazebo", "transmission", "material", "ros2_control", "sensor")

AS_IT_IS = {
    "balanceinertia": "false",
    "boundmass": "0",
    "boundinertia": "0",
    "discardvisual": "true",
    "fusestatic": "false",
    "inertiafromgeom": "false",
}


def mechanics_only(name: str, free: bool) -> bytes:
    """The file with links, joints and inertias only; for a free root, with a floating joint below it."""
    robot = etree.parse(str(robots.HOME / name)).getroot()
    for part in robot.xpath(
        "//visual | //collision | " + " | ".join(f"/robot/{tag}" for tag in NOT_MECHANICS)
    ):
        part.getparent().remove(part)
    if free:
        carried = {child.get("link") for child in robot.iterfind("joint/child")}
        (root,) = [link.get("name") for link in robot.iterfind("link") if link.get("name") not in carried]
        etree.SubElement(robot, "link", name="world")  # which MuJoCo takes for its own
        joint = etree.SubElement(robot, "joint", name="to_world", type="floating")
        etree.SubElement(joint, "parent", link="world")
        etree.SubElement(joint, "child", link=root)
    etree.SubElement(etree.SubElement(robot, "mujoco"), "compiler", **AS_IT_IS)
    return etree.tostring(robot)


def models(name: str, free: bool, directory: Path) -> tuple[wt.Mechanism, Any]:
    text = mechanics_only(name, free)
    path = directory / "robot.urdf"
    path.write_bytes(text)
    model = mujoco.MjModel.from_xml_string(text.decode())
    # Passive forces and constraints are not part of the comparison.
    model.dof_damping[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return wt.load(path), model


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_dynamics(robot, free, tmp_path):
    m, model = models(ROBOTS[robot], free, tmp_path)
    joint_type = mujoco.mjtObj.mjOBJ_JOINT
    names = [mujoco.mj_id2name(model, joint_type, number) for number in range(model.njnt)]
    c = wt.Convention("mujoco", m, names)
    assert (c.nq, m.nv) == (model.nq, model.nv)
    assert (m.bodies[m.joint_number("to_world")].joint if free else None) == (wt.Free() if free else None)
    rng = np.random.default_rng([free, *robot.encode()])
    q = m.random(rng)
    qd, qdd, tau = rng.normal(size=(3, m.nv))

    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = c.to_position(q), c.to_velocity(q, qd), c.to_acceleration(q, qd, qdd)
    mujoco.mj_inverse(model, data)
    columns = []
    for unit in np.eye(m.nv):
        column = np.zeros(m.nv)
        mujoco.mj_mulM(model, data, column, unit)
        columns.append(column)
    H = np.array(columns).T
    scale = np.sqrt(H.diagonal())  # so a finger counts as much as a leg
    T = c.velocity_matrix(q)
    assert distance(T @ wt.crba(m, q) @ T.T / np.outer(scale, scale), H / np.outer(scale, scale)) < TOLERANCE
    # A bias force goes with the acceleration that a program calls zero: here, of the base in the world.
    bias = c.to_force(q, wt.rnea(m, q, qd, c.from_acceleration(q, qd, np.zeros(m.nv))))
    assert free or np.array_equal(bias, c.to_force(q, wt.bias_force(m, q, qd)))
    assert distance(bias / scale, data.qfrc_bias / scale) < TOLERANCE
    inverse = c.to_force(q, wt.rnea(m, q, qd, qdd))
    assert distance(inverse / scale, data.qfrc_inverse / scale) < TOLERANCE

    data.qfrc_applied = c.to_force(q, tau)
    mujoco.mj_forward(model, data)
    forward = c.to_acceleration(q, qd, wt.aba(m, q, qd, tau))
    assert distance(forward * scale, data.qacc * scale) < TOLERANCE
    poses = wt.forward_kinematics(m, q)
    for i, body in enumerate(m.bodies):
        assert distance(poses[i, :3, 3], data.body(body.name).xpos) < TOLERANCE
