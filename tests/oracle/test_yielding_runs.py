"""Surfaces that give way in `simulate`, against closed forms, rigid surfaces and steps of a rollout."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import touching
import whippletree as wt
from whippletree.contact import Compliant, HuntCrossley, TwoSurfaces, patch_restitution

G = 9.81
FINE: Any = {"rtol": 1e-11, "atol": 1e-13}


def ball(mass: float, gravity: float = 0.0, **properties: Any) -> wt.Mechanism:
    m = wt.Mechanism("ball", gravity=(0, 0, -gravity))
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=mass))
    m.add_shape("skin", wt.Sphere(0.1), body="ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor", **properties)
    return m


def damper(mass: float, stiffness: float, restitution: float) -> float:
    """N s/m: the damping with which a patch returns that share of a speed."""
    most = 10.0 * np.sqrt(stiffness)
    found: Any = brentq(lambda D: patch_restitution(mass, stiffness, D) - restitution, 1e-6, most)
    return float(found)


def drift(run: wt.Trajectory) -> float:
    """J: how far energy is from what went in and out, by the trapezoidal rule."""
    power = run.power + run.external_power - run.lost_power
    work = np.cumsum(np.diff(run.t) * 0.5 * (power[1:] + power[:-1]))
    return float(np.ptp(run.energy - np.concatenate([[0.0], work])))


@pytest.mark.parametrize(
    ("mass", "stiffness", "damping", "share"),
    [
        (1.0, 1000.0, 5.0, 0.78931314),
        (1.0, 1000.0, 30.0, 0.31343692),
        (2.0, 500.0, 60.0, 0.14507516),
        (1.0, 100.0, 40.0, 0.04776873),
    ],
)
def test_restitution_of_a_patch(mass, stiffness, damping, share):
    m = ball(mass, stiffness=stiffness, damping=damping, friction=0.0)
    run = wt.simulate(m, [0.25], [-0.7], duration=1.0, **FINE)
    assert round(run.qd[-1, 0] / 0.7, 8) == share
    assert run.qd[-1, 0] / 0.7 == pytest.approx(patch_restitution(mass, stiffness, damping), abs=1e-9)
    (closes,), (opens,) = run.contacts.times("closes"), run.contacts.times("opens")
    assert closes == pytest.approx(0.15 / 0.7, abs=1e-12)
    assert run.contacts.gap[run.t == opens][0, 0] < 0.0  # where the force ends, and not where the patch does
    left = run.contacts.patch[run.t == opens][0, 0, 0]
    back = left * np.exp(-stiffness / damping * (run.t[-1] - opens))
    assert run.contacts.patch[-1, 0, 0] == pytest.approx(back, abs=1e-15)


def test_a_bounce_has_the_height_of_the_exact_one():
    m = ball(1.0, G, stiffness=2e4, damping=60.0)
    run = wt.simulate(m, [0.15], duration=0.3, sample=1e-4)
    lowest = int(np.argmin(run.q[:, 0]))
    assert run.q[lowest:, 0].max() - 0.1 == pytest.approx(0.012718795, abs=1e-8)
    assert drift(run) < 1e-4 * run.energy[0]


def test_bounces_converge_to_rigid_ones():
    """By order 1/2: a contact lasts π √(m/K)."""
    e, start, end = 0.5, 0.4, 0.6
    exact = wt.simulate(ball(1.0, G, restitution=e), [start], duration=end)
    assert len(exact.contacts.times("impact")) == 2
    errors = []
    for stiffness in (1e4, 1e6, 1e8, 1e10):
        soft = ball(1.0, G, stiffness=stiffness, damping=damper(1.0, stiffness, e))
        run = wt.simulate(soft, [start], duration=end)
        errors.append(abs(run.qd[-1, 0] - exact.qd[-1, 0]))
    np.testing.assert_allclose(np.array(errors[1:]) / errors[:-1], 0.1, rtol=0.1)
    assert errors[-1] < 4e-4


def test_a_slide_to_rest_converges_to_a_rigid_one():
    """By order 1: surfaces give way by the weight over K."""
    mu, v0, mass = 0.5, 1.0, 5.0
    q = np.array([0, 0, 0.1, 1, 0, 0, 0])
    exact = wt.simulate(touching.crate(friction=mu), q, [0, 0, 0, v0, 0, 0], duration=0.4)
    assert exact.q[-1, 0] == pytest.approx(v0**2 / (2 * mu * G), abs=1e-9)
    errors = []
    for stiffness in (1e4, 1e6, 1e10):
        soft = touching.crate(friction=mu, stiffness=stiffness, damping=np.sqrt(mass * stiffness))
        sunk = q - [0, 0, mass * G / 4 / stiffness, 0, 0, 0, 0]
        run = wt.simulate(soft, sunk, [0, 0, 0, v0, 0, 0], duration=0.4)
        errors.append(np.abs(run.q[-1, :3] - exact.q[-1, :3]).max())
        sticks = run.contacts.times("sticks")[-1]
        assert sticks == pytest.approx(exact.contacts.times("sticks")[-1], abs=2e-2 / np.sqrt(stiffness))
    np.testing.assert_allclose(np.array(errors) * [1e4, 1e6, 1e10], errors[0] * 1e4, rtol=1e-2)
    assert errors[-1] < 2e-9


def test_a_ball_that_lands_at_an_angle_converges_to_a_rigid_one():
    """It slips through the whole impact: the friction impulse is μ times that along the normal."""
    e, mu, mass = 0.5, 0.2, 0.3

    def landed(**numbers: float) -> np.ndarray:
        m = wt.Mechanism("ball")
        m.add_body("ball", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=mass))
        m.add_shape("skin", wt.Sphere(0.1), "ball")
        m.add_shape("floor", wt.Plane())
        m.add_contact("land", "skin", "floor", friction=mu, **numbers)
        return wt.simulate(m, [0, 0, 0.3, 1, 0, 0, 0], [0, 0, 0, 2.0, 1.0, 0], duration=0.3).qd[-1]

    exact, errors = landed(restitution=e), []
    for stiffness in (1e6, 1e8):
        errors.append(np.abs(landed(stiffness=stiffness, damping=damper(mass, stiffness, e)) - exact).max())
    assert errors[1] / errors[0] == pytest.approx(0.1, rel=0.2)
    assert errors[1] < 3e-3


def test_rest_on_a_slope_does_not_creep():
    angle, stiffness, mass = 0.3, 2e4, 5.0
    m = touching.crate(friction=0.4, stiffness=stiffness, damping=300.0)
    m.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    run = wt.simulate(m, [0, 0, 0.1, 1, 0, 0, 0], duration=1.5, sample=2.5e-4, rtol=1e-10, atol=1e-12)
    late = run.t > 1.2
    assert np.ptp(run.q[late], axis=0).max() < 1e-9
    total = run.contacts.force[-1].sum(axis=0)
    np.testing.assert_allclose(total, mass * G * np.array([np.cos(angle), -np.sin(angle), 0.0]), atol=1e-7)
    down = run.contacts.patch[-1, :, 2].sum()
    assert down == pytest.approx(mass * G * np.sin(angle) / stiffness, rel=1e-6)
    assert run.contacts.stored[-1] == pytest.approx(
        0.5 * stiffness * np.sum(run.contacts.patch[-1] ** 2), rel=1e-12
    )
    assert drift(run) < 1e-3 * run.contacts.stored[-1]


def test_hunt_crossley_returns_what_its_energy_balance_says():
    """With n = 1: v - ln(1 + c v)/c is the same in and out."""
    c, speed = 0.6, 0.8
    m = ball(1.0, stiffness=5e3, friction=0.0)
    run = wt.simulate(m, [0.15], [-speed], duration=0.3, contacts=Compliant(HuntCrossley(c)), **FINE)

    def invariant(v: float) -> float:
        return v - np.log(1.0 + c * v) / c

    assert invariant(-run.qd[-1, 0]) == pytest.approx(invariant(speed), abs=1e-10)


def test_hertz_contact_is_as_deep_as_hertz_says():
    stiffness, speed = 1e6, 0.5
    m = ball(1.0, stiffness=stiffness, friction=0.0)
    law = Compliant(HuntCrossley(exponent=1.5))
    lowest = wt.Event(lambda t, q, qd: qd[0], "lowest")
    run = wt.simulate(m, [0.15], [-speed], duration=0.2, contacts=law, events=[lowest], **FINE)
    assert 0.1 - run.events[0].q[0] == pytest.approx((1.25 * speed**2 / stiffness) ** 0.4, rel=1e-9)
    assert run.qd[-1, 0] == pytest.approx(speed, abs=1e-9)
    assert np.ptp(run.energy) < 1e-9


def test_two_surfaces_whose_ratio_agrees_are_one():
    K, D = 3e3, 12.0
    one = ball(1.3, stiffness=K * 2 / 3, damping=D * 2 / 3, friction=0.0)
    single = wt.simulate(one, [0.12], [-0.7], duration=0.3, **FINE)
    two = Compliant(TwoSurfaces((K, D), (2 * K, 2 * D)))
    both = wt.simulate(one, [0.12], [-0.7], duration=0.3, contacts=two, sample=1e-4, **FINE)
    assert both.qd[-1, 0] == pytest.approx(single.qd[-1, 0], abs=1e-9)
    patch = both.contacts.patch[:, 0]
    np.testing.assert_allclose(patch[:, 0], 2.0 * patch[:, 1], atol=1e-12)
    assert drift(both) < 1e-5


def test_it_is_what_short_steps_of_a_rollout_tend_to():
    m = touching.crate(friction=0.4, stiffness=3e3, damping=40.0)
    q = np.array([0, 0, 0.25, 1, 0.2, 0.3, 0.1])
    q[3:] /= np.linalg.norm(q[3:])
    qd = np.array([0.3, -1.0, 0.2, 1.0, 0.5, -0.5])
    run = wt.simulate(m, q, qd, duration=0.3)
    assert {"closes", "opens", "slips"} <= {event.what for event in run.contacts.events}
    errors = []
    for h in (2e-5, 1e-5):
        _, stepped = wt.rollout(
            m, q, qd, dt=h, steps=round(0.3 / h), every=round(0.3 / h), contacts="compliant"
        )
        errors.append(np.abs(stepped[-1] - run.qd[-1]).max())
    assert errors[1] < 0.01
    assert errors[1] < 0.7 * errors[0]
