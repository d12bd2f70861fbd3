"""Where a contact passes over an edge: from a face to its rim, or off it (RBDA §11.6, geometric loss).

No equation of motion sees an edge come, and behind it the equations are others: the normal begins to turn, or
there is nothing left to touch. So what a contact touches is looked for a little ahead of the motion.
"""

from collections.abc import Callable

import numpy as np

from ...spatial import Array

AHEAD = 1e-10
"""rad or m: how far ahead of the motion it is seen what contacts touch."""

LOST = 0.1 * AHEAD
"""m: contacts whose gap is more so far behind an edge have nothing left to touch."""

HALVINGS = 60
"""How often a step is halved in the search for an edge."""

Features = Callable[[float], Array]
"""(nc,) what contacts touch a little ahead of the motion at a time, as numbers."""


def ahead(qd: Array) -> float:
    """s: the time in which a motion covers `AHEAD`; 0 at rest."""
    speed = float(np.max(np.abs(qd), initial=0.0))
    return AHEAD / speed if speed > 0.0 else 0.0


def passed(t0: float, t1: float, features: Features, rows: list[int]) -> float | None:
    """When the first of some contacts comes to another feature in a step from t0 to t1; None if none does."""
    before = features(t0)[rows]
    if np.array_equal(before, features(t1)[rows]):
        return None
    for _ in range(HALVINGS):
        middle = 0.5 * (t0 + t1)
        if not t0 < middle < t1:
            break
        if np.array_equal(before, features(middle)[rows]):
            t0 = middle
        else:
            t1 = middle
    return t1
