"""Rigid contact in rollouts against closed forms, weights, and the rest that it must keep."""

from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from whippletree.contact import Rigid
from whippletree.contact.sweeps.block_sweeps import apart, sweep_residual, swept

G = 9.81


def block(angle: float, **properties: Any) -> wt.Mechanism:
    """A block on three small balls, on a slope that falls along x, in its axes; its centre at 0.1."""
    m = wt.Mechanism("block", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    m.add_body("block", wt.Free(), inertia=wt.Inertia.box((0.4, 0.3, 0.16), mass=6.0))
    m.add_shape("floor", wt.Plane())
    for k, (x, y) in enumerate(((0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15))):
        m.add_shape(f"ball {k}", wt.Sphere(0.02), "block", wt.Placement((x, y, -0.08)))
        m.add_contact(f"rest {k}", f"ball {k}", "floor", **properties)
    return m


def ball(joint: wt.Joint, radius: float = 0.1, angle: float = 0.0, **properties: Any) -> wt.Mechanism:
    m = wt.Mechanism("ball", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    m.add_body("ball", joint, inertia=wt.Inertia.sphere(radius, mass=0.7))
    m.add_shape("skin", wt.Sphere(radius), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("roll", "skin", "floor", **properties)
    return m


def quadruped(**properties: Any) -> tuple[wt.Mechanism, Any]:
    """Twelve joints and four feet, and a stance."""
    m = wt.Mechanism("quadruped")
    m.add_body("trunk", wt.Free(), inertia=wt.Inertia.box((0.4, 0.2, 0.1), mass=6.0))
    leg = wt.Inertia(0.4, (0, 0, -0.1), np.diag([2e-3, 2e-3, 1e-4]))
    for name, x, y in (("fl", 0.2, 0.1), ("fr", 0.2, -0.1), ("hl", -0.2, 0.1), ("hr", -0.2, -0.1)):
        hip = wt.Inertia(0.5, (0, 0.02, 0), np.diag([1e-3] * 3))
        m.add_body(f"{name} hip", wt.Revolute("x"), "trunk", wt.Placement((x, y, 0)), hip)
        m.add_body(f"{name} thigh", wt.Revolute("y"), f"{name} hip", inertia=leg)
        m.add_body(f"{name} shank", wt.Revolute("y"), f"{name} thigh", wt.Placement((0, 0, -0.2)), leg)
        m.add_shape(f"{name} foot", wt.Sphere(0.02), f"{name} shank", wt.Placement((0, 0, -0.2)))
    m.add_shape("floor", wt.Plane())
    for name in ("fl", "fr", "hl", "hr"):
        m.add_contact(f"{name} on floor", f"{name} foot", "floor", **properties)
    q = m.neutral()
    q[7:] = np.tile([0.05, 0.6, -1.1], 4)
    q[2] = 0.36
    return m, q


def test_a_standing_quadruped_neither_creeps_nor_sinks():
    m, q0 = quadruped(friction=0.8)
    kp, kd, h = 300.0, 8.0, 1e-3

    def hold(t, q, qd):
        return np.concatenate([np.zeros(6), kp * (q0[7:] - q[7:]) - kd * qd[6:]])

    damping = [0.0] * 6 + [kd + h * kp] * 12
    forces, residual = np.empty((4, 4, 3)), np.empty(4)
    q, qd = wt.rollout(
        m, q0, np.zeros(18), hold, dt=h, steps=8000, every=2000, implicit_damping=damping, contacts="rigid",
        contact_forces=forces, residual=residual,
    )  # fmt: skip
    assert np.abs(qd[-1]).max() < 1e-9
    assert np.abs(q[-1, :3] - q[-2, :3]).max() < 1e-9
    weight = G * sum(body.inertia.m for body in m.bodies)
    np.testing.assert_allclose(forces[-1].sum(axis=0), [weight, 0.0, 0.0], atol=1e-9 * weight)
    assert np.abs(wt.contact.gaps(m, q[-1])).max() < 1e-9
    assert 0.0 < residual[0] <= residual[-1] < 1e-2


def test_a_robot_on_legs_of_linkages_stands():
    m = wt.examples.load("linkage-quadruped")
    m.add_shape("floor", wt.Plane())
    for foot in [frame for frame in m.frames if frame.name.endswith("foot")]:
        m.add_shape(f"{foot.name} ball", wt.Sphere(0.02), foot.body, foot.placement)
        m.add_contact(f"{foot.name} on floor", f"{foot.name} ball", "floor", friction=0.7)
    q0 = wt.assemble(m, m.neutral())
    q0[2] -= wt.contact.gaps(m, q0).min()
    kp, kd, h = 400.0, 10.0, 1e-3

    def hold(t, q, qd):
        return np.concatenate([np.zeros(6), kp * (q0[7:] - q[7:]) - kd * qd[6:]])

    damping = [0.0] * 6 + [kd + h * kp] * (m.nv - 6)
    forces = np.empty((2, 4, 3))
    q, qd = wt.rollout(
        m, q0, np.zeros(m.nv), hold, dt=h, steps=5000, every=2500, implicit_damping=damping, contacts="rigid",
        contact_forces=forces,
    )  # fmt: skip
    weight = G * sum(body.inertia.m for body in m.bodies)
    np.testing.assert_allclose(forces[-1].sum(axis=0), [weight, 0.0, 0.0], atol=1e-9 * weight)
    assert np.abs(qd[-1]).max() < 1e-9
    assert np.abs(wt.constraint_error(m, q[-1])).max() < 1e-10


def test_a_box_at_rest_stays_where_it_is_for_a_minute():
    m = touching.crate(friction=0.6)
    q0 = np.array([0.1, -0.2, 0.1, 1, 0, 0, 0])
    q, qd = wt.rollout(m, q0, np.zeros(6), dt=1e-3, steps=60_000, every=30_000, contacts="rigid")
    assert np.abs(q[-1] - q0).max() < 1e-9
    assert np.abs(qd[-1]).max() < 1e-9


@pytest.mark.parametrize("friction", [0.4, 0.2, 0.0])
def test_a_block_on_a_slope_stays_or_slides(friction):
    angle, h, n = 0.3, 1e-3, 1000
    m = block(angle, friction=friction)
    q, qd = wt.rollout(
        m, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), dt=h, steps=n, every=n, contacts=Rigid(sweeps=20)
    )
    slide = max(0.0, G * (np.sin(angle) - friction * np.cos(angle)))
    np.testing.assert_allclose(qd[-1, 3], slide * n * h, atol=1e-6)
    np.testing.assert_allclose(q[-1, 2], 0.1, atol=1e-9)


@pytest.mark.parametrize("joint", [wt.Free(), wt.Planar()])
def test_a_ball_that_slides_begins_to_roll(joint):
    """v = 5/7 of what it slid with; of what rolls down a slope, 5/7 g sin."""
    speed, friction = 1.3, 0.3
    if isinstance(joint, wt.Planar):  # it lies in the plane x, y and falls along y
        m = wt.Mechanism("disc", gravity=(0, -G, 0))
        m.add_body("disc", joint, inertia=wt.Inertia.sphere(0.1, mass=0.7))
        m.add_shape("rim", wt.Sphere(0.1), "disc")
        m.add_shape("floor", wt.Plane(), placement=wt.Placement(rpy=(-np.pi / 2, 0, 0)))
        m.add_contact("roll", "rim", "floor", friction=friction)
        q0, qd0 = [0, 0, 0.1], [0, speed, 0]
    else:
        m = ball(joint, friction=friction)
        q0, qd0 = [0, 0, 0.1, 1, 0, 0, 0], [0, 0, 0, speed, 0, 0]
    q, _ = wt.rollout(m, q0, qd0, dt=1e-3, steps=1500, every=500, contacts="rigid")
    place = q[:, 1 if isinstance(joint, wt.Planar) else 0]
    np.testing.assert_allclose((place[2] - place[1]) / 0.5, 5.0 / 7.0 * speed, rtol=1e-9)


def test_a_ball_rolls_down_a_slope():
    angle = 0.2
    m = ball(wt.Free(), angle=angle, friction=0.5)
    q, _ = wt.rollout(m, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), dt=1e-3, steps=1000, contacts="rigid")
    second = (q[-1, 0] - 2.0 * q[-2, 0] + q[-3, 0]) / 1e-6
    np.testing.assert_allclose(second, 5.0 / 7.0 * G * np.sin(angle), rtol=1e-8)


def test_restitution_returns_its_share_of_the_speed():
    e = 0.6
    m = ball(wt.Prismatic("z"), restitution=e)
    _, qd = wt.rollout(m, [0.4], [0.0], dt=1e-4, steps=4000, contacts="rigid")
    struck = int(np.argmax(np.diff(qd[:, 0])))
    np.testing.assert_allclose(qd[struck + 1, 0], -e * qd[struck, 0], rtol=1e-9)
    dead = ball(wt.Prismatic("z"))
    q, qd = wt.rollout(dead, [0.4], [0.0], dt=1e-4, steps=4000, contacts="rigid")
    np.testing.assert_allclose(q[-1], [0.1], atol=1e-12)
    assert q.min() > 0.1 - 1e-12


@pytest.mark.parametrize(
    ("restitution", "sweeps"), [((1.0, 0.4, 1.0), 5), ((0.0, 0.0, 0.0), 20)], ids=["with it", "without"]
)
def test_restitution_makes_no_energy_where_newtons_law_would(restitution, sweeps):
    """Of 300 lumps with equal moments that land on several balls at once; by it alone 87 gain, up to 48 %.

    Without restitution some gain up to 1e-4 by 5 sweeps, as `Rigid` tells; by 20 the problem is solved.
    """
    m = wt.Mechanism("lump", gravity=(0, 0, 0))
    m.add_body("lump", wt.Free(), inertia=wt.Inertia(2.0, (0, 0, 0), np.diag([0.03] * 3)))
    m.add_shape("floor", wt.Plane())
    for k, (x, y) in enumerate(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.1))):
        m.add_shape(f"ball {k}", wt.Sphere(0.02), "lump", wt.Placement((x, y, -0.1)))
        m.add_contact(f"land {k}", f"ball {k}", "floor", friction=1.5, restitution=restitution[k])
    rng, count = np.random.default_rng(1), 300
    turns, qd0 = rng.normal(size=(count, 3)) * [0.02, 0.02, 1.0], rng.normal(size=(count, 6))
    q0 = np.concatenate([np.tile([0.0, 0.0, 0.14], (count, 1)), np.ones((count, 1)), 0.5 * turns], axis=1)
    q0[:, 3:] /= np.linalg.norm(q0[:, 3:], axis=1, keepdims=True)
    qd0 = qd0 * [3, 3, 3, 1, 1, 1] - [0, 0, 0, 0, 0, 1.5]
    how = Rigid(sweeps=sweeps, push_out=0.0)
    q, qd = wt.rollout(m, q0, qd0, dt=1e-3, steps=150, contacts=how)
    along = np.concatenate([qd0[:, None], qd], axis=1)
    energy = 0.5 * (along**2) @ [0.03, 0.03, 0.03, 2.0, 2.0, 2.0]
    assert np.max(energy[:, 1:] / energy[:, :-1]) < 1.0 + 1e-12
    struck = energy[:, -1] < 0.999 * energy[:, 0]
    assert np.sum(struck) > 100
    assert min(np.min(wt.contact.gaps(m, state)) for state in q[:20].reshape(-1, 7)) > -1e-3


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e9])
def test_stiffness_taken_at_the_end_of_a_step(stiffness):
    m = block(0.0, friction=0.6, stiffness=stiffness, damping=10.0)
    q, qd = wt.rollout(
        m, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), dt=1e-3, steps=8000, every=8000, contacts="rigid"
    )
    np.testing.assert_allclose(0.1 - q[-1, 2], 6.0 * G / (3.0 * stiffness), rtol=1e-6)
    assert np.abs(qd[-1]).max() < 1e-9


