"""Energy held against recorded power: runs that break the balance are told, healthy ones never."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.balance import Balance, Runaway, weighed
from whippletree.simulation.faults import runs_away


def spring_mass(stiffness=100.0, **properties):
    m = wt.Mechanism("mass", gravity=(0, 0, 0))
    m.add_body("mass", wt.Prismatic("x"), inertia=wt.Inertia(1.0), stiffness=stiffness, **properties)
    return m


def test_a_method_that_eats_energy_is_told():
    """Of rk4, an oscillation at ω loses (h ω)⁶ / 72 of its energy a step."""
    m, h, steps = spring_mass(), 0.06, 400
    left = (1.0 - (h * 10.0) ** 6 / 72.0 + (h * 10.0) ** 8 / 576.0) ** steps
    lost = 100.0 * (1.0 - left)
    assert 20.0 < lost < 30.0
    told = rf"loses [\d.]+ J by t = 24 s .*, {lost:.2g} % of the 50 J it has to move with \(rk4\): reduce dt"
    with pytest.warns(wt.EnergyWarning, match=told):
        wt.simulate(m, [1.0], duration=h * steps, method="rk4", dt=h)
    # A sixth of the step loses 7e-6 of that.
    wt.simulate(m, [1.0], duration=h * steps, method="rk4", dt=h / 6.0)


def test_a_motion_that_runs_away_ends_with_an_error():
    """Finite to its end, and without any meaning."""
    m = spring_mass(stiffness=1e6)
    with (
        pytest.warns(wt.StepLengthWarning, match="dt is 0.005 s"),
        pytest.raises(wt.SimulationError, match=r"energy has grown by .* J, where 5e\+05 J is all") as caught,
    ):
        wt.simulate(m, [1.0], duration=0.5, method="rk4", dt=5e-3)
    error = caught.value
    assert error.joint == "mass"
    assert isinstance(error.trajectory, wt.Trajectory)
    assert 0.0 < error.trajectory.t[-1] <= error.time < 0.5


def test_a_motion_that_chooses_its_steps_is_told_to_choose_smaller_ones():
    """Advice to take such a method is none to one that does so already."""
    m = wt.examples.load("double-pendulum")
    with pytest.raises(
        wt.SimulationError, match=r"\(DOP853\): its energy has grown .* fastest: reduce rtol and atol$"
    ):
        wt.simulate(m, [3.0, 3.0], [9.0, -9.0], duration=20.0, rtol=0.1, dynamics="aba")


def test_a_controller_that_runs_away_ends_with_an_error():
    """Damping that explicit steps turn into drive: no power is brought in, and energy grows."""
    m = spring_mass(stiffness=0.0)
    with (
        pytest.warns(wt.StepLengthWarning, match="'mass' changes at a rate"),
        pytest.raises(wt.SimulationError, match=r"energy has grown by .*, where 0.5 J is all"),
    ):
        wt.simulate(m, [0.0], [1.0], 1.0, lambda t, q, qd: -300.0 * qd, "euler", dt=0.01)


def thrown(t, q, qd):
    return [3.0 * np.sin(5.0 * t)]


HEALTHY = {
    "at rest": ({}, [0.0], [0.0], {}),
    "tiny": ({}, [1e-6], [0.0], {}),
    "damped": ({"damping": 2.0}, [1.0], [0.0], {}),
    "overdamped": ({"damping": 4e3}, [1.0], [0.0], {}),
    "rubbing": ({"friction": 20.0}, [1.0], [3.0], {}),
    "driven": ({"damping": 1.0}, [0.0], [0.0], {"control": thrown}),
    "pushed": ({}, [0.0], [0.0], {"external": lambda t, q, qd: {"mass": [0, 0, 0, np.sin(t), 0, 0]}}),
    "stopped": ({"limits": wt.Limits(-0.3, 0.3, stiffness=1e4, dissipation=0.5)}, [0.0], [4.0], {}),
}


@pytest.mark.parametrize("case", HEALTHY)
def test_healthy_runs_are_not_told(case):
    properties, q, qd, acting = HEALTHY[case]
    for method in ("euler", "midpoint", "rk4", "DOP853", "Radau", "BDF"):
        if case == "overdamped" and method == "rk4":
            continue  # 4,000/s is too fast for explicit steps of 1 ms, and told as that
        run = wt.simulate(spring_mass(**properties), q, qd, 0.6, method=method, **acting)
        assert run.t[-1] == 0.6


def test_actions_may_change_energy():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia(0.3))
    kick = wt.Event(lambda t, q, qd: t - 0.5, "kick", action=lambda t, q, qd: (q, qd + 100.0))
    wt.simulate(m, [1.0], duration=1.0, events=[kick], method="rk4")
    wt.simulate(m, [1.0], duration=1.0, events=[kick])


def test_samples_do_not_hide_what_happens_between():
    with pytest.warns(wt.EnergyWarning, match="'mass' loses"):
        wt.simulate(spring_mass(), [1.0], duration=24.0, method="rk4", dt=0.06, sample=24.0)


@pytest.mark.parametrize("parts", [[3], [70], [9, 64, 5], [300, 2000]])
def test_states_weighed_together_are_those_one_by_one(parts):
    rng, count = np.random.default_rng(4), sum(parts)
    t, accounts, power = (
        np.cumsum(rng.random(count)),
        rng.normal(size=(count, 5)),
        rng.normal(size=(count, 2)),
    )
    balance = Balance(spring_mass(), np.array([1e6, *rng.normal(size=4)]), (0.3, -0.2))
    past, begin = np.array(balance.past), np.array(balance._begin)
    for state in zip(t, accounts, power, strict=True):
        past, fine = weighed(past, begin, *state)
        assert fine == 1.0
    for part in np.split(np.arange(count), np.cumsum(parts)[:-1]):
        balance.add(t[part], accounts[part], power[part])
    balance.close()
    np.testing.assert_allclose(np.array(balance.past), past.astype(float), rtol=1e-12)


@pytest.mark.parametrize("first", [0, 6, 7, 8, 40])
def test_the_first_state_that_has_run_away_is_found(first):
    balance = Balance(spring_mass(), np.array([1.0, 0.0, 0.0, 0.0, 0.0]), (0.0, 0.0))
    accounts = np.zeros((50, 5))
    accounts[:, 0] = 1.0
    accounts[first, 0] = 1e9
    balance.add(np.arange(1.0, 51.0), accounts, None)
    with pytest.raises(Runaway) as caught:
        balance.close()
    assert caught.value.t == 1.0 + first
    np.testing.assert_allclose(caught.value.gained, 1e9 - 1.0)


def test_energy_beyond_all_numbers_is_told_without_them():
    told = runs_away(Runaway(0.1, np.nan, np.inf), "elbow", "reduce dt")
    assert told == "its energy has grown beyond all numbers; joint 'elbow' changes fastest: reduce dt"
