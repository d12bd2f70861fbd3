"""Articulated-body equations of frames: by projection, and by assembly from parts.

Source of truth: the articulated-body algorithm with external forces, for what a force at a frame does.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt


@pytest.fixture(params=range(6))
def case(request):
    """A tree with every joint type, its state and joint forces."""
    rng = np.random.default_rng(request.param)
    m = randoms.tree(rng, [str(name) for name in rng.permutation(list(randoms.JOINTS))], branching=0.6)
    q, qd = randoms.state(rng, m)
    return m, q, qd, rng.normal(size=m.nv), rng


def test_handles_accelerate_as_their_equations_say(case):
    m, q, qd, tau, rng = case
    handles = [int(i) for i in rng.choice(len(m), size=3, replace=False)]
    elsewhere = rng.normal(size=(len(m), 6))
    Phi, b = wt.dynamics.handle_equations(m, q, qd, tau, [f"b{i}" for i in handles], elsewhere)
    force = rng.normal(size=(3, 6))
    f_ext = elsewhere.copy()
    f_ext[handles] += force
    qdd = wt.aba(m, q, qd, tau, f_ext)
    expected = wt.body_accelerations(m, q, qd, qdd)[handles].ravel()
    assert_allclose(Phi @ force.ravel() + b, expected, rtol=0, atol=1e-9 * np.max(np.abs(expected)))
    assert_allclose(Phi, Phi.T, rtol=0, atol=1e-12 * np.max(np.abs(Phi)))


def test_rank_is_the_number_of_freedoms(case):
    m, q, _, _, _ = case
    for i in range(len(m)):
        J, Phi = wt.jacobian(m, q, f"b{i}"), wt.inverse_operational_inertia(m, q, f"b{i}")
        assert np.linalg.matrix_rank(Phi, tol=1e-10) == np.linalg.matrix_rank(J, tol=1e-10)


def test_operational_inertia_of_a_frame(case):
    _, _, _, _, rng = case
    m = randoms.floating_tree(rng, ["revolute", "universal", "spherical", "prismatic"])
    m.add_frame("tool", "b3", randoms.placement(rng))
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    Lambda, Phi = (f(m, q, "tool") for f in (wt.operational_inertia, wt.inverse_operational_inertia))
    assert_allclose(Lambda @ Phi, np.eye(6), rtol=0, atol=1e-9)
    assert_allclose(wt.dynamics.handle_equations(m, q, qd, tau, ["tool"])[0], Phi, rtol=0, atol=1e-12)
    # The base of a floating tree: its articulated inertia inverts what wrenches on it do.
    response = [
        wt.dynamics.floating_aba(m, q, qd, tau + step)[:6] - wt.dynamics.floating_aba(m, q, qd, tau)[:6]
        for step in np.eye(m.nv)[:6]
    ]
    assert_allclose(np.array(response).T @ wt.operational_inertia(m, q, "base"), np.eye(6), rtol=0, atol=1e-8)


def test_no_handles():
    m = wt.examples.load("double-pendulum")
    two = np.array([0.1, 0.2])
    Phi, b = wt.dynamics.handle_equations(m, two, two, two, [])
    assert Phi.shape == (0, 0)
    assert b.shape == (0,)


def test_frames_without_six_freedoms_are_refused():
    m = wt.examples.load("double-pendulum")
    with pytest.raises(wt.SingularError, match=r"'tip' of 'double-pendulum' can move in 2 of 6 directions"):
        wt.operational_inertia(m, np.array([0.1, 0.2]), "tip")
    # Six joints, but at this position two of the axes are one.
    wrist = wt.Mechanism("wrist")
    box, parent = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)), "ground"
    for i, axis in enumerate("zyyzyz"):
        place = wt.Placement((0.1 if i < 4 else 0.0, 0.0, 0.4))
        wrist.add_body(f"b{i}", wt.Revolute(axis), parent, place, box)
        parent = f"b{i}"
    bent, straight = (np.array([0.1, 0.7, -0.9, 0.3, angle, 0.2]) for angle in (0.8, 0.0))
    assert np.linalg.matrix_rank(wt.operational_inertia(wrist, bent, "b5")) == 6
    with pytest.raises(
        wt.SingularError, match=r"'b5' of 'wrist' can move in 5 of 6 directions.*use inverse_op"
    ):
        wt.operational_inertia(wrist, straight, "b5")
