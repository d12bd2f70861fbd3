"""Simulated motion against closed forms, and against a solution of its own of equations derived by hand."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import whippletree as wt
from whippletree.simulation.integrators import INTEGRATORS
from whippletree.simulation.integrators.runge_kutta import RungeKutta4, RungeKutta6

ROD = wt.Inertia(mass=1.0, com=(0.0, 0.0, -0.5), about_com=(1 / 12, 1 / 12, 0.0))


def mixed() -> wt.Mechanism:
    """Coordinates of several kinds, quaternions among them, with springs and dampers."""
    m = wt.Mechanism("mixed", gravity=(0.3, -0.4, -9.5))
    inertia = wt.Inertia(
        1.3, (0.1, 0.2, -0.4), np.array([[0.2, 0.01, 0], [0.01, 0.3, 0.02], [0, 0.02, 0.25]])
    )
    m.add_body("ball", wt.Spherical(), inertia=inertia, damping=0.3)
    m.add_body("plate", wt.Planar("x"), "ball", wt.Placement((0.1, 0.3, -0.5)), inertia)
    m.add_body("arm", wt.Revolute((0.6, 0, 0.8)), "plate", wt.Placement((0.2, 0, 0)), inertia, stiffness=9.0)
    m.add_spring("hold", "ground", (0.1, 0.2, -1.0), "plate", (0.1, 0, 0.2), 60.0, 0.5, 0.2)
    return m


MIXED_START = (mixed().random(np.random.default_rng(2)), np.linspace(-1.0, 0.8, 7))


def mixed_error(method: str, reference: wt.Trajectory, **options) -> float:
    m = mixed()
    run = wt.simulate(m, *MIXED_START, duration=0.5, method=method, **options)
    return float(
        np.linalg.norm([*m.difference(reference.q[-1], run.q[-1]), *(run.qd[-1] - reference.qd[-1])])
    )


@pytest.fixture(scope="module")
def reference() -> wt.Trajectory:
    return wt.simulate(mixed(), *MIXED_START, duration=0.5, method="DOP853", rtol=1e-13, atol=1e-14)


COARSE = {"euler": 1 / 512, "rk6": 1 / 80}
"""Steps, s, with which errors are those of the method: neither of rounding nor of higher order."""


@pytest.mark.parametrize("method", INTEGRATORS)
def test_order_of_the_methods_of_fixed_step(method, reference):
    coarse = COARSE.get(method, 1 / 128)
    errors = [mixed_error(method, reference, dt=coarse / k) for k in (1, 2)]
    order = INTEGRATORS[method].order
    assert errors[1] > 2e-13
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("table", [RungeKutta4, RungeKutta6])
def test_weights_integrate_polynomials(table):
    """Σ b c^(k-1) = 1/k: the quadrature conditions of the order (Hairer, Nørsett, Wanner, §II.2)."""
    c = np.array([sum(row) for row in table.A])
    for k in range(1, table.order + 1):
        assert np.array(table.b) @ c ** (k - 1) == pytest.approx(1.0 / k, abs=1e-14)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF"])
def test_methods_that_choose_their_steps_follow_the_tolerance(method, reference):
    loose, tight = (mixed_error(method, reference, rtol=tol, atol=0.01 * tol) for tol in (1e-4, 1e-7))
    assert tight < 3e-5
    assert tight < 0.05 * loose


@pytest.mark.parametrize("method", ["euler", "midpoint", "rk4", "rk6", "RK45", "DOP853", "Radau", "BDF"])
def test_quaternions_keep_their_norm(method):
    run = wt.simulate(mixed(), *MIXED_START, duration=0.5, method=method, rtol=1e-4, atol=1e-5, sample=0.01)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.t, np.arange(51) * 0.01, rtol=0, atol=1e-12)


def top(moments: tuple[float, float, float]) -> wt.Mechanism:
    m = wt.Mechanism("top", gravity=(0, 0, 0))
    m.add_body("body", wt.Free(), inertia=wt.Inertia(1.7, (0.1, -0.2, 0.15), moments))
    return m


def test_free_asymmetric_top_keeps_energy_and_momentum_for_100_seconds():
    m = top((0.4, 0.7, 0.9))
    qd0 = np.array([0.3, 2.0, -0.4, 0.5, -0.1, 0.2])  # near the unstable axis
    run = wt.simulate(m, None, qd0, 100.0, method="DOP853", rtol=1e-12, atol=1e-13)
    assert np.ptp(run.energy) < 1e-9 * run.energy[0]
    momentum = wt.compile(wt.momentum, m)(run.q, run.qd)
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-9 * float(np.linalg.norm(momentum[0])))
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, rtol=0, atol=1e-14)


def test_free_asymmetric_top_follows_elliptic_functions():
    """Euler's equations for A < B < C, 2 E B > L² (Landau and Lifshitz, Mechanics, §37, mirrored)."""
    A, B, C = 0.4, 0.7, 0.9
    m = wt.Mechanism("top", gravity=(0, 0, 0))
    m.add_body("body", wt.Spherical(), inertia=wt.Inertia(0.0, about_com=(A, B, C)))
    w1, w3 = 2.0, 0.5
    E2, L2 = A * w1**2 + C * w3**2, (A * w1) ** 2 + (C * w3) ** 2
    assert L2 < E2 * B  # the polhode encircles the axis of A
    peak = np.sqrt((L2 - E2 * A) / (B * (B - A)))
    rate = np.sqrt((B - A) * (E2 * C - L2) / (A * B * C))
    parameter = (C - B) * (L2 - E2 * A) / ((B - A) * (E2 * C - L2))
    duration = 8 * ellipk(parameter) / rate
    run = wt.simulate(m, None, [w1, 0.0, w3], duration, method="DOP853", rtol=1e-12, atol=1e-13)
    sn, cn, dn, _ = ellipj(rate * run.t, parameter)
    # ω2' = (C - A) ω3 ω1 / B is positive at the start.
    expected = np.array([w1 * dn, peak * sn, w3 * cn]).T
    np.testing.assert_allclose(run.qd, expected, rtol=0, atol=1e-10)


