"""The backward recursion of differential dynamic programming, with limits on controls.

The recursion is that of Tassa, Erez & Todorov, "Synthesis and Stabilization of Complex Behaviors through
Online Trajectory Optimization" (IROS 2012), without second derivatives of the motion (iLQR, Li & Todorov,
ICINCO 2004); limits as of Tassa, Mansard & Todorov, "Control-Limited Differential Dynamic Programming"
(ICRA 2014). Without limits and of a linear motion it is the Riccati recursion.
"""

from typing import Any

import numpy as np

from ..spatial import Array, array, each, minimum, repeat, where
from ..spatial.scalar import maximum
from ..spatial.solve import factor_spd

PASSES = 16
"""Of projected Newton's method. What is left then is a step that gains less, and nothing wrong."""


def riccati_step(
    v: Array, V: Array, F: Array, g: Array, H: Array, low: Array, high: Array, mu: Any, limited: bool
) -> tuple[Any, ...]:
    """From the cost to go behind a step to that before it, with the best controls of the step.

    z is the state's n differences and the nu controls, nz = n + nu; Q is the cost to go as a function of z.

    Args:
        v, V: (n,), (n, n) gradient and Hessian of the cost to go behind the step.
        F: (n, nz) derivatives of the next state.
        g, H: (nz,), (nz, nz) gradient and Hessian of the cost of the step.
        low, high: (nu,) least and greatest change of the controls, one ≤ 0 and one ≥ 0.
        mu: Regularization, added to the Hessian of the controls.
        limited: Whether there are limits at all.

    Returns:
        v, V before the step; k (nu,) the change of the controls and K (nu, n) their feedback; what k adds to
        the cost, by its first and by its second order; and a number that is positive if Q_uu is definite.
    """
    n = len(v)
    q = g + F.T @ v
    Q = H + product(F.T, product(V, F))
    q_u, Q_ux, Q_uu = q[n:], Q[n:, :n], Q[n:, n:]
    A = Q_uu + mu * np.eye(len(q_u))
    k, held = limited_minimum(A, q_u, low, high) if limited else free_minimum(A, q_u)
    factored = factor_spd(_without(A, held))
    K = -each(lambda row: factored.solve(row * (1.0 - held)), Q_ux.T).T
    least = factored.reciprocals[0]
    for reciprocal in factored.reciprocals[1:]:
        least = minimum(least, reciprocal)
    before = q[:n] + K.T @ (Q_uu @ k + q_u) + Q_ux.T @ k
    P = Q[:n, :n] + product(K.T, product(Q_uu, K) + Q_ux) + product(Q_ux.T, K)
    return before, 0.5 * (P + P.T), k, K, k @ q_u, 0.5 * (k @ (Q_uu @ k)), least


def free_minimum(A: Array, b: Array) -> tuple[Array, Array]:
    """(nu,) the k that makes ½ kᵀ A k + bᵀ k least, and (nu,) zeros: no limit holds anything."""
    return -factor_spd(A).solve(b), np.zeros(len(b))


def limited_minimum(A: Array, b: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """(nu,) the k within limits that makes ½ kᵀ A k + bᵀ k least, and (nu,) 1.0 where a limit holds it.

    Projected Newton (2014): solve for those that no limit holds, cut the rest off, look again. Where
    nothing changes any more, further passes change nothing.
    """

    def clipped(k: Array) -> Array:
        return minimum(maximum(k, low), high)

    def held_at(k: Array) -> Array:
        slope = b + A @ k
        return array(
            [
                where(k_i <= a, where(s > 0.0, 1.0, 0.0), where(k_i >= c, where(s < 0.0, 1.0, 0.0), 0.0))
                for k_i, s, a, c in zip(k, slope, low, high, strict=True)
            ]
        )

    def newton(k: Array) -> Array:
        held = held_at(k)
        step = factor_spd(_without(A, held)).solve((b + A @ k) * (1.0 - held))
        return clipped(k - step)

    k = repeat(PASSES, newton, clipped(free_minimum(A, b)[0]))
    return k, held_at(k)


def _without(A: Array, held: Array) -> Array:
    """A with the rows and columns of those that are held replaced by those of the identity."""
    free = 1.0 - held
    return A * np.outer(free, free) + np.diag(held)


def product(A: Array, B: Array) -> Array:
    """A @ B, row by row: in machine code a loop, so that there is little code for many rows."""
    inner, columns = B.shape
    width = max(inner, columns)

    def row(a: Array) -> Array:
        return np.concatenate([a[:inner] @ B, np.zeros(width - columns)])

    padded = np.concatenate([A, np.zeros((len(A), width - inner))], axis=1)
    return each(row, padded)[:, :columns]
