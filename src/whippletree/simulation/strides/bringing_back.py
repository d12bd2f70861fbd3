"""Loops brought back within a stride: the instructions, and the numbers in memory."""

from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot
from ...spatial import Array
from ..closed_step import Rows
from .loop_closing import closing_kernels
from .motion import Motion

PASSES = 3
"""Newton steps at most, with a look at the state after each: one leaves the square of the gap."""

PARTS = 4, 8
"""A step over which constraints may have turned is looked at in so many parts, each of which turns less; and
in so many if that does not do."""


def position_within(m: Mechanism, q: Array, qd: Array, qd_after: Array, h: Any, share: Any) -> Array:
    """(nq,) about where a motion from q is after a share of h, s, its velocity having changed evenly."""
    return integrate(m, q, (share * h) * (qd + (0.5 * share) * (qd_after - qd)))


@lru_cache(maxsize=32)
def _between(now: Snapshot) -> Kernel:
    inputs = {"qd_after": (now.m.nv,), "h": (), "share": ()}
    return Kernel(record(position_within, now.m, inputs=inputs), "position_within")


@cache
def _any(parts: int) -> Kernel:
    return Kernel(simplify(trace(lambda turned: sum(turned), {"turned": (parts,)})), "any")


class BringingBack:
    """The loops of a motion in memory.

    Args:
        motion: The memory.
        rows: Numbers of independent constraints.

    Attributes:
        watch: (3,) of the state brought back last: gap, margin, and whether constraints have turned.
    """

    def __init__(self, motion: Motion, rows: Rows) -> None:
        driven = () if motion.drive is None else motion.drive.driven
        self.motion, self.rows = motion, rows
        self._closer, self._kept = closing_kernels(Snapshot(motion.m), rows, driven)
        self.watch, self._open = np.zeros(3), np.zeros(1)
        _, K, factors, *_ = self._closer.array_shapes()[-6:]
        self._before, self._after, self._factors = np.zeros(K), np.zeros(K), np.zeros(factors)

    def _asked(self, t: Any) -> list[Array]:
        """What drivers prescribe at a time or at times (n,), if there are any."""
        drive = self.motion.drive
        if drive is None:
            return []
        found = np.array([drive.asked(float(at)) for at in np.ravel(t)])
        return [found if np.ndim(t) else found[0]]

    def begin(self, t: float, y: Array) -> float:
        """Go on from a state; its margin."""
        q, _ = self.motion.split(y)
        _, self._before[:], _, _, margin, _ = self._closer(q, self._before, *self._asked(t))
        return float(margin)

    def many(self, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        """Closed states next to others (n, nq), (n, nv) at times (n,), s."""
        asked, raw = self._asked(t), qd
        for _ in range(PASSES):
            q, K, factors, change, *_ = self._closer(q, self._before, *asked)
            qd, more, _ = self._kept(q, raw, K, factors, change, *asked)
            if not np.any(more):
                break
        return q, qd

    def _in_parts(self, parts: int) -> list[Instruction]:
        """Whether constraints have turned between some of the positions on the way."""
        motion = self.motion
        (q0, qd0), (q1, qd1) = motion.split(motion.y), motion.split(motion.after)
        asked = [] if motion.drive is None else [motion.asked]
        turned, rest = np.zeros(parts), [np.zeros_like(q1), np.zeros_like(self._factors)]
        found, before, between = list[Instruction](), self._before, _between(Snapshot(motion.m))
        for part in range(parts):
            q, K, share = q1, np.zeros_like(before), np.full(1, (part + 1) / parts)
            if part < parts - 1:
                q = np.zeros_like(q1)
                found.append(Call(between, [q0, qd0, qd1, motion.h, share], [q]))
            outputs = [rest[0], K, rest[1], np.zeros(1), np.zeros(1), turned[part : part + 1]]
            found.append(Call(self._closer, [q, before, *asked], outputs))
            before = K
        return [*found, Call(_any(parts), [turned], [self.watch[2:]])]

    def instructions(self) -> list[Instruction]:
        """From a state in `after` to the closed one next to it, there."""
        motion = self.motion
        q, qd = motion.split(motion.after)
        raw, position, change = np.zeros_like(qd), np.zeros_like(q), np.zeros(1)
        gap, margin, turned = np.split(self.watch, 3)
        asked = [] if motion.drive is None else [motion.asked]
        towards = [position, self._after, self._factors, change, margin, turned]
        once: list[Instruction] = [
            Call(self._closer, [q, self._before, *asked], towards),
            Copy(position, q),
            Call(self._kept, [q, raw, self._after, self._factors, change, *asked], [qd, self._open, gap]),
        ]
        found: list[Instruction] = [*motion.ask(motion.t_after), Copy(qd, raw), *once]
        for _ in range(PASSES - 1):
            found += [Unless(self._open, "closed"), *once]
        return [
            *found,
            Label("closed"),
            *(
                entry
                for parts in PARTS
                for entry in (Unless(self.watch[2:], "straight"), *self._in_parts(parts))
            ),
            Label("straight"),
        ]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        return [Copy(self._after, self._before)]
