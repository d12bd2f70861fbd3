"""PIRK: against collocation solved otherwise, SciPy's DOP853, and itself by other ways.

Source of truth: the equations of Radau's collocation, solved by SciPy; SciPy's DOP853 at tolerances far
below.
"""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import whippletree as wt
from whippletree.examples.linkages import four_bars
from whippletree.kernels.run.script import Script
from whippletree.simulation.integrators import pirk
from whippletree.simulation.strides import stride


def pendulum(t, y):
    """Slopes of states in rows (n, 3) at times (n,)."""
    return np.stack(
        [y[:, 1], -np.sin(y[:, 0]) + 0.1 * np.cos(3.0 * t) * y[:, 2], 0.3 * y[:, 0] - y[:, 2] ** 2], axis=1
    )


Y, T, H = np.array([0.7, -0.3, 0.5]), 0.4, 0.35


def collocated(y, t, h):
    """Slopes at the stages of a step, by a solver of equations."""
    times, shape = t + pirk.C * h, (pirk.STAGES, len(y))

    def open_by(slopes):
        K = slopes.reshape(shape)
        return (K - pendulum(times, y + h * pirk.A @ K)).ravel()

    begun = np.tile(pendulum(np.array([t]), y[None]), (pirk.STAGES, 1))
    found: Any = fsolve(open_by, begun.ravel(), xtol=1e-13)
    return found.reshape(shape)


def corrected(y, t, h, slopes, times):
    """Slopes after so many corrections."""
    for _ in range(times):
        slopes = pendulum(t + pirk.C * h, y + h * pirk.A @ slopes)
    return slopes


def test_the_tables_are_those_of_radau_collocation():
    # The assumptions B(15) and C(8) and a stage at the end determine them (Hairer, Wanner II, §IV.5).
    assert pirk.C[-1] == 1.0
    for k in range(1, 2 * pirk.STAGES):
        np.testing.assert_allclose(pirk.B @ pirk.C ** (k - 1), 1.0 / k, rtol=1e-14)
    for k in range(1, pirk.STAGES + 1):
        np.testing.assert_allclose(pirk.A @ pirk.C ** (k - 1), pirk.C**k / k, rtol=0, atol=1e-15)


def test_iteration_leads_to_the_collocated_step():
    solved = collocated(Y, T, H)
    begun = np.tile(pendulum(np.array([T]), Y[None]), (pirk.STAGES, 1))
    errors = [np.abs(corrected(Y, T, H, begun, n) - solved).max() for n in (2, 5, 8, 16)]
    assert errors[-1] < 1e-15
    assert errors[0] > 30.0 * errors[1] > 900.0 * errors[2]


def test_the_first_slopes_go_on_along_those_before():
    # Polynomials of degree 7 are continued exactly, whatever the lengths of both steps.
    rng = np.random.default_rng(5)
    slope = np.polynomial.Polynomial(rng.normal(size=8))
    whole = slope.integ()
    for ratio in (0.3, 1.0, 1.37, pirk.FAR):
        found = pirk.ahead(ratio) @ pirk.TERMS @ slope(pirk.C)
        np.testing.assert_allclose(found, whole(1.0 + ratio * pirk.C) - whole(1.0), rtol=0, atol=1e-9)


def test_states_within_a_step_are_those_of_its_polynomial():
    slope = np.polynomial.Polynomial([0.3, -0.7, 1.1, 0.4, -0.2, 0.9, -1.3, 0.6])
    terms, x = (pirk.TERMS @ slope(pirk.C))[:, None], np.array([[0.13], [0.5], [1.0]])
    expected = 0.25 + slope.integ()(x)
    np.testing.assert_allclose(pirk.within(terms, np.array([0.25]), x), expected, rtol=1e-14)


def test_two_evaluations_a_step_have_order_ten():
    # Steps of equal length, each begun from the slopes of the one before.
    def end(n):
        h, y = 2.4 / n, Y
        slopes = collocated(y, T, h)
        y = y + h * pirk.B @ slopes
        for k in range(1, n):
            begun = T + k * h
            first = pendulum(begun + pirk.C * h, y + h * pirk.ahead(1.0) @ pirk.TERMS @ slopes)
            slopes = corrected(y, begun, h, first, 1)
            y = y + h * pirk.B @ slopes
        return y

    exact = end(200)
    errors = [np.abs(end(n) - exact).max() for n in (6, 12)]
    assert 9.5 < np.log2(errors[0] / errors[1]) < 12.5


