"""Surfaces that give way against closed forms: restitution, bounces, rest on slopes, two surfaces as one."""

import warnings
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.contact import Compliant, HuntCrossley, KelvinVoigt, TwoSurfaces

G = 9.81


def ball(mass: float, gravity: float = 0.0, **properties: Any) -> wt.Mechanism:
    m = wt.Mechanism("ball", gravity=(0, 0, -gravity))
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=mass))
    m.add_shape("skin", wt.Sphere(0.1), body="ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor", **properties)
    return m


def block(angle: float, size: Any = (0.4, 0.3, 0.2), mass: float = 5.0, **properties: Any) -> wt.Mechanism:
    """A block on a slope that falls along x, in axes of the slope."""
    m = wt.Mechanism("block", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    m.add_body("block", wt.Free(), inertia=wt.Inertia.box(size, mass=mass))
    m.add_shape("hull", wt.Box(size), "block")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "hull", "floor", **properties)
    return m


RETURNS = {
    (1.0, 1000.0, 5.0): 0.78931314,
    (1.0, 1000.0, 30.0): 0.31343692,
    (2.0, 500.0, 60.0): 0.14507516,
    (1.0, 100.0, 40.0): 0.04776873,
}


@pytest.mark.parametrize("numbers", RETURNS)
def test_restitution_of_a_patch(numbers):
    mass, stiffness, damping = numbers
    exact = wt.contact.patch_restitution(mass, stiffness, damping)
    assert round(exact, 8) == RETURNS[numbers]
    m = ball(mass, stiffness=stiffness, damping=damping)
    speeds = np.array([[-1.0], [-0.37]])
    _, qd = wt.rollout(
        m, [0.1], speeds, dt=1e-5, steps=80_000, every=80_000, method="rk4", contacts="compliant"
    )
    np.testing.assert_allclose(-qd[:, 0] / speeds, exact, rtol=0, atol=1e-9)


def test_a_bounce_converges_to_the_exact_one():
    m = ball(1.0, G, stiffness=2e4, damping=60.0)
    errors = []
    for h in (1e-4, 1e-5):
        q, _ = wt.rollout(m, [0.15], [0.0], dt=h, steps=round(0.3 / h), contacts="compliant")
        depth = q[:, 0] - 0.1
        lowest = int(np.argmin(depth[: round(0.12 / h)]))
        errors.append(depth[lowest:].max() - 0.012718795)
    assert abs(errors[0]) < 5e-5
    assert abs(errors[1]) < 1e-5


def test_stiffer_surfaces_come_nearer_to_rigid_ones():
    """With the damping that returns nothing much: the height of rest, and the bounce, go to zero."""
    depths = []
    for stiffness in (1e4, 1e6):
        damping = 2.0 * np.sqrt(stiffness)
        m = ball(1.0, G, stiffness=stiffness, damping=damping)
        q, qd = wt.rollout(m, [0.1], [0.0], dt=1e-5, steps=100_000, every=100_000, contacts="compliant")
        assert abs(qd[-1, 0]) < 1e-9
        depths.append(0.1 - q[-1, 0])
    np.testing.assert_allclose(depths, [G / 1e4, G / 1e6], rtol=1e-9)


def test_rest_on_a_slope_does_not_creep():
    angle, stiffness = 0.3, 2e4
    m = block(angle, friction=0.4, stiffness=stiffness, damping=100.0)
    forces = np.empty((2, 8, 3))
    q, qd = wt.rollout(
        m, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), dt=5e-4, steps=8000, every=4000, contacts="compliant",
        contact_forces=forces,
    )  # fmt: skip
    assert np.abs(qd[-1]).max() < 1e-11
    assert np.abs(q[1, :2] - q[0, :2]).max() < 1e-12
    weight = 5.0 * G
    total = forces[-1].sum(axis=0)
    np.testing.assert_allclose(total, [weight * np.cos(angle), -weight * np.sin(angle), 0.0], atol=1e-9)


def test_a_block_slides_where_friction_is_too_little():
    angle, friction = 0.3, 0.2
    m = block(angle, friction=friction, stiffness=2e4, damping=100.0)
    q0 = [0, 0, 0.1 - 5.0 * G * np.cos(angle) / 8e4, 1, 0, 0, 0]
    _, qd = wt.rollout(m, q0, np.zeros(6), dt=2e-4, steps=5000, every=2500, contacts="compliant")
    slide = G * (np.sin(angle) - friction * np.cos(angle))
    np.testing.assert_allclose((qd[1, 3] - qd[0, 3]) / 0.5, slide, rtol=1e-6)


