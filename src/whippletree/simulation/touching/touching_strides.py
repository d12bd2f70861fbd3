"""The part of a run with rigid contact in which contacts do nothing new, in strides."""

from collections.abc import Hashable
from functools import partial

from ...spatial import Array
from ..closed_step import Rows
from ..drive import CRAWL
from ..progress import Progress
from ..recorded_control import recorded_control
from ..sampling import Times
from ..steppers import Stepper
from ..strides.chosen_script import ChosenScript
from ..strides.motion import Motion
from ..strides.plain_steps import GAP, PlainSteps
from ..strides.stride import Stride
from ..strides.strides_of import of_all, within_steps
from .faint_slip import FaintSteps
from .keeping_contacts import HeldInMemory, KeepingContacts
from .touching_run import TouchingRun
from .touching_system import SURE

WORTH = 5000
"""Questions after which machine code for a control is worth what it takes to compile."""


class TouchingStride(Stride):
    """The script of a motion with closed contacts held."""

    def keeping(self, rows: Rows) -> KeepingContacts:
        assert isinstance(self.motion, HeldInMemory)
        assert self.method.kept is not None
        return KeepingContacts(self.motion, self.method.kept)


class TouchingStrides(PlainSteps):
    """Strides of a run with rigid contact.

    Args:
        run: The run.
        faint: Its steps.
        times: When states are recorded; None: after every step.
        bar: Shows how far it is.
    """

    of = TouchingStride

    def __init__(self, run: TouchingRun, faint: FaintSteps, times: Times | None, bar: Progress) -> None:
        self._touching, self._faint, self._looked = run, faint, False
        method = partial(ChosenScript, steps=faint.plain, dense=True)
        tell = of_all(run) if times is None else within_steps(run, times)
        super().__init__(run, faint.plain, "DOP853", method, CRAWL * run.duration, tell, bar)

    def go(self, t: float, y: Array) -> tuple[float, Array]:
        if not self._looked and self._touching.system.asked > WORTH:
            self._looked = True
            self._record_control()
        if not self._faint.is_plain or not self._touching.system.is_quick(t, y):
            return t, y
        end, after = super().go(t, y)
        if end > t:
            self._touching.follow_slip(after)
        return end, after

    def _record_control(self) -> None:
        """From now on take the control from machine code, if it gives the same whenever it is asked.

        Events and other functions of the user might change what it reads.
        """
        forces, m = self.run.plan.forces, self.run.m
        if forces.by_control_alone and forces.period is None and not self.run.watch.events:
            forces.control = recorded_control(forces.control, m.nq, m.nv) or forces.control

    def _ready(self, t: float, y: Array) -> Stride | None:
        stride, plan = super()._ready(t, y), self.run.plan
        assert stride is not None
        assert isinstance(stride.loops, KeepingContacts)
        stride.bounds[:3] = GAP, SURE, 0.0
        stride.loops.tolerances[:] = plan.rtol, plan.atol
        return stride

    def memory(self, rows: Rows) -> Motion:
        return HeldInMemory(self._touching.system)

    def key(self) -> tuple[Hashable, ...]:
        return *super().key(), self._touching.system.at_once.motion


def touching_strides(
    run: TouchingRun, stepper: Stepper, times: Times | None, bar: Progress
) -> TouchingStrides | None:
    """What takes the steps of a run many at a time; None if they are decided one by one."""
    if type(run) is not TouchingRun or not isinstance(stepper, FaintSteps) or run.method != "DOP853":
        return None
    return TouchingStrides(run, stepper, times, bar) if run.system.small else None
