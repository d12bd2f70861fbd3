"""Mechanisms with loops, simulated: against a tree that moves alike, and against themselves."""

from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.integrators import INTEGRATORS

LENGTH, WIDTH, CRANK, COUPLER = 0.7, 1.1, 0.8, 2.3
INERTIA = wt.Inertia(CRANK, (0, 0, -LENGTH / 2), (CRANK * LENGTH**2 / 12, CRANK * LENGTH**2 / 12, 0))


def parallelogram() -> wt.Mechanism:
    """A beam on two equal cranks: it does not turn, and all of it moves on a circle."""
    m = wt.Mechanism("swing")
    m.add_body("left", wt.Revolute("y"), inertia=INERTIA)
    m.add_body("right", wt.Revolute("y"), placement=wt.Placement((WIDTH, 0, 0)), inertia=INERTIA)
    beam = wt.Inertia(COUPLER, (0.4, 0, 0.1), (0.1, 0.2, 0.2))
    m.add_body("beam", wt.Revolute("y"), "left", wt.Placement((0, 0, -LENGTH)), beam)
    at = wt.Placement((0, 0, -LENGTH)), wt.Placement((WIDTH, 0, 0))
    m.add_loop("pin", wt.Revolute("y"), "right", "beam", *at)
    return m


def pendulum() -> wt.Mechanism:
    """The pendulum that swings as the parallelogram does."""
    m = wt.Mechanism("pendulum")
    first = CRANK * LENGTH + COUPLER * LENGTH
    about_pivot = 2 * CRANK * LENGTH**2 / 3 + COUPLER * LENGTH**2
    mass = 10.0
    length = first / mass
    inertia = wt.Inertia(mass, (0, 0, -length), (0.5, about_pivot - mass * length**2, 0.5))
    m.append(wt.Body("rod", wt.Revolute("y"), "ground", wt.Placement(), inertia, "rod"))
    return m


