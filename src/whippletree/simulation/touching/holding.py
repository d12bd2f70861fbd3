"""Contacts that are held: which ones, how, and by which forces (RBDA §11.5, table 11.1 step 1)."""

from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, maximum
from .held_motion import HeldMotion
from .touch_terms import SINGULAR, Unforced

OPEN, STICK, SLIP = 0, 1, 2
"""What a contact does."""

STILL = 1e-6
"""m/s: contacts that move along the surface no faster may stick, however small tolerances are."""

SLACK = 10.0
"""Slip turns if it is beyond zero by so many times what a step may err."""

FAINT = 1e-8
"""m/s: the speed below which a contact slips along the direction in which it began to."""


SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Of the way to forces that are shared most evenly."""


class Held(NamedTuple):
    """What every contact does, from one event to the next.

    Attributes:
        mode: (nc,) OPEN, STICK or SLIP.
        along: (nc, 2) unit vectors along t1 and t2 in which contacts slipped when this was last looked at;
            zero for those that do not.
        force: (nc, 3) forces at that time, N; where more contacts are held than the motion determines the
            forces of, those nearest to these are taken.
        friction: (nc,) μ.
        faint: m/s: below this, contacts slip along the direction in which they began to.
        still: m/s: contacts that move along the surface no faster may stick; see `still_at`.
    """

    mode: Array
    along: Array
    force: Array
    friction: Array
    faint: float = FAINT
    still: float = STILL

    @property
    def rows(self) -> list[int]:
        """The contacts that are closed: the current set."""
        return [int(row) for row in np.flatnonzero(self.mode)]

    @property
    def sticking(self) -> list[int]:
        return [int(row) for row in np.flatnonzero(self.mode == STICK)]

    def directions(self, velocity: Array) -> Array:
        """(nc, 2) in which contacts slip at velocities (nc, 3), smooth through zero along `along`.

        Beyond zero it is as if slip went on: what is across still has friction against it. Zero without
        friction: such a contact may turn back at any time, and nothing happens.
        """
        slip = velocity[:, 1:]
        back = np.minimum(np.sum(slip * self.along, axis=1, keepdims=True), 0.0)
        w = slip + (self.faint - 2.0 * back) * self.along
        length = np.linalg.norm(w, axis=1, keepdims=True)
        moves = ((self.mode == SLIP) & (self.friction > 0.0))[:, None] & (length > 0.0)
        return np.where(moves, w / np.where(moves, length, 1.0), 0.0)

    def turned(self, velocity: Array) -> Array:
        """(…, nc, 2) `along` at velocities (…, nc, 3) after a while in which slip has gone on."""
        slip = velocity[..., 1:]
        speed = np.linalg.norm(slip, axis=-1, keepdims=True)
        moves = ((self.mode == SLIP) & (self.friction > 0.0))[:, None] & (speed > self.still)
        return np.where(moves, slip / np.where(moves, speed, 1.0), self.along)

    def velocity_rows(self) -> list[tuple[int, int]]:
        """(contact, direction) in which contacts do not move: normals, and tangents of those that stick."""
        normal = [(row, 0) for row in self.rows]
        return normal + [(row, k) for row in self.sticking for k in (1, 2)]


def still_at(slack: Any) -> Any:
    """m/s: contacts that move along the surface no faster may stick; slip may be beyond zero by the slack.

    Slip that turns is seen beyond the slack, and may have as much across. Were less than that taken for slip,
    it would turn back, be seen turning there, and so on without end.
    """
    return maximum(STILL, 2.0 * slack)


def none_held(friction: Array) -> Held:
    """All contacts open."""
    nc = len(friction)
    return Held(np.zeros(nc, dtype=int), np.zeros((nc, 2)), np.zeros((nc, 3)), friction)


class Hold(NamedTuple):
    """What closed contacts do not do, and the forces that see to it.

    Attributes:
        at, k: (r,) contacts and directions in which they do not move.
        A: (nv, r) what that is about, in the velocities of `Unforced`.
        F: (nv, r) what forces act along: n - μ t̂ for the normals of contacts that slip.
        slip: (nc, 2) μ t̂.
    """

    at: Array
    k: Array
    A: Array
    F: Array
    slip: Array


def _hold(motion: Unforced, held: Held) -> Hold:
    rows = np.array(held.velocity_rows(), dtype=int).reshape(-1, 2)
    at, k = rows.T
    A = motion.W[:, at, k]
    slip = held.directions(motion.velocity) * held.friction[:, None]
    normal = np.flatnonzero((k == 0) & (held.mode[at] == SLIP))
    F, rubs = A.copy(), at[normal]
    F[:, normal] -= motion.W[:, rubs, 1] * slip[rubs, 0] + motion.W[:, rubs, 2] * slip[rubs, 1]
    return Hold(at, k, A, F, slip)


def held_forces(motion: Unforced, held: Held) -> Array:
    """(nc, 3) forces under which held contacts stay as they are.

    Closed contacts have ζ̇_n = 0, those that stick ζ̇ = 0; those that slip carry the force λn (n - μ t̂).
    """
    force = np.zeros_like(motion.d)
    if not np.any(held.mode):
        return force
    at, k, A, F, slip = _hold(motion, held)
    M, start = A.T @ F, held.force[at, k]
    if not np.all(np.isfinite(M)):
        return force * np.nan
    change, *_ = np.linalg.lstsq(M, -motion.d[at, k] - M @ start, rcond=SINGULAR)
    force[at, k] = start + change
    force[:, 1:] -= slip * force[:, :1]
    return force


def centred(motion: Unforced, held: Held) -> Held:
    """The same with forces away from their limits, where contacts share them in more than one way.

    Forces that move nothing are added: towards the least squares of normal forces, and of friction over μ,
    but by no more than all limits allow.
    """
    at, k, _, F, slip = _hold(motion, held)
    size, vectors = np.linalg.eigh(F.T @ F)
    idle = vectors[:, size <= SINGULAR * np.max(size, initial=0.0)]
    if not idle.size:
        return held
    weight = np.where(k == 0, 1.0, 1.0 / np.maximum(held.friction[at], SINGULAR))
    now = held.force[at, k]
    change, *_ = np.linalg.lstsq(idle * weight[:, None], -now * weight, rcond=SINGULAR)
    best = held
    for share in SHARES:
        force = np.zeros_like(held.force)
        force[at, k] = now + share * (idle @ change)
        force[:, 1:] -= slip * force[:, :1]
        if _least_margin(held, force) > _least_margin(best, best.force):
            best = held._replace(force=force)
    return best


def _least_margin(held: Held, force: Array) -> float:
    """How far forces (nc, 3) are from their limits, N: from pulling, and from more friction than there is."""
    friction = held.friction * force[:, 0] - np.linalg.norm(force[:, 1:], axis=1)
    sticks = friction[held.mode == STICK] / np.maximum(held.friction[held.mode == STICK], SINGULAR)
    return float(min(np.min(force[held.mode != OPEN, 0], initial=np.inf), np.min(sticks, initial=np.inf)))


def held_by_factors(motion: Unforced, held: Held) -> HeldMotion:
    """The motion with closed contacts held, out of that without contact forces."""
    force = held_forces(motion, held)
    slope = np.concatenate([motion.rate, motion.accelerations(force)])
    felt, scale = np.sum(motion.W[:, :, 0] ** 2, axis=0), float(np.max(np.abs(motion.d), initial=0.0))
    push, turning = painleve(motion, held), _turning(motion, held, force)
    return HeldMotion(slope, force, motion.velocity, motion.gap, felt, push, scale, turning, 1.0)


def _turning(motion: Unforced, held: Held, force: Array) -> float:
    """See `HeldMotion`."""
    if not np.any(held.mode == SLIP):
        return 0.0
    x, y = held.directions(motion.velocity).T  # zero for contacts that do not slip
    across = np.sum((motion.W[:, :, 2] * x - motion.W[:, :, 1] * y) ** 2, axis=0)
    speed = np.linalg.norm(motion.velocity[:, 1:], axis=1) + held.faint
    return float(np.sum(held.friction * np.abs(force[:, 0]) * across / speed))


def painleve(motion: Unforced, held: Held) -> Array:
    """(nc,) n·H⁻¹(n - μ t̂) over n·H⁻¹n of contacts that slip, 1 for others; Painlevé's paradox below 0."""
    if not np.any(held.mode == SLIP):
        return np.ones(len(held.mode))
    slip = held.directions(motion.velocity) * held.friction[:, None]
    normal = motion.W[:, :, 0]
    push = normal - np.einsum("vck,ck->vc", motion.W[:, :, 1:], slip)
    size = np.sum(normal * normal, axis=0)
    moves = (held.mode == SLIP) & (size > 0.0)
    return np.where(moves, np.sum(normal * push, axis=0) / np.where(moves, size, 1.0), 1.0)