def judge(squares, count=0.0, first=0.0, last=0.0, follows=1.0, rejected=0.0, rough=0.0):
    before = pirk.Tried(0.0, 0.0, 0.0, count, first, last)
    return pirk.tried(squares / pirk.SHARE**2, rough, 1.0, 0.1, follows, rejected, before)


def test_bends_between_stages_show_in_the_slope_at_the_start():
    # A slope that is 0 up to a bend and rises behind it: more than what is missed of its integral.
    for bend in (0.005, 0.02, 0.3, 0.71, 0.97, 0.995):
        slopes = np.maximum(np.append(0.0, pirk.C) - bend, 0.0)
        missed = abs(pirk.B @ slopes[1:] - 0.5 * (1.0 - bend) ** 2)
        assert abs(pirk.BEND @ slopes) > missed, bend
    # Nothing of a polynomial of degree seven does.
    slope = np.polynomial.Polynomial([0.3, -0.7, 1.1, 0.4, -0.2, 0.9, -1.3, 0.6])
    assert abs(pirk.BEND @ slope(np.append(0.0, pirk.C))) < 1e-15


def test_a_step_is_corrected_again_only_where_that_will_do():
    fine, again, hopeless, none = judge(0.01), judge(9.0), judge(900.0), judge(np.nan)
    assert (fine.done, fine.accepted) == (1.0, 1.0)
    assert (again.done, again.accepted) == (0.0, 0.0)
    for found in (hopeless, none):
        assert (found.done, found.accepted) == (1.0, 0.0)
        assert found.size < 0.1
    better = judge(0.25, count=1.0, first=3.0, last=3.0)
    assert (better.done, better.accepted) == (1.0, 1.0)
    assert better.size < 0.1 < fine.size  # by the first correction, which says how long it should have been
    assert judge(4.0, count=1.0, first=3.0, last=3.0).done == 1.0
    assert judge(0.0).size == pytest.approx(0.1 * pirk.MOST)
    bent = judge(9.0, rough=1e4)
    assert (bent.done, bent.accepted) == (1.0, 0.0)
    assert bent.size < again.size < 0.1
    assert judge(0.0, rejected=1.0).size == pytest.approx(0.1)


def test_a_start_is_corrected_until_it_is_accurate_and_no_longer():
    assert judge(1e-30, follows=0.0).done == 0.0  # one correction alone tells nothing
    assert judge(1e-6, 1.0, 1.0, 1.0, follows=0.0).accepted == 1.0
    assert judge(4.0, 1.0, 50.0, 50.0, follows=0.0).done == 0.0
    slow = judge(4.0, pirk.LONGEST - 1.0, 50.0, 4.0, follows=0.0)
    assert (slow.done, slow.accepted) == (1.0, 0.0)
    assert slow.size < 0.1
    # Where a bend is more than what an iteration still changes, none helps.
    assert judge(4.0, 1.0, 50.0, 50.0, follows=0.0, rough=3.0).done == 0.0
    assert judge(4.0, 2.0, 50.0, 4.0, follows=0.0, rough=1e4).done == 1.0
    quick = judge(1e-8, 1.0, 1.0, 1.0, follows=0.0)
    assert quick.size == pytest.approx(0.1 * pirk.START_MOST)


MECHANISMS: dict[str, Any] = {
    "six-axis-arm": lambda: wt.examples.load("six-axis-arm"),
    "humanoid": lambda: wt.examples.load("humanoid"),
    "jansen-leg": lambda: wt.examples.load("jansen-leg"),
    "stewart-platform": lambda: wt.examples.load("stewart-platform"),
    "hanging-four-bars": lambda: four_bars(5, raised=-1.0),
}


def start(m, seed=8):
    rng = np.random.default_rng(seed)
    if m.loops:
        q = wt.assemble(m, m.neutral())
        return q, wt.project_velocity(m, q, 0.3 * rng.normal(size=m.nv))
    return m.integrate(m.neutral(), 0.3 * rng.normal(size=m.nv)), 0.3 * rng.normal(size=m.nv)


def simulated(m, q, qd, duration=0.8, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.EnergyWarning)
        return wt.simulate(m, q, qd, duration, progress=False, **options)


