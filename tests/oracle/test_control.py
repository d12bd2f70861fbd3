"""Regulators and motions of least cost.

Source of truth: closed forms, SciPy's solvers of other forms of the same problems, and motions asked for.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.optimize import lsq_linear

import whippletree as wt
from whippletree.control.backward_pass import Slopes, backward

EXAMPLES = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "optimal_control.py"))
"""The problems that are solved here, as they stand in the example."""


def slider(mass):
    """A mass on a horizontal rail."""
    m = wt.Mechanism("slider")
    m.add_body("slide", wt.Prismatic("x"), inertia=wt.Inertia(mass=mass, com=(0, 0, 0)))
    return m


# The linear regulator ------------------------------------------------------------------------------------


def test_lqr_of_a_mass_in_closed_form():
    model = wt.linearize(slider(1.0), np.zeros(1))
    found = wt.lqr(model, Q=np.eye(2), R=[1.0])
    np.testing.assert_allclose(found.K, [[1.0, np.sqrt(3.0)]], rtol=1e-12)
    np.testing.assert_allclose(found.S, [[np.sqrt(3.0), 1.0], [1.0, np.sqrt(3.0)]], rtol=1e-12)


def test_lqr_costs_what_it_says():
    m, up = wt.examples.load("cart-pole"), np.array([0.0, np.pi])
    Q, R = np.diag([2.0, 3.0, 0.2, 0.1]), np.array([[0.3]])
    found = wt.lqr(wt.linearize(m, up, inputs=["cart"]), Q, R)
    z0, dt = np.array([1e-4, 2e-4, 3e-4, -1e-4]), 1e-4
    q, qd = wt.rollout(m, up + z0[:2], z0[2:], found.feedback(m, up), dt=dt, steps=80_000, method="rk4")
    z = np.concatenate([q - up, qd], axis=1)
    cost = np.einsum("ti,ij,tj->", z, Q + found.K.T @ R @ found.K, z) * dt
    np.testing.assert_allclose(cost, z0 @ found.S @ z0, rtol=1e-3)


def test_lqr_of_a_closed_loop_holds_it_upright():
    m = wt.examples.load("crank-slider")
    q = wt.assemble(m, np.array([0.9, 0.0, 0.0]), hold=["crank"])
    tau = np.zeros(m.nv)
    tau[0] = wt.inverse_dynamics(m, q, np.zeros(3), np.zeros(3), actuated=["crank"])[0]
    model = wt.linearize(m, q, tau=tau, inputs=["crank"])
    found = wt.lqr(model, [10.0, 1.0], [0.1])
    start = wt.assemble(m, q + 0.2 * np.eye(3)[0], hold=["crank"])
    moved, _ = wt.rollout(m, start, np.zeros(3), found.feedback(m, q, tau), dt=1e-3, steps=6000, every=6000)
    np.testing.assert_allclose(moved[-1], q, atol=1e-6)


def test_inputs_may_be_a_matrix_of_joint_forces():
    """Two ropes that pull on both joints: B, and so the gain, are those of the joints' own forces, mixed."""
    m, q = wt.examples.load("double-pendulum"), np.array([0.0, np.pi])
    mixed = np.array([[0.7, -0.2, 0.4], [0.3, 1.1, -0.6]])
    model, own = wt.linearize(m, q, inputs=mixed), wt.linearize(m, q)
    np.testing.assert_allclose(model.B, own.B @ mixed, rtol=1e-14, atol=1e-14)
    assert model.inputs == ("u[0]", "u[1]", "u[2]")
    found = wt.lqr(model, np.ones(4), np.ones(3))
    np.testing.assert_array_equal(found.feedback(m, q).gain, mixed @ found.K)


def test_a_wheel_that_rolls_has_no_feedback_along_velocities():
    m = wt.Mechanism("coin")
    m.add_body("coin", wt.RollingDisc(0.2), inertia=wt.Inertia.cylinder(0.2, 0.01, mass=0.3))
    model = wt.linearize(m, m.neutral())
    regulator = wt.Regulator(model, np.zeros((3, len(model.A))), np.zeros_like(model.A), model.eigenvalues)
    with pytest.raises(wt.ModelError, match="no joint velocity 'coin x'"):
        regulator.feedback(m, m.neutral())


