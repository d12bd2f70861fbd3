"""Impacts: energy never grows, contacts part, friction stays in its cone; what the laws refuse."""

from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from random_impacts import lawful, random_impact
from whippletree.contact.impulses.impact_problem import ImpactProblem
from whippletree.contact.impulses.impacts import IMPACT_LAWS


@pytest.mark.parametrize("law", IMPACT_LAWS)
def test_energy_never_grows(law: str) -> None:
    rng = np.random.default_rng(21)
    for _ in range(60):
        lawful(law, random_impact(rng, law))


def test_without_restitution_all_laws_stop_a_single_contact() -> None:
    rng = np.random.default_rng(3)
    problem = random_impact(rng, "newton").only([0])._replace(restitution=np.zeros(1))
    problem = problem._replace(before=np.array([[-1.5, 0.4, 0.3]]))
    for law in IMPACT_LAWS.values():
        assert problem.after(law(problem))[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_slow_impacts_of_many_contacts_are_solved_in_spite_of_rounding() -> None:
    """Velocities near zero, with the rounding of others that were not: more contacts than freedoms."""
    rng = np.random.default_rng(12)
    for _ in range(20):
        R = rng.normal(size=(3, 15))
        before = (R.T @ (1e-6 * rng.normal(size=3)) + 1e-15 * rng.normal(size=15)).reshape(5, 3)
        problem = ImpactProblem(R, before, np.full(5, 0.5), np.zeros(5), ["contact"] * 5)
        assert np.all(problem.after(IMPACT_LAWS["poisson"](problem))[:, 0] > -1e-13)


def test_impulses_on_a_tree_and_on_a_frame_agree() -> None:
    """RBDA 11.56-11.59 on a tree whose tip moves freely, and against the inertia matrix."""
    m = touching.pair(wt.Sphere(0.2), wt.Sphere(0.3))
    rng = np.random.default_rng(4)
    q, impulse = m.random(rng), rng.normal(size=6)
    jump = wt.contact.velocity_jump(m, q, "body a", impulse)
    np.testing.assert_allclose(wt.crba(m, q) @ jump, wt.jacobian(m, q, "body a").T @ impulse, atol=1e-12)
    dv = wt.contact.handle_jump(m, q, "body a", impulse)
    np.testing.assert_allclose(wt.operational_inertia(m, q, "body a") @ dv, impulse, atol=1e-11)


def test_impulses_keep_loops_closed() -> None:
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    impulse = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6])
    jump = wt.contact.velocity_jump(m, q, m.bodies[1].name, impulse)
    K, H = wt.constraint_jacobian(m, q), wt.crba(m, q)
    assert np.linalg.norm(jump) > 0.1
    np.testing.assert_allclose(K @ jump, 0.0, atol=1e-13)
    left = H @ jump - wt.jacobian(m, q, m.bodies[1].name).T @ impulse
    np.testing.assert_allclose(K.T @ np.linalg.lstsq(K.T, left, rcond=None)[0], left, atol=1e-12)


def test_a_crate_that_lands_on_a_corner_keeps_momentum_and_loses_energy() -> None:
    m = touching.crate(friction=0.6, restitution=0.4)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = m.random(rng)
        q[2] -= np.min(wt.contact.gaps(m, q))
        qd = rng.normal(size=6)
        hit = wt.contact.impact(m, q, qd)
        assert len(hit.rows) == 1
        before, after = wt.kinetic_energy(m, q, qd), wt.kinetic_energy(m, q, hit.qd)
        assert after - before == pytest.approx(hit.energy_gain, abs=1e-10)
        assert hit.energy_gain <= 1e-12
        J = wt.contact.contact_jacobian(m, q)[hit.rows].reshape(3, 6)
        np.testing.assert_allclose(wt.crba(m, q) @ (hit.qd - qd), J.T @ hit.impulse.ravel(), atol=1e-11)
        np.testing.assert_allclose((J @ hit.qd), hit.after[0], atol=1e-11)


def test_what_touches_and_parts_is_not_hit() -> None:
    m = touching.crate()
    q, qd = np.array([0, 0, 0.1, 1, 0, 0, 0]), np.array([0, 0, 0, 0.3, 0.2, 0.5])
    hit = wt.contact.impact(m, q, qd)
    assert hit.rows == [0, 2, 4, 6]
    np.testing.assert_array_equal(hit.qd, qd)
    np.testing.assert_array_equal(hit.impulse, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"friction": np.array([0.1, 0.4])}, "can create energy with friction, here 0.4 at contact 1"),
        (
            {"restitution": np.array([0.2, 0.9]), "before": np.array([[-1.0, 0, 0], [0.5, 0, 0]])},
            "where restitutions differ, here 0.2 … 0.9, and a contact parts already, as contact 1",
        ),
    ],
)
def test_newton_is_refused_where_it_could_create_energy(changes: dict[str, Any], message: str) -> None:
    R, e = np.random.default_rng(9).normal(size=(6, 6)), np.full(2, 0.5)
    problem = ImpactProblem(R, -np.ones((2, 3)), e, np.zeros(2), ["contact 0", "contact 1"])
    with pytest.raises(wt.InputError, match=message):
        IMPACT_LAWS["newton"](problem._replace(**changes))


def test_wrong_input_is_told() -> None:
    m = touching.crate()
    q, qd = np.array([0, 0, 0.1, 1, 0, 0, 0]), np.zeros(6)
    with pytest.raises(wt.InputError, match="law is 'moreau', expected one of poisson, newton, sequential"):
        wt.contact.impact(m, q, qd, law="moreau")
    ball, n = wt.Inertia.sphere(0.1, mass=1.0), np.array([0, 0, 0, 0, 0, 1.0])
    with pytest.raises(wt.InputError, match=r"restitution is 1.2, must be between 0 and 1"):
        wt.contact.two_body_impulse(None, np.zeros(6), ball, -n, n, 1.2)
    with pytest.raises(wt.InputError, match="neither body can move"):
        wt.contact.two_body_impulse(None, np.zeros(6), None, -n, n, 0.5)
    with pytest.raises(wt.InputError, match=r"normal has shape \(3,\), expected \(6,\)"):
        wt.contact.two_body_impulse(None, np.zeros(6), ball, -n, n[3:], 0.5)
