"""Bounds of joints as inverse kinematics keeps them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..loops.equations.relations import velocities
from ..model.mechanism import Mechanism
from ..model.values import joint_numbers
from ..spatial import Array, array, maximum, minimum, where


class Bound(NamedTuple):
    """Of one coordinate, which is a joint's angle or length: its numbers in q and in qd, and its limits."""

    q: int
    v: int
    lower: float
    upper: float


class JointBounds(NamedTuple):
    """Which coordinates are bounded, and which velocities are held.

    Limits of joints whose coordinates are no angles or lengths, as quaternions, bound nothing.
    """

    bounds: tuple[Bound, ...]
    held: tuple[int, ...]

    @classmethod
    def of(cls, m: Mechanism, hold: Sequence[str]) -> "JointBounds":
        found = []
        for i, body in enumerate(m.bodies):
            limits = body.limits
            if body.joint.nq != body.joint.nv:
                continue
            for k in range(body.joint.nq):
                if np.isfinite(limits.lower) or np.isfinite(limits.upper):
                    q, v = m.q_index[i].start + k, m.v_index[i].start + k
                    found.append(Bound(q, v, float(limits.lower), float(limits.upper)))
        held = (k for i in joint_numbers(m, hold, "hold") for k in velocities(m, i))
        return cls(tuple(found), tuple(sorted(held)))

    def within(self, m: Mechanism, q: Array) -> Array:
        """(nq,) a position with what is beyond a bound put on it; what is held stays."""
        entries = list(q)
        for bound in self.bounds:
            if bound.v not in self.held:
                entries[bound.q] = minimum(maximum(entries[bound.q], bound.lower), bound.upper)
        return array(entries)

    def may_move(self, m: Mechanism, q: Array, gradient: Array) -> Array:
        """(nv,) 0 for what is held, or at a bound and would leave along -gradient; else 1."""
        moves: list[Any] = [float(k not in self.held) for k in range(m.nv)]
        for _, v, at_lower, at_upper in self._standing(q):
            if v in self.held:
                continue
            down, up = gradient[v] > 0.0, gradient[v] < 0.0
            moves[v] = where(at_lower, where(down, 0.0, 1.0), where(at_upper, where(up, 0.0, 1.0), 1.0))
        return array(moves)

    def _standing(self, q: Array) -> list[tuple[int, int, Any, Any]]:
        """Each bound's numbers, and whether q stands at the lower one, at the upper one."""
        return [(b.q, b.v, q[b.q] <= b.lower, q[b.q] >= b.upper) for b in self.bounds]
