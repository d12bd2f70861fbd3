"""DOP853: an explicit Runge-Kutta method of order 8 that estimates its error, and states within its steps.

E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, second edition, §II.10: the
error is the one of order 5, weighed by how far it is below the one of order 3 (10.17, 10.18); the interpolant
is of order 7. Steps grow and shrink by the elementary rule (4.13). Written once, for numbers and symbols.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from ...spatial import Array, maximum, minimum, where
from .dop853_numbers import C_MORE, E3, E5, C, D

STAGES, MORE = len(C), len(C_MORE)

SAFETY = 0.77
"""Share of the length that should just do.

From step to step that length changes by chance, by a tenth or two. With 0.9 nearly a quarter of all steps is
rejected, with 0.77 a tenth, and a run takes a tenth fewer evaluations for the same error. Control that
follows trends, as a PI controller does, takes more.
"""

LEAST, MOST = 0.2, 10.0
"""By how much a step may be shorter, and longer, than the last."""

EXPONENT = 8
"""A length goes by the inverse of this root of the error."""


def combined(weights: Mapping[int, float], K: Array) -> Array:
    """(n,) Σ weights · slopes, stages counted from 1."""
    return sum((weight * K[stage - 1] for stage, weight in weights.items()), np.zeros(K.shape[1]))


def moved(y: Array, h: Any, weights: Array, *slopes: Array) -> Array:
    """(n,) y + h Σ weights · slopes, weights (s,) and s slopes (n,)."""
    return y + h * (weights @ np.array(slopes))


def stage_times(t: Any, h: Any) -> Array:
    """(STAGES + 1 + MORE,) times of all stages, the end of the step after the first."""
    return np.array([t + share * h for share in (*C, 1.0, *C_MORE)])


def error_norm(K: Array, y: Array, after: Array, h: Any, rtol: Any, atol: Any) -> Any:
    """The error of a step, 1 being what it may have."""
    scale = array_maximum(abs(y), abs(after)) * rtol + atol
    five, three = (np.sum((combined(weights, K) / scale) ** 2) for weights in (E5, E3))
    both = five + 0.01 * three
    return abs(h) * five / np.sqrt(where(both == 0.0, 1.0, both) * len(y))


def array_maximum(a: Array, b: Array) -> Array:
    """Entry by entry."""
    return np.array([maximum(x, z) for x, z in zip(a, b, strict=True)])


def factor(error: Any, rejected: Any) -> Any:
    """By what the length of the next step differs; not above 1 right after one was rejected (> 0)."""
    root = np.sqrt(np.sqrt(np.sqrt(where(error > 0.0, error, 1.0))))
    wanted = where(error > 0.0, SAFETY / root, where(error == 0.0, MOST, LEAST))  # the last: not a number
    grown = minimum(MOST, wanted)
    accepted = where(rejected > 0.0, minimum(1.0, grown), grown)
    return where(error < 1.0, accepted, maximum(LEAST, wanted))


def polynomial(K: Array, y: Array, after: Array, h: Any) -> Array:
    """(7, n) terms of the motion through a step, from slopes (16, n) of all stages."""
    change, first, last = after - y, K[0], K[STAGES]
    terms = [change, h * first - change, 2.0 * change - h * (last + first)]
    return np.array([*terms, *(h * combined(row, K) for row in D)])


def within(terms: Array, y: Array, x: Any) -> Array:
    """(…, n) states a share x (…, 1) through a step that starts at y (…, n), terms (…, 7, n)."""
    found = 0.0 * y
    for k in reversed(range(terms.shape[-2])):
        found = (found + terms[..., k, :]) * (x if k % 2 == 0 else 1.0 - x)
    return y + found


SHORTEST = 1e-300
"""s: the shortest step to begin with."""


def first_length(
    slope: Any, y: Array, f: Array, duration: float, rtol: float, atol: float, exponent: int = EXPONENT
) -> float:
    """A length to begin with, s, by the size of the first two derivatives (§II.4, p. 169).

    Args:
        slope: dy/dt at a time from now, s, and a state.
        y, f: (n,), (n,) the state now, and its slope.
        duration: Of the run from now on, s.
        rtol, atol: Tolerances.
        exponent: A length goes by the inverse of this root of the error.
    """
    scale = atol + np.abs(y) * rtol
    d0, d1 = _size(y / scale), _size(f / scale)
    h = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else max(0.01 * d0 / d1, SHORTEST), duration)
    d2 = _size((slope(h, y + h * f) - f) / scale) / h
    low = max(d1, d2) <= 1e-15
    longer = max(1e-6, 1e-3 * h) if low else max((0.01 / max(d1, d2)) ** (1.0 / exponent), SHORTEST)
    return min(100.0 * h, longer, duration)


def _size(x: Array) -> float:
    """The root of the mean square; infinite if squares are, which asks for the shortest step."""
    return sqrt(float(np.vdot(x, x)) / len(x))
