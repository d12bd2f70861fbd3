"""Surfaces that give way in `simulate`: what must always hold, what is told, and what is refused."""

import warnings
from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from touching import ball, leg
from whippletree.contact import Compliant, HuntCrossley, TwoSurfaces

G = 9.81


SOFT: Any = {"stiffness": 1e4, "damping": 30.0}


def test_a_linkage_stands_on_surfaces_that_give_way():
    m, q = leg(friction=0.9, stiffness=2e4, damping=150.0)
    q[0] -= wt.contact.gaps(m, q)[0] - 0.005

    def hold(t, now, qd):
        return np.array([0.0, 60.0 * (q[1] - now[1]) - 6.0 * qd[1], 0.0, 0.0])

    run = wt.simulate(m, q, duration=0.8, control=hold, method="DOP853", sample=1e-3)
    assert np.abs(run.constraint_error).max() < 1e-10
    weight = G * sum(body.inertia.m for body in m.bodies)
    assert run.contacts.times("closes")
    assert run.contacts.force[-1, 0, 0] == pytest.approx(weight, rel=1e-4)
    power = run.power + run.external_power - run.lost_power
    work = np.cumsum(np.diff(run.t) * 0.5 * (power[1:] + power[:-1]))
    assert np.ptp(run.energy - np.concatenate([[0.0], work])) < 0.02 * np.ptp(run.energy)
    friction = np.linalg.norm(run.contacts.force[..., 1:], axis=-1)
    assert np.all(friction <= 0.9 * run.contacts.force[..., 0] * (1 + 1e-12) + 1e-12)


def test_bodies_touch_each_other_and_keep_their_momentum():
    m = touching.pair(wt.Sphere(0.3), wt.Sphere(0.35), friction=0.5, stiffness=800.0, damping=9.0)
    m.gravity = (0, 0, 0)
    q = np.concatenate([[0, 0, 0.9, 1, 0, 0, 0, 0.3], [0, 0, 0, 1, 0, 0, 0, -0.2]])
    qd = np.zeros(m.nv)
    qd[5], qd[0], qd[7] = -1.5, 0.7, 0.4
    run = wt.simulate(m, q, qd, duration=0.8)
    assert run.contacts.times("closes")
    before, after = (wt.momentum(m, run.q[k], run.qd[k]) for k in (0, -1))
    np.testing.assert_allclose(after, before, atol=1e-7)
    assert np.all(run.contacts.friction_power > -1e-12)


def test_actions_of_the_user_take_bodies_off_their_patches():
    m = ball(wt.Translation(), friction=0.5, **SOFT)
    up = wt.Event(lambda t, q, qd: t - 0.3, "up", action=lambda t, q, qd: (q + np.array([0, 0, 0.02]), qd))
    down = wt.Event(lambda t, q, qd: t - 0.31, "down", action=lambda t, q, qd: (q - [0, 0, 0.03], qd))
    run = wt.simulate(m, [0, 0, 0.1], duration=0.4, events=[up, down])
    assert [event.name for event in run.events] == ["up", "down"]
    assert run.contacts.times("opens")[0] == pytest.approx(0.3)
    assert 0.31 in run.contacts.times("closes")
    at = np.flatnonzero(run.t == run.events[1].t)[-1]
    assert run.contacts.patch[at, 0, 0] == pytest.approx(run.contacts.gap[at, 0])
    assert run.contacts.gap[at, 0] < -5e-3


@pytest.mark.parametrize(("method", "dt"), [("rk4", 5e-4), ("RK45", None), ("Radau", None), ("BDF", None)])
def test_other_integrators_find_the_same_bounce(method, dt):
    m = ball(**SOFT)
    exact = wt.simulate(m, [0.3], duration=0.4, rtol=1e-10, atol=1e-12)
    run = wt.simulate(m, [0.3], duration=0.4, method=method, dt=dt, sample=0.1)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=2e-6)


