"""DOP853: an explicit Runge-Kutta method of order 8 that estimates its error, and states within its steps.

E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, second edition, §II.10: the
error is the one of order 5, weighed by how far it is below the one of order 3 (10.17, 10.18); the interpolant
is of order 7. Steps grow and shrink by the elementary rule (4.13). Written once, for numbers and symbols.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...spatial import Array, maximum, minimum, where
from .dop853_numbers import C_MORE, B, C, D

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


def in_order(weights: Mapping[int, float], stages: int = STAGES + 1 + MORE) -> Array:
    """(stages,) weights of slopes in order, stages counted from 1; zero where there is none."""
    return np.array([weights.get(stage, 0.0) for stage in range(1, stages + 1)])


def stage_times(t: Any, h: Any) -> Array:
    """(STAGES + 1 + MORE,) times of all stages, the end of the step after the first."""
    return np.array([t + share * h for share in (*C, 1.0, *C_MORE)])


def error_norm(five: Any, three: Any, n: Any, h: Any) -> Any:
    """The error of a step of n numbers, 1 being what it may have.

    Args:
        five, three: Sums of squares of Σ `E5` · slopes and Σ `E3` · slopes, each number as a share of what it
            may err: max(|y|, |after|) rtol + atol.
        n: How many numbers there are.
        h: The length of the step, s.
    """
    both = five + 0.01 * three
    return abs(h) * five / np.sqrt(where(both == 0.0, 1.0, both) * n)


def factor(error: Any, rejected: Any) -> Any:
    """By what the length of the next step differs; not above 1 right after one was rejected (> 0)."""
    root = np.sqrt(np.sqrt(np.sqrt(where(error > 0.0, error, 1.0))))
    wanted = where(error > 0.0, SAFETY / root, where(error == 0.0, MOST, LEAST))  # the last: not a number
    grown = minimum(MOST, wanted)
    accepted = where(rejected > 0.0, minimum(1.0, grown), grown)
    return where(error < 1.0, accepted, maximum(LEAST, wanted))


def _terms() -> Array:
    first, last, change = in_order({1: 1.0}), in_order({STAGES + 1: 1.0}), in_order(B)
    return np.array([change, first - change, 2.0 * change - last - first, *(in_order(row) for row in D)])


TERMS: Array = _terms()
"""(7, 16) weights of the slopes of all stages in the terms of the motion through a step of length 1."""


def within(terms: Array, y: Array, x: Any) -> Array:
    """(…, n) states a share x (…, 1) through a step that starts at y (…, n).

    Its terms are (…, 7, n): h · `TERMS` · slopes.
    """
    found = 0.0 * y
    for k in reversed(range(terms.shape[-2])):
        found = (found + terms[..., k, :]) * (x if k % 2 == 0 else 1.0 - x)
    return y + found


SHORTEST = 1e-300
"""s: the shortest step to begin with."""

FURTHEST = 100.0
"""By how much it may be longer than the one at which the slope is looked at."""


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
    d0, d1 = (float(np.sum((part / scale) ** 2)) for part in (y, f))
    h = float(first_try(d0, d1, len(y), duration))
    d2 = float(np.sum(((slope(h, y + h * f) - f) / scale) ** 2))
    return float(first_length_after(d1, d2, len(y), h, duration, exponent))


def first_try(d0: Any, d1: Any, n: Any, duration: Any) -> Any:
    """A length by the first derivative alone, s.

    Args:
        d0, d1: Sums of squares of the state and of its slope, n numbers each as a share of |y| rtol + atol.
        n: How many numbers there are.
        duration: Of the run from now on, s.
    """
    y, f = np.sqrt(d0 / n), np.sqrt(d1 / n)
    slow = where(y < 1e-5, 1.0, where(f < 1e-5, 1.0, 0.0)) > 0.0
    h = where(slow, 1e-6, maximum(0.01 * y / where(slow, 1.0, f), SHORTEST))
    return minimum(duration, h)


def first_length_after(d1: Any, d2: Any, n: Any, h: Any, duration: Any, exponent: int) -> Any:
    """The length by the second derivative, too, s: d2 is of how the slope changes in a step h, s."""
    first, second = np.sqrt(d1 / n), np.sqrt(d2 / n) / h
    largest = where(second > first, second, first)  # the first if the other is no number
    low = largest <= 1e-15
    root = (0.01 / where(low, 1.0, largest)) ** (1.0 / exponent)
    longer = where(low, maximum(1e-6, 1e-3 * h), maximum(root, SHORTEST))
    return minimum(minimum(FURTHEST * h, longer), duration)
