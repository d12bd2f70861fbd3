"""Loops brought back within a stride: the instructions, and the numbers in memory."""

from functools import cache
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...model.snapshot import Snapshot
from ...spatial import Array
from ..closed_step import Rows
from .loop_closing import closing_kernels
from .motion import Motion

PASSES = 2
"""Newton steps at most, with a look at the state after each, and after another step by the same factors: the
first leaves the square of the gap, the second the product of both."""

PARTS = 4, 8
"""A step over which constraints may have turned is looked at in so many parts, each of which turns less; and
in so many if that does not do."""


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
        kernels: What they are brought back by.
        before, after: K, as far as it is not zero, where a step begins and where it ends.
        factors: Of K where a Newton step began.
    """

    doubts = True

    def __init__(self, motion: Motion, rows: Rows) -> None:
        driven = () if motion.drive is None else motion.drive.driven
        self.motion, self.rows = motion, rows
        self.kernels = closing_kernels(Snapshot(motion.m), rows, driven)
        self.watch, self._flags = np.zeros(3), np.zeros(2)
        _, K, factors, *_ = self.kernels.closer.array_shapes()[-4:]
        self.before, self.after, self.factors = np.zeros(K), np.zeros(K), np.zeros(factors)

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
        _, self.before[:], _, margin = self.kernels.closer(q, *self._asked(t))
        return float(margin)

    def many(self, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        """Closed states next to others (n, nq), (n, nv) at times (n,), s."""
        asked, raw = self._asked(t), qd
        for _ in range(PASSES):
            q, _, factors, _ = self.kernels.closer(q, *asked)
            qd, flags, *_ = self.kernels.kept(q, raw, factors, *asked)
            if not np.any(flags[..., 0]):
                break
        return q, qd

    def _in_parts(self, parts: int) -> list[Instruction]:
        """Whether constraints have turned between some of the positions on the way."""
        motion = self.motion
        (q0, qd0), (_, qd1) = motion.split(motion.y), motion.split(motion.after)
        found, flags, before = list[Instruction](), np.zeros(parts), self.before
        for part in range(parts):
            K, share = self.after, np.full(1, (part + 1) / parts)
            if part < parts - 1:
                K = np.zeros_like(before)
                found.append(Call(self.kernels.within, [q0, qd0, qd1, motion.h, share], [K]))
            found.append(Call(self.kernels.turned, [before, K], [flags[part : part + 1]]))
            before = K
        return [*found, Call(_any(parts), [flags], [self.watch[2:]])]

    def closed(self) -> list[Instruction]:
        """From a state in `after` to the closed one next to it, there; its gap and margin are watched."""
        motion = self.motion
        q, qd = motion.split(motion.after)
        raw, better, position, error = (np.zeros(n) for n in (len(qd), len(qd), len(q), len(self.rows)))
        (opened, wide), (gap, margin, _) = np.split(self._flags, 2), np.split(self.watch, 3)
        asked = [] if motion.drive is None else [motion.asked]
        K, K_kept, factors = self.after, np.zeros_like(self.after), self.factors
        kernels = self.kernels
        keep: list[Instruction] = [
            Copy(position, q),
            Call(kernels.kept, [q, raw, factors, *asked], [qd, self._flags, gap, error, K_kept]),
            Unless(opened, "closed"),
        ]
        found: list[Instruction] = [*motion.ask(motion.t_after), Copy(qd, raw)]
        found += PASSES * [
            Call(kernels.closer, [q, *asked], [position, K, factors, margin]),
            *keep,
            Call(kernels.nearer, [q, error, K, factors, *asked], [position]),
            *keep,
            Call(kernels.polished, [qd, K_kept, factors, wide, *asked], [better, opened]),
            Copy(better, qd),
            Unless(opened, "closed"),
        ]
        return [*found, Label("closed")]

    def instructions(self) -> list[Instruction]:
        """The same, and whether constraints have turned since the step began."""
        return [
            *self.closed(),
            Call(self.kernels.turned, [self.before, self.after], [self.watch[2:]]),
            *(
                entry
                for parts in PARTS
                for entry in (Unless(self.watch[2:], "straight"), *self._in_parts(parts))
            ),
            Label("straight"),
        ]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        return [Copy(self.after, self.before)]
