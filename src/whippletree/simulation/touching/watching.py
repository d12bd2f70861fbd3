"""The earliest contact event within a step (RBDA table 11.1, steps 2 and 3)."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array
from .held_motion import HeldMotion
from .holding import OPEN, SLIP, STICK, Held

SAMPLES = 6
"""Parts of a step at whose ends contacts are looked at."""

APART = 1e-12
"""m: gaps below minus this have closed."""

PULLS = 1e-9
"""Forces are negative, and friction is beyond its limit, if by more than this share of what acts."""

HALVINGS = 30
"""How often an interval is halved in the search for a hop, or a slip, at its beginning."""

PROBE = 1e-3
"""Share of a step behind an event at which it is seen what forces tend to."""


class Seen(NamedTuple):
    """What decides about events, at one time; infinite where it does not apply.

    Attributes:
        gap, rate: (nc,) of open contacts, m and m/s.
        push: (nc,) normal forces of closed ones, as accelerations, m/s².
        grip: (nc,) how much more friction contacts that stick could have, likewise.
        slip: (nc,) velocity of contacts that slip, along the direction at the step's beginning, m/s.
        scale: m/s²: the largest acceleration without contact forces.
    """

    gap: Array
    rate: Array
    push: Array
    grip: Array
    slip: Array
    scale: float


def seen(motion: HeldMotion, held: Held) -> Seen:
    """What decides about events."""
    closed, far, force, inertia = held.mode != OPEN, np.inf, motion.force, motion.felt
    friction = held.friction * force[:, 0] - np.linalg.norm(force[:, 1:], axis=1)
    slips = (held.mode == SLIP) & np.any(held.along, axis=1)
    return Seen(
        np.where(closed, far, motion.gap),
        motion.velocity[:, 0],
        np.where(closed, inertia * force[:, 0], far),
        np.where(held.mode == STICK, inertia * friction, far),
        np.where(slips, np.sum(motion.velocity[:, 1:] * held.along, axis=1), far),
        float(motion.scale),
    )


class Found(NamedTuple):
    """A contact event: when, what, which contact; and a time soon after, for what forces tend to."""

    t: float
    kind: str
    row: int
    probe: float


Look = Callable[[float], Seen]


def earliest(t0: float, t1: float, look: Look, slack: float) -> Found | None:
    """The first event in a step from t0 to t1; None if there is none.

    Slip has turned where it is beyond zero by more than the slack, m/s: what steps may err.
    """
    times = [t0 + (t1 - t0) * k / SAMPLES for k in range(SAMPLES)] + [t1]
    before = look(t0)
    for start, end in pairwise(times):
        after = look(end)
        found = [
            *_closings(start, end, before, after, look),
            *_reversals(start, end, before, after, look, PROBE * (t1 - t0), slack),
        ]
        if found:
            return min(found, key=lambda event: event.t)
        before = after
    return None


def _closings(start: float, end: float, before: Seen, after: Seen, look: Look) -> list[Found]:
    """Open contacts that close, also those that would open again before the end."""
    found = []
    for row in map(int, np.flatnonzero(np.isfinite(before.gap))):
        a, b, gap_at = start, end, _number(look, "gap", row)
        if after.gap[row] >= -APART:
            if not (before.gap[row] > 0.0 and before.rate[row] < 0.0 < after.rate[row]):
                continue
            if valley(end - start, before.gap[row], before.rate[row], after.gap[row], after.rate[row]) > 0.0:
                continue
            b = crossing_time(_number(look, "rate", row), start, end)
            if gap_at(b) >= -APART:
                continue
        if before.gap[row] <= APART:
            a = _first_positive(gap_at, start, end) if before.rate[row] > 0.0 else None
        found.append(Found(start if a is None else crossing_time(gap_at, a, b), "gap", row, end))
    return found


def _reversals(
    start: float, end: float, before: Seen, after: Seen, look: Look, probe: float, slack: float
) -> list[Found]:
    """Forces and slip that pass through zero."""
    found, least = [], {"push": PULLS * after.scale, "grip": PULLS * after.scale, "slip": slack}
    for kind, small in least.items():
        values = getattr(after, kind)
        for row in map(int, np.flatnonzero(values < -small)):
            value = _number(look, kind, row)
            a = start if getattr(before, kind)[row] > small else _first_positive(value, start, end)
            t = start if a is None else crossing_time(value, a, end)
            soon = min(end, t + probe)
            found.append(Found(t, kind, row, soon if value(soon) < -small else end))
    return found


def valley(h: float, gap0: float, rate0: float, gap1: float, rate1: float) -> float:
    """Where the tangents at both ends of a valley of length h meet: it is no deeper than that."""
    return gap0 + rate0 * (gap1 - gap0 - rate1 * h) / (rate0 - rate1)


def _first_positive(value: Callable[[float], float], start: float, end: float) -> float | None:
    """A time after a start at zero at which a number is positive, before it passes through zero again."""
    parts = (start + (end - start) * 0.5**k for k in range(1, HALVINGS))
    return next((t for t in parts if value(t) > 0.0), None)


def _number(look: Look, kind: str, row: int) -> Callable[[float], float]:
    return lambda t: float(getattr(look(t), kind)[row])


def crossing_time(value: Callable[[float], float], t0: float, t1: float) -> float:
    """When a number passes through zero, between two times at which it has different signs."""
    from scipy.optimize import brentq  # on use: it takes longer to import than all the rest

    if value(t1) == 0.0:
        return t1
    root: Any = brentq(value, t0, t1, xtol=1e-15 * max(1.0, abs(t1)), rtol=4 * np.finfo(float).eps)
    return float(root)
