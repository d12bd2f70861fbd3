"""Closed loops against formulas that do without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import whippletree as wt
from whippletree.examples.linkages import four_bars
from whippletree.loops.methods.choosing import BestConditioned
from whippletree.loops.methods.grcr import reduced_dynamics
from whippletree.loops.methods.loop_equations import LoopEquations


def actuator_arm(l1, l2):
    """RBDA figure 8.3: an arm turned by a cylinder and piston between the ground and the arm."""
    m = wt.Mechanism("figure 8.3", gravity=(0.0, -9.81, 0.0))
    rod = wt.Inertia(1.3, (0.3, 0.1, 0.0), (0.02, 0.03, 0.04))
    m.add_body("B1", wt.Revolute("z"), inertia=rod, joint_name="1")
    m.add_body("B2", wt.Revolute("z"), placement=wt.Placement((l1, 0.0, 0.0)), inertia=rod, joint_name="2")
    m.add_body("B3", wt.Prismatic("x"), parent="B2", inertia=rod, joint_name="3")
    elbow = wt.Placement((0.9, 0.0, 0.0))
    m.add_body("B4", wt.Revolute("z"), parent="B1", placement=elbow, inertia=rod, joint_name="4")
    m.add_loop("5", wt.Revolute("z"), "B1", "B3", placement_p=wt.Placement((l2, 0.0, 0.0)))
    return m


def figure_8_3(l1, l2):
    """γ, G and g of RBDA figure 8.3 for y = (q1, q4)."""

    def terms(y):
        c, s = np.cos(y[0]), np.sin(y[0])
        d = np.sqrt(l1**2 + l2**2 - 2 * l1 * l2 * c)
        return c, s, d, (l2**2 - l1 * l2 * c) / d**2, l1 * l2 * s / d

    def gamma(y):
        c, s, d, _, _ = terms(y)
        return np.array([y[0], np.arctan2(l2 * s, l2 * c - l1), d, y[1]])

    def G(y):
        _, _, _, u1, u2 = terms(y)
        return np.array([[1.0, 0.0], [u1, 0.0], [u2, 0.0], [0.0, 1.0]])

    def g(y, yd):
        c, s, d, _, u2 = terms(y)
        u3 = (l1**2 - l2**2) * l1 * l2 * s * yd[0] ** 2 / d**4
        return np.array([0.0, u3, (l1 * l2 * c - u2**2) * yd[0] ** 2 / d, 0.0])

    return wt.loops.Closure(gamma, G, g)


@pytest.mark.parametrize("seed", range(5))
def test_figure_8_3_by_closure_functions_and_by_its_loop(seed):
    rng = np.random.default_rng(seed)
    l1, l2 = rng.uniform(0.5, 1.5, 2)
    m, closure = actuator_arm(l1, l2), figure_8_3(l1, l2)
    y, yd, tau = rng.uniform(0.5, 2.5, 2), rng.normal(size=2), rng.normal(size=4)
    q, qd = closure.gamma(y), closure.G(y) @ yd
    assert_allclose(wt.constraint_error(m, q), 0.0, atol=1e-14)
    assert wt.mobility(m, q).mobility == 2
    ydd = wt.loops.closure_dynamics(m, closure, y, yd, tau)
    expected = closure.G(y) @ ydd + closure.g(y, yd)
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, method), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_example_8_2_actuators_at_joints_3_and_4(seed):
    rng = np.random.default_rng(seed)
    l1, l2 = rng.uniform(0.5, 1.5, 2)
    m, closure = actuator_arm(l1, l2), figure_8_3(l1, l2)
    y, yd, ydd = rng.uniform(0.5, 2.5, 2), rng.normal(size=2), rng.normal(size=2)
    q, qd, G = closure.gamma(y), closure.G(y) @ yd, closure.G(y)
    qdd = G @ ydd + closure.g(y, yd)
    tau_id = wt.rnea(m, q, qd, qdd)
    u1, u2 = G[1, 0], G[2, 0]
    expected = np.array([[1 / u2, u1 / u2, 1, 0], [0, 0, 0, 1]]) @ tau_id
    tau = wt.inverse_dynamics(m, q, qd, qdd, actuated=["3", "4"])
    assert_allclose(tau, [0.0, 0.0, *expected], rtol=1e-10, atol=1e-12)
    assert wt.actuation(m, q, ["3", "4"]).kind == "properly"
    assert wt.actuation(m, q, ["1", "3"]).kind == "under and redundantly"
    assert wt.actuation(m, q, ["1", "3", "4"]).kind == "redundantly"
    assert wt.actuation(m, q, ["4"]).kind == "under"
    with pytest.raises(wt.SolverError, match=r"by forces on 4 alone.*drive 1 of 2 freedoms"):
        wt.inverse_dynamics(m, q, qd, qdd, actuated=["4"])


def test_planar_four_bar_has_the_books_numbers():
    m = wt.examples.load("four-bar")
    report = wt.mobility(m, m.neutral())
    assert (report.freedoms, report.constraints, report.rank, report.mobility) == (3, 5, 2, 1)
    assert report.redundant == {"pin": 3}


def test_crank_slider_moves_as_its_formula_says():
    m = wt.examples.load("crank-slider")
    r, l = 0.15, 0.5
    start, offset = np.arctan2(0.12, 0.09), 0.09 + np.sqrt(0.5**2 - 0.12**2)
    for angle in np.linspace(-3.0, 3.0, 13):
        guess = np.array([angle - start, 0.0, 0.0])
        q = wt.assemble(m, guess, hold=["crank"])
        assert q[0] == guess[0]
        s, c = np.sin(angle), np.cos(angle)
        root = np.sqrt(l**2 - (r * s) ** 2)
        assert_allclose(abs(q[2] + offset - r * c), root, rtol=1e-12)
        side = np.sign(q[2] + offset - r * c)  # the other way to put rod and slider together
        qd = wt.project_velocity(m, q, np.array([1.7, 0.0, 0.0]), hold=["crank"])
        assert_allclose(qd[2], 1.7 * (-r * s - side * r**2 * s * c / root), atol=1e-12)


def test_four_bar_moves_as_freudenstein_says():
    """Freudenstein's equation between the angles of crank and rocker."""
    m = wt.examples.load("four-bar")
    a, b, c, d = np.hypot(0.12, 0.16), np.hypot(0.6, 0.34), np.hypot(0.02, 0.5), 0.7
    crank, rocker = np.arctan2(0.16, 0.12), np.arctan2(0.5, 0.02)
    q = m.neutral()
    for angle in np.linspace(0.0, 2 * np.pi, 25):
        q = wt.assemble(m, np.array([angle, *q[1:]]), hold=["crank"])
        t, p = crank + q[0], rocker + q[2]
        left = d / a * np.cos(p) - d / c * np.cos(t) + (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
        assert_allclose(left, np.cos(t - p), atol=1e-12)
    assert_allclose(q[2], 0.0, atol=1e-12)  # once round


def test_peaucelliers_pen_moves_on_a_straight_line():
    m = wt.examples.load("peaucellier")
    q = m.neutral()
    x = wt.frame_pose(m, q, "pen")[0, 3]
    heights = []
    for angle in np.linspace(0.0, -1.0, 11):
        q = wt.assemble(m, np.array([angle, *q[1:]]), hold=["crank"])
        position = wt.frame_pose(m, q, "pen")[:3, 3]
        assert_allclose(position[0], x, rtol=1e-12)
        heights.append(position[1])
    assert np.ptp(heights) > 0.5


def test_pantograph_enlarges_two_and_a_half_times():
    m = wt.examples.load("pantograph")
    m.add_frame("tracer", "short-arm", m.loops[0].placement_p)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = wt.assemble(m, 0.2 * rng.normal(size=m.nv))
        pen, tracer = (wt.frame_pose(m, q, frame)[:3, 3] for frame in ("pen", "tracer"))
        assert_allclose(pen, 2.5 * tracer, atol=1e-12)


def test_delta_robot_does_not_turn_its_plate():
    m = wt.examples.load("delta-robot")
    rng = np.random.default_rng(2)
    q = m.neutral()
    assert wt.mobility(m, q).mobility == 3
    for i, name in enumerate(("arm0", "arm1", "arm2")):
        q[m.q_index[m.joint_number(name)]] = (0.2, -0.15, 0.1)[i]
    q = wt.assemble(m, q, hold=["arm0", "arm1", "arm2"])
    assert_allclose(wt.frame_pose(m, q, "tool")[:3, :3], np.eye(3), atol=1e-12)
    qd = wt.project_velocity(m, q, rng.normal(size=m.nv))
    assert_allclose(wt.frame_velocity(m, q, qd, "tool")[:3], 0.0, atol=1e-12)


def row_of_four_bars(windows, angle, rate):
    """State of the parallelogram branch, all bars at one angle."""
    signs = np.array([1.0 if i % 2 == 0 else -1.0 for i in range(2 * windows + 1)])
    return signs * angle, signs * rate


@pytest.mark.parametrize("windows", [1, 2, 7])
def test_four_bars_in_a_row_fall_as_one_pendulum(windows):
    m = four_bars(windows)
    K = 9.81 * ((windows + 1) / 2 + windows) / ((windows + 1) / 3 + windows)
    for angle in (0.3, 1.2, 2.9, -1.0):
        q, qd = row_of_four_bars(windows, angle, -0.8)
        qdd = wt.forward_dynamics(m, q, qd, np.zeros(m.nv))
        assert_allclose(qdd, row_of_four_bars(windows, -K * np.cos(angle), 0.0)[0], rtol=1e-11, atol=1e-11)


def simulate(m, q, qd, duration, accelerations, rtol):
    """A trajectory by SciPy, projected after every step: times, states and the largest gap."""
    from scipy.integrate import DOP853

    def rates(t, y):
        return np.concatenate([y[m.nq :], accelerations(y[: m.nq], y[m.nq :])])

    solver = DOP853(rates, 0.0, np.concatenate([q, qd]), duration, rtol=rtol, atol=rtol)
    times, states, gap = [0.0], [solver.y], 0.0
    while solver.status == "running":
        solver.step()
        q = wt.project_position(m, solver.y[: m.nq])
        solver.y = np.concatenate([q, wt.project_velocity(m, q, solver.y[m.nq :])])
        solver.f = rates(solver.t, solver.y)
        gap = max(gap, float(np.abs(wt.constraint_error(m, q)).max()))
        times.append(solver.t)
        states.append(solver.y)
    assert solver.status == "finished"
    return np.array(times), np.array(states), gap


class Compiled:
    """Accelerations in machine code, with dependent coordinates chosen anew where the old choice degrades."""

    def __init__(self, m, tau=None):
        self.m, self.tau = m, np.zeros(m.nv) if tau is None else tau
        self.dependents = []
        self.quality = None

    def __call__(self, q, qd):
        if self.quality is None or self.quality(q) < 0.2 * self.best:
            choices, zero = BestConditioned(self.m, q), np.zeros(self.m.nv)
            reduced_dynamics(self.m, q, zero, zero, None, LoopEquations(self.m, q, zero, None, choices))
            reduction = choices.reduction
            self.dependents.append(reduction.dependents)
            self.kernel = wt.compile(with_springs, self.m, reduction=reduction)
            self.quality = wt.compile(wt.loops.reduction_quality, self.m, reduction=reduction)
            self.best = self.quality(q)
        return self.kernel(q, qd, self.tau)


def with_springs(m, q, qd, tau, reduction):
    own, f_ext = wt.passive_forces(m, q, qd)
    return wt.loops.grcr(m, q, qd, tau + own, f_ext, reduction)


def test_two_four_bars_pass_through_their_singular_position():
    m = four_bars(2)
    q, qd = row_of_four_bars(2, np.pi / 2, -1.0)
    reduction = wt.loops.choose_reduction(m, row_of_four_bars(2, 1.1, 0.0)[0])
    kernel = wt.compile(wt.loops.grcr, m, reduction=reduction)
    times, states, gap = simulate(m, q, qd, 10.0, lambda q, qd: kernel(q, qd, np.zeros(5)), 1e-9)
    K = 9.81 * 3.5 / 3.0
    expected = solve_ivp(
        lambda t, y: [y[1], -K * np.cos(y[0])],
        (0, 10),
        [np.pi / 2, -1.0],
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-12,
    )
    assert gap < 1e-10
    assert np.sum(np.diff(np.sign(np.sin(states[:, 0]))) != 0) == 10  # so often all bars lie in one line
    assert_allclose(states[:, 0], expected.y[0], atol=1e-6)


def test_five_bar_by_reduction_and_by_hand():
    """Critchley & Anderson §6. By hand: bars 3 and 4 stay horizontal, and nothing pushes bar 4 along."""
    m = wt.examples.load("five-bar")
    start, rest = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0]), np.zeros(4)
    compiled = Compiled(m)
    times, states, gap = simulate(m, start, rest, 2.0, compiled, 1e-11)
    assert gap < 1e-10
    for y in states[::10]:
        found = wt.loops.grcr(m, y[:4], y[4:], rest)
        assert_allclose(found, compiled(y[:4], y[4:]), rtol=1e-10, atol=1e-10)
    # The paper's choice, q2 and q3, is singular where bar 2 stands upright.
    upright = np.flatnonzero(np.diff(np.sign(np.cos(states[:, 0] + states[:, 1]))))
    assert_allclose(times[upright], [0.81, 1.69], atol=0.03)
    assert compiled.dependents[0] == [1, 2]
    assert len(compiled.dependents) > 1

    def by_hand(t, y):
        a, b, da, db = y
        J, dJ = np.array([-np.sin(a), -np.sin(b)]), np.array([-np.cos(a) * da, -np.cos(b) * db])
        coupling = 0.5 * np.cos(a - b)
        M = np.array([[4 / 3, coupling], [coupling, 1 / 3]]) + np.outer(J, J)
        h = 0.5 * np.sin(a - b) * np.array([db**2, -(da**2)]) + J * (dJ @ [da, db])
        weight = 9.81 * np.array([1.5 * np.cos(a), 0.5 * np.cos(b)])
        K, k = np.array([[np.cos(a), np.cos(b)]]), np.sin(a) * da**2 + np.sin(b) * db**2
        matrix = np.block([[M, K.T], [K, np.zeros((1, 1))]])
        return [da, db, *np.linalg.solve(matrix, [*(-h - weight), k])[:2]]

    y = solve_ivp(by_hand, (0, 2), [np.pi / 4, 3 * np.pi / 4, 0, 0], "DOP853", rtol=1e-12, atol=1e-12).y[
        :, -1
    ]
    found = states[-1]
    assert_allclose([found[0], found[0] + found[1], found[4], found[4] + found[5]], y, atol=1e-9)


