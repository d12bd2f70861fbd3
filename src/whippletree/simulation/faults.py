"""What is at fault when a simulation cannot continue, and which joint."""

import numpy as np

from ..analysis.driven_system import joint_of_velocity
from ..model.mechanism import Mechanism
from ..model.singular import joint_without_inertia
from ..spatial import Array
from .acting import Drive
from .balance import Runaway
from .closing import Closing, OpenLoop
from .systems import Compiled

RUNAWAY = 1e8
"""Positions and velocities beyond this are no longer those of a mechanism, but of a step too long."""

AT_A_CORNER = 0.9999
"""Share of the time of a corner behind which it is in the way of a passage across a singular position."""

SINGULAR_START = (
    "it starts at a singular position of its loops, out of which a run with contacts finds no way: start a "
    "little beside it, or leave the contacts out, contacts=None"
)


def joint_of(m: Mechanism, velocity: int) -> str:
    """Name of the joint that an entry of qd belongs to."""
    owners = [body.joint_name for body in m.bodies for _ in range(body.joint.nv)]
    return owners[velocity]


def joint_of_worst(system: Compiled, t: float, y: Array) -> str | None:
    """The joint with the largest acceleration, or the first whose acceleration is not a number."""
    qdd = system.slope(t, y)[system.nq :][: system.equations.m.nv]
    if not len(qdd):
        return None
    return joint_of(system.equations.m, int(np.argmax(np.where(np.isfinite(qdd), np.abs(qdd), np.inf))))


def fault_at(
    system: Compiled, t: float, before: Array, after: Array, remedy: str
) -> tuple[str, float, str | None]:
    """What is wrong, when, and with which joint, of a step that led to values that are not finite.

    Args:
        system: What was integrated.
        t: The end of the step, s.
        before: The last good state.
        after: The state that is not finite, or rates that are not.
        remedy: What to do about steps that are too long, in words.
    """
    m, nq = system.equations.m, system.nq
    q, qd = before[:nq], before[nq:][: m.nv]
    qdd = system.slope(t, before)[nq:][: m.nv]
    if not np.all(np.isfinite(qdd)) and np.max(np.abs(before)) < RUNAWAY:
        joint = joint_of(m, int(np.argmax(~np.isfinite(qdd))))
        missing = joint_without_inertia(m, q)
        return missing or f"the acceleration of joint {joint!r} is not a number", t, joint
    wrong = np.flatnonzero(~np.isfinite(after[nq:][: m.nv]))
    joint = joint_of(m, int(wrong[0])) if len(wrong) else joint_of_worst(system, t, before)
    fastest = float(np.max(np.abs(qd), initial=0.0))
    return (
        f"the motion of joint {joint!r} became NaN or infinite, after speeds of up to {fastest:.3g}: "
        f"{remedy}",
        t,
        joint,
    )


def no_way_across(t: float, end: float, duration: float) -> str:
    """What is wrong at a singular position at a time t, s, of a part of a run that goes to its end, s."""
    found = "it reaches a singular position, and no way across was found"
    if AT_A_CORNER * end < t <= end < duration:
        found += f" before the speed of a driver jumps at t = {end:.6g} s: let it jump elsewhere"
    return found


def unaccounted(m: Mechanism, error: float, at: float, share: float, scale: float) -> str:
    """What to say of energy, J, by a time, s, that is a share of all there is to move with, J."""
    return (
        f"{m.name!r} {'gains' if error > 0.0 else 'loses'} {abs(error):.3g} J by t = {at:.6g} s that nothing "
        f"accounts for, {100.0 * share:.2g} % of the {scale:.3g} J it has to move with"
    )


def several_ways(m: Mechanism, closing: Closing | None, y: Array) -> str:
    """What to say of a singular position next to a state y; nothing without loops."""
    if closing is None:
        return ""
    other = joint_of_velocity(m, closing.other_way(y[: m.nq]))
    return (
        ". Its loops are close to a singular position, from where it may go on in several ways: in one that "
        f"meets this one there, joint {other!r} moves most"
    )


def left_open(error: OpenLoop, drive: Drive | None) -> str:
    """What to say of a loop, or of a driver, that cannot be followed."""
    what = f"loop {error.name!r} is open by {error.gap:.3g} and could not be closed"
    if drive is not None and error.name in drive.names:
        what = f"driver {error.name!r} is {error.gap:.3g} rad or m ahead and could not be followed"
    return f"{what}: reduce dt or rtol, or start away from where the mechanism locks"


def runs_away(found: Runaway, joint: str | None, remedy: str) -> str:
    """What to say of energy that comes from nowhere."""
    if not np.isfinite(found.gained) or not np.isfinite(found.scale):
        return f"its energy has grown beyond all numbers; joint {joint!r} changes fastest: {remedy}"
    return (
        f"its energy has grown by {found.gained:.3g} J, where {found.scale:.3g} J is all it has to move "
        f"with; joint {joint!r} changes fastest: {remedy}"
    )
