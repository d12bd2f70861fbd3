"""Steps taken many at a time, by a script, up to where something has to be decided.

A stride is made of plain steps: the state is finite, loops are clear of singular positions, what was chosen
for them suits, steps are not too short. The script ends before the first that is not; that one is taken and
looked at by itself.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import (
    Again,
    Call,
    CallMany,
    CallPython,
    Copy,
    Halt,
    Instruction,
    Label,
    Next,
    Script,
    Unless,
    Write,
)
from ...spatial import Array
from ..closed_step import Rows
from .bringing_back import BringingBack
from .event_lookout import EventLookout
from .fused_steps import Judging, fused_step, is_fused
from .judging import plain_kernel
from .kink_landing import Bounds, KinkLanding
from .motion import END, REJECTED, RETRY, STEP, Motion

NUMBERS, MOST, FEWEST = 1 << 16, 4096, 16
"""Numbers of states that a script writes before it comes back; states at most, and at least."""

LOOK = 64
"""With loops it is looked after so many chosen steps whether rounding errors have made them short."""

OPERATIONS = 5e7
"""And after how many operations it does so in any case, so that the user is heard: some 10 ms."""

PYTHON = 20_000
"""Operations that take as long as a function of the user."""


class StepScript(Protocol):
    """What takes a step in a script."""

    kept: Array | None
    """Numbers of a step that are written along with it."""

    size: Array
    """(1,) the length of the next step, s, before it is cut short."""

    following: Array
    """(nq + nv,) the slope where the step ends that was accepted last, if lengths are chosen."""

    def serve(self, steps: Any) -> None:
        """Take steps of another run, of which there are no more numbers than those in memory."""
        ...

    def begin(self, t: float, y: Array) -> None:
        """Go on from a state."""
        ...

    def end(self, h: float | None) -> None:
        """The next step will be taken by others, from where h, s, was too long or, if None, nothing."""
        ...

    def step(self) -> tuple[list[Instruction], Array]:
        """From t and y to t_after, h and a state there, which is not brought back yet."""
        ...

    def accepted(self) -> list[Instruction]:
        """What is to be found at (t_after, after), the state brought back, before it counts."""
        ...

    def commit(self) -> list[Instruction]:
        """What is after the step is before the next."""
        ...

    def rejected(self) -> list[Instruction]:
        """What is done about a step that was rejected, and had met no kink, before it is taken again."""
        ...

    def shortened(self, length: Array) -> list[Instruction]:
        """What makes the step that was just taken one of a length (1,), s; none if lengths are fixed."""
        ...

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        """(m, n) states shares x (m, 1) through steps that start at y (m, n), `kept` (m, …) of each."""
        ...


class Keeping(Protocol):
    """What keeps loops, or contacts, closed in a script."""

    watch: Array
    """(3,) gap, margin and turn of the state that was brought back last; see `plain`."""

    doubts: bool
    """Whether rounding errors may make steps short, so that they are looked at now and then."""

    def begin(self, t: float, y: Array) -> float:
        """Go on from a state; its margin."""
        ...

    def many(self, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        """Closed states next to others (n, nq), (n, nv) at times (n,), s."""
        ...

    def instructions(self) -> list[Instruction]:
        """From a state in `after` to the closed one next to it, there."""
        ...

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next; a decision may be needed before that."""
        ...


class Steps(NamedTuple):
    """Steps that were taken.

    Attributes:
        t, h: (n,) their ends and lengths, s.
        y: (n, nq + nv) states at their ends.
        margin: (n,) of loops there.
        slope: (n, nq + nv) of states there, if that was asked for; else (0, nq + nv).
        kept: (n, …) what the method keeps of each step. These three are only until more steps are taken.
        stopped: Whether the next step needs a decision.
    """

    t: Array
    h: Array
    y: Array
    margin: Array
    slope: Array
    kept: Array
    stopped: bool

    def first(self, count: int) -> "Steps":
        """Only the first of them."""
        t, h, y, margin, slope, kept = (part[:count] for part in self[:6])
        return Steps(t, h, y, margin, slope, kept, self.stopped)


