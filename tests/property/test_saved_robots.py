"""Mechanisms written as URDF and MJCF.

Source of truth: the mechanism itself, the readers of Pinocchio and MuJoCo, and what formats have words for.
"""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whippletree as wt

pin: Any = importlib.import_module("pinocchio")  # compiled, carries no types


def reordered(m: wt.Mechanism, n: wt.Mechanism, values: Any, kind: str) -> Any:
    """Values of m, positions "q" or velocities "v", in the order of n; one joint may be several there."""
    found = {}
    for body, at in zip(m.bodies, getattr(m, f"{kind}_index"), strict=True):
        parts = values[at]
        single = n.has("joint", f"{body.joint_name}.2")
        for k in range(len(parts) if single else 1):
            found[body.joint_name if k == 0 else f"{body.joint_name}.{k + 1}"] = (
                parts[[k]] if single else parts
            )
    return np.concatenate([np.zeros(0), *(found[name] for name in n.joint_names if name in found)])


def error_of(m: wt.Mechanism, n: wt.Mechanism) -> float:
    """The largest difference of accelerations at random, as a share of the largest."""
    rng = np.random.default_rng(0)
    q = m.random(rng)
    qd, tau = rng.normal(size=(2, m.nv))
    if m.loops or m.gears:
        q = wt.assemble(m, m.integrate(m.neutral(), np.full(m.nv, 1e-3)))
        qd = wt.project_velocity(m, q, qd)
    ours = reordered(m, n, wt.forward_dynamics(m, q, qd, tau), "v")
    theirs = wt.forward_dynamics(
        n, reordered(m, n, q, "q"), reordered(m, n, qd, "v"), reordered(m, n, tau, "v")
    )
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(ours)))


def mixed() -> wt.Mechanism:
    """A tree of joints that URDF has, with general numbers."""
    m, rng = wt.Mechanism("mixed"), np.random.default_rng(3)
    joints = [
        wt.Free(),
        wt.Revolute((0.6, 0, 0.8)),
        wt.Prismatic("y"),
        wt.Fixed(),
        wt.Revolute("x"),
        wt.Planar("z"),
    ]
    joints += [wt.Reversed(wt.Revolute((0.0, 0.6, 0.8)))]
    for k, joint in enumerate(joints):
        moments = rng.uniform(0.1, 0.15, 3)
        inertia = wt.Inertia(1.0 + rng.random(), rng.normal(size=3), moments)
        at = wt.Placement(rng.normal(size=3), rpy=rng.uniform(-3, 3, 3)) if k else None
        m.add_body(f"b{k}", joint, f"b{k - 1}" if k else "ground", at, inertia, f"j{k}", damping=0.1 * k)
    m.change("j1", limits=wt.Limits(-1.0, 2.0, 3.0, 4.0), friction=0.3)
    m.change("j2", limits=wt.Limits(-1.0, 1.0))
    m.add_frame("tool", "b4", wt.Placement((0.1, 0.2, 0.3), rpy=(0.5, np.pi / 2, 0.2)))
    m.add_gear("belt", "j1", "j4", -0.7, 0.2)
    m.add_shape("ball", wt.Sphere(0.1), "b2", color=(0.1, 0.2, 0.3, 1.0))
    return m


@pytest.mark.parametrize("name", ["mixed", "seven-axis-arm", "humanoid", "cart-pole"])
def test_urdf_and_back(name, tmp_path):
    m = mixed() if name == "mixed" else wt.examples.load(name)
    wt.save(m, tmp_path / "m.urdf")
    n = wt.load(tmp_path / "m.urdf")
    assert error_of(m, n) < 1e-12
    for frame in m.frames:
        q = m.random(np.random.default_rng(1))
        there = wt.frame_pose(n, q, frame.name)
        np.testing.assert_allclose(there, wt.frame_pose(m, q, frame.name), atol=1e-13)
    again = tmp_path / "again.urdf"
    if not any(isinstance(body.joint, wt.Fixed) for body in m.bodies):
        wt.save(n, again)
        assert wt.load(again).bodies == n.bodies


def test_pinocchio_reads_what_is_written(tmp_path):
    m = wt.examples.load("seven-axis-arm")
    m.change(m.bodies[2].name, limits=wt.Limits(-1.0, np.inf, 2.0), actuated=True)
    wt.save(m, tmp_path / "m.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "m.urdf"))
    rng = np.random.default_rng(0)
    q, (qd, tau) = m.random(rng), rng.normal(size=(2, m.nv))
    c = wt.Convention("pinocchio", wt.load(tmp_path / "m.urdf"))
    theirs = pin.aba(model, model.createData(), c.to_position(q), qd, tau)
    free = m.with_parts(bodies=[replace(body, damping=0.0, friction=0.0) for body in m.bodies])
    np.testing.assert_allclose(wt.aba(free, q, qd, tau), theirs, rtol=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "tutorial-tree",
        "humanoid",
        "differential",
        "flyball-governor",
        "car",
        "four-bar",
        "wishbone-axle",
        "six-rus",
    ],
)
def test_mjcf_and_back(name, tmp_path):
    m = wt.examples.load(name)
    wt.save(m, tmp_path / "m.xml")
    n = wt.load(tmp_path / "m.xml")
    assert error_of(m, n) < 1e-12
    assert n.gravity == m.gravity
    assert {frame.name for frame in m.frames} <= {frame.name for frame in n.frames}


