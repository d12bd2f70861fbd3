"""Events with actions against closed forms."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt

G, RESTITUTION = 9.81, 0.8


def ball() -> wt.Mechanism:
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia(0.3))
    return m


def bounces(count: int, height: float) -> np.ndarray:
    """Times at which a ball dropped from a height hits the floor."""
    v = np.sqrt(2.0 * G * height)
    flights = 2.0 * v / G * RESTITUTION ** np.arange(count)
    flights[0] /= 2.0
    return np.cumsum(flights)


def bounce(t, q, qd):
    return q, -RESTITUTION * qd


FLOOR = wt.Event(lambda t, q, qd: q[0], "floor", direction=-1, action=bounce)


@pytest.mark.parametrize("method", ["auto", "RK45", "Radau", "rk4", "midpoint"])
def test_a_ball_bounces_down_to_a_nanometre(method):
    """A parabola is exact for all of these, so that only the events can be off."""
    expected = bounces(48, 1.0)
    run = wt.simulate(ball(), [1.0], duration=float(np.mean(expected[-2:])), method=method, events=[FLOOR])
    assert len(run.events) == 47
    assert_allclose([event.t for event in run.events], expected[:-1], rtol=0, atol=1e-11)
    # The height of the last hop: below a nanometre.
    assert 0.0 < run.qd[-1, 0] ** 2 / (2.0 * G) + run.q[-1, 0] < 1e-9


def test_both_states_of_a_jump_are_recorded():
    run = wt.simulate(ball(), [1.0], duration=1.0, method="rk4", events=[FLOOR], sample=0.1)
    (hit,) = run.events
    before, after = np.flatnonzero(run.t == hit.t)
    assert after == before + 1
    assert_allclose(run.qd[after], -RESTITUTION * run.qd[before], rtol=1e-14)
    assert_allclose(run.qd[before], hit.qd, rtol=1e-14)
    assert run.step[after] == 0.0
    assert_allclose(np.setdiff1d(run.t, [hit.t]), np.linspace(0.0, 1.0, 11), rtol=0, atol=1e-12)
    # Energy is lost at the jump and nowhere else.
    assert_allclose(np.diff(run.energy)[np.diff(run.t) > 0.0], 0.0, atol=1e-12)
    assert run.energy[after] == pytest.approx(RESTITUTION**2 * run.energy[before], rel=1e-9)


@pytest.mark.parametrize("method", ["DOP853", "rk6"])
def test_a_function_that_turns_back_within_a_step_is_found(method):
    """A pendulum swings past an angle just below its turning point, and back: x = a cos(ω t) for small a."""
    m = wt.examples.load("pendulum")
    a, near = 1e-4, 0.999
    omega = 2.0 * np.pi / period(m)
    late = wt.Event(lambda t, q, qd: q[0] - near * a, "late", action=None)
    options: Any = {"dt": 0.1} if method == "rk6" else {"rtol": 3e-6, "atol": 1e-10}
    run = wt.simulate(m, [-a], duration=1.2 * np.pi / omega, method=method, events=[late], **options)
    times = np.array([event.t for event in run.events])
    assert len(times) == 2
    steps = run.t[np.searchsorted(run.t, times)]
    assert steps[0] == steps[1]  # one step holds both
    expected = (np.pi + np.arccos(near) * np.array([-1.0, 1.0])) / omega
    assert_allclose(times, expected, rtol=1e-4)


def period(m: wt.Mechanism) -> float:
    """Of small swings, by the inertia and the gradient of gravity at rest."""
    stiffness = wt.gravity_force(m, np.array([1e-6]))[0] / 1e-6
    return 2.0 * np.pi * np.sqrt(wt.crba(m, np.zeros(1))[0, 0] / stiffness)


def test_actions_follow_each_other_in_order_at_one_time():
    seen = []

    def first(t, q, qd):
        seen.append(("first", float(qd[0])))
        return q, qd + 1.0

    def second(t, q, qd):
        seen.append(("second", float(qd[0])))
        return q, qd * 2.0

    events = [
        wt.Event(lambda t, q, qd: t - 0.5, name, action=act) for name, act in (("a", first), ("b", second))
    ]
    run = wt.simulate(ball(), [0.0], [0.0], duration=1.0, events=events)
    assert [name for name, _ in seen] == ["first", "second"]
    assert seen[1][1] == pytest.approx(seen[0][1] + 1.0)
    assert [event.name for event in run.events] == ["a", "b"]
    assert run.qd[-1, 0] == pytest.approx(2.0 * (1.0 - 0.5 * G) - 0.5 * G, rel=1e-9)


def test_a_loop_may_jump_to_another_velocity():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())

    def kicked(t, q, qd):
        return q, wt.project_velocity(m, q, qd + np.array([3.0, 0.0, 0.0]), hold=["crank"])

    kick = wt.Event(lambda t, q, qd: t - 0.2, "kick", action=kicked)
    run = wt.simulate(m, q, duration=0.5, events=[kick])
    before, after = np.flatnonzero(run.t == run.events[0].t)
    assert run.qd[after, 0] - run.qd[before, 0] == pytest.approx(3.0, rel=1e-9)
    assert np.max(np.abs(run.constraint_error)) < 1e-12
    assert np.ptp(run.energy[after:]) < 1e-6 * np.max(run.kinetic)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda t, q, qd: q, "expected q and qd"),
        (
            lambda t, q, qd: (q, [1.0, 2.0]),
            r"qd of action of event 'floor'.* has shape \(2,\), expected \(1,\)",
        ),
        (lambda t, q, qd: ([np.nan], qd), "must be finite"),
    ],
)
def test_what_an_action_gives_is_checked(action, message):
    floor = wt.Event(lambda t, q, qd: q[0], "floor", action=action)
    with pytest.raises(wt.InputError, match=message):
        wt.simulate(ball(), [1.0], duration=1.0, events=[floor])


def test_an_action_that_opens_a_loop_is_refused():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    tear = wt.Event(
        lambda t, q, qd: t - 0.1, "tear", action=lambda t, q, qd: (q + np.array([0.0, 2.0, 0.0]), qd)
    )
    with pytest.raises(wt.InputError, match=r"action of event 'tear' at t = 0\.1 leaves loop 'pin' open"):
        wt.simulate(m, q, duration=0.3, events=[tear])


@pytest.mark.parametrize("restitution", [0.8, 0.1, 1e-6])
@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_bounces_without_end_are_told(restitution, method):
    floor = wt.Event(lambda t, q, qd: q[0], "floor", -1, action=lambda t, q, qd: (q, -restitution * qd))
    with pytest.raises(wt.SimulationError, match="'floor' happens again and again within no time") as caught:
        wt.simulate(ball(), [1.0], duration=6.0, method=method, events=[floor])
    bounces = np.sqrt(2.0 / G) * (1.0 + 2.0 * restitution / (1.0 - restitution))
    assert caught.value.time == pytest.approx(bounces, abs=1e-6)
    trajectory: Any = caught.value.trajectory
    assert np.min(trajectory.q) > -1e-12


def test_a_mechanism_that_never_bounces_has_no_events():
    run = wt.simulate(ball(), [1.0], duration=0.4, events=[FLOOR])
    assert run.events == ()
    assert_allclose(run.q[-1], 1.0 - 0.5 * G * 0.16, rtol=1e-9)
