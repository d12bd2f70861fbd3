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
