"""Derivatives of closed and geared mechanisms along the directions these admit.

Source of truth: the complex step on another method of forward dynamics, exact to rounding.
"""

import numpy as np
import pytest

import closed
import randoms
import whippletree as wt
from complex_steps import STEP, by_complex_step, error
from whippletree.model.positions import rate

LIMIT = 1e-12


def admissible(rng: np.random.Generator, m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> tuple:
    """Changes of q and of qd, (nv,) each, that keep loops and gears closed, in position and velocity."""
    K = wt.constraint_jacobian(m, q)
    d_q = closed.velocity(rng, m, q)
    turned = by_complex_step(lambda m, q: wt.constraint_jacobian(m, q) @ qd, m, {"q": q}, "q") @ d_q
    return d_q, closed.velocity(rng, m, q) - np.linalg.pinv(K, rtol=1e-9) @ turned


def check(m: wt.Mechanism, q: np.ndarray, method: str, other: str) -> None:
    rng = np.random.default_rng(m.nv)
    qd, tau = closed.velocity(rng, m, q), rng.normal(size=m.nv)
    d_q, d_qd = admissible(rng, m, q, qd)
    d_tau = rng.normal(size=m.nv)
    k = wt.derivative(wt.forward_dynamics, m, wrt=("q", "qd", "tau"), at=q, method=method)
    J = k.program(q, qd, tau)
    found = J["q"] @ d_q + J["qd"] @ d_qd + J["tau"] @ d_tau
    reference = wt.compile(wt.forward_dynamics, m, at=q, method=other).program
    moved = (q + 1j * STEP * rate(m, q, d_q), qd + 1j * STEP * d_qd, tau + 1j * STEP * d_tau)
    assert error(found, reference(*moved).imag / STEP) < LIMIT


@pytest.mark.parametrize("name", ["four-bar", "quick-return", "peaucellier"])
def test_linkages(name):
    m = wt.examples.load(name)
    guess = m.integrate(m.neutral(), 0.05 * np.random.default_rng(2).normal(size=m.nv))
    check(m, wt.assemble(m, guess), "grcr", "kkt")


def test_a_loop_of_general_joints():
    rng = np.random.default_rng(4)
    m = randoms.tree(rng, ["revolute", "spherical", "universal"], branching=0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "loop", "cylindrical", -1, 2)
    check(m, q, "grcr", "lambda-first")


def test_a_loop_that_locks_its_joints():
    """Some accelerations are 0 whatever acts: a constant, under the guard that may make it NaN."""
    m, q = closed.mechanism(np.random.default_rng(4), ["revolute", "spherical", "universal"], ["cylindrical"])
    check(m, q, "grcr", "lambda-first")


def test_loop_placements_are_variables():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    names = [f"{m.loops[0].name}.position_s.{axis}" for axis in "xy"] + ["crank.mass"]
    rng = np.random.default_rng(5)
    qd, tau = closed.velocity(rng, m, q), rng.normal(size=m.nv)
    options = {"parameters": names, "at": q}
    values = wt.parameter_values(m, names)
    k = wt.derivative(wt.forward_dynamics, m, wrt=["parameters"], **options)
    program = wt.compile(wt.forward_dynamics, m, method="kkt", **options).program
    columns = [program(q, qd, tau, values + 1j * STEP * e).imag / STEP for e in np.eye(3)]
    found = k.program(q, qd, tau, values)["parameters"]
    # Where the loop opens, methods need not agree; that of a mass keeps it closed.
    assert error(found[:, 2], columns[2]) < LIMIT
    own = wt.compile(wt.forward_dynamics, m, method="grcr", **options).program
    columns = [own(q, qd, tau, values + 1j * STEP * e).imag / STEP for e in np.eye(3)]
    assert error(found, np.stack(columns, axis=-1)) < LIMIT


def test_gears():
    rng = np.random.default_rng(6)
    m = randoms.geared_tree(rng, ["revolute", "prismatic", "revolute", "spherical", "helical"])
    assert m.gears
    q, qd = randoms.geared_state(rng, m)
    tau = rng.normal(size=m.nv)
    G = wt.gear_matrix(m)
    J = wt.derivative(wt.forward_dynamics, m, wrt=("q", "qd")).program(q, qd, tau)

    def by_projection(m, q, qd):
        H, C = wt.crba(m, q), wt.bias_force(m, q, qd)
        return G @ np.linalg.solve(G.T @ H @ G, G.T @ (tau - C))

    for name in ("q", "qd"):
        expected = by_complex_step(by_projection, m, {"q": q, "qd": qd}, name)
        assert error(J[name] @ G, expected @ G) < LIMIT


def test_passive_parts():
    rng = np.random.default_rng(7)
    m = randoms.tree(rng, ["revolute", "spherical"], branching=0.0)
    m.change("b0", damping=0.3, stiffness=4.0, rest=(0.2,))
    m.add_spring("s", "ground", rng.normal(size=3), "b1", rng.normal(size=3), 80.0, 1.5, 0.4)
    m.add_frame("tip", body="b1", placement=randoms.placement(rng))
    m.add_force("wind", frame="tip", force=rng.normal(size=3), reference="aligned")

    def motion(m, q, qd):
        tau, f_ext = wt.passive_forces(m, q, qd)
        return wt.aba(m, q, qd, tau, f_ext)

    q, qd = randoms.state(rng, m)
    J = wt.derivative(motion, m, wrt=("q", "qd")).program(q, qd)
    for name in ("q", "qd"):
        assert error(J[name], by_complex_step(motion, m, {"q": q, "qd": qd}, name)) < LIMIT


def test_where_a_choice_does_not_hold_there_is_no_derivative():
    """Upright, bar 2 of the five-bar leaves q2 and q3 nothing to determine; a choice of them ends there."""
    m = wt.examples.load("five-bar")
    start, zero = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0]), np.zeros(4)
    first = np.arcsin(np.sqrt(2.0) - 1.0)
    upright = np.array([first, np.pi / 2 - first, -np.pi / 4, 0.0])
    wrt = ("q", "tau")
    k = wt.derivative(wt.loops.grcr, m, wrt=wrt, at=start)
    back = wt.vjp(wt.loops.grcr, m, wrt=wrt, at=start)
    for name in wrt:
        assert np.all(np.isfinite(k.program(start, zero, zero)[name]))
        assert np.all(np.isnan(k.program(upright, zero, zero)[name]))
        assert np.all(np.isnan(back.program(upright, zero, zero, np.ones(4))[name]))


