"""Runs with rigid contact in strides: the same as their steps one by one."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation import run_parts
from whippletree.simulation.recorded_control import recorded_control
from whippletree.simulation.touching import touching_strides


@pytest.fixture
def one_by_one(monkeypatch):
    """Runs a simulation in strides, counting the steps they take, and then without them."""

    def both(*arguments, **named):
        counts, found = [], run_parts.touching_strides

        def counted(*parts):
            strides = found(*parts)
            if strides is not None:
                kept = strides._keep

                def keep(steps, *rest):
                    counts.append(len(steps.t))
                    return kept(steps, *rest)

                monkeypatch.setattr(strides, "_keep", keep)
            return strides

        monkeypatch.setattr(run_parts, "touching_strides", counted)
        quick = wt.simulate(*arguments, **named)
        monkeypatch.setattr(run_parts, "touching_strides", lambda *_: None)
        plain = wt.simulate(*arguments, **named)
        monkeypatch.undo()
        return quick, plain, sum(counts)

    return both


def modes(run):
    """What contacts began to do; whether a blow elsewhere strikes them too, by rounding, does not count."""
    return [event for event in run.contacts.events if event.what != "impact"]


def assert_same(quick, plain, tolerance):
    """The same motion, forces and events."""
    assert [event[1:] for event in modes(quick)] == [event[1:] for event in modes(plain)]
    np.testing.assert_allclose(quick.t[-1], plain.t[-1], rtol=0, atol=0)
    np.testing.assert_allclose(quick.q[-1], plain.q[-1], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(quick.qd[-1], plain.qd[-1], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(
        quick.contacts.force[-1], plain.contacts.force[-1], rtol=0, atol=1e3 * tolerance
    )
    assert quick.contacts.gap.shape == (len(quick.t), len(quick.contacts.titles))


def disc(friction=0.07):
    """A disc that is thrown along a floor, slips, and rolls from some time on; it may meet a wall."""
    m = wt.Mechanism("disc")
    upright = wt.Placement(rpy=(np.pi / 2, 0, 0))
    m.add_body("disc", wt.Planar(), placement=upright, inertia=wt.Inertia.sphere(0.13, mass=0.7))
    m.add_shape("rim", wt.Sphere(0.13), "disc")
    m.add_shape("floor", wt.Plane())
    m.add_shape("wall", wt.Box((0.2, 2.0, 2.0)), placement=wt.Placement((9.0, 0.0, 0.0)))
    m.add_contact("roll", "rim", "floor", friction=friction)
    m.add_contact("bump", "rim", "wall", restitution=0.4)
    return m, np.array([0.4, 0.0, 0.13]), np.array([9.0, 1.9 * np.cos(0.4), -1.9 * np.sin(0.4)])


def test_a_disc_slips_rolls_and_bumps_in_strides_as_step_by_step(one_by_one):
    """Slip ends, rolling begins, a wall is struck: at the same times, and friction takes the same energy."""
    quick, plain, taken = one_by_one(*disc(), 9.0, rtol=1e-9, atol=1e-11)
    assert taken > 0.5 * len(quick.t)
    assert_same(quick, plain, 1e-8)
    assert {"slips", "sticks", "impact"} <= {event.what for event in quick.contacts.events}
    times = [[event.t for event in modes(run)] for run in (quick, plain)]
    np.testing.assert_allclose(*times, rtol=0, atol=1e-8)
    lost = [np.trapezoid(run.lost_power, run.t) for run in (quick, plain)]
    np.testing.assert_allclose(*lost, rtol=1e-6)


def test_a_top_that_slips_in_circles_keeps_its_friction_against_it(one_by_one):
    """Over a stride slip turns by more than a right angle: recorded forces turn with it."""
    m = wt.Mechanism("ball")
    m.add_body(
        "ball", wt.Free(), inertia=wt.Inertia(0.6, (0, 0, 0.03), about_com=np.diag([0.004, 0.005, 0.006]))
    )
    m.add_shape("skin", wt.Sphere(0.13), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("spin", "skin", "floor", friction=0.02)
    q = m.neutral()
    q[2] = 0.13
    start = q, np.array([6.0, 3.0, 31.0, 0.7, 0.2, 0.0])
    frames = wt.contact.contact_frames(m, q)
    assert abs(frames.gap[0]) < 1e-12
    quick, plain, taken = one_by_one(m, *start, 0.7, sample=0.007, rtol=1e-9, atol=1e-11)
    assert taken > 40
    assert_same(quick, plain, 1e-8)
    rub = quick.contacts.force[:, 0, 1:]
    assert np.min(rub @ rub[0]) < -0.1 * rub[0] @ rub[0]
    np.testing.assert_allclose(quick.contacts.force, plain.contacts.force, rtol=0, atol=1e-6)
    np.testing.assert_allclose(quick.lost_power, plain.lost_power, rtol=0, atol=1e-6)


def test_samples_events_and_controls_go_with_strides(one_by_one):
    """States within steps are brought back to the floor; an event is met in time; a control is asked."""
    seen = []
    passed = wt.Event(
        lambda t, q, qd: q[1] - 3.3, "passed", action=lambda t, q, qd: (seen.append(t), (q, qd))[1]
    )

    def control(t, q, qd):
        return np.array([0.02 * np.sin(3.0 * t), 0.0, 0.0])

    named = {"events": [passed], "control": control, "sample": 0.01, "rtol": 1e-9, "atol": 1e-11}
    quick, plain, taken = one_by_one(*disc(), 4.0, **named)
    assert taken > 40
    np.testing.assert_allclose(quick.t, plain.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(quick.q, plain.q, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(quick.contacts.force, plain.contacts.force, rtol=0, atol=1e-6)
    assert np.abs(quick.contacts.gap[:, 0]).max() < 1e-15 + np.abs(plain.contacts.gap[:, 0]).max() * 10
    assert len(seen) == 2
    np.testing.assert_allclose(*seen, rtol=0, atol=1e-9)


def test_controls_without_a_memory_become_machine_code(monkeypatch):
    """A control that is asked often is recorded, unless it writes anywhere: that one is called as it is."""
    monkeypatch.setattr(touching_strides, "WORTH", 100)
    m, q, qd = disc()
    gain, asked = np.array([0.3, -0.2, 0.1]), []

    def control(t, q, qd):
        return 0.02 * np.sin(3.0 * t + q[0]) * gain - 0.01 * qd

    def counted(t, q, qd):
        asked.append(t)
        return control(t, q, qd)

    kernel = recorded_control(control, m.nq, m.nv)
    assert kernel is not None
    np.testing.assert_allclose(kernel(0.7, q, qd), control(0.7, q, qd), rtol=1e-15)
    assert recorded_control(counted, m.nq, m.nv) is None
    assert recorded_control(lambda t, q, qd: gain[:2], m.nq, m.nv) is None
    first, second = (wt.simulate(m, q, qd, 3.0, law, rtol=1e-9, atol=1e-11) for law in (control, counted))
    assert_same(first, second, 1e-9)
    np.testing.assert_allclose(first.tau, second.tau, rtol=0, atol=1e-9)
    assert len(asked) > 1000


def test_controls_that_an_event_changes_are_asked_as_they_are(monkeypatch):
    """What an action writes to, a control reads from then on."""
    monkeypatch.setattr(touching_strides, "WORTH", 100)
    m, q, qd = disc()
    gain, first, seen = np.zeros(3), np.array([0.3, -0.2, 0.1]), []

    def pure(t, q, qd):
        return gain * np.cos(t)

    def noting(t, q, qd):
        seen.append(t)
        return gain * np.cos(t)

    def action(t, q, qd):
        gain[:] = -gain
        return q, qd

    assert recorded_control(pure, m.nq, m.nv) is not None
    runs = []
    for control in (pure, noting):
        gain[:] = first
        turn = wt.Event(lambda t, q, qd: t - 1.7, "turn", action=action)
        runs.append(wt.simulate(m, q, qd, 3.0, control, events=[turn], rtol=1e-9, atol=1e-11))
        np.testing.assert_array_equal(gain, -first)
    quick, plain = runs
    assert_same(quick, plain, 1e-9)
