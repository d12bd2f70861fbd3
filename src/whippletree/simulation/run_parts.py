"""A run from its start to its end: in one go, or in parts with a blow between where drivers' speeds jump."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..spatial import Array
from .drive import drive
from .integrators import INTEGRATORS
from .progress import Progress
from .run import Run
from .sampling import SomeSteps, Spaced, Times
from .step_length import check_step_length
from .steppers import FixedSteps, Stepper
from .strides.plain_steps import PlainSteps
from .strides.side_by_side import steps
from .strides.strides_of import strides_of
from .touching.touching_run import TouchingRun
from .touching.touching_strides import touching_strides
from .trajectory import Blow
from .unbroken import Corner
from .yielding.patch_run import PatchRun

STEP = 1e-3
"""s: the step of methods of fixed step, unless given."""


class Whole(NamedTuple):
    """What took the steps of a run that one stride led from its start to its end.

    Attributes:
        steps: Its steps.
        strides: What takes them many at a time.
    """

    steps: Stepper
    strides: PlainSteps


def follow(run: Run, dt: float | None, sample: float | None, bar: Progress) -> Whole | None:
    """Let a simulation run from its start to its end, or to what ends it; by what, if by one stride alone.

    Args:
        run: The simulation, started.
        dt, sample: See `simulate`; numbers above 0.
        bar: Shows how far it is.
    """
    t = 0.0
    for corner in run.plan.forces.corners:
        if not _part(run, t, corner.before, dt, sample, bar)[0]:
            return None
        t = _struck(run, corner)
    return _part(run, t, run.plan.duration, dt, sample, bar)[1] if t < run.plan.duration else None


def _part(
    run: Run, t: float, end: float, dt: float | None, sample: float | None, bar: Progress
) -> tuple[bool, Whole | None]:
    """Let it run from one time to another, s; whether it got there, and by what, if by one stride alone."""
    run.duration = end
    stepper, times = _stepper(run, t, dt, sample)
    strides = strides_of(run, stepper, times, bar)
    if isinstance(run, TouchingRun):
        strides = touching_strides(run, stepper, times, bar)
    arrived = drive(run, t, stepper, times, bar, strides)
    if strides is not None:
        strides.put_back()
    return arrived, None if strides is None or not strides.is_whole else Whole(stepper, strides)


def _struck(run: Run, corner: Corner) -> float:
    """Go on behind a corner of the drivers' speeds, with the blow that it is; from which time, s.

    Events are not asked: where the blow takes one through zero, the next step finds it at its start.
    """
    before, drive = run.log.last, run.plan.forces.drive
    assert drive is not None  # or there were no corners
    q, qd = run.split(before.y)
    found = drive.struck(corner.after, q, qd)
    if found is None:
        raise run.fail(
            "the speed of a driver jumps at a singular position of its loops, where nothing determines what "
            "the blow makes of other speeds: let it jump elsewhere, or round the corner off",
            corner.t,
            None,
        )
    state = run.closed(corner.after, np.concatenate([q, found[0]]))
    run.blows.append(Blow(corner.t, drive.names, found[1]))
    run.log.put_last(corner.t)
    run.record(corner.after, state.y, 0.0)
    run.log.put_last(before.t)  # within no time, energy may change
    run.weigh(before.t, state.y)
    run.log.put_last(corner.t)
    if run.crossing is not None:
        run.crossing.forget()
    run.accept(state)
    return corner.after


def _stepper(run: Run, t: float, dt: float | None, sample: float | None) -> tuple[Stepper, Times | None]:
    """What takes the steps, and the times at which states are recorded; None: after every step."""
    sample = None if sample is None else float(sample)
    if run.method not in INTEGRATORS:
        if dt is not None:
            raise InputError(
                f"dt is given, but {run.method} chooses its steps: give sample, or rtol and atol"
            )
        watched = bool(run.watch.events) or len(run.kinks) > 0
        dense = sample is not None or watched or isinstance(run, TouchingRun | PatchRun)
        return run.chosen_steps(dense), None if sample is None else Spaced(sample)
    h = STEP if dt is None else float(dt)
    every = 1
    if sample is not None:
        every = max(1, round(sample / h))
        if abs(every * h - sample) > 1e-9 * sample:
            raise InputError(f"sample is {sample:g} s, no multiple of the step dt = {h:g} s")
    period = run.plan.forces.period
    if period is not None and abs(round(period / h) * h - period) > 1e-9 * period:
        raise InputError(f"control_dt is {period:g} s, no multiple of the step dt = {h:g} s")
    fixed = FixedSteps(run.system, run.method, h, run.duration, run.closed)
    if t > 0.0:
        return fixed, SomeSteps(fixed, every)
    if isinstance(run, PatchRun):
        run.tell_long_step(h)
    else:
        tell_long_step(run, fixed, run.last)
    return fixed, SomeSteps(fixed, every)


def tell_long_step(run: Run, fixed: FixedSteps, y: Array) -> None:
    """Warn if steps are too long to follow what changes fastest at a start y (nq + nv,)."""
    if not fixed.integrator.bounded:
        return
    of = partial(steps, run.system, fixed.integrator)
    smooth = run.plan.forces.gives_nothing and not len(run.kinks) and not run.m.forces
    check_step_length(run.m, of, y, fixed.h, run.method, smooth=smooth)
