"""Which runs go in strides, and how what they do is recorded."""

from functools import partial

import numpy as np

from ...spatial import Array
from ..drive import CRAWL, LAST
from ..progress import Progress
from ..run import Run
from ..sampling import SomeSteps, Times
from ..steppers import ChosenSteps, FixedSteps, Stepper
from .chosen_script import ChosenScript
from .fixed_script import FixedScript
from .parallel_script import ParallelScript
from .plain_steps import PlainSteps, Told
from .stiff_script import StiffScript
from .stride import Steps, Stride

CHOSEN = {"DOP853": ChosenScript, "PIRK": ParallelScript, "Radau": StiffScript}
"""Methods of chosen steps that go in strides."""


def strides_of(run: Run, stepper: Stepper, times: Times | None, bar: Progress) -> PlainSteps | None:
    """What takes the steps of a run many at a time; None if they are decided one by one."""
    if type(run) is not Run or not run.plan.law.method.recordable or not run.m.nv:
        return None
    drive = run.plan.forces.drive
    if drive is not None and drive.is_large:
        return None
    if isinstance(stepper, FixedSteps) and stepper.integrator.recordable:
        assert isinstance(times, SomeSteps)
        method = stepper.integrator, partial(FixedScript, steps=stepper)
        return PlainSteps(run, stepper, *method, 0.0, _of_fixed(run, times), bar)
    if isinstance(stepper, ChosenSteps) and run.method in CHOSEN:
        tell = of_all(run) if times is None else within_steps(run, times)
        dense = times is not None
        method = (run.method, dense), partial(CHOSEN[run.method], steps=stepper, dense=dense)
        return PlainSteps(run, stepper, *method, CRAWL * run.duration, tell, bar)
    return None


def of_all(run: Run) -> Told:
    """Every step is recorded."""
    return lambda steps, *_: run.record_many(steps.t, steps.y, steps.h)


def _of_fixed(run: Run, times: SomeSteps) -> Told:
    """Steps are recorded whose number is a multiple."""
    if times.every == 1:
        return of_all(run)
    return lambda steps, t, *_: run.record_many(steps.t, steps.y, steps.h, times.among(t, len(steps.t)))


def within_steps(run: Run, times: Times) -> Told:
    """States within steps are recorded, and the last of all."""

    def tell(steps: Steps, t: float, y: Array, stride: Stride) -> None:
        starts, before = np.concatenate([[t], steps.t[:-1]]), np.concatenate([y[None], steps.y[:-1]])
        first, last = times.following(t), float(steps.t[-1])
        numbers = range(first, times.following(last) if last < run.duration else times.following(LAST * last))
        at = np.array([times(number) for number in numbers])
        k = np.searchsorted(steps.t, at)
        x = ((at - starts[k]) / steps.h[k])[:, None]
        inside = stride.method.within(steps.kept[k], before[k], x)
        run.record_within(at, stride.closed(at, inside), at - starts[k])
        run.record_many(steps.t, steps.y, steps.h, steps.t >= run.duration)

    return tell
