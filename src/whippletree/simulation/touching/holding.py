"""Contacts that are held: which ones, how, and by which forces (RBDA §11.5, table 11.1 step 1)."""

from typing import NamedTuple

import numpy as np

from ...spatial import Array
from .touch_terms import SINGULAR, Unforced

OPEN, STICK, SLIP = 0, 1, 2
"""What a contact does."""

FAINT = 1e-8
"""m/s: the speed below which a contact slips along the direction in which it began to."""


class Held(NamedTuple):
    """What every contact does, from one event to the next.

    Attributes:
        mode: (nc,) OPEN, STICK or SLIP.
        along: (nc, 2) unit vectors along t1 and t2 in which contacts slipped when this was last looked at;
            zero for those that do not.
        force: (nc, 3) forces at that time, N; where more contacts are held than the motion determines the
            forces of, those nearest to these are taken.
        friction: (nc,) μ.
    """

    mode: Array
    along: Array
    force: Array
    friction: Array

    @property
    def rows(self) -> list[int]:
        """The contacts that are closed: the current set."""
        return [int(row) for row in np.flatnonzero(self.mode)]

    @property
    def sticking(self) -> list[int]:
        return [int(row) for row in np.flatnonzero(self.mode == STICK)]

    def directions(self, velocity: Array) -> Array:
        """(nc, 2) in which contacts slip at velocities (nc, 3), smooth through zero along `along`."""
        slip = velocity[:, 1:]
        forward = np.where(np.sum(slip * self.along, axis=1) < 0.0, -1.0, 1.0)[:, None]
        w = forward * slip + FAINT * self.along
        length = np.linalg.norm(w, axis=1, keepdims=True)
        moves = (self.mode == SLIP)[:, None] & (length > 0.0)
        return np.where(moves, w / np.where(moves, length, 1.0), 0.0)

    def velocity_rows(self) -> list[tuple[int, int]]:
        """(contact, direction) in which contacts do not move: normals, and tangents of those that stick."""
        normal = [(row, 0) for row in self.rows]
        return normal + [(row, k) for row in self.sticking for k in (1, 2)]


def none_held(friction: Array) -> Held:
    """All contacts open."""
    nc = len(friction)
    return Held(np.zeros(nc, dtype=int), np.zeros((nc, 2)), np.zeros((nc, 3)), friction)


def held_forces(motion: Unforced, held: Held) -> Array:
    """(nc, 3) forces under which held contacts stay as they are.

    Closed contacts have ζ̇_n = 0, those that stick ζ̇ = 0; those that slip carry the force λn (n - μ t̂).
    """
    rows = held.velocity_rows()
    force = np.zeros_like(motion.d)
    if not rows:
        return force
    at, k = (np.array(part) for part in zip(*rows, strict=True))
    A = motion.W[:, at, k]
    slip = held.directions(motion.velocity) * held.friction[:, None]
    rubbing = np.einsum("vck,ck->vc", motion.W[:, :, 1:], slip)
    F = A - np.where(k == 0, 1.0, 0.0) * rubbing[:, at]
    M, start = A.T @ F, held.force[at, k]
    if not np.all(np.isfinite(M)):
        return force * np.nan
    change, *_ = np.linalg.lstsq(M, -motion.d[at, k] - M @ start, rcond=SINGULAR)
    force[at, k] = start + change
    force[:, 1:] -= slip * force[:, :1]
    return force


def painleve(motion: Unforced, held: Held) -> Array:
    """(nc,) n·H⁻¹(n - μ t̂) over n·H⁻¹n of contacts that slip, 1 for others; Painlevé's paradox below 0."""
    slip = held.directions(motion.velocity) * held.friction[:, None]
    normal = motion.W[:, :, 0]
    push = normal - np.einsum("vck,ck->vc", motion.W[:, :, 1:], slip)
    size = np.sum(normal * normal, axis=0)
    moves = (held.mode == SLIP) & (size > 0.0)
    return np.where(moves, np.sum(normal * push, axis=0) / np.where(moves, size, 1.0), 1.0)
