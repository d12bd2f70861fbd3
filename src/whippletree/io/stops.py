"""Stops at the limits of joints, which robot files name without saying how hard they are."""

from dataclasses import replace

import numpy as np

from ..dynamics.crba import crba
from ..model.mechanism import Limits, Mechanism
from ..model.parts import ABSURD
from ..spatial import Array

RATE = 100.0
"""rad/s: how fast a joint swings against its stop. At steps of 1 ms that is a tenth of a radian."""

DISSIPATION = 0.5
"""s/rad or s/m: a joint that comes at 1 rad/s leaves at about 0.7 rad/s."""


def with_stops(m: Mechanism) -> Mechanism:
    """The mechanism with stops where joints of one variable have limits.

    A stop of joint i has the stiffness RATE² / (H⁻¹)ᵢᵢ, H being the joint-space inertia in the neutral
    position: against 1 / (H⁻¹)ᵢᵢ, the inertia that the joint moves while all others are free, it swings at
    RATE. So it is stable at steps of 1 ms, for a finger as for a hip, also where that inertia is a hundred
    times less in another position. The sag under weight is of the order g / (length · RATE²).

    Left as they are: joints with a stop already, without finite limits, with limits that leave no room or are
    beyond 1e6 rad or m, and joints that move no inertia.
    """
    stopped = [i for i, body in enumerate(m.bodies) if body.joint.nv == 1 and _is_bound(body.limits)]
    if not stopped:
        return m
    inertia = _moved(m)
    bodies = list(m.bodies)
    for i in stopped:
        moved = inertia[m.v_index[i].start]
        if moved > 0.0:
            limits = replace(bodies[i].limits, stiffness=moved * RATE**2, dissipation=DISSIPATION)
            bodies[i] = replace(bodies[i], limits=limits)
    return m.with_parts(bodies=bodies)


def _is_bound(limits: Limits) -> bool:
    """Whether limits bound a joint, and have no stop yet."""
    sensible = limits.lower < limits.upper and (limits.lower >= -ABSURD or limits.upper <= ABSURD)
    return sensible and limits.stiffness == 0.0


def stopped_joints(m: Mechanism) -> int:
    """How many joints have stops."""
    return sum(body.limits.stiffness > 0.0 for body in m.bodies)


def _moved(m: Mechanism) -> Array:
    """(nv,) the inertia that each velocity moves in the neutral position; 0 where it is none."""
    H = np.asarray(crba(m, m.neutral()), dtype=float)
    try:
        moved = 1.0 / np.diag(np.linalg.inv(H))
    except np.linalg.LinAlgError:  # some joint moves nothing: the others as if all else were held
        moved = np.diag(H)
    return np.where(np.isfinite(moved) & (moved > 1e-12 * np.max(np.diag(H), initial=0.0)), moved, 0.0)