@pytest.mark.parametrize("method", ["auto", "rk6", "Radau"])
def test_a_parallelogram_swings_as_its_pendulum(method):
    start, speed = 0.6, -0.8
    options: Any = {"sample": 0.05, "rtol": 1e-11, "atol": 1e-13}
    q0, qd0 = [start, start, -start], [speed, speed, -speed]
    swing = wt.simulate(parallelogram(), q0, qd0, 3.0, method=method, **options)
    alike = wt.simulate(pendulum(), [start], [speed], 3.0, method="DOP853", **options)
    for joint, sign in enumerate((1, 1, -1)):
        np.testing.assert_allclose(swing.q[:, joint], sign * alike.q[:, 0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(swing.qd[:, joint], sign * alike.qd[:, 0], rtol=0, atol=1e-8)
    assert swing.constraint_error.shape == (61, 5)
    assert np.max(np.abs(swing.constraint_error)) < 1e-14


def four_bar_start() -> tuple[wt.Mechanism, np.ndarray, np.ndarray]:
    m = wt.examples.load("four-bar")
    q0 = wt.assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
    return m, q0, wt.project_velocity(m, q0, np.array([6.0, 0.0, 0.0]), hold=["crank"])


@pytest.mark.parametrize(
    ("method", "coarse"), [("euler", 1 / 1000), ("midpoint", 1 / 100), ("rk4", 1 / 50), ("rk6", 1 / 48)]
)
def test_methods_keep_their_order_on_loops(method, coarse):
    q0, qd0 = np.array([0.6, 0.6, -0.6]), np.array([2.0, 2.0, -2.0])
    exact = wt.simulate(pendulum(), q0[:1], qd0[:1], 0.5, method="DOP853", rtol=1e-13, atol=1e-14)
    errors = []
    for k in (1, 2):
        run = wt.simulate(parallelogram(), q0, qd0, 0.5, method=method, dt=coarse / k)
        errors.append(np.hypot(run.q[-1, 2] + exact.q[-1, 0], run.qd[-1, 2] + exact.qd[-1, 0]))
        assert np.max(np.abs(run.constraint_error)) < 1e-13
    assert errors[1] > 2e-13
    assert np.log2(errors[0] / errors[1]) == pytest.approx(INTEGRATORS[method].order, abs=0.1)


@pytest.mark.parametrize(("method", "order", "coarse"), [("euler", 1, 1000), ("rk4", 4, 50)])
def test_rollouts_keep_their_order_on_loops(method, order, coarse):
    q0, qd0 = np.array([0.6, 0.6, -0.6]), np.array([2.0, 2.0, -2.0])
    exact = wt.simulate(pendulum(), q0[:1], qd0[:1], 0.5, method="DOP853", rtol=1e-13, atol=1e-14)
    errors = []
    for n in (coarse, 2 * coarse):
        q, qd = wt.rollout(parallelogram(), q0, qd0, steps=n // 2, dt=1 / n, method=method)
        errors.append(np.hypot(q[-1, 2] + exact.q[-1, 0], qd[-1, 2] + exact.qd[-1, 0]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_a_four_bar_turns_for_long_with_its_energy():
    m, q0, qd0 = four_bar_start()
    run = wt.simulate(m, q0, qd0, 20.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(run.energy) < 1e-7
    assert np.ptp(run.q[:, 0]) > 6.0  # whole turns
    assert np.max(np.abs(run.constraint_error)) < 1e-13


def test_andrews_squeezer_ends_where_it_is_published_to_end():
    """Test set for IVP solvers, Andrews' squeezing mechanism: positions at 0 and at 0.03 s."""
    m = wt.examples.load("andrews-squeezer")
    published = {
        "beta": (-0.0617138900142764496, 15.81077119629904),
        "Theta": (0.0, -15.75637105984298),
        "gamma": (0.4552798191630703803, 0.04082224013073101),
        "Phi": (0.2226683901658858847, -0.5347301163226948),
        "delta": (0.4873649795438425502, 0.5244099658805304),
        "Omega": (-0.2226683901658858847, 0.5347301163226948),
        "epsilon": (1.2305474445498211925, 1.048080741042263),
    }
    q0, end = np.array([published[joint] for joint in m.joint_names]).T
    torque = np.where(np.array(m.joint_names) == "beta", 0.033, 0.0)
    run = wt.simulate(m, q0, None, 0.03, control=lambda t, q, qd: torque, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], end, rtol=0, atol=2e-9)
    assert np.max(np.abs(run.constraint_error)) < 1e-15


@pytest.mark.parametrize(
    "name",
    ["bricard", "crank-slider", "five-bar", "pantograph", "quick-return", "watt-six-bar"],
)
def test_bundled_linkages_keep_closed_and_keep_their_energy(name):
    run = wt.simulate(wt.examples.load(name), duration=0.5, rtol=1e-10, atol=1e-12)
    assert np.max(np.abs(run.constraint_error)) < 1e-14
    assert np.ptp(run.energy) < 1e-7 * np.ptp(run.kinetic)


def test_springs_and_control_act_in_loops():
    m = parallelogram()
    m.add_spring("s", "ground", (0.3, 0, -1.5), "beam", (0.4, 0, 0), 40.0, 2.0, 0.3)
    run = wt.simulate(m, [0.3, 0.3, -0.3], None, 8.0, control=lambda t, q, qd: [-3.0 * qd[0], 0.0, 0.0])
    np.testing.assert_allclose(run.qd[-1], 0.0, rtol=0, atol=2e-2)
    assert run.energy[-1] < run.energy[0]
    tau, f_ext = wt.passive_forces(m, run.q[-1], run.qd[-1])
    rest = wt.loops.kkt(m, run.q[-1], 0 * run.qd[-1], tau, f_ext)
    np.testing.assert_allclose(rest, 0.0, rtol=0, atol=0.2)


def test_events_are_found_on_closed_loops():
    m, q0, qd0 = four_bar_start()
    for method in ("rk4", "DOP853"):
        event = wt.Event(lambda t, q, qd: np.sin(q[0]), "level", terminal=True)
        run = wt.simulate(m, q0, qd0, 5.0, method=method, events=[event])
        assert np.sin(run.q[-1, 0]) == pytest.approx(0.0, abs=1e-12)
        assert np.max(np.abs(run.constraint_error[-1])) < 1e-13


def test_starts_that_open_a_loop_are_refused():
    m, q0, qd0 = four_bar_start()
    with pytest.raises(wt.InputError, match=r"leaves loop .* open by .*: take q from wt.assemble"):
        wt.simulate(m, q0 + np.array([0.0, 0.1, 0.0]), qd0)
    with pytest.raises(wt.InputError, match=r"opens loop .* at a rate of"):
        wt.simulate(m, q0, qd0 + np.array([0.0, 1.0, 0.0]))


def test_without_a_start_loops_are_assembled():
    m = parallelogram()
    # Out of its neutral position the loop is open by the width of this shift.
    shifted = wt.Mechanism("shifted")
    for body in m.bodies:
        shifted.append(body)
    at = wt.Placement((0, 0, -LENGTH)), wt.Placement((WIDTH - 0.05, 0, 0))
    shifted.add_loop("pin", wt.Revolute("y"), "right", "beam", *at)
    run = wt.simulate(shifted, duration=0.1)
    assert np.max(np.abs(run.constraint_error)) < 1e-13
    assert np.max(np.abs(wt.constraint_error(shifted, shifted.neutral()))) == pytest.approx(0.05)
