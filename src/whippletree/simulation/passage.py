"""Steps that need no accelerations near their middle, for passing singular positions of loops.

Gauss's collocation (Hairer & Wanner, Solving Ordinary Differential Equations II, §IV.5): the motion over a
step is the polynomial in time that satisfies the equations of motion at some points, the nodes. Their number
is even, so that none is near the middle; where more of the middle is to be left out, each half has Gauss's
points beside it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ..spatial import Array
from .integrators.pirk import integrals

ITERATIONS = 40
"""Repetitions after which the states at the nodes should have settled."""

ROUNDING, STALLED = 1e-14, 1e-5
"""Changes below the first share end the repetition; changes that do not decrease must be below the second."""

SOON = 3
"""Repetitions after which it shows whether they will settle."""


NATURAL = 0.2
"""Share of a step around its middle that Gauss's points leave out by themselves."""


class GaussPoints(NamedTuple):
    """Of a number of points in (-1, 1).

    Attributes:
        x: (n,) the points.
        fit: (n, n) from slopes at the points to coefficients of Legendre's polynomials.
        move: (n, n) from slopes at the points to what is covered up to each of them, in steps.
    """

    x: Array
    fit: Array
    move: Array


@lru_cache
def gauss(n: int, hole: float = 0.0) -> GaussPoints:
    """The table of n points, none of which is within a share of the step around its middle."""
    x, _ = legendre.leggauss(n)
    if hole > NATURAL:
        half, _ = legendre.leggauss(n // 2)
        right = hole + (1.0 - hole) * 0.5 * (half + 1.0)
        x = np.concatenate([-right[::-1], right])
    fit = np.linalg.inv(legendre.legvander(x, n - 1))
    return GaussPoints(x, fit, np.array(integrals(0.5 * (x + 1.0), n)).T @ fit)


class Passage:
    """The motion over one step, as a polynomial in time.

    Attributes:
        t, end: Start and end of the step, s.
        tail: (ny,) what the two highest terms of the slope cover within the step; the error of states inside.
        change: (ny,) by how much the last repetition changed the states.
    """

    def __init__(
        self, t: float, end: float, y: Array, slopes: Array, change: Array, hole: float = 0.0
    ) -> None:
        self.t = t
        self.end = end
        self._y = y
        self.change = change
        self._terms = gauss(len(slopes), hole).fit @ slopes
        self.tail: Array = (end - t) * np.max(np.abs(self._terms[-2:]), axis=0)

    def state(self, t: float) -> Array:
        """(ny,) the state at a time within the step."""
        length = self.end - self.t
        return self._y + length * (np.array(integrals((t - self.t) / length, len(self._terms))) @ self._terms)

    def state_after(self, after: float) -> Array:
        """(ny,) the state a time after the start."""
        return self.state(self.t + after)


def collocate(
    slope: Callable[[Array, Array], Array],
    settle: Callable[[Array, Array], Array],
    t: float,
    y: Array,
    length: float,
    guess: Callable[[float], Array],
    nodes: int,
    hole: float = 0.0,
) -> Passage | None:
    """The motion over a step; None if the repetition does not converge.

    Args:
        slope: (n, ny) dy/dt at times (n,) and states (n, ny).
        settle: Brings states at times to closed loops, so that errors across the motion are not enlarged.
        t, y: Where the step starts.
        length: Of the step, s.
        guess: States at times within the step, roughly.
        nodes: How many points; even.
        hole: Share of the step around its middle where none of them may be.
    """
    table = gauss(nodes, hole)
    times = t + 0.5 * length * (table.x + 1.0)
    states = np.array([guess(time) for time in times.tolist()])
    last, size = np.inf, 1.0 + float(np.max(np.abs(y)))
    for done in range(ITERATIONS):
        slopes = slope(times, settle(times, states))
        if not np.all(np.isfinite(slopes)):
            return None
        new = y + length * (table.move @ slopes)
        changes = np.max(np.abs(new - states), axis=0)
        states, change = new, float(np.max(changes))
        # Rounding ends the decrease somewhere above zero, the higher the nearer a node is to the middle.
        if change <= ROUNDING * size or (change >= 0.5 * last and change < STALLED * size):
            return Passage(t, t + length, y, slopes, changes, hole)
        if change > 10.0 * last:
            return None
        if done >= SOON and change * (change / last) ** (ITERATIONS - done) > STALLED * size:
            return None
        last = change
    return None