@pytest.mark.parametrize("name", MECHANISMS)
def test_errors_are_those_asked_for(name):
    m = MECHANISMS[name]()
    q, qd = start(m)
    exact = simulated(m, q, qd, method="DOP853", rtol=1e-12, atol=1e-14)
    errors = []
    for rtol in (1e-5, 1e-7, 1e-9):
        run = simulated(m, q, qd, method="PIRK", rtol=rtol, atol=1e-2 * rtol)
        assert run.method == "PIRK"
        assert np.max(np.abs(run.constraint_error), initial=0.0) < 2e-14
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
        peer = simulated(m, q, qd, method="DOP853", rtol=10.0 * rtol, atol=0.1 * rtol)
        assert errors[-1] < max(np.abs(peer.q[-1] - exact.q[-1]).max(), rtol)
    assert errors[2] < 1e-2 * errors[0]


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("name", MECHANISMS)
def test_errors_of_a_few_starts_are_those_of_dop853(name, rtol):
    """By the median: along a single motion those of one method may cancel, or grow, by ten times."""
    m, errors = MECHANISMS[name](), []
    for seed in range(8, 13):
        q, qd = start(m, seed)
        exact = simulated(m, q, qd, method="DOP853", sample=0.0173, rtol=1e-12, atol=1e-14)
        runs = [
            simulated(m, q, qd, method=name, sample=0.0173, rtol=rtol, atol=1e-2 * rtol)
            for name in ("PIRK", "DOP853")
        ]
        along = [np.abs(run.q - exact.q).max(axis=1) for run in runs]
        errors.append([(error.max(), np.abs(np.diff(error)).max()) for error in along])
    own, other = np.median(errors, axis=0)
    assert np.all(own < 2.0 * np.maximum(other, rtol))


@pytest.mark.parametrize("name", MECHANISMS)
def test_states_within_steps_are_as_exact_as_their_ends(name):
    m = MECHANISMS[name]()
    q, qd = start(m)
    exact = simulated(m, q, qd, method="DOP853", sample=0.0173, rtol=1e-12, atol=1e-14)
    for rtol in (1e-6, 1e-9):
        runs = [
            simulated(m, q, qd, method=name, sample=0.0173, rtol=tolerance, atol=1e-2 * tolerance)
            for name, tolerance in (("PIRK", rtol), ("DOP853", 10.0 * rtol))
        ]
        run, _ = runs
        np.testing.assert_array_equal(run.t, exact.t)
        error, other = (np.abs(one.q - exact.q).max(axis=1) for one in runs)
        assert error.max() < max(other.max(), rtol)
        # From state to state it changes no more than along the steps themselves.
        assert np.abs(np.diff(error)).max() < max(np.abs(np.diff(other)).max(), rtol)
    assert np.max(np.abs(run.constraint_error), initial=0.0) < 2e-14


def test_rounds_of_evaluations_are_fewer_than_a_third():
    """Each is of eight stages at once; DOP853 evaluates twelve one by one."""
    m = MECHANISMS["humanoid"]()
    q, qd = start(m)
    asked: dict[str, int] = {}
    for name in ("DOP853", "PIRK"):
        calls: list[float] = []

        def control(t, q, qd, calls=calls):
            calls.append(t)
            return np.zeros_like(qd)

        run = simulated(m, q, qd, 3.0, method=name, control=control)
        asked[name] = len(calls) - len(run.t)  # once more of every state that is recorded
    assert asked["PIRK"] / pirk.STAGES < asked["DOP853"] / 3.0


def test_the_user_is_heard_as_often_as_by_other_methods(monkeypatch):
    """A script comes back after so many operations; those of eight states count, too."""
    m = MECHANISMS["humanoid"]()
    m.change("left_foot", inertia=wt.Inertia.sphere(0.03, mass=0.123))  # no script is there of it yet
    q, qd = start(m)
    most = stride.OPERATIONS / 50
    monkeypatch.setattr(stride, "OPERATIONS", most)
    taken, run = [], Script.__call__

    def counted(self, rounds, most):
        taken.append(run(self, rounds, most))
        return taken[-1]

    monkeypatch.setattr(Script, "__call__", counted)
    steps = len(simulated(m, q, qd, 8.0, method="PIRK", rtol=1e-11).t) - 1
    evaluated = m.kernel("forward_dynamics").program.n_executed * pirk.STAGES * 2 * steps
    assert evaluated > 4 * most
    assert len(taken) > evaluated / most


def test_a_control_in_python_gives_the_same_as_one_that_is_machine_code():
    m = MECHANISMS["six-axis-arm"]()
    q, qd = start(m)

    def damped(m, t, q, qd):
        return -3.0 * qd + 2.0 * np.array([1.0, -0.5, 0.3, 0.2, 0.1, -0.2]) * np.sin(3.0 * t)

    kernel = wt.compile(damped, m, inputs={"t": ()})
    compiled = simulated(m, q, qd, method="PIRK", control=kernel)
    called = simulated(m, q, qd, method="PIRK", control=lambda t, q, qd: kernel(t, q, qd))
    for what in ("t", "q", "qd", "tau"):
        np.testing.assert_array_equal(getattr(compiled, what), getattr(called, what))
    exact = simulated(m, q, qd, method="DOP853", control=kernel, rtol=1e-12, atol=1e-14)
    assert np.abs(compiled.q[-1] - exact.q[-1]).max() < 1e-7