def test_lagrange_top_precesses_as_in_its_closed_form():
    """Steady precession: I3 ω3 Ω - I1 Ω² cos θ = m g l (Goldstein, §5.7)."""
    mass, length, I1_com, I3, tilt, precession = 0.6, 0.3, 0.01, 0.004, 0.5, 2.5
    I1 = I1_com + mass * length**2
    spin = (mass * 9.81 * length + I1 * precession**2 * np.cos(tilt)) / (I3 * precession)
    m = wt.Mechanism("top")
    m.add_body("top", wt.Spherical(), inertia=wt.Inertia(mass, (0, 0, length), (I1_com, I1_com, I3)))
    q0 = wt.Placement(rpy=(tilt, 0, 0)).quaternion  # leaning towards -y
    # Precession about the world's z, in body axes, and the rest of the spin about the body's own.
    qd0 = np.array([0.0, precession * np.sin(tilt), spin])
    run = wt.simulate(m, q0, qd0, 10.0, method="DOP853", rtol=1e-12, atol=1e-13, sample=0.05)
    axis = wt.compile(wt.forward_kinematics, m)(run.q)[:, 0, :3, 2]
    angle = precession * run.t
    expected = np.sin(tilt) * np.array([np.sin(angle), -np.cos(angle), 0 * angle]).T + [0, 0, np.cos(tilt)]
    np.testing.assert_allclose(axis, expected, rtol=0, atol=1e-8)


def extrapolated(slope, y: np.ndarray, duration: float, steps: int) -> np.ndarray:
    """Gragg, Bulirsch and Stoer's method in extended precision, of order 16."""
    y, H = y.astype(np.longdouble), np.longdouble(duration) / steps
    counts = np.arange(2, 18, 2)
    for _ in range(steps):
        row: list[np.ndarray] = []
        for j, n in enumerate(counts):
            h = H / n
            before, at = y, y + h * slope(y)
            for _ in range(n - 1):
                before, at = at, before + 2 * h * slope(at)
            new = [(before + at + h * slope(at)) / 2]
            for k in range(j):
                ratio = np.longdouble(n) / counts[j - 1 - k]
                new.append(new[k] + (new[k] - row[k]) / (ratio * ratio - 1))
            row = new
        y = row[-1]
    return y


