"""Springs, dampers, friction, stops and loads of a mechanism count wherever its motion is asked for.

A slider of 3 kg on a vertical rail; each case has one part that acts on it, with its force in closed form.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.dynamics.force_laws.joint_law import SLIP_SPEED

MASS, PARTNER, GRAVITY = 3.0, 1.7, 9.81
Q, QD, TAU = 0.5, -0.8, 2.3
X, XD, U = np.array([Q]), np.array([QD]), np.array([TAU])

JOINT: dict[str, tuple[dict[str, Any], float]] = {
    "stiffness": ({"stiffness": 100.0, "rest": (0.2,)}, -30.0),
    "damping": ({"damping": 4.0}, 3.2),
    "friction": ({"friction": 5.0}, 5.0 * 0.8 / np.sqrt(0.64 + SLIP_SPEED**2)),
    "stops": ({"limits": wt.Limits(-1.0, 0.4, stiffness=70.0, dissipation=0.5)}, -70.0 * 0.1 * 0.6),
}


def with_spring(m: wt.Mechanism) -> None:
    m.add_spring(
        "coil", "ground", (0, 0, 2.0), "slider", (0, 0, 0.1), stiffness=50.0, damping=3.0, length=1.1
    )


def with_force(m: wt.Mechanism) -> None:
    m.add_force("thrust", frame="slider", force=(0.4, 0.0, 6.0))


PARTS: dict[str, tuple[Callable[[wt.Mechanism], None], float]] = {
    "spring": (with_spring, 50.0 * 0.3 - 3.0 * -0.8),
    "force": (with_force, 6.0),
}
CASES = [*JOINT, *PARTS]


def slider(case: str) -> tuple[wt.Mechanism, float]:
    """The slider, and the force of its part at Q, QD."""
    m = wt.Mechanism(case)
    kwargs, force = JOINT.get(case, ({}, 0.0))
    m.add_body("slider", wt.Prismatic("z"), inertia=wt.Inertia(MASS, (0.1, 0, 0)), **kwargs)
    if case in PARTS:
        add, force = PARTS[case]
        add(m)
    return m, force


def pair(case: str) -> tuple[wt.Mechanism, float]:
    """The slider and a partner on the same rail, tied by a loop."""
    m, force = slider(case)
    m.add_body("partner", wt.Prismatic("z"), inertia=wt.Inertia(PARTNER))
    m.add_loop("tie", wt.Fixed(), predecessor="slider", successor="partner")
    return m, force


@pytest.mark.parametrize("case", CASES)
def test_a_slider_feels_what_acts_on_it(case):
    m, force = slider(case)
    qdd = (TAU + force) / MASS - GRAVITY
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, X, XD, U, method), [qdd], rtol=1e-12)
    assert_allclose(wt.inverse_dynamics(m, X, XD, np.array([qdd])), [TAU], rtol=1e-11)
    assert_allclose(m.kernel("forward_dynamics")(X, XD, U), [qdd], rtol=1e-12)
    assert_allclose(m.kernel("inverse_dynamics")(X, XD, [qdd]), [TAU], rtol=1e-11)
    tau, _ = wt.hybrid_dynamics(m, X, XD, np.zeros(1), np.array([qdd]), ["slider"])
    assert_allclose(tau, [TAU], rtol=1e-11)
    _, found = wt.hybrid_dynamics(m, X, XD, U, np.zeros(1), [], method="crba")
    assert_allclose(found, [qdd], rtol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_what_acts_is_added_to_forces_from_outside(case):
    m, force = slider(case)
    wind = np.array([[0.0, 0.0, 0.0, 0.3, 0.2, 1.9]])
    qdd = wt.forward_dynamics(m, X, XD, U, f_ext=wind)
    assert_allclose(qdd, [(TAU + force + 1.9) / MASS - GRAVITY], rtol=1e-12)
    assert_allclose(wt.inverse_dynamics(m, X, XD, qdd, f_ext=wind), [TAU], rtol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_loops_feel_what_acts_on_their_bodies(case):
    m, force = pair(case)
    q, qd, tau = np.full(2, Q), np.full(2, QD), np.array([TAU, 0.7])
    qdd = (tau.sum() + force) / (MASS + PARTNER) - GRAVITY
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, method), [qdd, qdd], rtol=1e-11)
    k = wt.compile(wt.forward_dynamics, m, at=q)
    assert_allclose(k(q, qd, tau), [qdd, qdd], rtol=1e-11)
    needed = wt.inverse_dynamics(m, q, qd, np.full(2, qdd), actuated=["slider"])
    assert_allclose(needed, [tau.sum(), 0.0], rtol=1e-11)
    assert_allclose(wt.inverse_dynamics(m, q, qd, np.full(2, qdd)).sum(), tau.sum(), rtol=1e-11)
    through = PARTNER * (qdd + GRAVITY) - 0.7  # what the tie does to the partner
    joints, loops = wt.reactions(m, q, qd, tau)
    assert_allclose(loops[0, 5], through, rtol=1e-10)
    # The rail holds what gravity, the tie, the part and its motion do not.
    outer = 0.0 if case in JOINT else force
    assert_allclose(joints[0, 5], MASS * (qdd + GRAVITY) + through - outer, rtol=1e-10)
    lam = wt.constraint_forces(m, q, qd, tau)
    pull = wt.constraint_jacobian(m, q).T @ lam
    assert_allclose(pull, [-through, through], rtol=1e-10)
    rows = wt.compile(wt.constraint_forces, m, at=q)(q, qd, tau)
    assert_allclose(rows, lam, rtol=0, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_gears_feel_what_acts_on_their_bodies(case):
    m, force = slider(case)
    m.add_body("partner", wt.Prismatic("z"), inertia=wt.Inertia(PARTNER))
    m.add_gear("rack", driver="slider", driven="partner", ratio=-2.0)
    q, qd, tau = Q * np.array([1.0, -2.0]), QD * np.array([1.0, -2.0]), np.array([TAU, 0.7])
    first = (force + TAU - 1.4 - GRAVITY * (MASS - 2.0 * PARTNER)) / (MASS + 4.0 * PARTNER)
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, method), [first, -2.0 * first], rtol=1e-11)
    assert_allclose(
        wt.inverse_dynamics(m, q, qd, first * np.array([1.0, -2.0])), [TAU - 1.4, 0.0], rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("case", ["stiffness", "stops", "spring"])
def test_energy_counts_springs_and_stops(case):
    m, _ = slider(case)
    stored = {"stiffness": 50.0 * 0.09, "stops": 35.0 * 0.01, "spring": 25.0 * 0.09}[case]
    kinetic, potential = wt.energy(m, X, XD)
    assert_allclose([kinetic, potential], [0.5 * MASS * QD**2, MASS * GRAVITY * Q + stored], rtol=1e-12)
    assert_allclose(m.kernel("energy")(X, XD)[1], potential, rtol=1e-12)
    assert_allclose(wt.potential_energy(m, X), MASS * GRAVITY * Q, rtol=1e-12)
    run = wt.simulate(m, X, XD, duration=0.1, sample=0.1)
    assert_allclose(run.energy[0], kinetic + potential, rtol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_a_run_starts_with_the_same_acceleration(case):
    m, _ = pair(case)
    q, qd = np.full(2, Q), np.full(2, QD)
    qdd = wt.forward_dynamics(m, q, qd, np.zeros(2))
    h = 1e-8  # Euler takes damping at the end of its step
    _, after = wt.rollout(m, q, qd, None, steps=1, dt=h, method="euler")
    assert_allclose((after[-1] - qd) / h, qdd, rtol=1e-7)


def test_compared_methods_agree_where_springs_act():
    m, force = pair("spring")
    q, qd, tau = np.full(2, Q), np.full(2, QD), np.array([TAU, 0.7])
    found = wt.compare(m, q, qd, tau)
    assert found.largest_difference < 1e-11
    assert_allclose(found.qdd[0], (tau.sum() + force) / (MASS + PARTNER) - GRAVITY, rtol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_contact_carries_what_acts(case):
    """A slider that stands: the floor takes what is left of the weight."""
    m, _ = slider(case)
    m.add_shape("foot", wt.Sphere(0.1), body="slider")
    m.add_shape("floor", wt.Plane(), placement=wt.Placement((0, 0, 0.4)))
    m.add_contact("stand", "foot", "floor", friction=0.0)
    own = wt.inverse_dynamics(m, X, np.zeros(1), np.zeros(1))[0]  # what would hold it still
    found = wt.contact.contact_forces(m, X, np.zeros(1), np.array([own - 5.0]))
    assert_allclose(found.force[0, 0], 5.0, rtol=1e-9)


def test_bare_algorithms_say_so():
    bare = [method.accelerations for method in METHODS.values()]
    bare += [wt.rnea, wt.bias_force, wt.joint_reactions, wt.dynamics.hybrid_aba, wt.dynamics.hybrid_crba]
    for algorithm in bare:
        assert "no springs or loads" in (algorithm.__doc__ or "").partition("\n")[0], algorithm.__name__


@pytest.mark.parametrize("case", CASES)
def test_derivatives_count_what_acts(case):
    m, _ = slider(case)
    found = wt.derivative(wt.forward_dynamics, m, wrt=("q", "qd"))(X, XD, U)
    product = wt.jvp(wt.forward_dynamics, m, wrt=("q", "qd"))(X, XD, U, np.ones(1), np.full(1, 2.0))
    h = 1e-30
    by_q = np.imag(wt.forward_dynamics(m, X + 1j * h, XD, U)) / h
    by_qd = np.imag(wt.forward_dynamics(m, X, XD + 1j * h, U)) / h
    assert_allclose(found["q"][0], by_q, rtol=1e-12, atol=1e-12)
    assert_allclose(found["qd"][0], by_qd, rtol=1e-12, atol=1e-12)
    assert_allclose(product, by_q + 2.0 * by_qd, rtol=1e-12, atol=1e-12)