def test_lqr_refuses():
    m = wt.examples.load("double-pendulum")
    model = wt.linearize(m, np.zeros(2))
    with pytest.raises(wt.InputError, match=r"Q has shape \(3,\), expected \(4,\) or \(4, 4\): one entry"):
        wt.lqr(model, [1.0, 1.0, 1.0], [1.0, 1.0])
    with pytest.raises(wt.InputError, match="R has the eigenvalue 0: it must be positive definite"):
        wt.lqr(model, np.ones(4), [1.0, 0.0])
    with pytest.raises(wt.InputError, match="Q has the eigenvalue -1: it must be positive semidefinite"):
        wt.lqr(model, [1.0, -1.0, 1.0, 1.0], [1.0, 1.0])
    with pytest.raises(wt.InputError, match="Q is not symmetric"):
        wt.lqr(model, np.eye(4) + np.eye(4, k=1), [1.0, 1.0])
    with pytest.raises(wt.InputError, match=r"model is Mechanism, expected what wt\.linearize gives"):
        wt.lqr(m, np.ones(4), [1.0])  # type: ignore[arg-type]
    two = slider(1.0)
    two.add_body("other", wt.Prismatic("x"), inertia=wt.Inertia(mass=2.0, com=(0, 0, 0)))
    with pytest.raises(wt.SolverError, match=r"no input has a part in the motion with the eigenvalue .*add"):
        wt.lqr(wt.linearize(two, np.zeros(2), inputs=["slide"]), np.ones(4), [1.0])


# The recursion -------------------------------------------------------------------------------------------


def random_slopes(steps, n, nu):
    rng = np.random.default_rng(steps)
    R, S = rng.normal(size=(steps, n + nu + 2, n + nu)), rng.normal(size=(n, n))
    F, g = rng.normal(size=(steps, n, n + nu)), rng.normal(size=(steps, n + nu))
    return Slopes(F, g, R.swapaxes(1, 2) @ R, rng.normal(size=n), S.T @ S)


def test_the_recursion_ends_at_the_stationary_solution_of_riccati_s_equation():
    rng = np.random.default_rng(2)
    A, B, R = rng.normal(size=(4, 4)), rng.normal(size=(4, 2)), rng.normal(size=(8, 6))
    H = R.T @ R
    S = solve_discrete_are(A, B, H[:4, :4], H[4:, 4:], s=H[:4, 4:])
    F, n = np.concatenate([A, B], axis=1), 60
    slopes = Slopes(np.array([F] * n), np.zeros((n, 6)), np.array([H] * n), np.zeros(4), np.zeros((4, 4)))
    free = np.full((n, 2), np.inf)
    law = backward(slopes, -free, free, 0.0)
    assert law is not None
    expected = -np.linalg.solve(H[4:, 4:] + B.T @ S @ B, H[4:, :4] + B.T @ S @ A)
    np.testing.assert_allclose(law.K[0], expected, rtol=1e-10)


def test_limits_are_those_of_a_bounded_least_squares_problem():
    nu, at_limits, slopes = 5, 0, random_slopes(1, 3, 5)
    low, high = np.full((1, nu), -0.6), np.full((1, nu), 0.4)
    for seed in range(20):
        slopes = slopes._replace(g=np.random.default_rng(seed).normal(size=(1, 8)) * 6.0)
        law = backward(slopes, low, high, 0.0)
        assert law is not None
        F = slopes.F[0]
        Q, q = slopes.H[0] + F.T @ slopes.V @ F, slopes.g[0] + F.T @ slopes.v
        L = np.linalg.cholesky(Q[3:, 3:])
        expected = lsq_linear(L.T, -np.linalg.solve(L, q[3:]), (-0.6, 0.4), method="bvls", tol=1e-14)
        np.testing.assert_allclose(law.k[0], expected.x, atol=1e-9)
        held = (law.k[0] == -0.6) | (law.k[0] == 0.4)
        at_limits += held.sum()
        assert not law.K[0][held].any()
        free = ~held
        by_state = -np.linalg.solve(Q[3:, 3:][np.ix_(free, free)], Q[3:, :3][free])
        np.testing.assert_allclose(law.K[0][free], by_state, rtol=1e-9)
        assert np.all(np.abs(law.k[0] + 0.1) <= 0.5)
    assert 20 <= at_limits <= 80
    assert backward(slopes._replace(H=-slopes.H, V=0.0 * slopes.V), low, high, 0.0) is None


# Motions of least cost -----------------------------------------------------------------------------------


def test_a_linear_problem_is_solved_at_once():
    m, steps, dt = slider(2.0), 50, 0.1
    found = wt.ilqr(
        *(m, [1.0], [0.3]),
        lambda q, qd, u: np.concatenate([0.3 * q, 0.2 * u]),
        lambda q, qd: np.concatenate([2.0 * q, 3.0 * qd]),
        steps=steps,
        dt=dt,
    )
    assert found.converged
    assert len(found.costs) == 2
    # All at once, by least squares: x = x0 + G u.
    A, b = np.array([[1.0, dt], [0.0, 1.0]]), np.array([dt * dt, dt]) / 2.0
    G, x, rows, right = np.zeros((2, steps)), np.array([1.0, 0.3]), [], []
    for n in range(steps):
        rows += [0.3 * G[0], 0.2 * np.eye(steps)[n]]
        right += [-0.3 * x[0], 0.0]
        G, x = A @ G, A @ x
        G[:, n] += b
    rows += [2.0 * G[0], 3.0 * G[1]]
    right += [-2.0 * x[0], -3.0 * x[1]]
    expected = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]
    np.testing.assert_allclose(found.u[:, 0], expected, rtol=0, atol=1e-11)