def test_friction_in_a_disc_whatever_the_direction():
    m = block(0.0, friction=0.35, stiffness=2e4, damping=100.0)
    for angle in (0.0, 0.6, 2.1):
        forces = np.empty((1, 8, 3))
        v = 1.7 * np.array([np.cos(angle), np.sin(angle)])
        _, qd = wt.rollout(
            m, [0, 0, 0.1 - 5.0 * G / 8e4, 1, 0, 0, 0], [0, 0, 0, *v, 0], dt=1e-4, steps=2000, every=2000,
            contacts="compliant", contact_forces=forces,
        )  # fmt: skip
        ratio = np.linalg.norm(forces[0, :, 1:], axis=1) / np.maximum(forces[0, :, 0], 1e-300)
        touching = forces[0, :, 0] > 0.0
        np.testing.assert_allclose(ratio[touching], 0.35, rtol=1e-12)
        along = qd[-1, 3:5] / np.linalg.norm(qd[-1, 3:5])
        np.testing.assert_allclose(along, v / 1.7, atol=2e-3)


def test_two_surfaces_whose_ratio_agrees_are_one():
    K, D = 3e3, 12.0
    one = ball(1.3, stiffness=K * 2 / 3, damping=D * 2 / 3)
    options = {"dt": 1e-5, "steps": 30_000, "every": 30_000}
    _, single = wt.rollout(one, [0.1], [-0.7], **options, contacts="compliant")
    two = Compliant(TwoSurfaces((K, D), (2 * K, 2 * D)))
    _, both = wt.rollout(one, [0.1], [-0.7], **options, contacts=two)
    np.testing.assert_allclose(both, single, rtol=1e-4)
    hard = Compliant(TwoSurfaces((K * 2 / 3, D * 2 / 3), (1e9, 1e3)))  # the other one hardly gives way
    _, nearly = wt.rollout(one, [0.1], [-0.7], **options, contacts=hard)
    np.testing.assert_allclose(nearly, single, rtol=2e-3)


def test_hunt_crossley_returns_what_its_energy_balance_says():
    """With n = 1: dv/dd · v = -(K/m) d (1 + c v) integrates to v - ln(1 + c v)/c, the same in and out."""
    c, speed = 0.6, 0.8
    m = ball(1.0, stiffness=5e3, damping=0.0)
    law = Compliant(HuntCrossley(dissipation=c))
    _, qd = wt.rollout(m, [0.1], [-speed], dt=1e-6, steps=80_000, every=80_000, method="rk4", contacts=law)

    def invariant(v: float) -> float:
        return v - np.log(1.0 + c * v) / c

    np.testing.assert_allclose(invariant(-qd[-1, 0]), invariant(speed), rtol=1e-8)


def test_hertz_contact_lasts_as_long_as_hertz_says():
    """Undamped, n = 3/2: the depth reaches (5 m v²/4 K)^(2/5), and nothing is lost."""
    stiffness, speed = 1e6, 0.5
    m = ball(1.0, stiffness=stiffness)
    law = Compliant(HuntCrossley(exponent=1.5))
    q, qd = wt.rollout(m, [0.1], [-speed], dt=1e-6, steps=40_000, method="rk4", contacts=law)
    np.testing.assert_allclose(0.1 - q.min(), (1.25 * speed**2 / stiffness) ** 0.4, rtol=1e-7)
    np.testing.assert_allclose(qd[-1, 0], speed, rtol=1e-6)


def test_step_limits_are_where_steps_begin_to_grow():
    m = ball(0.5, stiffness=2e4, damping=0.0)
    limit = wt.contact.step_limits(m, np.array([0.1]))[0]
    assert limit == pytest.approx(2.0 * np.sqrt(0.5 / 2e4))
    pulled = Compliant(KelvinVoigt())
    for share, bounded in ((0.98, True), (1.02, False)):
        m = ball(0.5, 1e5, stiffness=2e4, damping=0.0)  # so heavy that it does not leave the ground
        rest = 0.1 - 0.5e5 / 2e4
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if not bounded else "error", wt.StepLengthWarning)
            q, _ = wt.rollout(m, [rest + 1e-3], [0.0], dt=share * limit, steps=200, contacts=pulled)
        assert (np.abs(q - rest).max() < 0.02) == bounded
    assert wt.contact.step_limits(ball(0.5, stiffness=10.0, damping=500.0), np.array([0.1]))[
        0
    ] == pytest.approx(2e-3)


def test_numbers_of_materials():
    numbers = wt.contact.contact_numbers("steel", "steel", radius=1e-3, mass=0.2, restitution=0.7)
    assert numbers.stiffness == pytest.approx(1e-3 * 210e9 / (1.0 - 0.09))
    back = wt.contact.patch_restitution(0.2, numbers.stiffness, numbers.damping)
    assert back == pytest.approx(0.7, abs=1e-12)
    m = ball(0.2, **numbers._asdict())
    assert m.contacts[0].friction == 0.57