class Stride:
    """The script of a motion.

    Args:
        motion: The memory.
        method: What takes a step.
        rows: Numbers of independent constraints that loops are closed by.
        slopes: Whether slopes at the ends of steps will be asked for.
        lookout: Makes what looks for events, for the memory; None: nothing does.
        kinks: Where steps of chosen length end.

    Attributes:
        bounds: (4,) of `plain`.
    """

    def __init__(
        self,
        motion: Motion,
        method: StepScript,
        rows: Rows,
        slopes: bool,
        kinks: Bounds = (),
        lookout: Callable[[Motion], EventLookout] | None = None,
    ) -> None:
        self.motion, self.method = motion, method
        n, m = len(motion.y), motion.m
        self.loops = self.keeping(rows)
        self.lookout = None if lookout is None else lookout(motion)
        self.bounds = np.array([np.inf, -np.inf, np.inf, -np.inf])
        self._until, self._more = np.zeros(1), np.zeros(1)
        watch = np.zeros(4)
        count = int(np.clip(NUMBERS // n, FEWEST, MOST))
        # The first row is the start.
        self._rows, self._margin = np.zeros((1 + count, 2 + n)), np.zeros((count, 1))
        self._slope = np.zeros((count if slopes else 0, n))
        slope = np.zeros(n)
        self._kept = np.zeros((0, 0)) if method.kept is None else np.zeros((count, *method.kept.shape))

        step, raw = method.step()
        brought_back: list[Instruction] = []
        if self.loops is not None:
            brought_back += [*self.loops.instructions(), Copy(self.loops.watch, watch[:3])]
        quality = motion.equations.quality
        if quality is not None:
            assert isinstance(quality, Kernel)
            brought_back.append(Call(quality, [motion.after[: m.nq]], [watch[3:]]))
        judged = [motion.t_after, motion.after, watch, self.bounds, self._until]
        brought_back.append(Call(plain_kernel(n), judged, [motion.good, self._more]))
        found: list[Instruction] = [Label(STEP)]
        if is_fused(method, motion) and (self.loops is None or isinstance(self.loops, BringingBack)):
            by = Judging(self.bounds, self._until, watch[1:2], motion.good, self._more)
            found += fused_step(motion, method, self.loops, by, brought_back)
        else:
            found += [*step, *motion.unit(raw), *brought_back]
        found.append(Unless(motion.good, END))
        self._landing = None
        if kinks and method.shortened(np.zeros(1)):
            self._landing = KinkLanding(motion, method.size, method.shortened, raw, method.following, kinks)
            found += self._landing.look()
        found += method.accepted()
        if slopes or self.lookout is not None:
            found += motion.slope(motion.t_after, motion.after, slope)
        if self.lookout is not None:
            found += [*self.lookout.instructions(slope), Unless(motion.good, END)]
        if slopes:
            found.append(Write(slope, self._slope))
        found.append(Write(motion.ended, self._rows[1:]))
        if self.loops is not None:
            found.append(Write(watch[1:2], self._margin))
        if method.kept is not None:
            found.append(Write(method.kept, self._kept))
        found += [Copy(motion.ended[1:], motion.begun), *method.commit()]
        if self.loops is not None:
            found += self.loops.commit()
        if self.lookout is not None:
            found += self.lookout.commit(slope)
        if self._landing is not None:
            found += self._landing.commit()
        found += [
            Next(),
            Unless(self._more, END),
            Unless(motion.good, END),
            Label(RETRY),
            Again(STEP),
            Label(END),
            Halt(),
        ]
        rejected = [Label(REJECTED)] if self._landing is None else self._landing.instructions()
        self._script = Script([*found, *rejected, *method.rejected(), Unless(np.zeros(1), RETRY)])
        self._rounds = max(1, int(OPERATIONS / _operations(found)))

    def keeping(self, rows: Rows) -> Keeping | None:
        """What keeps closed what is closed."""
        return BringingBack(self.motion, rows) if rows else None

    def begin(self, t: float, y: Array) -> float:
        """Go on from a state; the margin of loops there."""
        self.motion.t[0], self.motion.y[:] = t, y
        self._rows[0, 1:] = self.motion.begun
        self.motion.begin()
        self.method.begin(t, y)
        if self._landing is not None:
            self._landing.begin()
        return 1.0 if self.loops is None else self.loops.begin(t, y)

    def closed(self, t: Array, y: Array) -> Array:
        """States (n, nq + nv) at times (n,) within steps, with quaternions of unit norm and loops closed."""
        m = self.motion.m
        q, qd = (np.ascontiguousarray(part) for part in np.split(y, [m.nq], axis=1))
        if m.nq != m.nv:
            q = self.motion.equations.common.projected(q)
        return np.concatenate((q, qd) if self.loops is None else self.loops.many(t, q, qd), axis=1)

    def take(self, until: float) -> Steps:
        """Steps up to a time, or to what has to be decided, or fewer: as many as are worth a call."""
        count = self._go(until)
        h, t, y = self._copied(1, count + 1)
        margin, slope, kept = self._margin[:count, 0], self._slope[:count], self._kept[:count]
        return Steps(t, h, y, margin, slope, kept, not self.motion.good[0] > 0.0)

    def whole(self, until: float) -> tuple[Array, Array, Array] | None:
        """From the state where it begins to a time, s, if it gets there at once, the first state included.

        Returns:
            Lengths (n,) of steps, 0 for the first, and their ends (n,), s; states (n, nq + nv).
        """
        count = self._go(until)
        return self._copied(0, count + 1) if self._rows[count, 1] >= until else None

    def _go(self, until: float) -> int:
        """Take steps; how many."""
        self._until[0], self.motion.good[0] = until, 1.0
        chosen = self.loops is not None and self.loops.doubts and self.motion.shortest[0] > 0.0
        most = len(self._rows) - 1
        return self._script(min(LOOK, most) if chosen else most, self._rounds)

    def _copied(self, first: int, end: int) -> tuple[Array, Array, Array]:
        rows = self._rows[first:end]
        return rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2:].copy()


def _operations(instructions: Sequence[Instruction]) -> float:
    """How much one round costs, roughly."""
    calls = [(entry.kernel.program.n_executed, 1) for entry in instructions if isinstance(entry, Call)]
    calls += [
        (entry.kernel.program.n_executed, len(entry.outputs[0]))
        for entry in instructions
        if isinstance(entry, CallMany)
    ]
    return 1.0 + sum(map(prod, calls)) + PYTHON * sum(isinstance(entry, CallPython) for entry in instructions)