def follows(m, found, dt, atol):
    """The motion is that of `rollout` under its forces."""
    q, qd = wt.rollout(m, found.q[0], found.qd[0], found.tau, dt=dt)
    np.testing.assert_allclose(q, found.q[1:], atol=atol)
    np.testing.assert_allclose(qd, found.qd[1:], atol=10 * atol)
    assert np.all(np.diff(found.costs) < 0.0)


def test_cart_pole_swings_up_within_limits():
    m, goal, found = wt.examples.load("cart-pole"), np.array([0.0, np.pi]), EXAMPLES["cart_pole"]()
    assert found.converged
    assert np.abs(found.u).max() == 15.0
    np.testing.assert_allclose(found.q[-1], goal, atol=0.02)
    np.testing.assert_allclose(found.qd[-1], 0.0, atol=0.02)
    follows(m, found, 0.03, 1e-6)
    # Its feedback brings it back to the motion from beside it.
    q, _ = wt.rollout(m, [0.05, -0.05], [0.1, 0.1], found.feedback, dt=0.03)
    assert np.abs(q[-1] - goal).max() < 0.05


def test_a_closed_loop_is_led_to_where_it_is_to_rest():
    m, found = wt.examples.load("crank-slider"), EXAMPLES["crank_slider"]()
    assert found.converged
    np.testing.assert_allclose([found.q[-1, 0], found.qd[-1, 0]], [2.5, 0.0], atol=1e-3)
    assert np.abs(wt.compile(wt.constraint_error, m)(found.q)).max() < 1e-7
    follows(m, found, 0.02, 1e-6)


def test_a_quadrotor_turns_over_and_flies_to_a_point():
    """A free body: quaternions, and controls that are forces of rotors, which only push."""
    found = EXAMPLES["quadrotor"]()
    assert found.converged
    np.testing.assert_allclose(found.q[-1, :3], [0.5, -0.3, 0.4], atol=0.02)
    assert found.u.min() >= 0.0
    assert found.u.max() <= 6.0
    follows(EXAMPLES["flying_frame"](), found, 0.02, 1e-9)


def test_a_double_pendulum_swings_up():
    found = EXAMPLES["double_pendulum"]()
    assert found.converged
    assert np.abs(found.u).max() <= 12.0
    np.testing.assert_allclose(found.q[-1], [np.pi, 0.0], atol=0.05)
    np.testing.assert_allclose(found.qd[-1], 0.0, atol=0.05)


def test_an_arm_reaches_its_point():
    m, found = wt.examples.load("seven-axis-arm"), EXAMPLES["arm"]()
    assert found.converged
    tool = [wt.frame_pose(m, q, "tool")[:3, 3] for q in (found.q[0] + 0.4, found.q[-1])]
    np.testing.assert_allclose(tool[1], tool[0], atol=1e-3)
    np.testing.assert_allclose(found.qd[-1], 0.0, atol=0.02)


def test_bad_calls():
    m = wt.examples.load("double-pendulum")

    def call(stage=lambda q, qd, u: u, final=lambda q, qd: q, m=m, **changed):
        options = {"steps": 5, "dt": 0.01, **changed}
        return wt.ilqr(m, [0.1, 0.2], [0.0, 0.0], stage, final, **options)

    for message, changed in {
        r"stage is a function of \(x, u\), expected \(q, qd, u\), or these": {"stage": lambda x, u: u},
        r"final is 3, expected a function of \(q, qd\)": {"final": 3},
        "stage is to give an array of residuals, of one axis": {"stage": lambda q, qd, u: u @ u},
        r"u0 has shape \(4, 2\), expected \(5, 2\)": {"u0": np.zeros((4, 2))},
        "limits of control 0 are 2 and -2: nothing is between": {"limits": (2.0, -2.0)},
        r"the least control of limits has shape \(3,\), expected \(2,\)": {"limits": ([1, 2, 3], 4)},
        "limits is 4, expected two": {"limits": 4},
        "actuated names no joint that moves": {"actuated": []},
        r"actuated has shape \(3, 1\), expected \(2, nu\)": {"actuated": np.ones((3, 1))},
        "dt is -1.0, expected a number above 0": {"dt": -1.0},
        "method is 'radau'; known: euler": {"method": "radau"},
        "m is str, expected a Mechanism": {"m": "arm"},
    }.items():
        with pytest.raises(wt.InputError, match=message):
            call(**changed)
    with pytest.raises(wt.SolverError, match="leaves all bounds under the first guess u0"):
        call(u0=np.full((5, 2), 1e200))
    touching = wt.examples.load("bouncing-ball")
    with pytest.raises(wt.ModelError, match=r"ilqr: 'bouncing-ball' has contacts, as .* has no derivatives"):
        wt.ilqr(touching, None, None, lambda q, qd, u: u, lambda q, qd: q, steps=5, dt=0.01)
