"""Runs with contacts across singular positions of loops, where branches of the motion meet."""

from typing import Any

import numpy as np
import pytest

import whippletree as wt

RIGID: Any = {"friction": 0.0, "restitution": 1.0}
SOFT: Any = {"friction": 0.0, "stiffness": 2e4}


def parallelogram(floor: float, **properties: Any) -> tuple[wt.Mechanism, Any, Any]:
    """It lies flat on its way down, where it could fold; a ball on its rod comes to a floor."""
    m = wt.Mechanism("parallelogram")
    bar = wt.Inertia.rod((0, 0, 0), (0.3, 0, 0), mass=0.5)
    m.add_body("left", wt.Revolute("y"), inertia=bar)
    m.add_body("right", wt.Revolute("y"), placement=wt.Placement((1, 0, 0)), inertia=bar)
    rod = wt.Inertia.rod((0, 0, 0), (1, 0, 0), mass=0.4)
    m.add_body("rod", wt.Revolute("y"), "left", wt.Placement((0.3, 0, 0)), rod)
    m.add_loop("pin", wt.Revolute("y"), "right", "rod", wt.Placement((0.3, 0, 0)), wt.Placement((1, 0, 0)))
    m.add_shape("ball", wt.Sphere(0.02), "rod", wt.Placement((0.5, 0, 0)))
    m.add_shape("floor", wt.Plane(), placement=wt.Placement((0, 0, floor)))
    m.add_contact("touch", "ball", "floor", **properties)
    return m, np.array([-0.6, -0.6, 0.6]), np.array([0.5, 0.5, -0.5])


@pytest.mark.parametrize("properties", [RIGID, SOFT])
def test_as_long_as_nothing_touches_contacts_change_nothing(properties):
    m, q, qd = parallelogram(-5.0, **properties)
    plain = wt.simulate(m, q, qd, duration=0.5, contacts=None)
    assert plain.q[-1, 0] > 0.3  # behind the flat position
    run = wt.simulate(m, q, qd, duration=0.5)
    np.testing.assert_allclose(run.q[-1], plain.q[-1], atol=1e-7)
    np.testing.assert_allclose(run.qd[-1], plain.qd[-1], atol=1e-6)
    assert np.abs(run.constraint_error).max() < 1e-10


@pytest.mark.parametrize("properties", [RIGID, SOFT])
def test_a_bounce_behind_a_singular_position_leads_back_across_it(properties):
    """The angle is that of one bar: all turn alike, and the energy stays."""
    m, q, qd = parallelogram(-0.2, **properties)
    run = wt.simulate(m, q, qd, duration=0.9)
    assert run.contacts.times("impact" if properties is RIGID else "closes")
    assert np.min(run.q[run.t > 0.6, 0]) < -0.2  # on the other side again
    np.testing.assert_allclose(run.q[:, 1], run.q[:, 0], atol=1e-8)
    np.testing.assert_allclose(run.q[:, 2], -run.q[:, 0], atol=1e-8)
    assert np.abs(run.constraint_error).max() < 1e-10
    assert np.ptp(run.energy) < 2e-6


@pytest.mark.parametrize("properties", [RIGID, SOFT])
def test_a_singular_start_is_refused_by_name(properties):
    m, _, qd = parallelogram(-0.2, **properties)
    with pytest.raises(
        wt.SimulationError, match=r"'parallelogram' .*starts at a singular position of its loops"
    ):
        wt.simulate(m, np.zeros(3), qd, duration=0.5)
