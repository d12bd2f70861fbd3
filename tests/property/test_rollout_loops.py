"""Rollouts of mechanisms with loops: they stay closed, and move as a simulation does."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import whippletree as wt
from whippletree.loops.closing.generic import generic_position
from whippletree.simulation.closed_step import rows_for


def starts(m: wt.Mechanism, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Closed states at some distance from neutral, and from each other."""
    rng = np.random.default_rng(0)
    q0 = [wt.assemble(m, m.integrate(m.neutral(), 0.1 * rng.normal(size=m.nv))) for _ in range(count)]
    return np.array(q0), np.array([wt.project_velocity(m, q, rng.normal(size=m.nv)) for q in q0])


@pytest.mark.parametrize(
    ("name", "euler", "rk4"),
    [
        ("four-bar", 1e-8, 1e-10),
        ("crank-slider", 1e-8, 1e-10),
        ("quick-return", 1e-8, 1e-10),
        ("bricard", 1e-9, 1e-10),
    ],
)
def test_each_trajectory_is_that_of_a_simulation(name, euler, rk4):
    m = wt.examples.load(name)
    q0, qd0 = starts(m, 3)
    tau = 0.2 * np.cos(np.arange(m.nv))
    gap = wt.compile(wt.constraint_error, m)
    for method, tolerance in (("euler", euler), ("rk4", rk4)):
        q, qd = wt.rollout(m, q0, qd0, tau, steps=200, dt=1e-3, method=method)
        for k in (0, 2):
            run = wt.simulate(m, q0[k], qd0[k], 0.2, control=lambda t, q, qd: tau, method=method, dt=1e-3)
            np.testing.assert_allclose(q[k], run.q[1:], rtol=0, atol=tolerance)
            np.testing.assert_allclose(qd[k], run.qd[1:], rtol=0, atol=100 * tolerance)
        assert np.ptp(q, axis=1).max() > 0.03
        assert np.max(np.abs(gap(q))) < tolerance
        assert np.max(np.abs(np.einsum("...ij,...j", wt.compile(wt.constraint_jacobian, m)(q), qd))) < 1e-8


def test_loops_stay_closed_for_long():
    """A crank that turns many times: the gap of the last turns is no larger than that of the first."""
    m = wt.examples.load("four-bar")
    q0 = wt.assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
    qd0 = wt.project_velocity(m, q0, np.array([6.0, 0.0, 0.0]), hold=["crank"])
    q, qd = wt.rollout(m, q0, qd0, steps=20_000, every=10, dt=1e-3, method="rk4")
    assert abs(q[-1, 0] - q0[0]) > 20 * np.pi
    gap = np.max(np.abs(wt.compile(wt.constraint_error, m)(q)), axis=1)
    assert np.max(gap) < 1e-13
    kinetic, potential = wt.compile(wt.energy, m)(q, qd)
    assert np.ptp(kinetic + potential) < 1e-6 * np.ptp(kinetic)
    q, _ = wt.rollout(m, q0, qd0, steps=20_000, every=10, dt=1e-3)
    gap = np.max(np.abs(wt.compile(wt.constraint_error, m)(q)), axis=1)
    assert np.max(gap[1000:]) < 3 * np.max(gap[:1000]) < 1e-6


def test_what_acts_on_trees_acts_on_loops():
    m = wt.examples.load("crank-slider")
    m.add_spring("s", "ground", (0.3, -0.2, 0.1), m.bodies[1].name, (0.1, 0.05, 0.0), 20.0, 0.5, 0.2)
    m.add_force("f", m.bodies[1].name, (0.4, 0.3, 0.0), (0.0, 0.0, 0.1))
    q0, qd0 = starts(m, 2)
    goal = wt.assemble(m, m.neutral())
    gain = np.hstack([0.5 * np.eye(m.nv), 0.1 * np.eye(m.nv)])
    q, _ = wt.rollout(m, q0, qd0, wt.Feedback(gain, goal), steps=100, method="rk4")

    def control(t, q, qd):
        return -gain @ np.concatenate([m.difference(goal, q), qd])

    by_function, _ = wt.rollout(m, q0, qd0, control, steps=100, method="rk4")
    run = wt.simulate(m, q0[1], qd0[1], 0.1, control=control, method="rk4", dt=1e-3)
    np.testing.assert_allclose(q[1], run.q[1:], rtol=0, atol=1e-11)
    np.testing.assert_allclose(by_function, q, rtol=0, atol=1e-12)


def test_the_same_bits_in_every_company():
    m = wt.examples.load("four-bar")
    q0, qd0 = starts(m, 13)
    q, qd = wt.rollout(m, q0, qd0, steps=30)
    assert wt.rollout(m, q0[5], qd0[5], steps=30)[0].tobytes() == q[5].tobytes()
    assert wt.rollout(m, q0, qd0, steps=30, threads=2)[1].tobytes() == qd.tobytes()
    with ThreadPoolExecutor(2) as pool:
        assert wt.rollout(m, q0, qd0, steps=30, executor=pool)[0].tobytes() == q.tobytes()


