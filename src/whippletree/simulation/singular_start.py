"""Starts at positions where fewer constraints are independent than around them, and ways away from there."""

import warnings

import numpy as np

from ..errors import HeldControlWarning
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import SOON, Acting
from .attempts import Way
from .bridge import Bridging
from .closing import Closing
from .equations import acceleration
from .plan import Plan
from .steppers import Closer, Step

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


def step_along(
    way: Way,
    m: Mechanism,
    forces: Acting,
    duration: float,
    closing: Closing,
    closed: Closer,
) -> Step:
    """A way across a singular position, or away from one, as a step of a run; tells of held controls."""

    def inside(t: float) -> Array:
        y = way.state(t)
        return closing.loosely(t, y, closed(t, y))

    end = min(way.end, duration)
    if forces.period is not None and SOON * end > forces.next_sample:
        warnings.warn(
            f"{m.name!r} is close to a singular position of its loops from t = {way.t:.6g} to {end:.6g} s: "
            f"its control, to be asked every {forces.period:g} s, holds all that time what it gave before",
            HeldControlWarning,
            stacklevel=5,
        )
    return Step(end, closed(end, way.state(end)), inside)
