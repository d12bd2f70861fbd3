"""The backward recursion of differential dynamic programming, with limits on controls.

The recursion is that of Tassa, Erez & Todorov, "Synthesis and Stabilization of Complex Behaviors through
Online Trajectory Optimization" (IROS 2012), equation numbers as there, without second derivatives of the
motion (iLQR, Li & Todorov, ICINCO 2004); limits as of Tassa, Mansard & Todorov, "Control-Limited Differential
Dynamic Programming" (ICRA 2014). Without limits and of a linear motion it is the Riccati recursion.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import get_lapack_funcs

from ..spatial import Array

potrf, potrs = get_lapack_funcs(("potrf", "potrs"))

PASSES = 30
"""Of projected Newton's method at most. What is left then is a step that gains less, and nothing wrong."""


ROUNDING = 1e-12
"""Share of a change of controls that is none."""


class Slopes(NamedTuple):
    """Derivatives along a motion of N steps; z is the state's n differences and the nu controls.

    Attributes:
        F: (N, n, nz) of the next state.
        g, H: (N, nz), (N, nz, nz) gradient and Hessian of the cost of each step.
        v, V: (n,), (n, n) those of the cost at the end.
    """

    F: Array
    g: Array
    H: Array
    v: Array
    V: Array


class ControlLaw(NamedTuple):
    """What is to be changed.

    Attributes:
        k: (N, nu) change of the controls.
        K: (N, nu, n) their feedback.
        first, second: What the change adds to the cost, by its first and by its second order (11a).
    """

    k: Array
    K: Array
    first: float
    second: float


def backward(slopes: Slopes, low: Array, high: Array, mu: float) -> ControlLaw | None:
    """The recursion from the end of a motion to its start; None if mu is too small for it.

    Args:
        slopes: Derivatives along the motion.
        low, high: (N, nu) least and greatest change of the controls, one ≤ 0 and one ≥ 0.
        mu: Regularization, added to the Hessian of the controls (9).
    """
    steps, n, nz = slopes.F.shape
    k, K = np.empty((steps, nz - n)), np.empty((steps, nz - n, n))
    added = mu * np.eye(nz - n)
    v, V, first, second = slopes.v, slopes.V, 0.0, 0.0
    for i in reversed(range(steps)):
        F = slopes.F[i]
        q = slopes.g[i] + F.T @ v  # (5a, 5b)
        Q = slopes.H[i] + F.T @ (V @ F)  # (5c-5e)
        q_u, Q_ux, Q_uu = q[n:], Q[n:, :n], Q[n:, n:]
        law = _law(Q_uu + added, q_u, Q_ux, low[i], high[i])
        if law is None:
            return None
        k[i], K[i] = law
        first += k[i] @ q_u  # (11a)
        second += 0.5 * (k[i] @ Q_uu @ k[i])
        v = q[:n] + K[i].T @ (Q_uu @ k[i] + q_u) + Q_ux.T @ k[i]  # (11b)
        V = Q[:n, :n] + K[i].T @ (Q_uu @ K[i] + Q_ux) + Q_ux.T @ K[i]  # (11c)
        V = 0.5 * (V + V.T)
    return ControlLaw(k, K, float(first), float(second))


def _law(Q_uu: Array, q_u: Array, Q_ux: Array, low: Array, high: Array) -> tuple[Array, Array] | None:
    """The k that makes ½ kᵀ Q_uu k + q_uᵀ k least within limits, and its feedback; None if there is none."""
    found = _solved(Q_uu, np.concatenate((q_u[:, None], Q_ux), axis=1))
    if found is None:
        return None
    k, K = -found[:, 0], -found[:, 1:]
    if (k >= low).all() and (k <= high).all():
        return k, K
    k, K = np.minimum(np.maximum(k, low), high), np.zeros_like(Q_ux)
    for _ in range(PASSES):  # projected Newton: solve for those that no limit holds
        slope = q_u + Q_uu @ k
        held = ((k <= low) & (slope > 0.0)) | ((k >= high) & (slope < 0.0))
        free = (~held).nonzero()[0]
        found = _solved(Q_uu[free[:, None], free], np.concatenate((slope[:, None], Q_ux), axis=1)[free])
        if found is None:
            return None
        new = k.copy()
        new[free] -= found[:, 0]
        new = np.minimum(np.maximum(new, low), high)
        K[:] = 0.0
        K[free] = -found[:, 1:]
        if np.abs(new - k).max() <= ROUNDING * np.abs(k).max():
            break
        k = new
    return k, K


def _solved(A: Array, b: Array) -> Array | None:
    """A⁻¹ b for a symmetric positive definite A; None if it is not."""
    if not len(A):
        return b
    factor, fault = potrf(A)
    return None if fault else potrs(factor, b)[0]
