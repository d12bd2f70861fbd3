"""Numbers that are finite and cannot be meant: a right result or a clear sentence, soon, and no warnings."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.pace import MANY, Pace


def pendulum(**properties) -> wt.Mechanism:
    m = wt.examples.load("pendulum")
    m.change("rod", **properties)
    return m


@pytest.mark.parametrize("method", ["auto", "RK45", "Radau"])
def test_a_start_whose_steps_have_no_end_is_told_soon(method):
    m = wt.examples.load("double-pendulum")
    with pytest.raises(wt.SimulationError) as raised:
        wt.simulate(m, [0.3, 0.5], [1e12, 0.0], duration=1.0, method=method)
    assert "such are left, where 1e+09 are a day's work: shorten or slow the run" in str(raised.value)
    assert raised.value.time < 1e-6


def test_a_duration_without_end_is_told_soon():
    m = wt.examples.load("double-pendulum")
    with pytest.raises(wt.SimulationError, match="such are left"):
        wt.simulate(m, [0.3, 0.5], duration=1e12)
    with pytest.raises(wt.InputError, match=r"dt is 0.001 s, which makes more than 1e\+09 steps"):
        wt.simulate(m, [0.3, 0.5], duration=1e12, method="rk4")


def test_what_steps_are_left_is_judged_by_the_last_of_them():
    pace = Pace(1.0)
    pace.take(1e-3, MANY, 0.1)
    pace.take(1e-12, MANY - 1, 0.2)
    assert not pace.fault
    pace.take(1e-12, 1, 0.2)
    assert "8e+11 such are left" in pace.fault
    last = Pace(1.0)
    last.take(1e-12, MANY, 1.0 - 1e-4)  # short steps at the very end are no matter
    assert not last.fault


def test_fast_turns_about_one_axis_are_followed():
    """Gravity changes a speed of 1e9 rad/s by 1e-9 of it at most: the turns are those of the speed."""
    run = wt.simulate(wt.examples.load("pendulum"), [0.3], [1e9], duration=1.0)
    assert run.q[-1, 0] == pytest.approx(1e9, rel=1e-7)
    assert run.qd[-1, 0] == pytest.approx(1e9, rel=1e-7)


@pytest.mark.parametrize("angle", [1e12, -1e17, 1e300])
def test_angles_too_large_to_be_followed_are_refused(angle):
    m = wt.examples.load("double-pendulum")
    for run in (lambda q: wt.simulate(m, q), lambda q: wt.rollout(m, q, [0.0, 0.0], steps=3)):
        with pytest.raises(wt.InputError, match=r"q0 of joint 'upper' is .* leave out whole turns"):
            run([angle, 0.5])


def test_large_distances_are_none_of_these():
    m = wt.Mechanism("slide", gravity=(0.0, 0.0, 0.0))
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(1.3))
    assert wt.simulate(m, [1e12], [1.0], duration=2.0).q[-1, 0] == pytest.approx(1e12 + 2.0, abs=1e-3)


@pytest.mark.parametrize("damping", [1e20, 1e300])
def test_damping_beyond_all_measure_holds_still(damping):
    """It sinks so fast that damping carries the torque of its weight, of 1 kg at half a metre."""
    run = wt.simulate(pendulum(damping=damping), [0.3], duration=1.0)
    assert run.q[-1, 0] == 0.3
    assert run.qd[-1, 0] == pytest.approx(-0.5 * 9.81 * np.sin(0.3) / damping, rel=1e-6)
    with pytest.raises(wt.SimulationError):
        wt.simulate(pendulum(damping=damping), [0.3], duration=1.0, method="DOP853")


def test_stiffness_beyond_all_measure_is_told_of():
    with pytest.raises(wt.SimulationError, match="joint 'rod' is so fast at the start"):
        wt.simulate(pendulum(stiffness=1e300), [0.3], duration=1.0)
    with pytest.raises(wt.SimulationError, match="such are left"):
        wt.simulate(pendulum(stiffness=1e20), [0.3], duration=1.0)


@pytest.mark.parametrize("mass", [1e-300, 1e300])
def test_masses_of_any_size_fall_alike(mass):
    m = wt.Mechanism("bob")
    m.add_body("bob", wt.Revolute("y"), inertia=wt.Inertia(mass, (0, 0, -1.0), (0.1 * mass,) * 3))
    like = wt.Mechanism("bob")
    like.add_body("bob", wt.Revolute("y"), inertia=wt.Inertia(1.0, (0, 0, -1.0), (0.1,) * 3))
    runs = [wt.simulate(each, [0.3], duration=1.0) for each in (m, like)]
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], rtol=1e-9)


@pytest.mark.parametrize("force", [1e100, 1e300])
def test_equilibrium_under_absurd_forces_is_told_of(force):
    m, four = wt.examples.load("double-pendulum"), wt.examples.load("four-bar")
    m.add_force("push", "lower", (force, 0.0, 0.0))
    four.add_force("push", "coupler", (force, 0.0, 0.0))
    guess, tau = np.array([0.3, 0.2]), np.array([force, 0.0])
    for other, q, pushed in ((m, guess, None), (m, guess, tau), (four, four.neutral(), None)):
        with pytest.raises(wt.SolverError, match=r"has no equilibrium near this guess: .* stay on joint"):
            wt.equilibrium(other, q, pushed)


def test_tolerances_below_rounding_errors_are_refused():
    with pytest.raises(wt.InputError, match="rtol is 1e-300, below 1e-13, which rounding errors allow"):
        wt.simulate(wt.examples.load("pendulum"), rtol=1e-300, atol=1e-300)


@pytest.mark.parametrize(
    ("name", "joint", "speed", "told"),
    [
        ("four-bar", "crank", 1e8, r"turns by 5e\+07 rad on the way to t = 0.5 s, and 10000 rad between two"),
        ("four-bar", "crank", 1e300, r"drives to 5e\+299 rad at t = 0.5 s, and 1e\+10 rad are the most"),
        ("pendulum", "rod", -1e300, r"drives to -5e\+299 rad at t = 0.5 s"),
    ],
)
def test_turns_that_no_driver_takes_are_told(name, joint, speed, told):
    with pytest.raises(wt.InputError, match=f"driver {joint!r} of {name!r} {told}"):
        wt.kinematics(wt.examples.load(name), {joint: speed}, [0.0, 0.5, 1.0])
