"""A simulation on its way: what it is made of, and what it has recorded."""

from functools import cached_property

import numpy as np

from ..errors import InputError, SimulationError
from ..spatial import Array
from . import faults
from .attempts import Way
from .bridge import bridging
from .choice import choose, explicit_method
from .closing import NEAR_SINGULAR, Closed, Closing, OpenLoop
from .crossing import Crossing, Resting
from .equations import equations
from .events import Stop, Watch, jumped
from .factors import WEAK
from .kinks import Kinks
from .law_in_use import LawInUse
from .log import Row
from .pace import Pace
from .plan import Plan
from .records import Records
from .regular_start import regular_start
from .several import Several
from .singular_start import first_acceleration, way_out
from .steppers import ChosenSteps, Step, Stepper
from .systems import Compiled
from .trajectory import Blow, Trajectory, build
from .ways_on import WaysOn

FASTEST = 1e100
"""rad/s², m/s² or velocities: squares of what is faster are no numbers, nor are steps that follow it."""

BRANCH = 0.1
"""Share by which a velocity may turn right behind a singular position and still lead along a branch."""


class Run(Records):
    """One simulation.

    Args:
        plan: What it is asked to do.
        watch: Its events.

    Attributes:
        duration: Until when it goes, s, in one go: to its end, or to the next corner of a driver.
        first: A step out of the start, if that is a singular position.
        blows: What corners of drivers were to it.
        in_use: By what accelerations are found at the moment.
        pace: Whether it will get to its end.
    """

    def __init__(self, plan: Plan, watch: Watch) -> None:
        self.plan, self.m, self.watch, corners = plan, plan.m, watch, plan.forces.corners
        self.duration = corners[0].before if corners else plan.duration
        self.method, self.reason, self.in_use = plan.method, "", LawInUse(plan)
        self.first: Step | None = None
        self._along: Step | None = None
        self.blows = list[Blow]()
        self.begin_records()
        self.kinks, self.pace = plan.m.once(Kinks), Pace(plan.duration)

    @cached_property
    def system(self) -> Compiled:
        """The motion; with loops, its equations are those of the choice in use."""
        plan = self.plan
        return Compiled(equations(self.m, plan.forces.external is not None, plan.law), plan.forces)

    @cached_property
    def closing(self) -> Closing | None:
        common, drive = self.system.equations.common, self.plan.forces.drive
        return Closing(self.m, common, drive, self.plan.tolerance) if self.plan.projects else None

    @cached_property
    def crossing(self) -> Crossing | None:
        if self.closing is None:
            return None
        system, settle = self.system, self._closed_state
        motion = self.m.nq, system.moved, system.slope, Several(system, self.closing, settle)
        bridge = bridging(self.closing, system, settle, self.plan)
        return Crossing(self.closing, *motion, self.plan.rtol, self.plan.atol, bridge)

    def _closed_state(self, t: float, y: Array) -> Array:
        return self.closed(t, y).y

    def start(self, y: Array) -> None:
        """Record the first state; with loops, choose what the law has to, and leave singular positions."""
        nq = self.m.nq
        q, qd = y[:nq], y[nq:]
        self.plan.forces.sample(0.0, q, qd)
        closing = self.closing
        begun = y if closing is None else regular_start(self.m, closing, self.system.equations.common, y)
        if begun is not None:
            (self.in_use.choose if closing is None else self.in_use.begin)(self.system, q)
            self.record(0.0, begun, 0.0)
            return
        assert closing is not None
        assert self.crossing is not None  # or there were no loops
        rest, direction, after, singular = not np.any(qd), qd, y, False
        if closing.tolerance is not None or not closing.is_regular(q):
            if rest:
                direction = first_acceleration(self.m, self.plan, self.crossing.bridging, y)
            after, singular = closing.begin(y, direction)
        self.in_use.choose(self.system, after[:nq])
        start = self.closed(0.0, y)
        self.accept(start)
        self.record(0.0, start.y, 0.0)
        if not singular:
            return
        if not rest and np.max(np.abs(after[nq:] - qd)) > BRANCH * np.max(np.abs(qd)):
            raise InputError(
                f"q0 is a singular position of {self.m.name!r}, and qd0 leads along none of the ways out of "
                "it: take qd0 from wt.project_velocity at a position right behind it"
            )
        slope = np.concatenate([np.zeros(nq), direction if rest else np.zeros(self.m.nv)])
        out = way_out(self.duration, direction, rest)
        passage = self.crossing.leave(start.y, slope, out, self.duration)
        if passage is None:
            raise self.fail("it starts at a singular position, and no way out of it was found", 0.0, None)
        self.first = self.ways.step(passage, self.duration)

    def check_start(self) -> None:
        """Stop where no step follows the motion at its start; singular positions have been left before."""
        if self.first is None and self.is_too_fast(self.last):
            joint = faults.joint_of_worst(self.system, 0.0, self.last)
            raise self.fail(f"joint {joint!r} is so fast at the start that no step can follow it", 0.0, joint)

    def is_too_fast(self, y: Array) -> bool:
        """Whether no step follows the motion at a start y (nq + nv,)."""
        slope = self.system.slope(0.0, y)
        return not float(np.vdot(slope, slope)) < FASTEST**2

    def choose_integrator(self) -> None:
        """Choose an integrator, by the state at the start or right behind it."""
        y = self.last if self.first is None else self.ways.leads_to(self.first)
        self.method, self.reason = self.suitable(y)

    def suitable(self, y: Array) -> tuple[str, str]:
        """The integrator that suits a start y (nq + nv,), and why it."""
        # How stops damp does not show at the start.
        jumps = self.watch.events or (len(self.kinks) and self.system.equations.common.loses)
        explicit = "DOP853" if jumps else explicit_method(self.system, self.plan.rtol)
        return choose(self.system, y, self.plan.duration, explicit=explicit)

    def chosen_steps(self, dense: bool) -> Stepper:
        """What takes steps whose lengths it chooses; `dense` if states within them will be asked for."""
        return self.steps_by(self.system, self.method, dense)

    def steps_by(self, system: Compiled, method: str, dense: bool) -> ChosenSteps:
        close, plan = self.closed if self.closes else None, self.plan
        return ChosenSteps(system, method, plan.rtol, plan.atol, self.duration, close, dense)

    # States

    def closed(self, t: float, y: Array) -> Closed:
        """The state at a time t, s, with quaternions of unit norm and loops closed."""
        nq = self.m.nq
        if nq != self.m.nv:
            y = np.concatenate([self.system.equations.common.projected(y[:nq]), y[nq:]])
        return Closed(y, 1.0, 0) if self.closing is None else self.closing(t, y)

    @property
    def closes(self) -> bool:
        """Whether states have to be brought back after a step."""
        return self.closing is not None or self.m.nq != self.m.nv

    def accept(self, state: Closed) -> None:
        """Go on from a state: a look at whether what was chosen still suits it."""
        if self.closing is not None:
            self.closing.accept(state)
        quality = self.system.equations.quality
        # At singular positions no choice is good, and the best one would be one for fewer constraints.
        if quality is not None and state.margin > WEAK and np.all(np.isfinite(state.y)):
            q = state.y[: self.m.nq]
            if not (now := float(quality(q))) >= self.in_use.worn:
                self.in_use.choose(self.system, q, now)

    def renew(self, y: Array) -> bool:
        """Look again at what was chosen, where steps have become short; whether it is another one now."""
        before = self.system.equations
        if before.quality is not None and not self.near_singular:
            self.in_use.renew(self.system, y[: self.m.nq])
        return self.system.equations is not before

    def look(self, t: float, y: Array, margin: float, step: Step) -> Step | float | None:
        """What to do in place of a step from (t, y), if it comes near a singular position; see `Crossing`."""
        leads = step is self._along and (t > 0.0 or self.ways.left is not None or step.end >= self.duration)
        if self.crossing is None or leads:
            return None
        least = min(margin, step.closed.margin)
        try:
            found = self.crossing.look(t, y, step.end - t, self.duration - t, least, step.closed.turned)
            if step.closed.margin < WEAK and not isinstance(found, Way):
                found = self.crossing.last_resort(t, y)
        except Resting as rest:
            # What is near where the state is will be said anyhow.
            more = "" if self.near_singular else faults.several_ways(self.m, self.closing, self.last)
            raise self.fail(f"it comes to rest at a singular position{more}", rest.t, None) from None
        if step.closed.margin < WEAK and not isinstance(found, Way):
            raise self.fail(faults.no_way_across(step.end, self.duration, self.plan.duration), step.end, None)
        return self.ways.step(found, self.duration) if isinstance(found, Way) else found

    @property
    def margin(self) -> float:
        """How far the state accepted last was from singular positions."""
        return 1.0 if self.closing is None else self.closing.margin

    @property
    def near_singular(self) -> bool:
        """Whether the state accepted last was close to a singular position of loops."""
        return self.closing is not None and self.closing.margin < NEAR_SINGULAR * self.closing.widest

    def along(self, t: float, y: Array) -> Step | None:
        """The step along a way across that was found before, from (t, y) on; None: there is none."""
        is_left = self.crossing is not None and self.ways.left is not None
        self._along = self.first if t == 0.0 else self.ways.after(t, y, self.duration) if is_left else None
        return self._along

    @cached_property
    def ways(self) -> WaysOn:
        """What makes steps of ways across singular positions."""
        assert self.crossing is not None
        return WaysOn(self.m, self.crossing, self.plan.forces, self.closed)

    # Events

    def happening(self, t: float, y: Array, step: Step) -> Stop | None:
        """Look for events in a step from (t, y), up to the first that ends it."""
        if not self.watch.events:
            return None

        def inside(at: float) -> tuple[Array, Array]:
            return self.split(y if at == t else step.at(at))

        return self.watch.look(t, step.end, inside)

    def act(self, stop: Stop, y: Array) -> Closed:
        """The state in which the actions of events leave a state y, one after the other."""
        q, qd = self.split(y)
        more = y[len(q) + len(qd) :]
        for event in stop.events:
            if event.action is None:
                continue
            q, qd = jumped(self.m, event.name, stop.t, event.action(stop.t, q.copy(), qd.copy()))
        try:
            state = self.closed(stop.t, np.concatenate([q, qd, more]))
        except OpenLoop as error:
            raise InputError(
                f"action of event {stop.events[0].name!r} at t = {stop.t:g} leaves loop {error.name!r} open "
                f"by {error.gap:.3g}: take q from wt.assemble and qd from wt.project_velocity"
            ) from None
        if self.crossing is not None:
            self.crossing.forget()
            self.ways.left = None
        self.watch.go_on(stop, *self.split(state.y), self.system.moved)
        return state

    def trajectory(self) -> Trajectory:
        return self.told(self.log.columns())

    def told(self, found: Row) -> Trajectory:
        """The trajectory of many states."""
        m = self.m
        q, qd = np.ascontiguousarray(found.y[:, : m.nq]), np.ascontiguousarray(found.y[:, m.nq :])
        t, n = found.t, len(found.t)
        tau, power = (np.zeros((n, m.nv)), np.zeros(n)) if found.tau is None else (found.tau, found.power)
        recorded = {"t": t, "q": q, "qd": qd, "tau": tau, "step": found.h}
        happened = {"events": tuple(self.watch.occurred), "method": self.method, "reason": self.reason}
        return build(
            m,
            self.system.equations.common,
            power,
            found.accounts,
            dynamics=", ".join(self.in_use.names),
            acting=self.plan.forces,
            driven=self.plan.forces.driven,
            blows=tuple(self.blows),
            **recorded,
            **happened,
        )

    # What goes wrong

    def open_loop(self, error: OpenLoop, t: float) -> SimulationError:
        return self.fail(faults.left_open(error, self.plan.forces.drive), t, None)

    def fail(self, what: str, t: float, joint: str | None) -> SimulationError:
        drive = self.plan.forces.drive
        if drive is not None and self.near_singular:
            what += drive.dead_centre(self.last[self.m.nq :])
        elif self.near_singular:
            what += faults.several_ways(self.m, self.closing, self.last)
        return SimulationError(
            f"{self.m.name!r} at t = {t:.6g} s of {self.plan.duration:g} s ({self.method}): {what}",
            t,
            joint,
            self.trajectory(),
        )

    def check(self, t: float, y: Array, before: Array) -> None:
        """Stop where the state is not finite; `before` is the last good one."""
        if not np.all(np.isfinite(y)):
            raise self.fail(*faults.fault_at(self.system, t, before, y, self.remedy))
