"""Radau IIA: an implicit Runge-Kutta method of order 5 for stiff equations, and states within its steps.

E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, second edition, §IV.8. The stages y + z_i of
a step solve z_i = h Σ a_ij f(y + z_j). With the inverse of (a_ij) brought to diagonal form by T, a step of
simplified Newton iteration for w = T⁻¹ z is one real system and one complex (8.15):

    (γ/h - J) Δw₁ = (T⁻¹ F)₁ - γ/h w₁,    ((α + i β)/h - J) (Δw₂ + i Δw₃) = … - (α + i β)/h (w₂ + i w₃)

Written once, for numbers and symbols.
"""

from typing import Any

import numpy as np

from ...spatial import Array, maximum, minimum, where

ROOT = 6.0**0.5

C = ((4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0)
"""Where stages are, as shares of the step (table 5.6)."""

GAMMA = 3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3)
ALPHA, BETA = 3.0 + 0.5 * (3.0 ** (1 / 3) - 3.0 ** (2 / 3)), -0.5 * (3.0 ** (5 / 6) + 3.0 ** (7 / 6))
"""Eigenvalues of the inverse of (a_ij): γ and α ± i β (8.14)."""

T = np.array(
    [
        [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
        [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
        [1.0, 1.0, 0.0],
    ]
)
T_INVERSE = np.array(
    [
        [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
        [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
        [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
    ]
)

ERROR = np.array([-13.0 - 7.0 * ROOT, -13.0 + 7.0 * ROOT, -1.0]) / 3.0
"""Weights of the stages in the error estimate of order 3, times γ (8.18, 8.19)."""

THROUGH = np.array(
    [
        [13 / 3 + 7 * ROOT / 3, -23 / 3 - 22 * ROOT / 3, 10 / 3 + 5 * ROOT],
        [13 / 3 - 7 * ROOT / 3, -23 / 3 + 22 * ROOT / 3, 10 / 3 - 5 * ROOT],
        [1 / 3, -8 / 3, 10 / 3],
    ]
)
"""The polynomial through a step and its stages: weights of x, x² and x³."""

ITERATIONS = 6
"""Newton steps, at most."""

SAFETY, LEAST, MOST, SAME = 0.9, 0.2, 10.0, 1.2
"""Share of the length that should just do; by how much a step may be shorter, and longer, than the last; and
by how much longer it must be to be worth another factorization."""

SLOW = 1e-3
"""A rate of convergence beyond this asks for a new derivative."""

EXPONENT = 4
"""A length goes by the inverse of this root of the error."""


def newton_tolerance(rtol: float) -> float:
    """What the last change of a Newton iteration may be, as a share of the error that a step may have."""
    return max(10.0 * float(np.finfo(float).eps) / rtol, min(0.03, rtol**0.5))


def guessed(terms: Array, y_before: Array, h_before: Any, y: Array, h: Any) -> tuple[Array, Array]:
    """z (3, n) to begin with, from the polynomial of the last step, and w; zero if there is none (8.5)."""
    known = where(h_before > 0.0, 1.0, 0.0)
    shares = [1.0 + c * h / where(h_before > 0.0, h_before, 1.0) for c in C]
    z = np.array([known * (within(terms, y_before, x) - y) for x in shares])
    return z, T_INVERSE @ z


def stages(t: Any, h: Any, y: Array, z: Array) -> tuple[Array, Array]:
    """Times (3,) and states (3, n) of the stages."""
    return np.array([t + c * h for c in C]), y + z


def right_sides(F: Array, w: Array, h: Any) -> tuple[Array, Array]:
    """Of the systems for Δw: real (n,), and real and imaginary parts (n, 2), slopes (3, n) being known."""
    one, two, three = T_INVERSE @ F
    real = two - (ALPHA * w[1] - BETA * w[2]) / h
    imaginary = three - (ALPHA * w[2] + BETA * w[1]) / h
    return one - (GAMMA / h) * w[0], np.stack([real, imaginary], axis=1)


def updated(
    w: Array, one: Array, pair: Array, y: Array, tolerances: Array, count: Any, before: Any
) -> tuple[Any, ...]:
    """After Δw, in the forms that `right_sides` has: is that enough?

    Args:
        w: (3, n) before.
        one, pair: (n,), (n, 2) its change.
        y: (n,) the state at the start of the step.
        tolerances: rtol, atol, and `newton_tolerance`.
        count: Newton steps so far.
        before: The size of the last change; 0 if there was none.

    Returns:
        w and z, both (3, n); the count; the size of the change; the rate, by which changes become smaller;
        whether it is over, and whether it has converged (8.10).
    """
    scale, enough = tolerances[1] + abs(y) * tolerances[0], tolerances[2]
    change = np.stack([one, pair[:, 0], pair[:, 1]])
    size = np.sqrt(np.sum((change / scale) ** 2) / (3 * len(y)))
    known = where(before > 0.0, 1.0, 0.0)
    rate = size / where(before > 0.0, before, 1.0)
    shrinks = where(rate < 1.0, 1.0, 0.0)
    all_left = size / where(rate < 1.0, 1.0 - rate, 1.0)  # of this change and all that would follow
    power = 1.0
    for k in range(ITERATIONS):
        power = where(count + k < ITERATIONS, power * rate, power)
    hopeless = known * (1.0 - shrinks * where(power * all_left <= enough, 1.0, 0.0))
    small = known * shrinks * where(rate * all_left < enough, 1.0, 0.0)
    converged = (1.0 - hopeless) * where(size == 0.0, 1.0, small)
    is_number = where(size < np.inf, 1.0, 0.0)
    goes_on = is_number * (1.0 - hopeless) * (1.0 - converged) * where(count + 1.0 < ITERATIONS, 1.0, 0.0)
    w = w + change
    return w, T @ w, count + 1.0, size, known * rate, 1.0 - goes_on, converged


def error_side(z: Array, f: Array, y: Array, h: Any) -> tuple[Array, Array, Array]:
    """The state (n,) at the end; Σ e_i z_i / h (n,), and that with f: (γ/h - J) error = f + Σ (8.19)."""
    weighed = (ERROR @ z) / h
    return y + z[2], weighed, f + weighed


def error_size(error: Array, y: Array, after: Array, tolerances: Array) -> tuple[Any, Array]:
    """The size of an error, 1 being what it may be, and the state at which it is estimated again (8.20)."""
    larger = np.array([maximum(abs(a), abs(b)) for a, b in zip(y, after, strict=True)])
    scale = tolerances[1] + larger * tolerances[0]
    return np.sqrt(np.sum((error / scale) ** 2) / len(y)), y + error


def factor(error: Any, h: Any, error_before: Any, h_before: Any) -> Any:
    """By what the length of a step should differ from that of the last, before any safety (8.25).

    By the two last errors, if there was one before.
    """
    seen = where(error > 0.0, error, 1.0)
    both = h / where(h_before > 0.0, h_before, 1.0) * fourth_root(error_before / seen)
    usual = where(error > 0.0, 1.0 / fourth_root(seen), MOST / LEAST)
    return usual * where(h_before * error_before * error > 0.0, minimum(1.0, both), 1.0)


def fourth_root(x: Any) -> Any:
    """Of a number that is not negative."""
    return np.sqrt(np.sqrt(x))


def terms_through(z: Array) -> Array:
    """(3, n) terms of the motion through a step: those of x, x² and x³, x from 0 to 1."""
    return THROUGH.T @ z


def within(terms: Array, y: Array, x: Any) -> Array:
    """(…, n) states a share x (…, 1) through a step that starts at y (…, n), terms (…, 3, n)."""
    return y + x * (terms[..., 0, :] + x * (terms[..., 1, :] + x * terms[..., 2, :]))