@pytest.mark.parametrize("law", [None, HuntCrossley(), HuntCrossley(exponent=2.0)])
@pytest.mark.parametrize("height", np.linspace(0.25, 0.45, 5))
def test_surfaces_without_damping_lose_nothing(law, height):
    """Steps that go on beyond where the ball leaves are cut there, and met a kink of the law in between."""
    m = ball(friction=0.0, stiffness=1e4)
    how = "auto" if law is None else Compliant(law)
    run = wt.simulate(m, [height], duration=1.0, rtol=1e-11, atol=1e-12, contacts=how)
    assert len(run.contacts.times("closes")) > 1
    assert np.ptp(run.energy) < 1e-10
    assert run.contacts.stored.max() > 0.3


def test_what_was_left_in_a_patch_is_lost():
    """What the spring holds when the body leaves goes into the damper: all energy is accounted for."""
    m = ball(friction=0.0, stiffness=1e3, damping=25.0)
    m.gravity = (0, 0, 0)
    run = wt.simulate(m, [0.15], [-1.0], duration=0.35, sample=1e-4)
    (left,) = run.contacts.times("opens")
    at = int(np.searchsorted(run.t, left))
    assert run.contacts.stored[at] > 1e-4
    assert run.contacts.stored[-1] < 1e-6 * run.contacts.stored[at]
    lost = np.sum(np.diff(run.t) * 0.5 * (run.lost_power[1:] + run.lost_power[:-1]))
    assert lost == pytest.approx(run.energy[0] - run.energy[-1], rel=1e-4)


def test_a_body_may_start_within_a_surface():
    for law in (None, HuntCrossley(0.1, along=(1e4, 10.0)), TwoSurfaces((3e4, 50.0), (1.5e4, 90.0))):
        m, how = ball(**SOFT), "compliant" if law is None else Compliant(law)
        run = wt.simulate(m, [0.1 - 0.3 * G / 1e4], duration=0.3, contacts=how)
        assert run.contacts.gap[0, 0] == pytest.approx(run.contacts.patch[0, 0, :2].sum())
        assert np.ptp(run.q) < 1e-8
        assert run.contacts.force[-1, 0, 0] == pytest.approx(0.3 * G, rel=1e-6)


def test_painleves_rod_goes_on_where_surfaces_give_way():
    m = wt.Mechanism("rod")
    inertia = wt.Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0)
    m.add_body("rod", wt.Planar(), placement=wt.Placement(rpy=(np.pi / 2, 0, 0)), inertia=inertia)
    m.add_shape("end", wt.Sphere(1e-12), "rod", wt.Placement((-0.5, 0, 0)))
    m.add_shape("floor", wt.Plane())
    m.add_contact("drag", "end", "floor", friction=1.5, stiffness=1e5, damping=100.0)
    angle = np.arctan(2.0)
    start = [angle, 0.0, 0.5 * np.sin(angle)], [0, -np.cos(angle), np.sin(angle)]
    run = wt.simulate(m, *start, duration=0.1)
    # The floor throws it up: an impact without a collision.
    assert run.contacts.times("opens")
    assert run.contacts.force[:, 0, 0].max() > 5.0 * G


