"""Where forces have a kink: at the bounds of joints with stops.

A step over a kink has an error of third order, which an estimate of the eighth may miss by chance. So steps
of chosen length end there, and the next begins behind it.
"""

from typing import Any, NamedTuple

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .steppers import Step

THERE = 1e-12
"""rad or m: a joint that is so close to its bound is there."""

BEGUN, NO_TIME = 1e-6, 1e-13
"""Shares of a step, and of the time: bounds met so soon are those that the last step ended at."""

TIME = 1e-14
"""Share of the time to which it is found when a bound is met."""

LOOKS = np.linspace(0.0, 1.0, 9)[1:-1, None, None]
"""Shares of a step at which it is looked whether a joint has been past its bound and back."""


class StopBound(NamedTuple):
    """One bound of a joint with stops.

    Attributes:
        at, rate: Which numbers of a state are its coordinate and that coordinate's rate.
        sign: 1 of an upper bound, -1 of a lower one.
        value: The bound, rad or m.
    """

    at: int
    rate: int
    sign: float
    value: float


class Kinks:
    """The bounds of a mechanism's stops.

    Args:
        m: The mechanism.

    Attributes:
        bounds: All of them.
    """

    def __init__(self, m: Mechanism) -> None:
        self.bounds: tuple[StopBound, ...] = m.once(_bounds)
        self._at, self._rate, self._sign, self._bound = (
            list(column) for column in (zip(*self.bounds, strict=True) if self.bounds else [()] * 4)
        )

    def __len__(self) -> int:
        return len(self._at)

    def _past(self, y: Array) -> Array:
        """(…, k) how far states (…, nq + nv) are past each bound, rad or m."""
        return np.array(self._sign) * (y[..., self._at] - np.array(self._bound))

    def _met(self, h: Array, y: Array, after: Array) -> Array:
        """(n, k) whether steps h (n, 1) meet each bound, by the cubic through their ends."""
        x0, x1 = self._past(y), self._past(after)
        v0, v1 = (h * np.array(self._sign) * state[..., self._rate] for state in (y, after))
        s = LOOKS
        x = (1 + 2 * s) * (1 - s) ** 2 * x0 + s * (1 - s) ** 2 * v0 + s * s * (3 - 2 * s) * x1
        x = np.concatenate([x - s * s * (1 - s) * v1, x0[None], x1[None]])
        return np.any(x > THERE, axis=0) & np.any(x < -THERE, axis=0)

    def first(self, t: float, y: Array, step: Step) -> float | None:
        """When a step from (t, y) first meets a bound, s; None if it meets none behind its start."""
        if not len(self):
            return None
        h = np.array([[step.end - t]])
        met = np.flatnonzero(self._met(h, y[None], step.closed.y[None])[0])
        found = [at for k in met if (at := self._time(int(k), t, y, step)) is not None]
        return min(found) if found else None

    def _time(self, k: int, t: float, y: Array, step: Step) -> float | None:
        from scipy.optimize import brentq  # on use: it takes longer to import than all the rest

        def past(at: float) -> float:
            state = y if at == t else step.closed.y if at == step.end else step.at(at)
            return float(self._past(state)[k])

        begin = t + max(BEGUN * (step.end - t), NO_TIME * max(1.0, step.end))
        if begin >= step.end:
            return None
        looks = [begin, *(begin + (step.end - begin) * np.ravel(LOOKS)), step.end]
        values = [past(float(at)) for at in looks]
        for a, b, x, z in zip(looks, looks[1:], values, values[1:], strict=False):
            if x * z < 0.0:
                root: Any = brentq(past, a, b, xtol=TIME * max(1.0, step.end))
                return float(root)
        return None


def _bounds(m: Mechanism) -> tuple[StopBound, ...]:
    found = []
    for i, body in enumerate(m.bodies):
        for sign, bound in ((-1.0, body.limits.lower), (1.0, body.limits.upper)):
            if body.limits.stiffness and np.isfinite(bound):
                places = zip(
                    range(*m.q_index[i].indices(m.nq)), range(*m.v_index[i].indices(m.nv)), strict=True
                )
                found += [StopBound(q, m.nq + v, sign, float(bound)) for q, v in places]
    return tuple(found)
