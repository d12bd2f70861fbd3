"""The state of one mechanism with every convertible joint. Source of truth: Pinocchio and MuJoCo."""

import importlib
from typing import Any

import numpy as np
import pytest

import randoms
import whippletree as wt
from pinocchio_cases import pin

mujoco: Any = importlib.import_module("mujoco")  # compiled, carries no types

KINDS = ["free", "ball", "wheel", "turn", "slide", "plane", "place", "ball2"]
"""Joints from the ground outwards; MuJoCo has free joints on the world only."""

TURN, SLIDE = (0.48, -0.6, 0.64), (0.0, -0.6, 0.8)

JOINTS = {
    "free": wt.Free(),
    "ball": wt.Spherical(),
    "wheel": wt.Revolute("x"),
    "turn": wt.Revolute(TURN),
    "slide": wt.Prismatic(SLIDE),
    "plane": wt.Planar("z"),
    "place": wt.Translation(),
    "ball2": wt.Spherical(),
}


@pytest.fixture(scope="module")
def m() -> wt.Mechanism:
    rng = np.random.default_rng(11)
    m = wt.Mechanism("chain", gravity=(0.3, -0.4, -9.0))
    for before, name in zip(["ground", *KINDS], KINDS, strict=False):
        limits = wt.Limits(-2.0, 2.0) if name == "turn" else wt.Limits()
        m.add_body(name, JOINTS[name], before, randoms.placement(rng), randoms.inertia(rng), limits=limits)
    return m


@pytest.fixture(params=range(3))
def state(request, m):
    rng = np.random.default_rng(request.param)
    return (*randoms.state(rng, m), *rng.normal(size=(2, m.nv)))


def relative(value, expected):
    return np.linalg.norm(value - expected) / np.linalg.norm(expected)


# Pinocchio


def pinocchio_model(m: wt.Mechanism) -> Any:
    models = {
        "free": pin.JointModelFreeFlyer(),
        "ball": pin.JointModelSpherical(),
        "wheel": pin.JointModelRUBX(),
        "turn": pin.JointModelRevoluteUnaligned(np.array(TURN)),
        "slide": pin.JointModelPrismaticUnaligned(np.array(SLIDE)),
        "plane": pin.JointModelPlanar(),
        "place": pin.JointModelTranslation(),
        "ball2": pin.JointModelSpherical(),
    }
    model = pin.Model()
    model.gravity.linear = np.array(m.gravity)
    parent = 0
    for body in m.bodies:
        at = pin.SE3(body.placement.rotation, body.placement.position)
        parent = model.addJoint(parent, models[body.name], at, body.name)
        inertia = pin.Inertia(body.inertia.m, body.inertia.com, body.inertia.about_com)
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def test_pinocchio(m, state):
    q, qd, qdd, tau = state
    model = pinocchio_model(m)
    data = model.createData()
    c = wt.Convention("pinocchio", m)
    p, v = c.to_position(q), c.to_velocity(q, qd)
    assert c.nq == model.nq
    inverse = pin.rnea(model, data, p, v, c.to_acceleration(q, qd, qdd))
    assert relative(c.to_force(q, wt.rnea(m, q, qd, qdd)), inverse) < 1e-13
    forward = pin.aba(model, data, p, v, c.to_force(q, tau))
    assert relative(c.to_acceleration(q, qd, wt.aba(m, q, qd, tau)), forward) < 1e-13
    # The step that Pinocchio takes with this velocity leads to the same place.
    reached = c.from_position(pin.integrate(model, p, v))
    assert np.linalg.norm(m.difference(m.integrate(q, qd), reached)) < 1e-13 * np.linalg.norm(qd) + 1e-12


# MuJoCo