def test_mjcf_keeps_limits_motors_shapes_and_contacts(tmp_path):
    m = wt.Mechanism("arm")
    inertia = wt.Inertia(1.3, (0.1, 0.2, 0.3), (0.03, 0.04, 0.05))
    stop = wt.Limits(-1.0, 2.0, 3.0, 4.0, stiffness=500.0, dissipation=0.5)
    m.add_body("a", wt.Revolute("x"), inertia=inertia, limits=stop, actuated=True, friction=0.2)
    m.add_body(
        "b", wt.Prismatic("y"), "a", inertia=inertia, limits=wt.Limits(0.1, 0.2), stiffness=3.0, rest=(0.15,)
    )
    m.add_body("c", wt.Revolute("z"), "b", inertia=inertia, armature=0.2, damping=0.4)
    m.add_shape("ball", wt.Sphere(0.1), "c", wt.Placement((0.1, 0, 0)), (0.1, 0.2, 0.3, 1.0))
    m.add_shape("egg", wt.Ellipsoid((0.1, 0.2, 0.3)), "b")
    m.add_shape("floor", wt.Plane())
    m.add_contact("touch", "ball", "floor", friction=0.7)
    corners, faces = (
        np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
        [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
    )
    m.add_shape("wedge", wt.Mesh("wedge", vertices=corners, faces=np.array(faces)), "c")
    wt.save(m, tmp_path / "m.xml")
    n = wt.load(tmp_path / "m.xml")
    for ours, theirs in zip(m.bodies, n.bodies, strict=True):
        assert theirs.limits.stiffness == pytest.approx(ours.limits.stiffness, rel=1e-9)
        limits = replace(theirs.limits, stiffness=ours.limits.stiffness)
        assert replace(theirs, inertia=ours.inertia, limits=limits, rest=ours.rest) == ours
        assert pytest.approx(ours.inertia.I, rel=1e-14) == theirs.inertia.I
    (contact,) = n.contacts  # MuJoCo orders its two geoms
    assert ({contact.a, contact.b}, contact.friction) == ({"ball", "floor"}, 0.7)
    assert {shape.name for shape in n.shapes} == {"ball", "egg", "floor", "wedge"}
    assert n.shapes[n.number("shape", "ball")].placement == m.shapes[0].placement
    assert error_of(m, n) < 1e-12


def test_joints_one_behind_the_other_come_back_as_they_were(tmp_path):
    text = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" axis="1 0 0.2" pos="0.1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/><joint name="z" axis="0 0.3 1" pos="0 0.2 0"/>
      <inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.2"/></body></worldbody></mujoco>"""
    m = wt.loads(text)
    wt.save(m, tmp_path / "m.xml")
    n = wt.load(tmp_path / "m.xml")
    assert [body.name for body in n.bodies] == [body.name for body in m.bodies] == ["a.x", "a.y", "a"]
    assert error_of(m, n) < 1e-12


def bad(change: Any) -> wt.Mechanism:
    m = wt.Mechanism("m")
    inertia = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    for name in ("a", "b"):
        m.add_body(name, wt.Revolute("x"), inertia=inertia)
    change(m)
    return m


def tree_body(joint: wt.Joint, **properties: Any) -> Any:
    inertia = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    return lambda m: m.add_body("c", joint, "a", inertia=inertia, **properties)


@pytest.mark.parametrize(
    ("change", "urdf", "mjcf"),
    [
        (tree_body(wt.Helical("x", 0.1)), "joint 'c', a Helical x pitch 0.1", "joint 'c', a Helical"),
        (tree_body(wt.Spherical()), "joint 'c', a Spherical", None),
        (tree_body(wt.Free()), None, "free joint 'c' that is not told in the frame of the ground"),
        (lambda m: m.add_spring("s", "a", (0, 0, 1), "b", (0, 0, 1), 3.0), "spring 's'", None),
        (lambda m: m.add_force("wind", "a", (1, 0, 0)), "force 'wind'", "force 'wind'"),
        (lambda m: m.add_loop("pin", wt.Spherical(), "a", "b"), "loop 'pin'", None),
        (
            lambda m: m.add_loop("rail", wt.Prismatic("x"), "a", "b"),
            "loop 'rail'",
            "loop 'rail', a Prismatic x",
        ),
        (lambda m: m.change("a", armature=0.1), "armature of joint 'a'", None),
        (lambda m: m.change("a", stiffness=0.1), "stiffness of joint 'a'", None),
        (
            lambda m: m.change("a", limits=wt.Limits(0, 1, stiffness=9.0)),
            "the stops of joint 'a'",
            "dissipation 0 of the stops of joint 'a'",
        ),
        (lambda m: m.change("a", limits=wt.Limits(0.0)), None, "limits of joint 'a' on one side only"),
        (
            lambda m: m.change("a", inertia=wt.Inertia.zero()),
            None,
            "body 'a' without mass or moments of inertia",
        ),
        (lambda m: setattr(m, "gravity", (0, 0, -1.62)), "gravity (0.0, 0.0, -1.62)", None),
        (lambda m: m.add_driver("d", "t", joint="a"), "driver 'd'", "driver 'd'"),
        (
            lambda m: m.add_shape("mesh", wt.Mesh("x.dae"), "a"),
            None,
            "the mesh 'x.dae', which is no file of .stl",
        ),
        (lambda m: m.add_shape("floor", wt.Plane()), "shape 'floor', a plane", None),
    ],
)
def test_what_a_format_cannot_say_is_refused_by_name(change, urdf, mjcf, tmp_path: Path):
    m = bad(change)
    for suffix, message in ((".urdf", urdf), (".xml", mjcf)):
        path = tmp_path / f"m{suffix}"
        if message is None:
            wt.save(m, path)
            assert path.exists()
            continue
        with pytest.raises(wt.FileError) as refused:
            wt.save(m, path)
        assert message in str(refused.value)
        assert not path.exists()
