"""The part of a run with rigid contact in which contacts do nothing new, in strides."""

from collections.abc import Callable, Hashable
from functools import partial

from ...spatial import Array
from ..closed_step import Rows
from ..integrators import dop853, radau
from ..progress import Progress
from ..recorded_control import recorded_control
from ..sampling import Times
from ..steppers import ChosenSteps, Stepper
from ..strides.chosen_script import ChosenScript
from ..strides.motion import Motion
from ..strides.plain_steps import GAP, PlainSteps
from ..strides.stiff_script import StiffScript
from ..strides.stride import Steps, StepScript, Stride
from ..strides.strides_of import of_all, within_steps
from .faint_slip import FaintSteps
from .faint_systems import FaintSystems
from .keeping_contacts import HeldInMemory, KeepingContacts, KeepingFaint
from .touching_run import TouchingRun
from .touching_system import SURE

WORTH = 5000
"""Questions after which machine code for a control is worth what it takes to compile."""


SLOPES = 20
"""Questions of one step, about."""

SHORTEST = 1e-15
"""Share of the duration: steps in which slip begins or ends are about as short, and lead somewhere."""


class TouchingStride(Stride):
    """The script of a motion with closed contacts held."""

    def keeping(self, rows: Rows) -> KeepingContacts:
        motion, method = self.motion, self.method
        assert isinstance(motion, HeldInMemory)
        assert method.kept is not None
        if isinstance(method, StiffScript):
            return KeepingFaint(motion, method.kept, radau.within, method.size)
        return KeepingContacts(motion, method.kept, dop853.within)


class HeldStrides(PlainSteps):
    """Strides of a run with rigid contact, while contacts do what they do.

    Args:
        run: The run.
        steps, name, script: What takes its steps, and what does in machine code.
        shortest: See `PlainSteps`.
        times: When states are recorded; None: after every step.
        bar: Shows how far it is.
    """

    of = TouchingStride

    def __init__(
        self,
        run: TouchingRun,
        steps: ChosenSteps,
        name: str,
        script: Callable[..., StepScript],
        shortest: float,
        times: Times | None,
        bar: Progress,
    ) -> None:
        self.touching, method = run, partial(script, steps=steps, dense=True)
        tell = of_all(run) if times is None else within_steps(run, times)
        super().__init__(run, steps, name, method, shortest, tell, bar)

    def go(self, t: float, y: Array) -> tuple[float, Array]:
        end, after = super().go(t, y)
        if end > t:
            self.touching.follow_slip(after)
        return end, after

    def _keep(self, steps: Steps, t: float, y: Array, stride: Stride) -> tuple[float, Array]:
        self.touching.system.asked += SLOPES * len(steps.h)
        return super()._keep(steps, t, y, stride)

    @property
    def turns_fast(self) -> bool:
        """Whether directions of slip relax too fast for the step that was tried last."""
        loops = None if self._made is None else self._made[2].loops
        return isinstance(loops, KeepingContacts) and loops.turns_fast

    def _ready(self, t: float, y: Array) -> Stride | None:
        stride, plan = super()._ready(t, y), self.run.plan
        assert stride is not None
        assert isinstance(stride.loops, KeepingContacts)
        stride.bounds[:3] = GAP, SURE, 0.0
        stride.loops.tolerances[:] = plan.rtol, plan.atol
        return stride

    def memory(self, rows: Rows) -> Motion:
        return HeldInMemory(self.touching.system)

    def key(self) -> tuple[Hashable, ...]:
        return *super().key(), self.touching.system.at_once.motion


class TouchingStrides(HeldStrides):
    """Strides of a run with rigid contact, and between them those where slip is faint.

    Args:
        run: The run.
        faint: Its steps.
        times: When states are recorded; None: after every step.
        bar: Shows how far it is.
    """

    def __init__(self, run: TouchingRun, faint: FaintSteps, times: Times | None, bar: Progress) -> None:
        self._faint, self._looked = faint, False
        script = partial(StiffScript, systems=FaintSystems)
        least = SHORTEST * run.duration
        super().__init__(run, faint.plain, "DOP853", ChosenScript, least, times, bar)
        self._stiff = HeldStrides(run, faint.stiff, "Radau", script, least, times, bar)

    def go(self, t: float, y: Array) -> tuple[float, Array]:
        system = self.touching.system
        if not self._looked and system.asked > WORTH:
            self._looked = True
            self._record_control()
        if not system.is_quick(t, y):
            return t, y
        kind, faint = None, False
        while t < self.run.duration and kind != (plain := self._faint.choose(t, y, faint)):
            end, y = super().go(t, y) if plain else self._stiff.go(t, y)
            faint = plain and self.turns_fast
            if end == t and not faint:
                break
            t, kind = end, plain
        self.longest = max(self.longest, self._stiff.longest)
        return t, y

    def put_back(self) -> None:
        super().put_back()
        self._stiff.put_back()

    def _record_control(self) -> None:
        """From now on take the control from machine code, if it gives the same whenever it is asked.

        Events and other functions of the user might change what it reads.
        """
        forces, m = self.run.plan.forces, self.run.m
        if forces.by_control_alone and forces.period is None and not self.run.watch.events:
            forces.control = recorded_control(forces.control, m.nq, m.nv) or forces.control


def touching_strides(
    run: TouchingRun, stepper: Stepper, times: Times | None, bar: Progress
) -> TouchingStrides | None:
    """What takes the steps of a run many at a time; None if they are decided one by one."""
    if type(run) is not TouchingRun or not isinstance(stepper, FaintSteps) or run.method != "DOP853":
        return None
    return TouchingStrides(run, stepper, times, bar) if run.system.small else None
