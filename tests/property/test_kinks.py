"""Bounds of stops, at which steps of chosen length end."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.closing import Closed
from whippletree.simulation.kinks import Kinks
from whippletree.simulation.steppers import Step

SPEED = 7.7
BOUND = 0.5


def met(t: float, before: float, h: float) -> float | None:
    """How long after t a step of h from before a bound meets it, s."""
    m = wt.Mechanism("slide")
    stops = wt.Limits(-0.3, BOUND, stiffness=2e3)
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(2.0), limits=stops)

    def moved(at: float) -> np.ndarray:
        return np.array([BOUND - before + SPEED * (at - t), SPEED])

    found = Kinks(m).first(t, moved(t), Step(t + h, Closed(moved(t + h), 1.0, 0), moved))
    return None if found is None else found - t


@pytest.mark.parametrize("h", [1e-12, 4e-12, 1e-10, 1e-6, 1e-3])
@pytest.mark.parametrize("before", [3e-12, 1e-11, 2e-11])
@pytest.mark.parametrize("t", [263.7, 541.3])
def test_a_bound_that_is_met_within_no_time_was_met_before(t, before, h):
    """Late in a run, time has so few digits that a step ends beside its bound, again and again."""
    assert met(t, before, h) is None


@pytest.mark.parametrize("t", [0.0, 0.3, 541.3])
def test_a_bound_is_met_when_it_is_reached(t):
    assert met(t, 1e-3, 1e-3) == pytest.approx(1e-3 / SPEED, abs=1e-13 * max(1.0, t))
    assert met(t, 1e-3, 1e-4) is None


@pytest.mark.parametrize("method", ["DOP853", "PIRK"])
def test_a_bound_met_late_in_a_run_is_met_as_exactly(method):
    """An elastic stop gives back the speed with which it is met, to rounding, 450 s after the start."""
    m = wt.Mechanism("slide", gravity=(0.0, 0.0, 0.0))
    stops = wt.Limits(-9000.0, 0.25, stiffness=2e3)
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(1.3), limits=stops)
    run = wt.simulate(m, [0.25 - 450.0 * SPEED], [SPEED], 600.0, method=method, rtol=1e-12, atol=1e-14)
    assert abs(run.qd[-1, 0] / SPEED + 1.0) < 2e-13
    half = np.pi * np.sqrt(1.3 / 2e3)
    assert abs(run.q[-1, 0] - 0.25 + SPEED * (150.0 - half)) < 5e-10