def test_double_pendulum_follows_equations_derived_by_hand():
    """Two rods of 1 kg and 1 m; a and b are their angles to the vertical."""
    g = np.longdouble(9.81)

    def slope(y):
        a, b, u, v = y
        c, s = np.cos(a - b), np.sin(a - b)
        # 4/3 a'' + 1/2 c b'' = f1,  1/2 c a'' + 1/3 b'' = f2
        f1 = -s * v * v / 2 - 3 * g * np.sin(a) / 2
        f2 = s * u * u / 2 - g * np.sin(b) / 2
        det = np.longdouble(4) / 9 - c * c / 4
        return np.array([u, v, (f1 / 3 - c * f2 / 2) / det, (4 * f2 / 3 - c * f1 / 2) / det])

    a, b, u, v = 0.9, -0.4, 0.3, -1.1
    exact = extrapolated(slope, np.array([a, b, u, v]), 10.0, 400)
    finer = extrapolated(slope, np.array([a, b, u, v]), 10.0, 500)
    assert np.max(np.abs(exact - finer)) < 1e-12
    m = wt.examples.load("double-pendulum")
    run = wt.simulate(m, [a, b - a], [u, v - u], 10.0, rtol=1e-12, atol=1e-13)
    q, qd = run.q[-1], run.qd[-1]
    got = [q[0], q[0] + q[1], qd[0], qd[0] + qd[1]]
    np.testing.assert_allclose(got, exact.astype(float), rtol=0, atol=1e-8)


def test_a_chain_of_balls_swings_for_100_seconds_without_drift():
    m = wt.Mechanism("chain")
    for k in range(4):
        place = wt.Placement((0, 0, -1.0 if k else 0.0))
        inertia = wt.Inertia(1.0, (0, 0.01, -0.5), (0.09, 0.08, 0.01))
        m.add_body(f"link{k}", wt.Spherical(), f"link{k - 1}" if k else "ground", place, inertia)
    rng = np.random.default_rng(0)
    run = wt.simulate(m, None, rng.normal(size=m.nv), 100.0, method="rk6", dt=0.02, sample=0.1)
    norms = np.linalg.norm(run.q.reshape(-1, 4, 4), axis=2)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-12)
    assert np.ptp(run.energy) < 1e-4 * np.ptp(run.kinetic)


def slider(**properties) -> wt.Mechanism:
    m = wt.Mechanism("slider")
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(2.0), **properties)
    return m


def test_a_damped_spring_swings_as_in_its_closed_form():
    k, c, mass, x0, v0, rest = 50.0, 3.0, 2.0, 0.4, -0.7, 0.1
    run = wt.simulate(slider(stiffness=k, damping=c, rest=(rest,)), [x0], [v0], 3.0, rtol=1e-11, atol=1e-13)
    decay = c / (2 * mass)
    w = np.sqrt(k / mass - decay**2)
    a, b = x0 - rest, (v0 + decay * (x0 - rest)) / w
    expected = rest + np.exp(-decay * run.t) * (a * np.cos(w * run.t) + b * np.sin(w * run.t))
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=0, atol=1e-10)


def test_a_spring_between_points_swings_as_in_its_closed_form():
    m = slider()
    m.add_spring("s", "ground", (-1.0, 0.0, 0.0), "block", (0.2, 0.0, 0.0), stiffness=30.0, length=0.9)
    run = wt.simulate(m, [0.1], [0.0], 4.0, rtol=1e-11, atol=1e-13)
    # Slack at x = -1 + 0.9 - 0.2.
    expected = -0.3 + 0.4 * np.cos(np.sqrt(30.0 / 2.0) * run.t)
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=0, atol=1e-9)
    assert np.ptp(run.energy) < 1e-9


