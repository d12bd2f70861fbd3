"""Derivatives of the equations of motion, as integrators for stiff equations ask for them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.simulation import systems
from whippletree.simulation.acting import Acting
from whippletree.simulation.equations import Law, equations
from whippletree.simulation.systems import Compiled


def arm() -> wt.Mechanism:
    m = wt.Mechanism("arm")
    link = wt.Inertia(1.3, com=(0.1, 0.05, -0.2), about_com=(0.2, 0.25, 0.3))
    m.add_body("base", wt.Spherical(), inertia=link, damping=0.3, friction=0.2)
    m.add_body("arm", wt.Revolute("y"), parent="base", placement=wt.Placement((0.3, 0, 0)), inertia=link)
    m.add_spring("s", "ground", (0, 0, 1), "arm", (0.2, 0, 0), stiffness=30.0, damping=2.0, length=0.4)
    return m


def control(t, q, qd):
    return np.sin(t) - 3.0 * qd - 2.0 * np.sin(q[: len(qd)])


def external(t, q, qd):
    return {"arm": np.concatenate([0.1 * qd[:3], np.cos(q[:3])])}


@pytest.mark.parametrize("exact", [12, 0], ids=["compiled", "differenced"])
@pytest.mark.parametrize(("control", "external"), [(None, None), (control, None), (control, external)])
def test_the_derivative_of_the_slope(exact, control, external, monkeypatch):
    monkeypatch.setattr(systems, "EXACT", exact)
    m, rng = arm(), np.random.default_rng(1)
    law = Law(METHODS["aba"])
    system = Compiled(equations(m, external is not None, law), Acting(m, control, external))
    y = np.concatenate([m.random(rng), rng.normal(size=m.nv)])
    J = system.slope_derivative(0.7, y)
    # Along directions, by differences of fourth order that share nothing with either way.
    for _ in range(3):
        d, h = rng.normal(size=len(y)), 1e-3
        slopes = [system.slope(0.7, y + k * h * d) for k in (-2, -1, 1, 2)]
        expected = np.dot([1.0, -8.0, 8.0, -1.0], slopes) / (12.0 * h)
        assert_allclose(J @ d, expected, rtol=0, atol=2e-6 * np.max(np.abs(expected)))


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_column_of_zeros_is_no_end(method):
    """A cart that rolls for ever: nothing depends on where it is."""
    m = wt.Mechanism("cart", gravity=(0, 0, 0))
    m.add_body("cart", wt.Prismatic("x"), inertia=wt.Inertia(1.0), damping=50.0)
    run = wt.simulate(m, [0.0], [1.0], duration=1000.0, method=method)
    assert_allclose(run.q[-1], 1.0 / 50.0, rtol=1e-6)


def test_the_flyball_governor_runs_with_defaults():
    m = wt.examples.load("flyball-governor")
    run = wt.simulate(m)
    exact = wt.simulate(m, rtol=1e-9, method="DOP853", sample=10.0)  # explicit, by 20,000 steps
    assert_allclose(run.q[-1], exact.q[-1], rtol=0, atol=1e-8)
    assert len(run) < 3000  # a third of a millisecond each


def test_what_keeps_its_energy_is_not_looked_at_for_decay():
    """By what is there: a damper, a control and stabilized loops take energy away, and are looked at."""
    m = wt.examples.load("four-bar")
    assert wt.simulate(m, duration=0.01).reason == "not stiff: nothing takes energy away"
    assert "decay" in wt.simulate(m, duration=0.01, stabilization=0.1).reason
    assert wt.simulate(m, duration=0.01, control=lambda t, q, qd: -1e6 * qd).method == "Radau"
    m.change(m.bodies[0].joint_name, damping=1e6)
    assert wt.simulate(m, duration=0.01).method == "Radau"
