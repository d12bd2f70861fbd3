"""A simulation of rigid bodies that touch, from event to event (RBDA table 11.1)."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...contact.geometry.contact_pairs import candidates
from ...contact.geometry.contact_states import GAP, check_apart
from ...errors import InputError, SimulationError, SolverError
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..choice import choose
from ..closing import OPEN as OPEN_LOOP
from ..closing import Closed, Closing, OpenLoop
from ..equations import equations
from ..events import Event, Stop, Watch
from ..faults import SINGULAR_START
from ..log import Row
from ..plan import Plan
from ..run import Run
from ..steppers import STIFF, Step, Stepper
from ..trajectory import Trajectory
from .contact_history import ContactEvent, ContactHistory, history
from .contact_lookout import SHARP
from .deciding import Touchable, decide, painleve_message
from .edges import LOST, ahead, passed
from .faint_slip import FaintSlip, FaintSteps
from .held_motion import HeldMotion
from .holding import OPEN, SLACK, SLIP, STICK, Held, none_held, still_at
from .method_patience import explicit_decays
from .striking import strike
from .touch_terms import SINGULAR, Unforced
from .touching_system import NEWTON, TouchingSystem
from .watching import Found, Seen, earliest, seen

AGAIN = 30
"""Contact events at one time after which they never end."""

JAMMED = 0.1
"""Contacts that a force parts by less than this share of one along the normal are near Painlevé's paradox."""

_CONTACT = Event(lambda t, q, qd: 1.0, "contact")


