"""The part of a run that needs no decisions, in strides."""

from collections.abc import Callable, Hashable, Iterator
from functools import partial

import numpy as np

from ...kernels.run.kernel import Kernel
from ...spatial import Array
from ..acting import is_control
from ..closed_step import Rows
from ..closing import Closing
from ..crossing import NEAR, PAST
from ..progress import Progress
from ..run import Run
from ..steppers import Stepper
from .event_lookout import LOOKS, EventLookout, lookout_kernel
from .motion import Motion
from .shelf import SHELF
from .stride import Steps, StepScript, Stride

WARY = 2.0
"""By how much more than a look at singular positions asks for, loops stay clear of them."""

GAP = 1e-10
"""rad or m: larger gaps are looked at."""

PAUSE = 64
"""Steps by themselves between two tries, at most, where strides lead nowhere."""

SHORT = 1e-3
"""Steps below this share of the longest may be so short for rounding errors alone."""

Told = Callable[[Steps, float, Array, Stride], None]
"""Records steps, which started at a time and a state, by a stride."""


class PlainSteps:
    """Strides of a run.

    Args:
        run: The run.
        steps: Its steps.
        name: The method; scripts of the same are used again.
        method: Makes what takes a step, for a memory.
        shortest: Steps below this, s, are counted one by one; 0 for steps of fixed length.
        tell: Records steps.
        bar: Shows how far it is.

    Attributes:
        longest: The longest step taken, s.
        is_whole: Whether one stride led from the start to the end.
    """

    def __init__(
        self,
        run: Run,
        steps: Stepper,
        name: Hashable,
        method: Callable[[Motion], StepScript],
        shortest: float,
        tell: Told,
        bar: Progress,
    ) -> None:
        self.run, self._steps, self._name, self._method = run, steps, name, method
        self._shortest, self._tell, self._bar = shortest, tell, bar
        self.longest = 0.0
        self._pause, self._next_pause = 0, 1
        self._made: tuple[Hashable, Rows, Stride] | None = None
        self._widest, self._margin = 0.0, 1.0
        self._short, self._looks = False, 0
        self._kernel: Kernel | None = None
        self.is_whole = False

    def whole(self, y: Array) -> tuple[Array, Array, Array] | None:
        """A run without events, from its start y on, if one stride leads to its end; see `Stride.whole`."""
        self._widest = 0.0
        stride = self._ready(0.0, y)
        if stride is None:
            return None
        found = stride.whole(self.run.duration)
        self.put_back()
        return found

    def go(self, t: float, y: Array) -> tuple[float, Array]:
        """Take steps from (t, y) as long as they are plain; where they have led."""
        if self._pause:
            self._pause -= 1
            return t, y
        run, start = self.run, t
        self._kernel = self._event_kernel()
        if self._kernel is not None and not run.watch.settled:
            return t, y
        stride = self._ready(t, y)
        if stride is None:
            return t, y
        while stride is not None:
            begun, steps = t, stride.take(run.duration)
            count, kept = len(steps.t), self._quiet(steps, t, y)
            if kept:
                t, y = self._keep(steps if kept == count else steps.first(kept), t, y, stride)
            run.plan.forces.back_to(t)
            if kept < count:
                stride.method.end(float(steps.h[kept]))
                break
            stride.motion.raise_fault()
            if steps.stopped:
                stride.method.end(float(stride.motion.h[0]))
                break
            if t >= run.duration or run.pace.fault:
                self.is_whole = begun == 0.0 and t >= run.duration
                break
            before, self._kernel = self._kernel, self._event_kernel()
            if self._kernel is not before or (self._in_doubt(steps, stride.motion) and run.renew(y)):
                stride.method.end(None)
                stride = self._ready(t, y)
        if t == start:
            self._pause, self._next_pause = self._next_pause, min(2 * self._next_pause, PAUSE)
            return t, y
        self._next_pause = 1
        if run.closing is not None and t < run.duration:
            run.closing.accept(run.closing(t, y), self._widest / self._margin)
        return t, y

    def _event_kernel(self) -> Kernel | None:
        """What looks for events in machine code; None before that is worth it, or where it cannot."""
        run, forces = self.run, self.run.plan.forces
        if not run.watch.events or self._looks <= LOOKS or forces.drive is not None:
            return None
        # A function of the user that is called within strides may change what events read.
        compiled = forces.by_control_alone and is_control(forces.control, run.m.nq, run.m.nv)
        if forces.period is not None or not (compiled or forces.gives_nothing):
            return None
        return lookout_kernel(run.watch.events, run.m.nq, run.m.nv)

    def _in_doubt(self, steps: Steps, motion: Motion) -> bool:
        """Whether steps have become short, not for a kink or a sample alone, and were not before."""
        last = max(float(steps.h[-1]), float(motion.wanted[0])) if len(steps.h) else np.inf
        before, self._short = self._short, last < SHORT * self.longest
        return self._short and not before

    def _quiet(self, steps: Steps, t: float, y: Array) -> int:
        """How many of the steps from (t, y) there are before one meets, maybe, an event."""
        count = len(steps.t)
        if not self.run.watch.events or not count:
            return count
        if self._kernel is not None:
            assert self._made is not None
            assert self._made[2].lookout is not None
            self.run.watch.pass_by(self._made[2].lookout.values.tolist())
            return count
        self._looks += count
        slope = np.concatenate([self.run.system.slope(t, y)[None], steps.slope])
        times, states = np.concatenate([[t], steps.t]), np.concatenate([y[None], steps.y])
        return self.run.watch.quiet(times, states, slope, self.run.m.nq)

    def _keep(self, steps: Steps, t: float, y: Array, stride: Stride) -> tuple[float, Array]:
        longest, end = float(steps.h.max()), float(steps.t[-1])
        self.longest = max(self.longest, longest)
        self.run.pace.take(longest, len(steps.h), end)
        if end < self.run.duration and self.run.crossing is not None:  # else nobody looks back
            self._widest = max(self._widest, float(np.max(steps.margin)))
            self._margin = float(steps.margin[-1])
            few = slice(-1 - PAST, -1)  # of those is all that matters
            starts = np.concatenate([[t], steps.t[few]]), np.concatenate([y[None], steps.y[few]])
            self.run.crossing.passed(*starts, longest)
        self._tell(steps, t, y, stride)
        self._bar.at(end)
        return end, steps.y[-1].copy()

    def _ready(self, t: float, y: Array) -> Stride | None:
        """A stride that begins at (t, y); None if loops are too close to a singular position."""
        closing = self.run.closing
        if closing is None:
            stride = self._stride(())
            stride.begin(t, y)
        else:
            stride = self._with_loops(closing, t, y)
            if stride is None:
                return None
            bound = WARY * NEAR * self._widest
            stride.bounds[:3] = GAP if closing.tolerance is None else closing.gap, bound, 0.0
        if self.run.system.equations.quality is not None:
            stride.bounds[3] = self.run.in_use.worn
        stride.motion.shortest[0] = self._shortest
        if stride.lookout is not None:
            stride.lookout.begin(t, y, self.run.watch.values)
        return stride

    def _with_loops(self, closing: Closing, t: float, y: Array) -> Stride | None:
        for rows in self._independent(closing, y[: self.run.m.nq]):
            if len(rows) != closing.rank or not rows:
                continue
            stride = self._stride(rows)
            margin = stride.begin(t, y)
            if margin > WARY * NEAR * self._widest:
                self._widest = max(margin, self._widest)
                return stride
        return None

    def _independent(self, closing: Closing, q: Array) -> Iterator[Rows]:
        """Constraints that may see to all: those in use, then those that are best at a position."""
        if self._made is not None:
            yield self._made[1]
        yield closing.independent(q)

    def _stride(self, rows: Rows) -> Stride:
        """The script for the equations in use."""
        run, kernel, count = self.run, self._kernel, len(self.run.watch.events)
        looks = kernel if count and kernel is not None else count > 0
        key = type(self), self._name, rows, looks, *self.key()
        if self._made is None or self._made[0] != key:
            self.put_back()

            def make() -> Stride:
                motion = self.memory(rows)
                lookout = None if kernel is None else partial(EventLookout, kernel=kernel, count=count)
                slopes = count > 0 and kernel is None
                return self.of(motion, self._method(motion), rows, slopes, run.kinks.bounds, lookout)

            made: Stride = SHELF.take(key, make)
            made.motion.serve(run.system)
            made.method.serve(self._steps)
            self._made = key, rows, made
        return self._made[2]

    of = Stride
    """What takes the steps."""

    def memory(self, rows: Rows) -> Motion:
        """What it computes with."""
        return Motion(self.run.system, rows)

    def key(self) -> tuple[Hashable, ...]:
        """Equal for motions whose scripts are the same but for the numbers in memory."""
        return Motion.key(self.run.system)

    def put_back(self) -> None:
        """Leave the script to other runs."""
        if self._made is not None:
            SHELF.put(self._made[0], self._made[2])
            self._made = None
