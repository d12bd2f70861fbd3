"""PIRK: a parallel iterated Runge-Kutta method, whose eight stages are evaluated side by side.

P. J. van der Houwen, B. P. Sommeijer, Parallel iteration of high-order Runge-Kutta methods with stepsize
control, J. Comput. Appl. Math. 29 (1990) 111-127. The corrector is Radau's collocation (IIA; E. Hairer, G.
Wanner, Solving Ordinary Differential Equations II, §IV.5): with nodes c₁ … c₈ = 1 and a matrix A,

    Y_i = y + h Σ_j A_ij f(t + c_j h, Y_j),    y₁ = Y₈,

solved by iteration, in which all f are independent of each other: on a processor with vectors of eight
numbers they take hardly longer than one. The first Y are found by going on along the polynomial through the
slopes of the step before, so that one correction does, and two evaluations of all stages are a step: its
order is 10. Where there is no such step, as at the start, slopes are taken for constant, and iterated longer.

What an iteration changes tells its own error, and nothing of a bend of f that lies between two stages. This
shows in the slope where the step begins: how far the polynomial is from there is an error, too.

Slopes within a step are Σ_k a_k P_k(2x - 1), a share x through it, in Legendre's polynomials: a = `TERMS` ·
slopes. These, and what they give the state, do not lose digits as sums of powers would.
"""

from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, array, maximum, minimum, where

STAGES = 8

SAFETY = 0.85
"""Share of the length that should just do."""

SHARE, START_SHARE = 0.4, 1.2
"""The error as a share of what the last iteration changed; of slopes that were taken for constant."""

LEAST, MOST, START_MOST = 0.2, 1.4, 10.0
"""By how much a step may be shorter, and longer, than the last, and than one from constant slopes."""

FAR = 2.0
"""By how much a step may be longer than the last for its slopes to be found from that one's."""

CORRECTIONS, LONGEST = 2, 7
"""Corrections at most; from slopes that were taken for constant."""

HOPELESS, HUGE = 20.0, 1e12
"""An error above this is not corrected once more, as a shorter step takes less; one from constant slopes."""

EXPONENT = 9
"""A length goes by the inverse of this root of the error after one correction."""

_difference = np.polynomial.Legendre([0.0] * (STAGES - 1) + [-1.0, 1.0])
_x = _difference.roots()
_x -= _difference(_x) / _difference.deriv()(_x)
_x[-1] = 1.0

C: Array = 0.5 * (_x + 1.0)
"""(8,) shares of a step at which its stages are; the last is at its end."""

TERMS: Array = np.linalg.inv(np.polynomial.legendre.legvander(_x, STAGES - 1))
"""(8, 8) weights of slopes in the terms of the slope: row k gives that of P_k."""

BEND: Array = np.linalg.inv(np.polynomial.legendre.legvander(np.append(-1.0, _x), STAGES))[-1]
"""(9,) weights of the slopes at the start and at all stages in the term that leads through the first, too."""


def integrals(x: Any, count: int = STAGES) -> list[Any]:
    """∫₀ˣ P_k(2s - 1) ds, k = 0 … count - 1, by Bonnet's recursion; x may be beyond 1."""
    z = 2.0 * x - 1.0
    P = [0.0 * x + 1.0, z]
    for k in range(1, count):
        P.append(((2 * k + 1) * (z * P[k]) - k * P[k - 1]) * (1.0 / (k + 1)))
    return [x, *((P[k + 1] - P[k - 1]) * (0.5 / (2 * k + 1)) for k in range(1, count))]


A: Array = np.array([integrals(x) for x in C]) @ TERMS
"""(8, 8) weights of slopes at the stages in the states there."""

B = A[-1]
"""(8,) the same for the state at the end."""


def ahead(ratio: Any) -> Array:
    """(8, 8) weights of the terms of a step in the changes of state from its end to the stages of the next.

    Args:
        ratio: By how much the next step is longer.
    """
    ended = np.eye(STAGES)[0]  # all but the first polynomial have no integral
    return array([array(integrals(1.0 + share * ratio)) - ended for share in C])


def within(terms: Array, y: Array, x: Any) -> Array:
    """(…, n) states a share x (…, 1) through a step from y (…, n), whose terms times h are (…, 8, n)."""
    return y + sum(share * terms[..., k, :] for k, share in enumerate(integrals(x)))


class Tried(NamedTuple):
    """What is known of a step after a correction.

    Attributes:
        done: Whether it is not corrected any more.
        accepted: Whether it is accurate enough.
        size: The length of the next one, s.
        count: Corrections so far.
        first, last: The errors after the first of them and after this one; 1 is what a step may have.
    """

    done: Any
    accepted: Any
    size: Any
    count: Any
    first: Any
    last: Any


def tried(squares: Any, rough: Any, n: Any, h: Any, follows: Any, rejected: Any, before: Tried) -> Tried:
    """What to do after a correction.

    Args:
        squares: Sum of squares of what it has changed, each of n numbers as a share of what it may err.
        rough: The same of what `BEND` gives.
        n: How many numbers there are.
        h: The length of the step, s.
        follows: Above 0 if its first slopes were found from the step before.
        rejected: Above 0 if a longer one was rejected right before.
        before: What was known after the correction before; its count is 0 if there was none.
    """
    count, going = before.count + 1.0, follows > 0.0
    error, rest = where(going, SHARE, START_SHARE) * np.sqrt(squares / n), np.sqrt(rough / n)
    error, rest = (where(size < HUGE, size, HUGE) for size in (error, rest))  # what is not a number, too
    first = where(before.count > 0.0, before.first, error)
    good = where(maximum(error, rest) < 1.0, 1.0, 0.0)
    at_most = where(going, float(CORRECTIONS), float(LONGEST))
    left = where(error < where(going, HOPELESS, HUGE), at_most - count, 0.0)
    left = where(rest < where(going, 1.0, maximum(1.0, error)), left, 0.0)  # no correction makes it smaller
    enough = where(going, 0.0, 2.0 - count)  # at the start, two tell how quickly it comes closer
    done = where(left > 0.0, where(enough > 0.0, 0.0, good), 1.0)
    # At the start: the error after so many corrections as there may be.
    least = maximum(error, 1e-300)
    closer, last = minimum(least / maximum(before.last, least), 1.0), least
    for further in range(1, LONGEST):
        last = where(count + further <= float(LONGEST), last * closer, last)
    largest = maximum(where(going, maximum(first, 1e-12), maximum(last, 1e-100)), rest)
    wanted = SAFETY / largest ** where(going, 1.0 / EXPONENT, 1.0 / (LONGEST + 1.0))
    # One that is not far longer than a first step follows it, and grows no faster than others that follow.
    wanted = minimum(wanted, where(going, MOST, where(wanted > FAR, START_MOST, MOST)))
    accepted = done * good
    grown = where(rejected > 0.0, minimum(1.0, wanted), wanted)
    size = h * maximum(LEAST, where(accepted > 0.0, grown, minimum(0.9, wanted)))
    return Tried(done, accepted, size, count, first, error)