class TouchingRun(Run):
    """One simulation with rigid contact.

    Args:
        plan: What it is asked to do.
        watch: Its events.
        law: Of impacts.
        rigid: The mechanism with its rigid contacts.
    """

    def __init__(self, plan: Plan, watch: Watch, law: str, rigid: Mechanism) -> None:
        super().__init__(plan, watch)
        self.rigid, rows = rigid, candidates(rigid)
        friction, restitution = (
            np.array([getattr(row.contact, name) for row in rows]) for name in ("friction", "restitution")
        )
        self.parts, self.law = Touchable(rigid, rows, friction, restitution), law
        self.system.held = none_held(friction)
        self._found: Found | None = None
        self._decided_at: Array | None = None
        self._speed, self._again = 0.0, (-1.0, 0)
        self._impulse, self._loss = np.zeros((len(rows), 3)), 0.0
        self._history: list[tuple[Any, ...]] = []
        self._events: list[ContactEvent] = []
        self._told = self.held.mode.copy()

    @cached_property
    def system(self) -> TouchingSystem:
        plan = self.plan
        of = equations(self.m, plan.forces.external is not None, plan.law)
        return TouchingSystem(of, plan.forces, self.rigid)

    @property
    def held(self) -> Held:
        return self.system.held

    @cached_property
    def closing(self) -> Closing | None:
        """What is known about singular positions of loops; they are closed here, with the contacts."""
        held = self.m.loops or self.m.gears
        return Closing(self.m, self.system.equations.common) if held else None

    def start(self, y: Array) -> None:
        q, qd = self.split(y)
        check_apart(self.rigid, q)
        if self.closing is not None:
            direction = qd if np.any(qd) else self.split(self.system.slope(0.0, y))[1]
            if self.closing.begin(np.concatenate([q, qd]), direction)[1]:
                self.record(0.0, y, 0.0)
                raise self.fail(SINGULAR_START, 0.0, None)
            self.system.hold_loops(self.closing.independent(q))
        first = self.closed(0.0, y)
        self.accept(first)
        y = first.y
        self.record(0.0, y, 0.0)
        after = self.closed(0.0, self.after_impacts(0.0, y)).y
        if not self.has_struck:  # only what contacts do has changed
            self.drop_last()
        self.record(0.0, after, 0.0)

    def choose_integrator(self) -> None:
        """Choose an integrator, by the motion without contacts: at rest, dry friction looks stiff."""
        free = TouchingSystem(self.system.equations, self.plan.forces, self.rigid)
        free.held = none_held(self.parts.friction)
        y = np.concatenate(self.split(self.last))
        # Runs of other kinds have forces of their own from outside, and no strides.
        driven = type(self) is TouchingRun and not self.plan.forces.gives_nothing
        many = explicit_decays(free.small, driven, self.duration, self.plan.rtol)
        self.method, self.reason = choose(free, y, self.duration, many)

    def chosen_steps(self, dense: bool) -> Stepper:
        """Of explicit methods too, steps where slip begins or ends are implicit: its direction is stiff."""
        plain = self.steps_by(self.system, self.method, dense)
        if self.method in STIFF:
            return plain
        slip = FaintSlip(self.system)
        return FaintSteps(slip, plain, self.steps_by(slip, "Radau", dense))

    # States

    @property
    def closes(self) -> bool:
        return True

    def closed(self, t: float, y: Array) -> Closed:
        """The state with quaternions of unit norm, loops and closed contacts without gaps and at rest."""
        nq, rows, held = self.m.nq, self.held.rows, self.held.velocity_rows()
        q, qd = y[:nq], y[nq:]
        if nq != self.m.nv:
            q = self.system.equations.common.projected(q)
        if not (rows or self.m.loops or self.m.gears) or not np.all(np.isfinite(y)):
            return Closed(np.concatenate([q, qd]), 1.0, 0)
        quick = self.system.together(q, qd)
        if quick is not None:
            return Closed(quick, 1.0, 0) if self.closing is None else self.closing.told_at(quick)
        error, A, K, J = self._constraints(q, rows)
        for _ in range(NEWTON):
            if not np.any(error):
                break
            change, *_ = np.linalg.lstsq(A, error, rcond=SINGULAR)
            closer = self.system.moved(q, change, -1.0)
            found = self._constraints(closer, rows)
            if not np.max(np.abs(found[0])) < np.max(np.abs(error)):
                break  # rounding is all that is left
            q, (error, A, K, J) = closer, found
        worst = float(np.max(np.abs(error), initial=0.0))
        if worst > OPEN_LOOP:
            raise OpenLoop("loops and contacts", worst)
        A = np.concatenate([K, np.array([J[row, k] for row, k in held]).reshape(-1, self.m.nv)])
        change, *_ = np.linalg.lstsq(A, A @ qd, rcond=SINGULAR)
        state = np.concatenate([q, qd - change])
        return Closed(state, 1.0, 0) if self.closing is None else self.closing.told(state, K)

    def _constraints(self, q: Array, rows: list[int]) -> tuple[Array, Array, Array, Array]:
        """Errors and Jacobian of loops and closed contacts; K of loops and J of all contacts."""
        error, K, gap, J = (np.asarray(part) for part in self.system.kernels.geometry(q))
        K = K.reshape(-1, self.m.nv)
        return np.concatenate([error, gap[rows]]), np.concatenate([K, J[rows, 0]]), K, J

    def accept(self, state: Closed) -> None:
        """Go on from a state: slip is watched along the direction that it has there."""
        if self.closing is not None:
            self.closing.accept(state)
        if np.any(self.held.mode == SLIP):
            self.follow_slip(state.y)

    def follow_slip(self, y: Array) -> None:
        """Go on from a state while contacts slip as they did before, but in the direction they have now."""
        held = self.held._replace(still=still_at(self._slack(y)))
        self.system.held = held._replace(along=held.turned(self._velocity(y)))

    def _slack(self, y: Array) -> float:
        """m/s: slip has turned where it is beyond zero by more; wherever on the floor that is."""
        return SLACK * self.plan.tolerated(self.split(y)[1])

    def _velocity(self, y: Array) -> Array:
        """(nc, 3) contact velocities, m/s."""
        q, qd = self.split(y)
        return np.asarray(self.system.kernels.geometry(q)[3]) @ qd

    def look(self, t: float, y: Array, margin: float, step: Step) -> Step | float | None:
        """Half a step in place of one in which slip turns too far; else as without contacts."""
        slips = (self.held.mode == SLIP) & np.any(self.held.along, axis=1)
        if np.any(slips):
            both = [self._velocity(state)[:, 1:] for state in (y, step.closed.y)]
            turn = np.sum(self.held.directions(self._velocity(step.closed.y)) * self.held.along, axis=1)
            # Of a contact that is still at first, the direction is not known: no shorter step turns it less.
            if np.any(turn[slips & np.all(np.linalg.norm(both, axis=2) > self.held.still, axis=0)] < SHARP):
                return 0.5 * (step.end - t)
        return super().look(t, y, margin, step)

    # Events

    def happening(self, t: float, y: Array, step: Step) -> Stop | None:
        """Look for events in a step from (t, y), those of contacts among them."""

        def state(at: float) -> Array:
            return y if at == t else step.at(at)

        @cache
        def look(at: float) -> Seen:
            motion = self.system.held_motion(at, state(at))
            if np.any(motion.push <= 0.0):
                row = int(np.argmin(motion.push))
                raise self.fail(painleve_message(self.parts, row, float(motion.push[row])), at, None)
            return seen(motion, self.held)

        found = earliest(t, step.end, look, self._slack(y))
        self._found = found = self._over_edge(t, step.end if found is None else found.t, state) or found
        if found is None:
            return super().happening(t, y, step)
        self._decided_at = None
        if found.kind == "edge":
            self._decided_at = self._ahead(self._ahead(step.at(found.t)))
        elif found.kind not in ("gap", "slip"):
            self._decided_at = step.at(found.probe)
        own = None
        if found.t > t:
            own = super().happening(t, y, Step(found.t, Closed(step.at(found.t), 1.0, 0), step.state))
        if own is not None and own.t < found.t:
            self._found = None
            return own
        return Stop(found.t, (*(own.events if own is not None else ()), _CONTACT))

    def _over_edge(self, t: float, end: float, state: Callable[[float], Array]) -> Found | None:
        """A closed contact that comes to an edge of what it touches, given states within a step."""
        rows = self.held.rows
        if not rows or end <= t:
            return None

        def features(at: float) -> Array:
            return np.asarray(self.system.kernels.features(self._ahead(state(at))[: self.m.nq]))

        when = passed(t, end, features, rows)
        return None if when is None else Found(when, "edge", rows[0], when)

    def _ahead(self, y: Array) -> Array:
        """The state a little ahead, where contacts may touch something else."""
        q, qd = self.split(y)
        return np.concatenate([self.system.moved(q, qd, ahead(qd)), y[len(q) :]])

    def act(self, stop: Stop, y: Array) -> Closed:
        found, self._found = self._found, None
        self._count(stop.t)
        own = tuple(event for event in stop.events if event is not _CONTACT)
        if any(event.action is not None for event in own):
            self.system.held = none_held(self.parts.friction)
            y = super().act(Stop(stop.t, own), y).y
            self.behind_action(stop.t, own[0], y)
            found = None
        if found is not None and self._decided_at is not None:
            rows = self.held.rows
            if found.kind == "edge":
                gap = np.asarray(self.system.kernels.geometry(self._decided_at[: self.m.nq])[2])
                rows = [row for row in rows if gap[row] <= LOST]
            try:
                motion = self.system.motion(found.probe, self._decided_at)
                held = decide(self.parts, motion, rows, still_at(self._slack(y)))
            except SolverError as error:
                raise self.fail(str(error), stop.t, None) from None
            self._change(stop.t, self._aligned(stop.t, y, held))
            return self.closed(stop.t, y)
        return self.closed(stop.t, self.after_impacts(stop.t, y))

    @property
    def has_struck(self) -> bool:
        """Whether there was an impact since a state was recorded last."""
        return bool(np.any(self._impulse))

    def _aligned(self, t: float, y: Array, held: Held) -> Held:
        """Contacts that begin to slip do so against the friction that has just held them."""
        rub = self.system.held_motion(t, y).force[:, 1:]
        size = np.linalg.norm(rub, axis=1, keepdims=True)
        begins = ((self.held.mode == STICK) & (held.mode == SLIP))[:, None] & (size > 0.0)
        return held._replace(along=np.where(begins, -rub / np.where(size > 0.0, size, 1.0), held.along))

    def behind_action(self, t: float, event: Event, y: Array) -> None:
        """Look at the state in which the action of an event has left the bodies."""
        try:
            check_apart(self.rigid, y[: self.m.nq])
        except InputError as error:
            raise InputError(f"action of event {event.name!r} at t = {t:g}: {error}") from None

    def _count(self, t: float) -> None:
        """End a run whose contacts change for ever at one time."""
        last, count = self._again
        self._again = (t, count + 1 if t == last else 0)
        if count > AGAIN:
            closed = "; ".join(self.parts.titles(self.held.rows)) or "none is closed"
            raise self.fail(f"contacts change again and again within no time: {closed}", t, None)

    def after_impacts(self, t: float, y: Array) -> Array:
        """The state after impacts and with what contacts do from then on."""
        q, qd = self.split(y)
        more, still = y[len(q) + len(qd) :], still_at(self._slack(y))
        gap = np.asarray(self.system.kernels.geometry(q)[2])
        touching = [int(row) for row in np.flatnonzero((gap <= GAP) | (self.held.mode != OPEN))]

        def motion(v: Array) -> Unforced:
            return self.system.motion(t, np.concatenate([q, v, more]))

        try:
            struck = strike(self.parts, self.law, motion, qd, touching, self._speed, still)
        except SolverError as error:
            raise self.fail(str(error), t, None) from None
        if np.any(hit := np.any(struck.impulse, axis=1)):
            accounts = self.system.equations.common.accounts
            before, after = (accounts(np.concatenate([q, speed])) for speed in (qd, struck.qd))
            self._loss = float(before[0] - after[0])
            self._impulse, self._speed = struck.impulse, struck.speed
        self._events += [ContactEvent(t, int(row), "impact") for row in np.flatnonzero(hit)]
        self._change(t, struck.held)
        self._events += [
            ContactEvent(t + after, row, "rests") for row, after in struck.rests if after < np.inf
        ]
        return np.concatenate([q, struck.qd, more])

    def _change(self, t: float, held: Held) -> None:
        """Go on with what contacts do, and tell what is new."""
        names = {OPEN: "opens", STICK: "sticks", SLIP: "slips"}
        for row, (old, new) in enumerate(zip(self._told, held.mode, strict=True)):
            if old != new:
                if old == OPEN:
                    self._events.append(ContactEvent(t, row, "closes"))
                self._events.append(ContactEvent(t, row, names[int(new)]))
        self.system.held, self._told = held, held.mode.copy()

    # Records

    def record(self, t: float, y: Array, h: float) -> None:
        super().record(t, y, h)
        motion = self.system.held_motion(t, y)
        mode, stiff = self.held.mode.copy(), np.zeros((len(motion.gap), 4))
        what = (
            motion.gap,
            mode,
            motion.force,
            self._impulse,
            self._loss,
            float(motion.friction_power),
            stiff,
            0.0,
        )
        self._history.append(what)
        self._impulse, self._loss = np.zeros_like(self._impulse), 0.0

    def keep(self, rows: Row) -> None:
        super().keep(rows)
        motion, n = self._motions(rows), len(rows.t)
        nothing, mode = np.zeros((n, *self._impulse.shape)), np.tile(self.held.mode, (n, 1))
        rest = nothing, np.zeros(n), motion.friction_power, np.zeros((n, len(self.held.mode), 4)), np.zeros(n)
        self._history.append((motion.gap, mode, motion.force, *rest))

    def _motions(self, rows: Row) -> HeldMotion:
        """Of many states, while contacts do what they do now."""
        outside = self.plan.forces.outside
        q, qd = (np.ascontiguousarray(part) for part in np.split(rows.y, [self.m.nq], axis=1))
        tau = np.zeros_like(qd) if rows.tau is None else rows.tau
        f_ext = [] if self.plan.forces.external is None else [np.array(list(map(outside, rows.t, q, qd)))]
        return self.system.held_along(q, qd, tau, *f_ext)

    def rubbed_along(self, rows: Row) -> Array:
        return self._motions(rows).friction_power

    def drop_last(self) -> None:
        """Forget what was recorded last."""
        self.log.drop_last()
        self._history.pop()

    def rubbed(self, t: float, y: Array) -> float:
        return float(self.system.held_motion(t, y).friction_power)

    def did(self) -> ContactHistory:
        """What rigid contacts did."""
        titles = tuple(row.title for row in self.parts.candidates)
        return history(titles, self._history, self._events, self.log.count)

    def trajectory(self) -> Trajectory:
        run, found = super().trajectory(), self.did()
        lost = run.lost_power + found.friction_power
        return replace(run, lost_power=lost, contacts=found, dynamics="rigid contact")

    def fail(self, what: str, t: float, joint: str | None) -> SimulationError:
        if self._history and "Painlevé" not in what:
            push = self.system.held_motion(t, self.last).push
            if np.min(push, initial=1.0) < JAMMED:
                row = int(np.argmin(push))
                what += f". It is next to {painleve_message(self.parts, row, float(push[row]))}"
        return super().fail(what, t, joint)