def test_a_sliding_block_stops_by_friction():
    run = wt.simulate(slider(friction=6.0), [0.0], [1.5], 2.0, method="Radau")
    assert run.q[-1, 0] == pytest.approx(1.5**2 / (2 * 3.0), rel=2e-3)
    assert abs(run.qd[-1, 0]) < 1e-8


def test_a_stop_throws_a_block_back():
    m = slider(limits=wt.Limits(upper=0.5, stiffness=4e4))
    run = wt.simulate(m, [0.0], [2.0], 0.5, method="DOP853", rtol=1e-10, atol=1e-12)
    assert np.max(run.q) == pytest.approx(0.5 + 2.0 * np.sqrt(2.0 / 4e4), abs=1e-3)  # ½ m v² = ½ k x²
    assert run.qd[-1, 0] == pytest.approx(-2.0, abs=1e-6)
    lossy = slider(limits=wt.Limits(upper=0.5, stiffness=4e4, dissipation=0.3))
    assert -1.6 < wt.simulate(lossy, [0.0], [2.0], 0.5, method="DOP853").qd[-1, 0] < -0.8


def test_actuators_end_at_their_effort_limit():
    run = wt.simulate(
        slider(limits=wt.Limits(effort=5.0)), duration=2.0, control=lambda t, q, qd: [8.0], method="rk4"
    )
    np.testing.assert_allclose(run.q[:, 0], 0.5 * (5.0 / 2.0) * run.t**2, rtol=0, atol=1e-12)
    assert np.all(run.tau == 5.0)
    np.testing.assert_allclose(run.power, 5.0 * run.qd[:, 0])


def test_forces_on_bodies_act():
    m = slider()
    run = wt.simulate(m, duration=1.0, external=lambda t, q, qd: [[0, 0, 0, 6.0 * t, 1.0, 2.0]])
    assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-9)  # x'' = 3 t


def test_gears_hold_during_motion():
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", "upper", "lower", ratio=-2.0, offset=0.1)
    run = wt.simulate(m, [0.7, -1.3], [0.5, -1.0], 3.0, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 1], 0.1 - 2.0 * run.q[:, 0], rtol=0, atol=1e-11)
    assert np.ptp(run.energy) < 1e-8
    assert np.ptp(run.q[:, 0]) > 0.3
    with pytest.raises(wt.InputError, match="qd0 has 1 for joint 'lower', which gear 'belt' holds at -1:"):
        wt.simulate(m, [0.7, -1.3], [0.5, 1.0])


@pytest.mark.parametrize(
    ("method", "rtol", "most"), [("DOP853", 1e-6, 1e-5), ("DOP853", 1e-11, 1e-10), ("RK45", 1e-8, 1e-5)]
)
def test_steps_end_where_stops_begin(method: str, rtol: float, most: float) -> None:
    """A block between two stops: straight on between them, half a swing at each; kinks cost no digits."""
    k, mass, v = 5e3, 2.0, 1.3
    m = wt.Mechanism("slide", gravity=(0.0, 0.0, 0.0))
    stops = wt.Limits(-0.3, 0.5, stiffness=k)
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(mass), limits=stops)
    w = np.sqrt(k / mass)
    run = wt.simulate(m, [0.0], [v], 10.0, method=method, rtol=rtol, atol=1e-2 * rtol)
    t = run.t % (1.6 / v + 2.0 * np.pi / w)
    swing = np.pi / w
    ends = np.cumsum([0.5 / v, swing, 0.8 / v, swing])
    exact = np.select(
        [t < ends[0], t < ends[1], t < ends[2], t < ends[3]],
        [
            v * t,
            0.5 + v / w * np.sin(w * (t - ends[0])),
            0.5 - v * (t - ends[1]),
            -0.3 - v / w * np.sin(w * (t - ends[2])),
        ],
        -0.3 + v * (t - ends[3]),
    )
    np.testing.assert_allclose(run.q[:, 0], exact, rtol=0, atol=most)
    assert np.ptp(run.energy) < most
