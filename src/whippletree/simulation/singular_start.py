"""Starts at positions where fewer constraints are independent than around them."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .bridge import Bridging
from .equations import acceleration
from .plan import Plan

AWAY = 0.5
"""rad or m: where a motion has come so far, a singular start is no longer felt."""


def first_acceleration(m: Mechanism, plan: Plan, bridging: Bridging | None, y: Array) -> Array:
    """(nv,) at a start y (nq + nv) from rest, whose position may be singular."""
    if bridging is not None:
        return bridging.slope(0.0, y)[m.nq :]
    q, qd = y[: m.nq], y[m.nq : m.nq + m.nv]
    return acceleration(m, q, qd, *plan.forces(0.0, q, qd), law=plan.law.at_once)


def way_out(duration: float, direction: Array, rest: bool) -> float:
    """s: how long the step away from a singular start may be, with a velocity or, from rest, an acceleration.

    Next to the start rounding is all that a short step sees. So it may reach behind the end of the run.
    """
    size = float(np.max(np.abs(direction), initial=0.0))
    if size == 0.0:
        return duration
    return max(duration, float(np.sqrt(2.0 * AWAY / size)) if rest else AWAY / size)