def test_the_step_that_surfaces_allow_is_told():
    m = ball(stiffness=2e5, damping=4.0)
    with pytest.warns(
        wt.StepLengthWarning, match=r"dt is 0.001 s, more than the 4e-05 s .*'skin' on 'floor'"
    ):
        wt.simulate(m, [0.1], duration=2e-3, method="rk4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wt.simulate(m, [0.1], duration=2e-3, method="rk4", dt=3e-5)
    run = wt.simulate(m, [0.3], duration=0.1)
    assert run.method == "Radau"
    assert "'skin' on 'floor' (contact 'bounce', point 0) bounds explicit steps by 4e-05 s" in run.reason
    assert wt.simulate(ball(**SOFT), [0.3], duration=0.1).method == "DOP853"


def test_what_surfaces_did_is_kept_in_a_file(tmp_path):
    run = wt.simulate(ball(friction=0.3, **SOFT), [0.2], duration=0.3)
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz")
    assert again.contacts.events == run.contacts.events
    for name in ("gap", "mode", "force", "patch", "stored", "friction_power"):
        np.testing.assert_array_equal(getattr(again.contacts, name), getattr(run.contacts, name))
    np.testing.assert_array_equal(again.energy, run.energy)


def test_a_contact_with_a_stiffness_gives_way_unless_it_is_left_out():
    m = ball(**SOFT)
    assert np.any(wt.simulate(m, [0.2], duration=0.3).contacts.patch)
    assert wt.simulate(m, [0.2], duration=0.3, contacts=None).q[-1, 0] < 0.0
    m.add_shape("ceiling", wt.Plane(), placement=wt.Placement((0, 0, 1), rpy=(np.pi, 0, 0)))
    m.add_contact("top", "skin", "ceiling")
    with pytest.raises(wt.ModelError, match=r"contact 'top' is rigid, it has no stiffness: give it one"):
        wt.simulate(m, [0.2], contacts="compliant")


@pytest.mark.parametrize(
    ("properties", "options", "error", "message"),
    [
        (SOFT, {"contacts": "soft"}, wt.InputError, "contacts is 'soft', expected 'auto', 'rigid', 'compl"),
        (SOFT, {"method": "euler"}, wt.InputError, "method is 'euler', which does not follow the contacts"),
        (SOFT, {"impacts": "newton"}, wt.InputError, "impacts is 'newton', but surfaces that give way have"),
        ({"stiffness": 1e4}, {}, wt.ModelError, "'bounce' has friction 0.8, but no damping along its"),
        ({}, {"contacts": "compliant"}, wt.ModelError, "contact 'bounce' is rigid, it has no stiffness"),
        (SOFT, {"contacts": Compliant(pairs={"x": HuntCrossley()})}, wt.InputError, "no contact 'x'; it has"),
        (SOFT, {"contacts": "rigid"}, wt.InputError, "has a stiffness of 10000 N/m: .*contacts='auto'"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_surfaces_that_give_way_is_refused(properties, options, error, message):
    with pytest.raises(error, match=message):
        wt.simulate(ball(**properties), [0.5], **options)


def test_mechanisms_without_contacts_are_refused():
    with pytest.raises(wt.InputError, match=r"contacts is 'compliant', but 'pendulum' has no contact"):
        wt.simulate(wt.examples.load("pendulum"), contacts="compliant")


class Foam(wt.contact.PatchLaw):
    """It hardens: f = K d + C d³ + D ḋ."""

    @property
    def tangential(self) -> tuple[float, float]:
        return 4e3, 0.0

    def push(self, z: Any, rate: Any) -> Any:
        return -4e3 * z[0] - 7e7 * z[0] ** 3 - 0.0 * rate

    def stored(self, z: Any) -> Any:
        return 2e3 * z[0] ** 2 + 1.75e7 * z[0] ** 4


def test_a_law_of_ones_own_needs_three_things():
    m = ball(friction=0.0)
    run = wt.simulate(m, [0.25], duration=0.4, contacts=Compliant(Foam()), rtol=1e-10, atol=1e-11)
    assert np.ptp(run.energy) < 1e-8 * np.ptp(run.kinetic)
    depth = 0.0 - run.contacts.gap.min()
    stored = run.contacts.stored[run.contacts.gap[:, 0].argmin()]
    assert stored == pytest.approx(2e3 * depth**2 + 1.75e7 * depth**4, rel=1e-12)
    stepped, _ = wt.rollout(m, [[0.25]], np.zeros(m.nv), dt=1e-5, steps=40_000, contacts=Compliant(Foam()))
    assert stepped[0, -1, 0] == pytest.approx(run.q[-1, 0], abs=1e-4)