def test_a_singular_position_is_told():
    m = wt.Mechanism("doubled")
    rod = wt.Inertia.rod((0, 0, 0), (1, 0, 0), mass=1.3)
    m.add_body("crank", wt.Revolute("z"), inertia=rod)
    m.add_body("coupler", wt.Revolute("z"), parent="crank", placement=wt.Placement((1, 0, 0)), inertia=rod)
    m.add_body("rocker", wt.Revolute("z"), parent="coupler", placement=wt.Placement((1, 0, 0)), inertia=rod)
    m.add_loop("pin", wt.Revolute("z"), "ground", "rocker", wt.Placement((1, 0, 0)), wt.Placement((1, 0, 0)))
    with pytest.raises(wt.SingularError, match=r"^at is a singular position of 'doubled': 1 constraints are"):
        wt.derivative(wt.forward_dynamics, m, at=np.array([0.0, 0.0, np.pi]))


def test_assembly_follows_cranks_and_lengths():
    """The next closed position, found anew, agrees with the first order, and better for smaller changes."""
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
    loop = m.loops[0].name
    names = [f"{loop}.position_p.x", f"{loop}.position_s.y", "rocker.position.x"]
    found = wt.assembly_derivatives(m, q, hold=["crank"], parameters=names)
    values = wt.parameter_values(m, names)
    h = 1e-5
    for k, change in enumerate(np.eye(len(names))):
        ends = [
            wt.assemble(wt.with_parameters(m, names, values + side * h * change), q, hold=["crank"])
            for side in (1.0, -1.0)
        ]
        assert np.allclose(found.parameters[:, k], (ends[0] - ends[1]) / (2 * h), rtol=0.0, atol=1e-8)
    ends = [wt.assemble(m, q + side * h * np.eye(3)[0], hold=["crank"]) for side in (1.0, -1.0)]
    assert np.allclose(found.held[:, 0], (ends[0] - ends[1]) / (2 * h), rtol=0.0, atol=1e-8)
    assert np.allclose(wt.constraint_jacobian(m, q) @ found.held, 0.0, atol=1e-12)


def test_a_dead_centre_is_told():
    """Crank and rod in one line: no turn of the crank follows the slider."""
    m = wt.examples.load("crank-slider")
    p, r = m.bodies[1].placement.position, m.loops[0].placement_p.position
    crank, rod = (-np.arctan2(y, x) for x, y, _ in (p, r))
    q = wt.assemble(m, np.array([crank, rod - crank, 0.0]), hold=["crank", "rod"])
    assert np.all(np.isfinite(wt.assembly_derivatives(m, q, hold=["crank"]).held))
    told = "^assembly_derivatives: q is a singular position of 'crank-slider': as the joints that are held"
    with pytest.raises(wt.SingularError, match=told):
        wt.assembly_derivatives(m, q, hold=["slider"])
