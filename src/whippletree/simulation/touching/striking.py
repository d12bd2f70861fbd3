"""Impacts, and sequences of ever lower ones that are closed by their series (RBDA §11.7)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...contact.geometry.contact_states import RATE
from ...contact.impulses.impact_problem import ImpactProblem
from ...contact.impulses.impacts import IMPACT_LAWS
from ...spatial import Array
from .deciding import Touchable, decide
from .holding import OPEN, Held, held_forces
from .touch_terms import SINGULAR, Unforced

MotionAt = Callable[[Array], Unforced]
"""The motion without contact forces at a velocity (nv,)."""

HOP = 1e-9
"""m: contacts that would hop no higher stay closed."""

HOP_SPEED = 0.01
"""m/s: no contact that parts faster hops so low."""

BOUND = 1e-6
"""Share of its free acceleration below which a contact is held closed by others."""

NO_RATIO = 0.999999
"""Hops that shrink less than so from one to the next have no sum worth telling."""


class Strike(NamedTuple):
    """What contacts do at an instant, and afterwards.

    Attributes:
        qd: (nv,) joint velocities after, rad/s or m/s.
        impulse: (nc, 3) N s.
        held: What contacts do from then on.
        speed: m/s at which the fastest contact parts.
        rests: The contacts that would go on hopping, each with the time, s, in which its hops end.
    """

    qd: Array
    impulse: Array
    held: Held
    speed: float
    rests: list[tuple[int, float]]


def strike(
    parts: Touchable,
    law: str,
    motion_at: MotionAt,
    qd: Array,
    touching: list[int],
    last_speed: float,
    still: float,
) -> Strike:
    """Impacts of contacts that touch and close; then which of them stay closed.

    A contact parts again, if only by less than 1 nm, in ever lower hops: their times are a geometric series,
    2v⁺/(a(1 - e)) in all. It is closed from now on, which is the same with e = 0 in this impact: so the sum
    of all impulses to come is in the impulse and in the forces of the contact.

    Args:
        parts: The contacts.
        law: One of `IMPACT_LAWS`.
        motion_at: Without contact forces, at a velocity (nv,).
        qd: (nv,) the velocity before.
        touching: The contacts that touch.
        last_speed: `speed` of the impact before, m/s; 0 for the first.
        still: m/s: contacts that move along the surface no faster may stick.
    """
    before, restitution = motion_at(qd), parts.restitution.copy()
    impulse = _impulse(parts, law, before, touching, restitution)
    now = qd + before.jump(impulse)
    after = motion_at(now)
    speed = float(np.max(after.velocity[touching, 0], initial=0.0))
    held, hops = _settled(parts, motion_at, now, touching, still)
    rests = [(row, _series(v, a, v / last_speed if last_speed else 0.0, parts, row)) for row, v, a in hops]
    if hops:
        restitution[[row for row, *_ in hops]] = 0.0
        impulse = _impulse(parts, law, before, touching, restitution)
        now = qd + before.jump(impulse)
        now = now + _stopping(motion_at(now), held.velocity_rows())
        held = decide(parts, motion_at(now), held.rows, still)
    after = motion_at(now)
    now = now + _stopping(after, _still(after, held.rows, still))
    return Strike(now, impulse, held, speed, rests)


def _impulse(parts: Touchable, law: str, motion: Unforced, rows: list[int], restitution: Array) -> Array:
    impulse = np.zeros_like(motion.d)
    before = motion.velocity[rows]
    if rows and np.min(before[:, 0]) < -RATE:
        R = motion.W[:, rows].reshape(len(motion.W), -1)
        problem = ImpactProblem(R, before, restitution[rows], parts.friction[rows], parts.titles(rows))
        impulse[rows] = IMPACT_LAWS[law](problem)
    return impulse


def _settled(
    parts: Touchable, motion_at: MotionAt, qd: Array, touching: list[int], still: float
) -> tuple[Held, list[tuple[int, float, float]]]:
    """What contacts do after an impact, and those that would hop: their speed and its rate."""
    motion = motion_at(qd)
    rows = [row for row in touching if motion.velocity[row, 0] < HOP_SPEED]
    while True:
        # Only where contacts do not part are their accelerations those of closed ones.
        stopped = motion_at(qd + _stopping(motion, _still(motion, rows, still)))
        held, hops, bounces = decide(parts, stopped, rows, still), [], set()
        for row in held.rows:
            v = float(motion.velocity[row, 0])
            if v <= RATE:
                continue
            a = _return(stopped, held, row)
            if v * v < 2.0 * a * HOP:
                hops.append((row, v, a))
            else:
                bounces.add(row)
        if not bounces:
            return held, hops
        rows = [row for row in rows if row not in bounces]


def _return(motion: Unforced, held: Held, row: int) -> float:
    """m/s²: with which a contact would close if it parted, and others did not; or did, if they hold it."""
    mode = held.mode.copy()
    mode[row] = OPEN
    force = held_forces(motion, held._replace(mode=mode))
    x = motion.W.reshape(len(motion.W), -1) @ force.ravel()
    alone, free = (float(-motion.d[row, 0] - motion.W[:, row, 0] @ part) for part in (x, 0.0 * x))
    return alone if alone > BOUND * free else free


def _series(v: float, a: float, ratio: float, parts: Touchable, row: int) -> float:
    """The time of all hops, s, the first with speed v, each by one ratio slower than the one before."""
    r = ratio if 0.0 < ratio < 1.0 else float(parts.restitution[row])
    return 2.0 * v / (a * (1.0 - r)) if r < NO_RATIO else np.inf


def _still(motion: Unforced, rows: list[int], still: float) -> list[tuple[int, int]]:
    """(contact, direction) in which closed contacts do not move: normals, tangents where none slips."""
    slow = np.linalg.norm(motion.velocity[:, 1:], axis=1) <= still
    return [(row, k) for row in rows for k in range(3 if slow[row] else 1)]


def _stopping(motion: Unforced, rows: list[tuple[int, int]]) -> Array:
    """(nv,) the least change of velocities, by its energy, that stops contacts along some directions."""
    if not rows:
        return np.zeros(len(motion.B))
    at, k = (np.array(part) for part in zip(*rows, strict=True))
    x, *_ = np.linalg.lstsq(motion.W[:, at, k].T, -motion.velocity[at, k], rcond=SINGULAR)
    return motion.B @ x
