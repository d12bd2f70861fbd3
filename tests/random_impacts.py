"""Random contact problems and impacts, for the tests and for the longer runs of bench/."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.contact.impulses.impact_problem import ImpactProblem
from whippletree.contact.impulses.impacts import IMPACT_LAWS
from whippletree.contact.problems.complementarity import residual
from whippletree.spatial import Array


def random_problem(rng: np.random.Generator, case: int) -> tuple[Array, Array]:
    """R and d: general, with contacts from both sides, from one side; every fifth with a tie at zero."""
    k, n = int(rng.integers(1, 9)), int(rng.integers(1, 13))
    R = rng.normal(size=(k, n)) * np.exp(rng.normal(size=n))
    if case % 3 == 1:
        R[:, n // 2 :] = R[:, : n - n // 2] * rng.choice([-1.0, 1.0], size=n - n // 2)
    if case % 3 == 2:
        R = np.abs(R)
    return R, -(R.T @ rng.normal(size=k)) if case % 5 == 0 else rng.normal(size=n)


def random_impact(rng: np.random.Generator, law: str) -> ImpactProblem:
    """An impact of several contacts on something with several freedoms, that the law takes."""
    nc = int(rng.integers(1, 6))
    k = int(rng.integers(3, 3 * nc + 4))
    R, velocity = rng.normal(size=(k, 3 * nc)), rng.normal(size=k)
    if float(np.sum(R[:, ::3].T @ velocity)) > 0.0:
        velocity = -velocity
    before = (R.T @ velocity).reshape(nc, 3)
    e, mu = rng.uniform(0.0, 1.0, nc), rng.uniform(0.0, 1.0, nc) * (rng.uniform() < 0.7)
    if law == "newton":
        mu = np.zeros(nc)
        e = e if np.all(before[:, 0] <= 0.0) else np.full(nc, e[0])
    return ImpactProblem(R, before, e, mu, [f"contact {k}" for k in range(nc)])


def agreement(R: Array, d: Array) -> str:
    """Solve a problem in two ways, compare, and tell how many solutions it has."""
    M = R.T @ R
    a, b = wt.contact.gauss_form(R, d), wt.contact.least_distance(R, d)
    assert type(a) is type(b)
    if isinstance(a, wt.contact.Unsolvable):
        mu = a.certificate
        assert np.all(mu >= 0.0)
        assert np.max(np.abs(R @ mu)) <= 1e-11 * np.max(np.abs(R * mu))
        assert mu @ d == pytest.approx(-1.0, abs=1e-11)
        return "none"
    assert isinstance(b, wt.contact.ContactForces)
    assert residual(M, d, a.force) <= 1e-11
    assert residual(M, d, b.force) <= 1e-11
    size = np.max(np.abs(d))
    np.testing.assert_allclose(a.acceleration, b.acceleration, atol=1e-9 * size)
    assert a.unique == b.unique
    if a.unique:
        np.testing.assert_allclose(a.force, b.force, rtol=1e-6, atol=1e-8 * np.max(a.force, initial=0.0))
    return "unique" if a.unique else "many"


def lawful(law: str, problem: ImpactProblem) -> None:
    """Energy does not grow, contacts part, and friction stays in its cone."""
    impulse = IMPACT_LAWS[law](problem)
    after, size = problem.after(impulse), np.max(np.abs(problem.before))
    assert problem.energy_gain(impulse) <= 1e-12 * size * np.max(np.abs(impulse), initial=0.0)
    if law != "newton":
        assert np.all(after[:, 0] >= -1e-8 * size)
    side = np.hypot(impulse[:, 1], impulse[:, 2])
    assert np.all(side <= problem.friction * impulse[:, 0] + 1e-9 * np.max(impulse, initial=0.0))
