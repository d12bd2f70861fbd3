"""Which runs go in strides, and how what they do is recorded."""

from functools import partial

from ...spatial import Array
from ..progress import Progress
from ..run import Run
from ..sampling import SomeSteps, Times
from ..steppers import FixedSteps, Stepper
from .fixed_script import FixedScript
from .plain_steps import PlainSteps
from .stride import Steps


def strides_of(run: Run, stepper: Stepper, times: Times | None, bar: Progress) -> PlainSteps | None:
    """What takes the steps of a run many at a time; None if they are decided one by one."""
    if type(run) is not Run or not run.plan.law.method.recordable or not run.m.nv:
        return None
    if isinstance(stepper, FixedSteps) and isinstance(times, SomeSteps):
        if not stepper.integrator.recordable:
            return None

        def tell(steps: Steps, t: float, y: Array) -> None:
            run.record_many(steps.t, steps.y, steps.h, times.among(t, len(steps.t)))

        return PlainSteps(run, partial(FixedScript, steps=stepper), 0.0, tell, bar)
    return None