PUBLISHED = {
    "beta": (-0.06171389001427645, 15.81077119629904),
    "Theta": (0.0, -15.75637105984298),
    "gamma": (0.45527981916307037, 0.04082224013073101),
    "Phi": (0.22266839016588588, -0.5347301163226948),
    "delta": (0.48736497954384256, 0.5244099658805303),
    "Omega": (-0.22266839016588588, 0.5347301163226948),
    "epsilon": (1.2305474445498212, 1.048080741042263),
}
"""Andrews' squeezer at t = 0 and t = 0.03, from the test set for IVP solvers."""


def test_andrews_squeezer_ends_where_the_test_set_says():
    m = wt.examples.load("andrews-squeezer")
    start = np.array([PUBLISHED[name][0] for name in m.joint_names])
    torque = np.where(np.array(m.joint_names) == "beta", 0.033, 0.0)
    _, states, gap = simulate(m, start, np.zeros(7), 0.03, Compiled(m, torque), 1e-12)
    assert gap < 1e-10
    end = [PUBLISHED[name][1] for name in m.joint_names]
    assert_allclose(states[-1][:7], end, atol=1e-8)


def test_bricards_linkage_keeps_its_energy_and_its_formula():
    m = wt.examples.load("bricard")
    report = wt.mobility(m, m.neutral())
    assert (report.mobility, report.redundant) == (1, {"J6": 1})
    _, states, gap = simulate(m, np.zeros(5), np.zeros(5), 10.0, Compiled(m), 1e-11)
    energies = [sum(wt.energy(m, y[:5], y[5:])) for y in states]
    assert gap < 1e-10
    assert np.ptp(energies) < 1e-8
    a, b = np.sin(states[:, 0]), np.sin(states[:, 1])
    assert_allclose(a + b + a * b, 0.0, atol=1e-10)
    assert np.ptp(states[:, 0]) > 1.0