def test_a_control_of_a_free_body_sees_unit_quaternions():
    m = MECHANISMS["humanoid"]()
    q, qd = start(m)
    norms = []

    def push(t, q, qd):
        norms.append(np.linalg.norm(q[3:7]))
        tau = np.zeros(m.nv)
        tau[6:] = -0.5 * qd[6:]
        return tau

    kernel = wt.compile(
        lambda m, t, q, qd: np.concatenate([np.zeros(6), -0.5 * qd[6:]]) * (q[3:7] @ q[3:7]),
        m,
        inputs={"t": ()},
    )
    called = simulated(m, q, qd, 0.3, method="PIRK", control=push)
    compiled = simulated(m, q, qd, 0.3, method="PIRK", control=kernel)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(compiled.q[-1], called.q[-1], rtol=0, atol=1e-12)


def test_a_control_that_is_held_is_held():
    m = MECHANISMS["six-axis-arm"]()
    q, qd = start(m)
    asked = []

    def control(t, q, qd):
        asked.append(t)
        return -0.002 * qd

    runs = [
        simulated(m, q, qd, method=name, control=control, control_dt=0.05, rtol=1e-10, atol=1e-12)
        for name in ("PIRK", "DOP853")
    ]
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], rtol=0, atol=1e-8)
    assert len(asked) == 2 * len(set(asked))
    kernel = wt.compile(lambda m, t, q, qd: -0.002 * qd, m, inputs={"t": ()})
    compiled = simulated(m, q, qd, method="PIRK", control=kernel, control_dt=0.05, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(compiled.q, runs[0].q)


def test_events_are_found_where_they_are():
    m = MECHANISMS["six-axis-arm"]()
    q, qd = start(m)
    event = wt.Event(lambda t, q, qd: q[1] - 1.1, "up")
    times = [
        simulated(m, q, qd, method=name, events=[event], rtol=1e-11, atol=1e-13).events
        for name in ("PIRK", "DOP853")
    ]
    assert len(times[0]) == len(times[1]) > 0
    np.testing.assert_allclose([e.t for e in times[0]], [e.t for e in times[1]], rtol=0, atol=1e-9)


def test_it_is_chosen_where_it_pays():
    large, small = wt.examples.load("humanoid"), wt.examples.load("double-pendulum")
    q, qd = start(large)
    pushed = wt.compile(lambda m, t, q, qd: -0.1 * qd, large, inputs={"t": ()})
    up = wt.Event(lambda t, q, qd: q[2] - 0.9, "up")
    ways = {
        "nothing acts": ({}, "PIRK"),
        "machine code": ({"control": pushed}, "PIRK"),
        "Python": ({"control": lambda t, q, qd: -0.1 * qd}, "DOP853"),
        "held": ({"control": pushed, "control_dt": 0.01}, "DOP853"),
        "event": ({"events": [up]}, "DOP853"),
        "rounding errors": ({"rtol": 1e-11}, "DOP853"),
    }
    for way, (options, method) in ways.items():
        assert simulated(large, q, qd, 0.1, **options).method == method, way
    # What damps fast, as stops do that damp, keeps its steps short where all else has come to rest.
    for damping, method in ((0.1, "PIRK"), (30.0, "DOP853")):
        large.change("left_shank", damping=damping)
        assert simulated(large, q, qd, 0.1).method == method
    stewart = wt.examples.load("stewart-platform")
    assert simulated(stewart, *start(stewart), 0.1).method == "DOP853"
    assert simulated(small, [0.3, 0.2], None, 0.1).method == "DOP853"


def test_steps_are_refused_where_surfaces_touch():
    m = wt.examples.load("bouncing-ball")
    with pytest.raises(wt.InputError, match="PIRK"):
        wt.simulate(m, duration=0.1, method="PIRK")


@pytest.mark.parametrize("name", ["six-axis-arm", "five-bar", "delta-robot"])
def test_a_run_from_rest_begins_with_steps_as_long_as_those_that_follow(name):
    m = wt.examples.load(name)
    q = wt.assemble(m, m.neutral()) if m.loops else m.integrate(m.neutral(), np.full(m.nv, 0.3))
    lengths = wt.simulate(m, q, duration=0.3, method="PIRK", progress=False).step[1:]
    assert lengths[0] > 0.3 * np.median(lengths)