def test_what_overlaps_is_pushed_out():
    m = ball(wt.Prismatic("z"))
    q, qd = wt.rollout(m, [0.08], [0.0], dt=1e-3, steps=600, contacts=Rigid(push_speed=0.3))
    np.testing.assert_allclose(qd[0], [0.3], atol=1e-12)
    assert qd.max() < 0.3 + 1e-12
    np.testing.assert_allclose(q[-1], [0.1], atol=1e-12)


def test_sweeps_solve_contact_problems():
    """Random blocks, some of which stick, slide and stay open: the natural map's residual goes to zero."""
    rng = np.random.default_rng(4)
    friction = [0.2, 0.4, 0.6, 0.8]

    def solved(G, b):
        impulses = swept(apart(G), [0.0] * 4, b, friction, 0.0 * b.reshape(4, 3), 400, 6)
        return impulses, sweep_residual(G, b, friction, impulses)

    A = rng.normal(size=(500, 15, 12))
    matrices, b = np.swapaxes(A, 1, 2) @ A / 6.0, 2.0 * rng.normal(size=(500, 12))
    k = wt.compile(solved, wt.Mechanism("none"), inputs={"G": (12, 12), "b": (12,)})
    impulses, residual = k(matrices, b)
    assert residual.max() < 1e-9
    v = (np.einsum("kij,kj->ki", matrices, impulses.reshape(500, 12)) + b).reshape(500, 4, 3)
    normal, along = impulses[..., 0], np.linalg.norm(impulses[..., 1:], axis=-1)
    assert normal.min() >= 0.0
    assert v[..., 0].min() > -1e-9
    assert np.abs(normal * v[..., 0]).max() < 1e-9
    assert np.all(along <= friction * normal * (1.0 + 1e-12))
    slips = np.linalg.norm(v[..., 1:], axis=-1) > 1e-6
    opposed = np.sum(impulses[..., 1:] * v[..., 1:], axis=-1) + along * np.linalg.norm(v[..., 1:], axis=-1)
    assert np.abs(opposed).max() < 1e-8
    assert min(np.sum(normal == 0.0), np.sum(slips & (normal > 0.0)), np.sum(~slips)) > 50
    off = impulses + np.array([0.1, 0.0, 0.0])
    assert sweep_residual(matrices[0], b[0], friction, off[0]) > 1e-3
