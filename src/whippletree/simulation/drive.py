"""The loop of a simulation: step, check, look, record."""

import numpy as np

from ..spatial import Array
from .closing import OpenLoop
from .events import Stall
from .faults import joint_of_worst
from .progress import Progress
from .run import Run
from .sampling import Times
from .steppers import Step, StepFailure, Stepper
from .strides.plain_steps import PlainSteps

CRAWL, PATIENCE = 1e-8, 500
"""Steps below this share of the duration, so many in a row, are held against as many that follow."""

FURTHER = 1.2
"""If those do not lead further, by this much, they lead nowhere."""

MOVED = 0.01
"""rad or m: motion that leads somewhere in however short steps, as that of Euler angles next to a pole."""

DOUBT = 20
"""After so many steps below that share it is asked whether rounding errors make them short."""

STUCK, STUCK_PATIENCE = 1e-4, 50
"""The same near singular positions of loops: there, steps below this share of the longest one."""

TURNED = 0.1
"""Velocities that change by this share of the largest, all in all, follow a sharp turn, however short steps
are, as that of light rods which a singular position turns round. What rounding shortens turns none so far."""

CLOSER = 0.9
"""A step that comes closer to a singular position than it should, by this share, is taken again."""

KINK = 1e-6
"""A step that ends at a kink of forces, but for this share, is not taken again to end there."""

_WITHOUT_END = (
    "event {!r} happens again and again within no time, as with a ball that bounces lower and lower: let it "
    "be terminal once it has become slow"
)

LAST = 1.0 - 1e-12
"""Times beyond this share of the duration are its end."""


def drive(
    run: Run, t: float, stepper: Stepper, times: Times | None, bar: Progress, plain: PlainSteps | None = None
) -> bool:
    """Let a simulation run from a time to its end, or to what ends it; whether it was the former.

    Args:
        run: The simulation, started.
        t: Where its last state is, s.
        stepper: What takes the steps.
        times: When states are recorded; None: after every step.
        bar: Shows how far it is.
        plain: What takes steps many at a time, where nothing has to be decided; None: they go one by one.
    """
    y, number = run.last, 1 if times is None else times.following(t)
    patience, longest = Patience(run), None
    while t < run.duration:
        try:
            along = run.along(t, y)
        except OpenLoop as error:
            raise run.open_loop(error, t) from None
        if plain is not None and longest is None and along is None:
            before = t
            t, y = plain.go(t, y)
            if t >= run.duration:
                break
            if t > before:
                patience.pass_by(plain.longest)
                number = number if times is None else times.following(t)
        try:
            if run.pace.fault:
                raise StepFailure(run.pace.fault)
            if along is not None:
                step = along
            else:
                step = stepper.step(t, y, longest)
                run.pace.take(step.end - t, 1, t)
                if patience.watch(step.end - t, y, stepper.chooses):
                    run.renew(y)
            run.check(step.end, step.closed.y, y)
            found = run.look(t, y, run.margin, step)
        except OpenLoop as error:
            raise run.open_loop(error, t) from None
        except StepFailure as failure:
            joint = joint_of_worst(run.system, t, y)
            raise run.fail(f"{failure}, with joint {joint!r} changing fastest", t, joint) from None
        longest = None
        if stepper.chooses and isinstance(found, float) and found < CLOSER * (step.end - t):
            longest = found
            continue
        step = found if isinstance(found, Step) else step
        kink = run.kinks.first(t, y, step) if stepper.chooses and not isinstance(found, Step) else None
        if kink is not None and kink < step.end - KINK * (step.end - t):
            longest = kink - t
            continue
        try:
            stop = run.happening(t, y, step)
        except Stall as stall:
            raise run.fail(_WITHOUT_END.format(stall.event.name), t, None) from None
        end = step.end if stop is None else stop.t
        while times is not None and times(number) < min(end, LAST * run.duration):
            run.record(times(number), step.at(times(number)), times(number) - t)
            number += 1
        number += times is not None and times(number) == end < run.duration
        reached = step.at(end)
        if times is None or stop is not None or end >= run.duration or times(number - 1) == end:
            run.record(end, reached, end - t)
        run.weigh(end, reached)
        bar.at(end)
        state = step.closed
        if stop is not None:
            if any(event.terminal for event in stop.events):
                return False
            state = run.act(stop, reached)
            run.record(end, state.y, 0.0)
            run.weigh(end, state.y)
        run.accept(state)
        t, y = end, state.y
    return True


class Patience:
    """Counts what leads nowhere, and ends the run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._longest = 0.0
        self._qd: Array | None = None
        self._begin()

    def _begin(self) -> None:
        self._short, self._moved, self._way, self._way_before = 0, 0.0, 0.0, 0.0
        self._turned, self._qd = 0.0, None

    def pass_by(self, longest: float) -> None:
        """Steps were taken that lead somewhere."""
        self._longest = max(self._longest, longest)
        self._begin()

    def watch(self, h: float, y: Array, chosen: bool) -> bool:
        """Raise StepFailure if steps h from y have become too short for too long; whether to doubt them."""
        least, patience = CRAWL * self.run.duration, PATIENCE
        if self.run.near_singular:
            least, patience = max(least, STUCK * self._longest), STUCK_PATIENCE
        self._longest = max(self._longest, h)
        self._moved += h * float(np.max(np.abs(y[self.run.m.nq :]), initial=0.0))
        if not (chosen and h < least and (self._moved < MOVED or self.run.near_singular)):
            self._begin()
            return False
        self._short, self._way = self._short + 1, self._way + h
        qd, before = y[self.run.m.nq :], self._qd
        if before is not None and (speed := float(np.max(np.abs(qd)))) > 0.0:
            self._turned += float(np.max(np.abs(qd - before))) / speed
        self._qd = qd
        if self._short % patience == 0:
            further = self._way >= FURTHER * self._way_before or self._turned > TURNED
            if self._short > patience and not further:
                raise StepFailure(f"{self._short} steps in a row were shorter than {least:.1g} s")
            self._way, self._way_before, self._turned = 0.0, self._way, 0.0
        return self._short == DOUBT
