"""Events, choices and faults of simulations."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation import drive
from whippletree.simulation.steppers import StepFailure

FALL = wt.Mechanism("stone", gravity=(0, 0, -10.0))
FALL.add_body("stone", wt.Prismatic("z"), inertia=wt.Inertia(1.0))

METHODS = ["euler", "midpoint", "rk4", "rk6", "RK45", "DOP853", "Radau", "BDF"]


@pytest.mark.parametrize("method", METHODS[1:-1])
def test_an_event_is_located_where_it_happens(method):
    """A stone thrown up from 1 m at 2 m/s: of second order or more, all follow a parabola exactly."""
    hit = wt.Event(lambda t, q, qd: q[0], "hit", terminal=True)
    top = wt.Event(lambda t, q, qd: qd[0], "top", direction=-1)
    never = wt.Event(lambda t, q, qd: qd[0], "never", direction=1)
    run = wt.simulate(FALL, [1.0], [2.0], 5.0, method=method, events=[hit, top, never], sample=0.05)
    t_hit = (2.0 + np.sqrt(4.0 + 20.0)) / 10.0
    assert [event.name for event in run.events] == ["top", "hit"]
    assert run.events[0].t == pytest.approx(0.2, abs=1e-10)
    assert run.events[1].t == pytest.approx(t_hit, abs=1e-10)
    assert run.t[-1] == run.events[1].t
    assert run.q[-1, 0] == pytest.approx(0.0, abs=1e-10)
    assert run.events[0].q[0] == pytest.approx(1.2, abs=1e-10)
    np.testing.assert_allclose(run.t[:-1], np.arange(len(run.t) - 1) * 0.05, rtol=0, atol=1e-12)


def test_events_at_the_start_or_the_end_of_a_step_are_told_once():
    crossing = wt.Event(lambda t, q, qd: t - 0.5, "half")
    start = wt.Event(lambda t, q, qd: t, "start")
    run = wt.simulate(FALL, duration=1.0, method="rk4", dt=0.25, events=[crossing, start])
    assert [(event.name, event.t) for event in run.events] == [("half", 0.5)]


def test_the_first_terminal_event_ends_the_run():
    at = [wt.Event(lambda t, q, qd, s=s: t - s, f"at {s}", terminal=s == 0.6) for s in (0.7, 0.6, 0.55)]
    run = wt.simulate(FALL, duration=1.0, method="rk4", dt=0.5, events=at)
    assert [event.name for event in run.events] == ["at 0.55", "at 0.6"]
    assert run.t[-1] == pytest.approx(0.6, abs=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_first_and_last_state_are_recorded(method):
    run = wt.simulate(FALL, [0.3], [1.0], 0.1234, method=method)
    assert (run.t[0], run.q[0, 0], run.qd[0, 0], run.step[0]) == (0.0, 0.3, 1.0, 0.0)
    assert run.t[-1] == 0.1234
    assert np.all(np.diff(run.t) > 0)
    assert np.all(run.step[1:] > 0)
    assert run.constraint_error.shape == (len(run), 0)
    assert run.method == method


def test_the_automatic_choice_sees_stiffness():
    m = wt.Mechanism("door", gravity=(0, 0, 0))
    m.add_body("leaf", wt.Revolute("z"), inertia=wt.Inertia(2.0, (0.5, 0, 0)), friction=4.0)
    run = wt.simulate(m, [0.0], [1.0], 0.5)
    assert run.method == "Radau"
    assert run.reason.startswith("stiff: the fastest decay at the start is 8e+04/s")
    assert wt.simulate(FALL, duration=0.1).method == "DOP853"


def test_the_run_does_not_depend_on_later_changes():
    m = wt.examples.load("pendulum")
    run = wt.simulate(m, [0.3], duration=0.1)
    m.add_frame("late", "rod")
    assert run.mechanism != m
    heavier = wt.add_payload(m, "tip", wt.Inertia(1.0))
    assert wt.simulate(heavier, [0.3], duration=0.1).q[-1, 0] != run.q[-1, 0]


def test_control_sees_time_and_state_and_may_reuse_its_array():
    seen = []
    forces = np.zeros(1)

    def control(t, q, qd):
        seen.append(t)
        forces[0] = 10.0 + t
        return forces

    run = wt.simulate(FALL, duration=1.0, control=control, method="rk4", dt=0.1)
    assert max(seen) == 1.0
    np.testing.assert_allclose(run.tau[:, 0], 10.0 + run.t)
    np.testing.assert_allclose(run.qd[-1, 0], 0.5, rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", ["euler", "midpoint", "rk4", "DOP853", "Radau"])
def test_a_function_that_fails_on_the_way_ends_the_run(method):
    def control(t, q, qd):
        return [np.nan if t > 0.3 else 1.0]

    with pytest.raises(
        wt.SimulationError, match=r"'stone' at t = 0\.\d+ s of 1 s .*control gives \[nan\]"
    ) as caught:
        wt.simulate(FALL, duration=1.0, method=method, control=control, sample=0.05)
    assert 0.3 < caught.value.time < 1.0
    part = caught.value.trajectory
    assert isinstance(part, wt.Trajectory)
    assert 0.0 < part.t[-1] <= 0.31
    assert np.all(np.isfinite(part.q))
    with pytest.raises(wt.InputError, match=r"control gives \[nan\] at t = 0"):
        wt.simulate(FALL, control=lambda t, q, qd: [np.nan])


def test_functions_are_not_asked_about_states_that_are_none():
    """The motion is at fault, not what a function makes of it."""
    m = wt.Mechanism("stiff")
    m.add_body("mass", wt.Prismatic("z"), inertia=wt.Inertia(1.0), stiffness=1e9)

    def control(t, q, qd):
        assert np.all(np.isfinite(q))
        assert np.all(np.isfinite(qd))
        return np.sin(qd)

    functions: Any = {"control": control, "external": lambda t, q, qd: {"mass": np.zeros(6)}}
    with (
        pytest.warns(wt.StepLengthWarning, match="dt is 0.01 s, but joint 'mass' of 'stiff'"),
        pytest.raises(wt.SimulationError, match="motion of joint 'mass' became NaN or infinite") as caught,
    ):
        wt.simulate(m, [0.1], method="rk4", dt=0.01, **functions)
    assert caught.value.joint == "mass"


def test_a_motion_that_becomes_no_number_names_time_and_joint():
    m = wt.Mechanism("stiff")
    m.add_body("base", wt.Prismatic("x"), inertia=wt.Inertia(1.0))
    m.add_body("mass", wt.Prismatic("z"), "base", inertia=wt.Inertia(1.0), stiffness=1e9)
    with (
        pytest.warns(wt.StepLengthWarning, match="dt is 0.01 s, but joint 'mass' of 'stiff'"),
        pytest.raises(wt.SimulationError, match=r"joint 'mass' became NaN or infinite.*reduce dt") as caught,
    ):
        wt.simulate(m, [0.0, 0.1], duration=1.0, method="rk4", dt=0.01)
    error = caught.value
    assert error.joint == "mass"
    assert isinstance(error.trajectory, wt.Trajectory)
    assert 0.0 < error.trajectory.t[-1] < error.time < 1.0
    assert np.all(np.isfinite(error.trajectory.q))
    implicit = wt.simulate(m, [0.0, 0.1], duration=0.2, method="midpoint", dt=0.01)
    assert np.max(np.abs(implicit.q)) < 0.2


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_without_inertia_is_named(method):
    m = wt.Mechanism("ghost")
    m.add_body("solid", wt.Prismatic("x"), inertia=wt.Inertia(1.0))
    m.add_body("ghost", wt.Revolute("y"), "solid")
    with pytest.raises(wt.SimulationError, match="joint 'ghost' of 'ghost' moves no inertia") as caught:
        wt.simulate(m, duration=1.0, method=method)
    assert caught.value.joint == "ghost"
    assert len(caught.value.trajectory) == 1  # pyright: ignore[reportArgumentType]  # a Trajectory


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_a_step_that_collapses_names_time_and_joint(method):
    """v' = v² has no solution beyond t = 1/v."""
    m = wt.Mechanism("blow-up", gravity=(0, 0, 0))
    m.add_body("stone", wt.Prismatic("z"), inertia=wt.Inertia(1.0))
    with pytest.raises(wt.SimulationError, match="joint 'stone'") as caught:
        wt.simulate(m, None, [2.0], 1.0, control=lambda t, q, qd: qd * qd, method=method)
    assert caught.value.time == pytest.approx(0.5, abs=1e-3)
    assert caught.value.joint == "stone"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "rk5"}, "method is 'rk5'; known: auto, euler, midpoint, rk4"),
        ({"duration": -1.0}, "duration is -1.0, expected a number above 0"),
        ({"duration": "long"}, "duration is 'long', expected a number"),
        ({"q0": [0.0, 1.0]}, r"q0 has shape \(2,\), expected \(1,\)"),
        ({"qd0": [np.nan]}, r"qd0\[0\] is nan"),
        ({"control": 3.0}, "control is 3.0, expected a function"),
        ({"control": lambda t, q, qd: [1.0, 2.0]}, r"control gives an array of shape \(2,\) at t = 0"),
        ({"control": lambda t, q, qd: [np.inf]}, "control gives .inf. at t = 0"),
        ({"external": lambda t, q, qd: np.zeros(6)}, r"external gives an array of shape \(6,\)"),
        ({"dt": 0.1, "method": "RK45"}, "dt is given, but RK45 chooses its steps"),
        ({"sample": 0.025, "dt": 0.01, "method": "rk4"}, "sample is 0.025 s, no multiple of the step"),
        ({"events": [abs]}, "events holds .*, expected Event"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(wt.InputError, match=message):
        wt.simulate(FALL, **{"duration": 0.1, **arguments})


def test_wrong_events_are_refused():
    with pytest.raises(wt.InputError, match="direction is 2, expected -1, 0 or 1"):
        wt.Event(lambda t, q, qd: 0.0, "e", direction=2)
    with pytest.raises(wt.InputError, match="event 'e': function is 3"):
        wt.Event(3, "e")  # pyright: ignore[reportArgumentType]  # on purpose
    with pytest.raises(wt.InputError, match="event 'e' at t = 0: function gives"):
        wt.simulate(FALL, duration=0.1, events=[wt.Event(lambda t, q, qd: [1.0, 2.0], "e")])
    with pytest.raises(wt.InputError, match="m is int, expected a Mechanism"):
        wt.simulate(3)  # pyright: ignore[reportArgumentType]  # on purpose


def test_a_mechanism_that_cannot_move_stays():
    m = wt.Mechanism("rock")
    m.add_body("rock", wt.Fixed(), inertia=wt.Inertia(3.0, (0, 0, 0.5)))
    run = wt.simulate(m, duration=0.01, method="rk4")
    assert run.q.shape == (11, 0)
    np.testing.assert_allclose(run.energy, 3.0 * 9.81 * 0.5)


@pytest.mark.parametrize("method", ["euler", "rk4", "midpoint", "DOP853"])
def test_functions_may_do_what_they_like_with_their_arguments(method):
    m = wt.examples.load("double-pendulum")

    def control(t, q, qd):
        q -= 0.5
        qd *= 0.0
        return -2.0 * q

    def external(t, q, qd):
        q *= 0.0
        return {}

    def height(t, q, qd):
        q -= 9.0
        return 1.0

    options = {"duration": 0.5, "method": method}
    expected = wt.simulate(m, [1.0, 0.5], control=lambda t, q, qd: -2.0 * (q - 0.5), **options)
    run = wt.simulate(
        m, [1.0, 0.5], control=control, external=external, events=[wt.Event(height, "never")], **options
    )
    np.testing.assert_allclose(run.q[-1], expected.q[-1], rtol=0.0, atol=1e-12)


def test_short_steps_that_move_far_lead_somewhere():
    """As those of Euler angles that turn at 50,000 rad/s next to their pole; slow ones end the run."""
    m = wt.examples.load("pendulum")
    run = SimpleNamespace(m=m, duration=100.0, near_singular=False)
    patience = drive.Patience(run)  # pyright: ignore[reportArgumentType]  # all that it asks of a run
    sum(patience.watch(1e-9, np.array([0.3, 5e4]), chosen=True) for _ in range(5000))
    slow = np.array([0.3, 10.0])
    patience.pass_by(0.1)
    assert sum(patience.watch(1e-9, slow, chosen=True) for _ in range(900)) == 1  # once it is in doubt
    with pytest.raises(StepFailure, match="1000 steps in a row were shorter than 1e-06 s"):
        sum(patience.watch(1e-9, slow, chosen=True) for _ in range(200))


def test_short_steps_of_sharp_turns_lead_somewhere():
    """As where light rods come so close to a singular position that it turns them round within 1e-5 s."""
    run = SimpleNamespace(m=wt.examples.load("double-pendulum"), duration=600.0, near_singular=True)
    patience = drive.Patience(run)  # pyright: ignore[reportArgumentType]  # all that it asks of a run
    patience.pass_by(0.1)
    for k in range(1000):
        patience.watch(1e-7, np.array([0.3, 0.2, 5.0, 200.0 * np.cos(0.02 * k)]), chosen=True)
    with pytest.raises(StepFailure, match="in a row were shorter than 1e-05 s"):
        sum(
            patience.watch(1e-7, np.array([0.3, 0.2, 5.0, 1e-4 * k - 160.0]), chosen=True) for k in range(200)
        )


def test_short_steps_that_become_longer_lead_somewhere():
    """However long the run is to be: those of a stiff start, held against 600 s, are short for a while."""
    slow, run = (
        np.array([0.3, 0.1]),
        SimpleNamespace(m=wt.examples.load("pendulum"), duration=600.0, near_singular=False),
    )
    patience = drive.Patience(run)  # pyright: ignore[reportArgumentType]  # all that it asks of a run
    for k in range(5000):
        patience.watch(1e-9 * 1.0005**k, slow, chosen=True)
    with pytest.raises(StepFailure):
        sum(patience.watch(1e-8 * (1.0 + 0.5 * (k % 2)) * 1.0001**k, slow, True) for k in range(2000))
