"""Strides go on where steps meet stops, and where loops turn far in one step."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import whippletree as wt
from whippletree.examples.linkages import four_bars
from whippletree.simulation.kinks import StopBound
from whippletree.simulation.run import Run
from whippletree.simulation.steppers import ChosenSteps
from whippletree.simulation.strides import stride
from whippletree.simulation.strides.kink_landing import BEHIND, CLOSE, NEXT_TO, clear, landing, limited
from whippletree.simulation.strides.plain_steps import PlainSteps


@pytest.mark.parametrize(("method", "most"), [("DOP853", 1e-9), ("Radau", 1e-6)])
def test_stops_are_met_within_strides(monkeypatch, method, most):
    """Blocks between stops, two of which get there at once: half a swing, and no step by itself."""

    def refused(*_):
        raise AssertionError("a step was taken by itself")

    monkeypatch.setattr(ChosenSteps, "step", refused)
    m, v, stiffness = wt.Mechanism("slides", gravity=(0.0, 0.0, 0.0)), np.array([1.3, 1.3, 0.9]), 5e3
    for k in range(3):
        inertia, stops = wt.Inertia(2.0 + (k == 2)), wt.Limits(-0.3, 0.5, stiffness=stiffness)
        m.add_body(f"block{k}", wt.Prismatic("x"), inertia=inertia, limits=stops)
    run = wt.simulate(m, None, v, 1.1, method=method, rtol=1e-10, atol=1e-12)
    w = np.sqrt(stiffness / np.array([2.0, 2.0, 3.0]))
    there, swing, t = 0.5 / v, np.pi / w, run.t[:, None]
    behind = np.where(t < there + swing, v / w * np.sin(w * (t - there)), -v * (t - there - swing))
    exact = np.where(t < there, v * t, 0.5 + behind)
    back = t > there + swing + 0.8 / v
    np.testing.assert_allclose(run.q[~back], exact[~back], rtol=0, atol=most)
    assert np.any(run.q > 0.51)
    assert np.ptp(run.energy) < most


def test_short_steps_at_stops_stay_within_strides_of_long_runs(monkeypatch):
    """Steps over a kink are rejected: those that follow end next to it, not on and on before it.

    There are some 10,000 kinks; looked at by themselves are but those that are just grazed.
    """
    alone = []
    step = ChosenSteps.step
    monkeypatch.setattr(ChosenSteps, "step", lambda *given: alone.append(given[1]) or step(*given))
    m = wt.Mechanism("swing")
    rod, stops = wt.Inertia.rod((0, 0, 0), (0, 0, -0.5), mass=1.0), wt.Limits(-1.0, 1.1, stiffness=2e3)
    m.add_body("upper", wt.Revolute("y"), inertia=rod, limits=stops)
    at = wt.Placement((0, 0, -0.5))
    m.add_body("lower", wt.Revolute("y"), parent="upper", placement=at, inertia=rod, limits=stops)
    run = wt.simulate(m, None, [7.0, -3.0], 600.0, sample=0.1, rtol=1e-12, atol=1e-14)
    assert len(alone) < 300
    assert np.ptp(run.energy) < 1e-8 * np.max(run.kinetic)


def test_a_step_over_a_bound_ends_behind_it():
    """By the cubic through its ends, which is the motion itself here: x = s³ - 2 s² + 0.9 s + 0.05 in 2 s.

    If it is a long one, it ends shortly before, and one that follows is short; a short one ends just behind.
    """
    at = np.polynomial.Polynomial([0.05, 0.9, -2.0, 1.0])
    h, roots = 2.0, [float(root.real) for root in at.roots() if 0.0 < root.real < 1.0]
    before, after = (np.array([7.0, at(s) + 0.4, at.deriv()(s) / h]) for s in (0.0, 1.0))
    upper, lower = (StopBound(1, 2, sign, 0.4) for sign in (1.0, -1.0))
    assert len(roots) == 1
    for bounds in ((upper,), (lower,), (StopBound(1, 2, 1.0, 9.0), lower)):
        there, close = h * roots[0], CLOSE * h
        for short, beside in ((0.0, -0.5 * close), (h, BEHIND * NEXT_TO * h)):
            now = 3.0, h, before, after, short, bounds
            assert clear(*now) == 0.0
            length, short, following = landing(*now)
            assert length == pytest.approx(there + beside, abs=1e-13)
            assert (short, following) == ((h, 0.0) if short else (0.0, close))
            inside = np.array([7.0, at(length / h) + 0.4, at.deriv()(length / h) / h])
            assert clear(3.0, length, before, inside, short, bounds) == 1.0
    assert clear(3.0, h, before, after, 0.0, (StopBound(1, 2, 1.0, 0.9), StopBound(1, 2, -1.0, -0.9))) == 1.0


def test_a_short_step_is_one_though_its_length_is_rounded():
    """Its end is a sum, its length a difference: half of them would count as long, and lead there slowly."""
    t, bound = 0.24042, StopBound(1, 2, 1.0, 0.4)
    pairs = [((t + short) - t, short) for short in 2.5e-4 * np.linspace(0.9, 1.1, 20)]
    assert {h < short for h, short in pairs if h != short} == {True, False}
    for h, short in pairs:
        before, after = np.array([7.0, 0.4 - 0.3 * h, 1.0]), np.array([7.0, 0.4 + 0.7 * h, 1.0])
        length, now, following = landing(t, h, before, after, short, (bound,))
        assert length == pytest.approx(0.3 * h, rel=1e-8)
        assert (now, following) == (short, 0.0)


def test_a_bound_that_is_soon_met_is_met_at_once():
    """By the parabola from the start of a step, which is the motion itself here; the first of several."""
    rng, wanted = np.random.default_rng(0), 0.3
    for until in (2e-9, 3e-5, 0.99 * CLOSE * wanted):
        v, a = rng.normal(size=2), 4.0 * rng.normal(size=2)
        x = -until * v - 0.5 * a * until**2 + np.array([0.4, 0.4 - 0.7 * until * v[1]])
        y, slope = np.r_[7.0, x, v], np.r_[0.0, v, a]
        for sign in (1.0, -1.0):
            bounds = StopBound(1, 3, sign, 0.4), StopBound(2, 4, sign, 0.4)
            for short in (0.0, 0.02):
                close = short or CLOSE * wanted
                length, now = limited(3.0, wanted, y, slope, short, wanted, bounds)
                assert length - BEHIND * NEXT_TO * close == pytest.approx(until, rel=1e-6)
                assert now == close
    far = np.r_[7.0, 0.4 - CLOSE * wanted * 1.01, 0.4, 1.0, 1.0], np.r_[0.0, 1.0, 1.0, 0.0, 0.0]
    assert limited(3.0, wanted, *far, 0.0, wanted, bounds) == (wanted, 0.0)  # one it has just left
    never = np.r_[7.0, 0.3, 0.5, 0.1, 0.1], np.r_[0.0, 0.1, 0.1, -9.0, 9.0]
    assert limited(3.0, wanted, *never, 0.0, wanted, bounds) == (wanted, 0.0)


def test_short_steps_over_stops_are_no_reason_to_doubt_a_choice(monkeypatch):
    """Bars that reach their stops nearly at once: what was chosen stays, and no step is taken by itself.

    It is looked after every step, while those over the stops are 1e-7 times as long as others and less.
    """

    def refused(*_):
        raise AssertionError("steps are in doubt")

    monkeypatch.setattr(ChosenSteps, "step", refused)
    monkeypatch.setattr(Run, "renew", refused)
    monkeypatch.setattr(stride, "LOOK", 1)
    m = four_bars(2, raised=-1.0)
    for name, bound in (("bar0", 0.4), ("bar1", 0.4 + 1e-9), ("bar2", 0.4 - 1e-10)):
        m.change(name, limits=wt.Limits(-bound, bound, stiffness=300.0))
    run = wt.simulate(m, duration=2.0, method="DOP853", rtol=1e-10, atol=1e-12)
    assert np.min(run.step[1:]) < 1e-7 * np.max(run.step)
    assert np.min(run.q[:, 0]) < -0.41
    assert np.ptp(run.energy) < 1e-8


def test_rows_of_linkages_take_long_steps_within_strides(monkeypatch):
    """Constraints of many loops turn far in a long step: looked at in parts, each of which turns less."""
    steps = []
    alone = ChosenSteps.step
    monkeypatch.setattr(ChosenSteps, "step", lambda *given: steps.append(given[1]) or alone(*given))
    m = four_bars(12, raised=-1.0)
    run = wt.simulate(m, duration=2.0)
    assert not steps
    assert np.max(run.step) > 0.1
    inertia, pull = 13 / 3 + 12, 9.81 * (13 / 2 + 12)
    exact = solve_ivp(
        lambda t, y: [y[1], -pull * np.cos(y[0]) / inertia], (0.0, 2.0), [-1.0, 0.0], rtol=1e-11, atol=1e-12
    )
    assert run.q[-1, 0] == pytest.approx(exact.y[0, -1] + 1.0, abs=1e-7)


def test_strides_go_on_as_soon_as_loops_are_clear(monkeypatch):
    """One step is taken by itself where a stride cannot begin, or has ended: not many until the next try."""
    alone, tried = [], []
    step, ready = ChosenSteps.step, PlainSteps._ready
    monkeypatch.setattr(ChosenSteps, "step", lambda *given: alone.append(given[1]) or step(*given))
    monkeypatch.setattr(PlainSteps, "_ready", lambda *given: tried.append(given[1]) or ready(*given))
    m = wt.examples.load("watt-six-bar")
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, 2.0 * np.random.default_rng(0).normal(size=m.nv))
    wt.simulate(m, q, qd, 3.0)
    assert 3 < len(alone) <= len(tried)
