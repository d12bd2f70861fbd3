"""Rigid surfaces and ones that give way in one run, against closed forms and runs of each alone."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import touching
import whippletree as wt

G = 9.81
FINE: Any = {"rtol": 1e-11, "atol": 1e-13}


def balls(rigid: bool, soft: bool) -> wt.Mechanism:
    """Two balls side by side over one floor."""
    m = wt.Mechanism("balls")
    m.add_shape("floor", wt.Plane())
    for name, wanted, numbers in (
        ("hard", rigid, {"restitution": 0.6}),
        ("soft", soft, {"stiffness": 3e3, "damping": 8.0}),
    ):
        if wanted:
            m.add_body(name, wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.7))
            m.add_shape(f"{name} skin", wt.Sphere(0.1), name)
            m.add_contact(f"{name} on floor", f"{name} skin", "floor", **numbers)
    return m


def test_bodies_apart_move_as_if_each_were_alone():
    both = wt.simulate(balls(True, True), [0.5, 0.4], duration=1.0, **FINE)
    hard = wt.simulate(balls(True, False), [0.5], duration=1.0, **FINE)
    soft = wt.simulate(balls(False, True), [0.4], duration=1.0, **FINE)
    for row, alone in enumerate((hard, soft)):
        assert both.contacts.titles[row] == alone.contacts.titles[0]
        for what in ("impact", "closes", "opens"):
            np.testing.assert_allclose(
                both.contacts.times(what, row), alone.contacts.times(what), rtol=0, atol=1e-9
            )
        np.testing.assert_allclose(both.q[-1, row], alone.q[-1, 0], rtol=0, atol=1e-9)
    assert both.contacts.impact_loss.sum() == pytest.approx(hard.contacts.impact_loss.sum(), rel=1e-9)
    assert both.dynamics == "rigid contact"


def test_a_bumper_gives_way_until_the_stop_behind_it_strikes():
    """Free fall, the oscillator, Newton's impact, and the oscillator back."""
    mass, K, e, depth, height = 0.7, 3e3, 0.5, 0.02, 0.6
    m = wt.Mechanism("bumper")
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=mass))
    m.add_shape("stop", wt.Sphere(0.1), "ball")
    m.add_shape("bumper", wt.Sphere(0.1 + depth), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("soft", "bumper", "floor", friction=0.0, stiffness=K)
    m.add_contact("hard", "stop", "floor", friction=0.0, restitution=e)
    first = np.sqrt(2.0 * (height - 0.1 - depth) / G)
    v0, w, rest = G * first, np.sqrt(K / mass), -mass * G / K

    def p(t: float) -> float:
        return rest - rest * np.cos(w * t) - v0 / w * np.sin(w * t)

    strike: Any = brentq(lambda t: p(t) + depth, 0.0, 0.5 * np.pi / w, xtol=1e-15)
    v1 = np.sqrt(v0**2 + 2.0 * G * depth - K * depth**2 / mass)
    v2 = np.sqrt((e * v1) ** 2 - 2.0 * G * depth + K * depth**2 / mass)
    top = wt.Event(lambda t, q, qd: qd[0], "top", direction=-1, terminal=True)
    run = wt.simulate(m, [height], duration=2.0, events=[top], **FINE)
    assert run.contacts.times("closes", 0) == pytest.approx([first], abs=1e-10)
    assert run.contacts.times("impact", 1) == pytest.approx([first + strike], abs=1e-10)
    assert run.contacts.impulse[:, 1, 0].max() == pytest.approx(mass * (1.0 + e) * v1, rel=1e-9)
    assert run.q[-1, 0] == pytest.approx(0.1 + depth + v2**2 / (2.0 * G), abs=1e-9)
    stored = 0.5 * K * np.minimum(run.contacts.gap[:, 0], 0.0) ** 2
    np.testing.assert_allclose(run.contacts.stored, stored, rtol=0, atol=1e-9)
    lost = np.cumsum(run.contacts.impact_loss)
    np.testing.assert_allclose(run.energy + lost, run.energy[0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("damping", [10.0, 2.0])
def test_what_sticks_begins_to_slip_when_a_soft_ball_pushes_enough(damping):
    """A damper pushes at once: then slip begins with the first touch, else where friction is at its limit."""
    friction, weight, speed = 0.3, 2.0 * G, 1.0
    m = wt.Mechanism("push")
    m.add_body("slide", wt.Prismatic("x"), inertia=wt.Inertia(0.5))
    m.add_body("block", wt.Prismatic("z"), "slide", inertia=wt.Inertia(2.0))
    m.add_body("ball", wt.Prismatic("x"), placement=wt.Placement((-0.5, 0, 0.1)), inertia=wt.Inertia(1.0))
    m.add_shape("foot", wt.Sphere(0.1), "block")
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "foot", "floor", friction=friction)
    m.add_contact("push", "skin", "foot", friction=0.0, stiffness=400.0, damping=damping)
    run = wt.simulate(m, [0.0, 0.1, 0.0], [0.0, 0.0, speed], duration=0.6, sample=2e-4, **FINE)
    rest, push = 0, 1
    (touch,), slips = run.contacts.times("closes", push), run.contacts.times("slips", rest)
    assert touch == pytest.approx(0.3, abs=1e-12)
    force, before = run.contacts.force[:, push, 0], run.t < slips[0] - 1e-12
    assert np.abs(run.q[before, 0]).max() < 1e-12
    if damping * speed > friction * weight:
        assert slips[0] == touch
    else:
        at = np.searchsorted(run.t, slips[0])
        assert slips[0] > touch + 1e-3
        assert force[at] == pytest.approx(friction * weight, rel=1e-8)
    rubs = np.linalg.norm(run.contacts.force[:, rest, 1:], axis=1)
    assert rubs.max() <= friction * weight * (1.0 + 1e-9)
    assert run.contacts.times("sticks", rest)[-1] > slips[0]
    assert run.q[-1, 0] > 0.01
    # Momentum: what friction has taken is what the two have lost.
    lost = speed - (2.5 * run.qd[-1, 0] + run.qd[-1, 2])
    along = run.contacts.force[:, rest, 1:] @ wt.contact.contact_frames(m, run.q[0]).axes[rest, 1:, 0]
    assert np.trapezoid(along, run.t) == pytest.approx(-lost, rel=1e-6)


def test_a_linkage_stands_on_a_rigid_foot_in_a_soft_pad():
    m, q = touching.leg(friction=0.9)
    foot = next(shape for shape in m.shapes if shape.name == "foot")
    m.add_shape("pad", wt.Sphere(0.05 + 0.004), foot.body, foot.placement)
    m.add_contact("pad on floor", "pad", "floor", friction=0.5, stiffness=2e3, damping=40.0)
    q[0] -= wt.contact.gaps(m, q)[0] - 0.005

    def hold(t, now, qd):
        return np.array([0.0, 60.0 * (q[1] - now[1]) - 6.0 * qd[1], 0.0, 0.0])

    run = wt.simulate(m, q, duration=0.5, control=hold, sample=5e-3)
    force, weight = run.contacts.force[-1], G * sum(body.inertia.m for body in m.bodies)
    assert run.contacts.gap[:, 0].min() > -1e-12
    assert np.abs(run.constraint_error).max() < 1e-10
    assert force[1, 0] == pytest.approx(2e3 * 0.004, rel=1e-3)  # the foot holds the pad at its depth
    assert force[:, 0].sum() == pytest.approx(weight, rel=1e-3)


def test_what_surfaces_of_both_kinds_did_is_kept_in_a_file(tmp_path):
    run = wt.simulate(balls(True, True), [0.3, 0.3], duration=0.4)
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz")
    assert again.contacts.events == run.contacts.events
    np.testing.assert_array_equal(again.contacts.force, run.contacts.force)
    np.testing.assert_array_equal(again.energy, run.energy)


def test_what_does_not_go_with_both_kinds_is_told():
    m = balls(True, True)
    with pytest.raises(wt.InputError, match=r"'soft skin' .* has a stiffness of 3000 N/m: .*contacts='auto'"):
        wt.simulate(m, [0.3, 0.3], contacts="rigid")
    with pytest.raises(wt.ModelError, match=r"contact 'hard on floor' is rigid, it has no stiffness"):
        wt.simulate(m, [0.3, 0.3], contacts="compliant")
    with pytest.raises(wt.InputError, match=r"impacts is 'newton', which can create energy with friction"):
        wt.simulate(m, [0.3, 0.3], impacts="newton")
    with pytest.raises(wt.InputError, match=r"dynamics is 'aba', but rigid contact finds accelerations"):
        wt.simulate(m, [0.3, 0.3], dynamics="aba")
    m.change("soft on floor", damping=None)
    with pytest.raises(wt.ModelError, match=r"'soft on floor' has friction 0.8, but no damping along"):
        wt.simulate(m, [0.3, 0.3])
    with pytest.raises(wt.InputError, match=r"shapes overlap by 0.05 m, 'hard skin' on 'floor'"):
        wt.simulate(balls(True, True), [0.05, 0.3])
