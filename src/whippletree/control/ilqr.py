"""Motions of least cost by the iterative linear quadratic regulator, with limits on controls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SolverError
from ..model.mechanism import Mechanism
from ..model.values import real_positive, whole_number
from ..simulation.stepping import Feedback
from ..spatial import Array
from .backward_pass import backward
from .control_input import control_problem
from .motion_steps import MotionSteps, Trial

TRIALS = 1.1 ** -(np.arange(8.0) ** 2)
"""Shares of the full step that are tried, all at once (Tassa, Erez & Todorov 2012)."""

LEAST_GAIN = 1e-4
"""Share of the expected gain that a trial must have."""

WEAKEST, STRONGEST, FACTOR = 1e-6, 1e10, 2.0
"""Regularization: the least above zero, that at which to give up, and by what it first changes."""


@dataclass(frozen=True, eq=False)
class OptimalMotion:
    """A motion of least cost that `ilqr` has found.

    Attributes:
        q: (steps + 1, nq) positions, rad or m, start included.
        qd: (steps + 1, nv) velocities, rad/s or m/s.
        u: (steps, nu) controls, each held for a step.
        K: (steps, nu, 2 nv) feedback: u + K (x - x_ref) is best near the motion.
        B: (nv, nu) forces of unit controls: tau = B u.
        costs: (iterations + 1,) of the first guess and after each iteration, the last one that of the motion.
        converged: Whether nothing more was to be gained, to the tolerance; else iterations came to their end,
            or no trial gained what was expected, however small.
    """

    q: Array
    qd: Array
    u: Array
    K: Array
    B: Array
    costs: Array
    converged: bool

    def __repr__(self) -> str:
        told = "converged" if self.converged else "not converged"
        return (
            f"<OptimalMotion: {len(self.u)} steps, cost {self.costs[-1]:.6g} after {len(self.costs) - 1} "
            f"iterations, {told}>"
        )

    @property
    def tau(self) -> Array:
        """(steps, nv) actuator forces, N m or N."""
        return self.u @ self.B.T

    @property
    def feedback(self) -> Feedback:
        """The controls with their feedback, for `rollout`; without limits."""
        return Feedback(-self.B @ self.K, self.q[:-1], self.qd[:-1], self.tau)


def ilqr(
    m: Mechanism,
    q0: Any,
    qd0: Any,
    stage: Callable[..., Any],
    final: Callable[..., Any],
    *,
    steps: int,
    dt: float,
    actuated: Sequence[str] | Array | None = None,
    limits: tuple[Any, Any] | None = None,
    u0: Any = None,
    method: str = "euler",
    iterations: int = 200,
    tolerance: float = 1e-4,
) -> OptimalMotion:
    """The controls of least cost over some steps, by iLQR: for trees and closed loops, with limits.

    The cost is half the sum of the squares of all residuals. Each iteration follows a Riccati recursion back
    along the motion, on exact derivatives of every step, then tries eight shares of the change that it asks
    for, all in one loop of machine code, and takes the best. It finds a minimum near the first guess.

    Args:
        m: The mechanism, without contacts.
        q0: (nq,) position at the start, rad or m, with all loops closed.
        qd0: (nv,) velocity there, rad/s or m/s, that keeps them closed.
        stage: Residuals of a step: a function of (q, qd, u) or (m, q, qd, u) that can be compiled and gives
            an array (nr,). Every control should be in it.
        final: Residuals at the end: likewise, of (q, qd) or (m, q, qd).
        steps: How many.
        dt: Length of a step, s, for which controls are held.
        actuated: Names of the joints whose forces are the controls; or a matrix (nv, nu) of the forces of
            unit controls, as of rotors. By default all joints.
        limits: Least and greatest controls, each (nu,) or a number. By default the joints' efforts, where the
            controls are forces of joints, else none.
        u0: (steps, nu) the first guess; 0 by default.
        method: The integrator, as of `rollout`: "euler", "rk4" or "rk6".
        iterations: How many at most.
        tolerance: Share of the cost below which an expected gain is none.

    Raises:
        InputError: An argument is not what it should be.
        ModelError: The mechanism has contacts.
        SolverError: The motion under the first guess leaves all bounds.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> def stage(q, qd, u):
    ...     return 0.1 * u
    >>> def final(q, qd):
    ...     return np.concatenate([30.0 * (q - np.pi), 30.0 * qd])
    >>> found = wt.ilqr(m, [0.0], [0.0], stage, final, steps=100, dt=0.03, limits=(-2.0, 2.0))
    >>> found.converged, found.q[-1].round(2), abs(found.u).max() <= 2.0
    (True, array([3.14]), np.True_)
    """
    whole_number(iterations, "iterations")
    real_positive(tolerance, "tolerance")
    problem, start, u = control_problem(m, q0, qd0, stage, final, steps, dt, actuated, limits, u0, method)
    return solve(problem, start, u, iterations, tolerance)


def solve(
    problem: MotionSteps, start: tuple[Array, Array], u: Array, iterations: int, tolerance: float
) -> OptimalMotion:
    """The same of a problem that is compiled: from a start (nq,), (nv,) and a first guess u (steps, nu)."""
    m, steps = problem.m, len(u)
    none = np.zeros((steps, problem.nu, 2 * m.nv))
    rest = tuple(np.broadcast_to(part, (steps, len(part))) for part in start)
    now = problem.tried(start, none, (rest[0], rest[1]), u[None])
    if not np.isfinite(now.cost[0]):
        raise SolverError(
            f"ilqr: {m.name!r} leaves all bounds under the first guess u0, or a residual does: give another "
            "guess, or a shorter dt"
        )
    mu, growth, costs, converged, K = 0.0, 1.0, [now.cost[0]], False, none
    slopes = problem.slopes(now.q[0], now.qd[0], now.u[0])
    while len(costs) <= iterations and mu < STRONGEST:
        u = now.u[0]
        law = backward(slopes, problem.low - u, problem.high - u, mu)
        expected = np.nan if law is None else -(law.first + law.second)
        if law is None or not expected >= 0.0:  # less by rounding alone
            mu, growth = _more(mu, growth)
            continue
        if expected <= tolerance * costs[-1]:
            converged, K = True, law.K
            break
        trials = problem.tried(
            start, law.K, (now.q[0, :-1], now.qd[0, :-1]), u + TRIALS[:, None, None] * law.k
        )
        best = _best(trials, costs[-1], -(TRIALS * law.first + TRIALS**2 * law.second))
        if best is None:
            mu, growth = _more(mu, growth)
            continue
        now, K = Trial(*(part[best : best + 1] for part in trials)), law.K
        slopes = problem.slopes(now.q[0], now.qd[0], now.u[0])
        costs.append(now.cost[0])
        growth = min(1.0 / FACTOR, growth / FACTOR)
        mu = mu * growth if mu * growth > WEAKEST else 0.0
    return OptimalMotion(now.q[0], now.qd[0], now.u[0], K, problem.B, np.array(costs), converged)


def _more(mu: float, growth: float) -> tuple[float, float]:
    """A stronger regularization, and by what it grew: the more often, the faster (2012)."""
    growth = max(FACTOR, growth * FACTOR)
    return max(WEAKEST, mu * growth), growth


def _best(trials: Trial, before: float, expected: Array) -> int | None:
    """The trial of least cost, if it has gained enough."""
    cost = np.where(np.isfinite(trials.cost), trials.cost, np.inf)
    best = int(np.argmin(cost))
    gained = before - cost[best]
    return best if gained > 0.0 and gained >= LEAST_GAIN * expected[best] else None
