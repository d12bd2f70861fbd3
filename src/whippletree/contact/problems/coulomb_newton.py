"""Newton's method for contact forces with Coulomb friction."""

import numpy as np

from ...spatial import Array
from .friction_problem import FrictionProblem

STEPS = 15
"""At most; near a solution they double the digits."""

DONE = 1e-14
"""A residual that is rounding."""


def newton_steps(problem: FrictionProblem, force: Array) -> tuple[float, Array]:
    """The best forces (nc, 3) that Newton's method finds from these, after their residual.

    P. Alart and A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution
    methods (1991). With s the mean inertia of a contact, it is open, or has its least normal force, if
    s(λn - least) ≤ u_n, sticks if |s λt - ut| ≤ μ s λn, and slips else; in every step anew. Dependent
    equations are solved by least squares, which changes forces as little as can be.
    """
    nc = len(problem.d)
    flat, x = problem.M.reshape(3 * nc, 3 * nc), force.ravel()
    best = problem.residual(force), force
    for _ in range(STEPS):
        rows, right = _linearized(problem, flat, x)
        x = x - np.linalg.lstsq(rows, right, rcond=1e-12)[0]
        size = problem.residual(x.reshape(nc, 3))
        if size < best[0]:
            best = size, x.reshape(nc, 3)
        if size <= DONE:
            break
    return best


def _linearized(problem: FrictionProblem, flat: Array, x: Array) -> tuple[Array, Array]:
    """The map of Alart & Curnier at x (3 nc,), and its derivative."""
    friction, sliding, least = problem.friction, problem.sliding, problem.least
    u, one = flat @ x + problem.d.ravel(), np.eye(2)
    rows, right = np.zeros_like(flat), np.zeros(len(x))
    for i, mu in enumerate(friction):
        n, t = 3 * i, np.arange(3 * i + 1, 3 * i + 3)
        s = float(np.trace(flat[n : n + 3, n : n + 3])) / 3.0
        held = s * (x[n] - least[i]) <= u[n]
        wanted = s * x[t] - u[t]
        size = float(np.hypot(*wanted))
        if held:
            rows[n, n], right[n] = s, s * (x[n] - least[i])
        else:
            rows[n], right[n] = flat[n], u[n]
        if held and least[i] == 0.0:
            rows[t, t], right[t] = s, s * x[t]
        elif not np.any(sliding[i]) and size <= mu * s * (least[i] if held else x[n]):
            rows[t], right[t] = flat[t], u[t]
        else:
            # s λt = μ s λn a, a being the direction of s λt - ut, or that against which it slides.
            given = bool(np.any(sliding[i]))
            a = -sliding[i] if given else wanted / size
            turn = 0.0 * one if given else mu * s * max(x[n], 0.0) / size * (one - np.outer(a, a))
            rows[t] = turn @ flat[t]
            rows[np.ix_(t, t)] += s * (one - turn)
            rows[t, n] -= s * mu * a
            right[t] = s * (x[t] - mu * x[n] * a)
    return rows, right