def mujoco_model(m: wt.Mechanism) -> Any:
    joints = {
        "free": '<freejoint name="free"/>',
        "ball": '<joint name="ball" type="ball"/>',
        "wheel": '<joint name="wheel" type="hinge" axis="1 0 0"/>',
        "turn": f'<joint name="turn" type="hinge" axis="{text(TURN)}"/>',
        "slide": f'<joint name="slide" type="slide" axis="{text(SLIDE)}"/>',
        "plane": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
        '<joint type="hinge" axis="0 0 1"/>',
        "place": "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1")),
        "ball2": '<joint name="ball2" type="ball"/>',
    }
    opened = closed = ""
    for body in m.bodies:
        moments = body.inertia.about_com
        full = [moments[0, 0], moments[1, 1], moments[2, 2], moments[0, 1], moments[0, 2], moments[1, 2]]
        opened += (
            f'<body name="{body.name}" pos="{text(body.placement.position)}" '
            f'quat="{text(body.placement.quaternion)}">{joints[body.name]}'
            f'<inertial mass="{text([body.inertia.m])}" pos="{text(body.inertia.com)}" '
            f'fullinertia="{text(full)}"/>'
        )
        closed += "</body>"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="{text(m.gravity)}"/><worldbody>{opened}{closed}</worldbody></mujoco>'
    )


def text(numbers) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def test_mujoco(m, state):
    q, qd, qdd, tau = state
    m = on_the_world(m)
    model = mujoco_model(m)
    data = mujoco.MjData(model)
    c = wt.Convention("mujoco", m)
    assert (c.nq, m.nv) == (model.nq, model.nv)
    data.qpos, data.qvel, data.qacc = c.to_position(q), c.to_velocity(q, qd), c.to_acceleration(q, qd, qdd)
    mujoco.mj_inverse(model, data)
    assert relative(c.to_force(q, wt.rnea(m, q, qd, qdd)), data.qfrc_inverse) < 1e-13
    data.qfrc_applied = c.to_force(q, tau)
    mujoco.mj_forward(model, data)
    assert relative(c.to_acceleration(q, qd, wt.aba(m, q, qd, tau)), data.qacc) < 1e-13
    poses = wt.forward_kinematics(m, q)
    assert np.allclose(data.xpos[1:], poses[:, :3, 3], atol=1e-13)
    # Where MuJoCo goes with this velocity, seen from both sides.
    h, sides = 1e-4, []
    for direction in (-h, h):
        position = np.array(data.qpos)
        mujoco.mj_integratePos(model, position, c.to_velocity(q, qd), direction)
        sides.append(c.from_position(position))
    assert relative(m.difference(*sides) / (2 * h), qd) < 1e-7


def on_the_world(m: wt.Mechanism) -> wt.Mechanism:
    """The mechanism with its free joint at the world's frame: MuJoCo's tells the pose in the world."""
    moved = wt.Mechanism(m.name, m.gravity)
    for i, body in enumerate(m.bodies):
        at = wt.Placement() if i == 0 else body.placement
        moved.add_body(body.name, body.joint, body.parent, at, body.inertia, limits=body.limits)
    return moved


@pytest.mark.parametrize("keep", [False, True])
def test_a_revolute_joint_without_useful_limits_is_not_continuous(keep, tmp_path):
    links = "".join(
        f'<link name="{name}"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name in "abcd"
    )
    joints = "".join(
        f'<joint name="{before}{after}" type="{kind}"><parent link="{before}"/><child link="{after}"/>'
        f'<axis xyz="0 0 1"/>{limit}</joint>'
        for before, after, kind, limit in (
            ("a", "b", "revolute", '<limit lower="0" upper="0" effort="5" velocity="2"/>'),
            ("b", "c", "continuous", ""),
            ("c", "d", "revolute", '<limit effort="5" velocity="2"/>'),
        )
    )
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="arm">{links}{joints}</robot>')
    model, m = pin.buildModelFromUrdf(str(file)), wt.load(file, keep_zero_limits=keep)
    wt.save(m, tmp_path / "arm.toml")
    for same in (m, wt.load(tmp_path / "arm.toml")):
        assert wt.Convention("pinocchio", same).nq == model.nq == 4
    assert m.bodies[0].limits.unknown == (not keep)