def folded() -> wt.Mechanism:
    """A parallelogram whose bars lie on one line at its neutral position, where it may go on in two ways."""
    m = wt.Mechanism("folded")
    bar = wt.Inertia(0.8, (0.35, 0, 0), (0.001, 0.03, 0.03))
    m.add_body("left", wt.Revolute("y"), inertia=bar)
    m.add_body("right", wt.Revolute("y"), placement=wt.Placement((1.1, 0, 0)), inertia=bar)
    m.add_body("beam", wt.Revolute("y"), "left", wt.Placement((0.7, 0, 0)), wt.Inertia(2.3, (0.4, 0, 0.1)))
    m.add_loop("pin", wt.Revolute("y"), "right", "beam", wt.Placement((0.7, 0, 0)), wt.Placement((1.1, 0, 0)))
    return m


def test_a_singular_start_is_no_end():
    m = folded()
    K = wt.constraint_jacobian(m, m.neutral())
    generic = wt.constraint_jacobian(m, generic_position(m))
    assert np.linalg.matrix_rank(generic, 1e-9) == 2 > np.linalg.matrix_rank(K, 1e-9)
    q, _ = wt.rollout(m, m.neutral(), np.zeros(3), steps=300)
    assert np.all(np.isfinite(q))
    assert np.max(np.abs(wt.compile(wt.constraint_error, m)(q))) < 1e-6
    # simulate leaves the singular position by a step of high order: Euler's steps, extrapolated, end there.
    half, _ = wt.rollout(m, m.neutral(), np.zeros(3), steps=200, dt=5e-4)
    run = wt.simulate(m, m.neutral(), np.zeros(3), 0.1, method="euler", dt=1e-4)
    np.testing.assert_allclose(2.0 * half[-1] - q[99], run.q[-1], rtol=0, atol=1e-5)


def test_open_starts_are_refused():
    m = wt.examples.load("four-bar")
    q0, qd0 = starts(m, 4)
    with pytest.raises(
        wt.InputError,
        match=r"q0 of trajectory 2 leaves loop 'pin' open by 0\.\d+, more than .*: take it from wt\.assemble",
    ):
        wt.rollout(m, q0 + 0.1 * np.eye(4, 3, -1)[[0, 0, 1, 0]], qd0, steps=3)
    with pytest.raises(
        wt.InputError, match=r"qd0 of trajectory 1 opens loop 'pin' at a rate of .*wt\.project_velocity"
    ):
        wt.rollout(m, q0, qd0 + np.array([[0.0], [1.0], [0.0], [0.0]]), steps=3)


def test_loops_that_cannot_be_closed_are_told():
    m = folded()
    assert [loop.name for loop in m.loops] == ["pin"]
    m.change("pin", placement_p=wt.Placement((0.7, 0, 0)), placement_s=wt.Placement((9.1, 0, 0)))
    with pytest.raises(wt.SolverError, match="pin"):
        generic_position(m)


def scissor_lift() -> tuple[wt.Mechanism, np.ndarray]:
    """Two stages of crossed bars. Near its neutral position all bars coincide, and it can move two ways."""
    m, P = wt.Mechanism("scissor"), wt.Placement
    bar = wt.Inertia(1.0, (0.5, 0.0, 0.0), (0.001, 0.09, 0.09))
    m.add_body("a0", wt.Revolute("-y"), inertia=bar)
    m.add_body("foot", wt.Prismatic("x"), inertia=wt.Inertia(0.5))
    m.add_body("b0", wt.Revolute("-y"), parent="foot", inertia=bar)
    m.add_body("a1", wt.Revolute("-y"), parent="b0", placement=P((1.0, 0.0, 0.0)), inertia=bar)
    m.add_body("b1", wt.Revolute("-y"), parent="a0", placement=P((1.0, 0.0, 0.0)), inertia=bar)
    middle = P((0.5, 0.0, 0.0))
    m.add_loop("m0", wt.Revolute("y"), "a0", "b0", middle, middle)
    m.add_loop("m1", wt.Revolute("y"), "a1", "b1", middle, middle)
    t = 0.6
    return m, np.array([t, np.cos(t), np.pi - t, 2.0 * t - np.pi, np.pi - 2.0 * t])


def test_constraints_are_those_of_the_start():
    m, q = scissor_lift()
    q_end, _ = wt.rollout(m, q, np.zeros(5), steps=200)
    assert np.abs(wt.constraint_error(m, q_end[-1])).max() < 1e-12
    run = wt.simulate(m, q, duration=0.2, method="euler")
    np.testing.assert_allclose(q_end[-1], run.q[-1], atol=1e-9)


def test_starts_that_need_other_constraints_are_told_apart():
    K = np.zeros((3, 4, 5))
    K[0, [0, 1], [0, 1]] = K[1, [0, 1], [0, 1]] = K[2, [2, 3], [0, 1]] = 1.0
    assert rows_for(K[:2], (0, 1)) == (0, 1)
    assert rows_for(K[2:], (0, 1)) == (2, 3)
    assert rows_for(K[2:], None) == (2, 3)
    with pytest.raises(wt.InputError, match="q0 of trajectory 2 is assembled another way"):
        rows_for(K, (0, 1))
