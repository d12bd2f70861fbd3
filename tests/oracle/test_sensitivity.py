"""Sensitivity: Featherstone, Rigid Body Dynamics Algorithms (2008), §10.2."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from randoms import tree

ANGLES = np.radians([75.0, -75.0, 75.0, -75.0, 75.0, -75.0])
APPLIED = np.array([126.0, 97.5, 70.0, 43.8, 21.9, 6.16])
"""The forces for q̈ = 1, rounded to three digits."""


def links(parents: list[int]) -> wt.Mechanism:
    """Links of figure 10.3, 1 m and 1 kg each, on the given parents; branches start at the parent's end."""
    m = wt.Mechanism("links", gravity=(0, 0, 0))
    link = wt.Inertia(mass=1.0, com=(0.5, 0, 0), about_com=(0, 1 / 12, 1 / 12))
    for i, parent in enumerate(parents):
        at, place = ("ground", None) if parent < 0 else (f"link{parent}", wt.Placement((1, 0, 0)))
        m.add_body(f"link{i}", wt.Revolute("z"), at, place, link)
    return m


def chain(n: int) -> wt.Mechanism:
    return links(list(range(-1, n - 1)))


def test_the_zigzag_magnifies_rounded_forces_a_hundredfold():
    m, one = chain(6), np.ones(6)
    exact = wt.rnea(m, ANGLES, 0 * one, one)
    got = wt.aba(m, ANGLES, 0 * one, APPLIED)
    force_error, error = np.max(np.abs(APPLIED / exact - 1.0)), np.max(np.abs(got - 1.0))
    assert_allclose(force_error, 0.00390, rtol=0, atol=5e-6)
    assert_allclose(error, 0.4106, rtol=0, atol=5e-5)
    assert 80 < error / force_error < 106  # the book: more than 80
    # No error of the forces of that size does more than the bound says, and one does as much.
    bound = wt.force_amplification(m, ANGLES, 0 * one, one)
    signs = np.array(list(product((-1.0, 1.0), repeat=6)))
    worst = np.max(np.abs(signs * exact @ wt.inverse_inertia(m, ANGLES)), axis=0)
    assert_allclose(worst, bound, rtol=1e-12)
    assert error / force_error < np.max(bound)


def test_condition_of_the_zigzag_and_of_straight_chains():
    assert_allclose(wt.sensitivity(chain(6), ANGLES).condition, 725.388, rtol=0, atol=5e-4)
    assert_allclose(wt.sensitivity(chain(6), -ANGLES).condition, 725.388, rtol=0, atol=5e-4)
    # Worst cases; 4 n⁴ is 5184 and 40000.
    assert_allclose(wt.sensitivity(chain(6), np.zeros(6)).condition, 5685.06, rtol=0, atol=5e-3)
    assert_allclose(wt.sensitivity(chain(10), np.zeros(10)).condition, 43523.35, rtol=0, atol=5e-3)


def test_random_poses_stay_below_the_straight_one():
    m, rng = chain(6), np.random.default_rng(0)
    found = [wt.sensitivity(m, m.random(rng)).condition for _ in range(100)]
    assert max(found) < 4287


def test_branches_are_less_sensitive_than_chains():
    rng, tree = np.random.default_rng(2), links([-1, 0, 0, 1, 1, 2, 2])
    for q in (np.zeros(7), *(0.3 * rng.normal(size=(5, 7)))):
        assert 3.0 * wt.sensitivity(tree, q).condition < wt.sensitivity(chain(7), q).condition


def test_the_easiest_and_hardest_motions_are_extremes():
    rng = np.random.default_rng(5)
    m = tree(rng, ["revolute", "spherical", "prismatic", "universal", "helical"])
    q = m.random(rng)
    found, H = wt.sensitivity(m, q), wt.crba(m, q)
    force = [np.linalg.norm(H @ x) for x in (found.easiest, found.hardest)]
    assert_allclose(force[1] / force[0], found.condition, rtol=1e-9)
    for x in rng.normal(size=(50, m.nv)):
        assert force[0] <= np.linalg.norm(H @ x) / np.linalg.norm(x) <= force[1]
    # Errors along the hardest forces, answered along the easiest accelerations: the condition is reached.
    tau, error = H @ found.hardest, H @ found.easiest
    reached = np.linalg.norm(np.linalg.solve(H, error)) / np.linalg.norm(error)
    assert_allclose(reached * np.linalg.norm(tau), found.condition, rtol=1e-9)


def test_loops_and_gears_leave_the_inertia_of_what_can_move():
    m = wt.examples.load("five-bar")
    q = wt.assemble(m, np.array([0.4, 1.5, -1.2, 0.3]))
    K = wt.constraint_jacobian(m, q)
    found = wt.sensitivity(m, q)
    assert_allclose(K @ np.array([found.easiest, found.hardest]).T, 0.0, rtol=0, atol=1e-12)
    # Any basis of the motions gives the same extremes of xᵀHx / xᵀx.
    basis = np.linalg.svd(K)[2][np.linalg.matrix_rank(K) :].T @ np.array([[1.0, 0.4], [-0.3, 2.0]])
    A, B = basis.T @ wt.crba(m, q) @ basis, basis.T @ basis
    values = np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)
    assert_allclose(found.condition, values[-1] / values[0], rtol=1e-10)
    assert wt.sensitivity(wt.examples.load("four-bar"), np.zeros(3)).condition == 1.0


def test_what_cannot_be_asked_is_told():
    m = chain(2)
    m.add_loop("held", wt.Fixed(), "ground", "link1", wt.Placement((1, 0, 0)), wt.Placement((0, 0, 0)))
    with pytest.raises(wt.SingularError, match="'links' cannot move, so that no force accelerates it"):
        wt.sensitivity(m, np.zeros(2))
    with pytest.raises(wt.ModelError, match="force_amplification: 'links' has loops, 'held'"):
        wt.force_amplification(m, np.zeros(2), np.zeros(2), np.ones(2))
    with pytest.raises(wt.InputError, match="q leaves loop 'held' of 'links' open by"):
        wt.sensitivity(m, np.array([0.1, 0.0]))
    massless = wt.Mechanism("light")
    massless.add_body("pin", wt.Revolute("z"))
    with pytest.raises(wt.SingularError, match="joint 'pin' of 'light' moves no inertia"):
        wt.sensitivity(massless, np.zeros(1))
    assert str(wt.sensitivity(chain(6), ANGLES)).startswith("condition 725.388: up to that many times")
