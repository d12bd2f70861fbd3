"""Motions that come to rest at a singular position of loops, from where branches lead on that meet there.

A motion that passes is as far from a singular position as its speed has it: twice as far in twice the time.
One that comes to rest there turns round, and is four times as far. What turns round within D of a singular
position, after it had a margin μ a time T before, is within 4 D for √(D/μ) T on both sides.
"""

from collections.abc import Callable

import numpy as np

LOOKS = 8
"""How often margins are looked at on the way across."""

HALFWAY = 0.375
"""Share of the margin at the start that is left halfway: where a motion passes a half, at rest a quarter."""

GOLDEN, NARROWED = 0.5 * (np.sqrt(5.0) - 1.0), 60
"""Share by which the time of the least margin is narrowed down, and how often."""

CLOSEST = 1.0 / 400.0
"""Share of the margin at the start that D is at most, for both kinds to differ."""


def rests_at(margin: Callable[[float], float], start: float, end: float, within: float) -> float | None:
    """When a motion across a singular position comes to rest at it, s; None if it does not.

    Args:
        margin: How far from singular positions it is at a time, s.
        start, end: Where the way across starts and ends, s.
        within: Distances that count as none.
    """
    times = np.linspace(start, end, LOOKS + 1)
    k = int(np.argmin([margin(t) for t in times.tolist()]))
    if not 0 < k < LOOKS:
        return None
    before = margin(start)
    if margin(0.5 * float(start + times[k])) > HALFWAY * before:
        return None
    t = _least(margin, float(times[k - 1]), float(times[k + 1]))
    within = min(within, CLOSEST * before)
    around = np.sqrt(within / before) * (t - start)
    return t if max(margin(t - around), margin(min(t + around, end))) < 4.0 * within else None


def _least(margin: Callable[[float], float], a: float, b: float) -> float:
    """Where between two times margins are least (golden section, Kiefer 1953)."""
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = margin(c), margin(d)
    for _ in range(NARROWED):
        if at_c < at_d:
            b, d, at_d = d, c, at_c
            c = b - GOLDEN * (b - a)
            at_c = margin(c)
        else:
            a, c, at_c = c, d, at_d
            d = a + GOLDEN * (b - a)
            at_d = margin(d)
    return 0.5 * (a + b)
