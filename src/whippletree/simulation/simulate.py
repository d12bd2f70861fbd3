"""Let one mechanism move, with everything that acts on it."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from ..door import position, vector
from ..errors import InputError, SimulationError
from ..mechanism import Mechanism
from ..singular import joints_without_inertia, without_inertia_message
from ..spatial import Array
from . import adaptive, fixed
from .choice import choose
from .closing import NEAR_SINGULAR, Closing, OpenLoop, closed_start
from .events import Event, Watch
from .faults import fault_at, joint_of_worst
from .forces import Acting, ForceFault
from .motion import Motion, motion
from .progress import Progress
from .trajectory import Trajectory, build

STEP = 1e-3
"""s: the step of methods of fixed step, unless given."""

CRAWL, PATIENCE = 1e-8, 1000
"""Steps below this share of the duration, so many in a row, lead nowhere."""

Control = Callable[[float, Array, Array], Any]


def simulate(
    m: Mechanism,
    q0: Any = None,
    qd0: Any = None,
    duration: float = 10.0,
    control: Control | None = None,
    method: str = "auto",
    *,
    external: Control | None = None,
    events: Sequence[Event] = (),
    dt: float | None = None,
    sample: float | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: bool = True,
) -> Trajectory:
    """Let a mechanism move from a state, for a time.

    On it act gravity, actuators, its springs, dampers, friction, stops and forces, and external forces;
    gears hold. Actuator forces end at the effort limits of their joints. Limits of position act only as
    stops, which have a stiffness; limits of velocity not at all.

    Methods: of fixed step "euler" (semi-implicit, order 1), "midpoint" (implicit, order 2, for stiff
    joints), "rk4", "rk6"; with steps chosen to the tolerances "RK45", "DOP853" and, for stiff equations,
    "Radau", "BDF", all four SciPy's; "auto" is "DOP853" or, if the start is stiff, "Radau", and
    `Trajectory.reason` tells why. Quaternions stay of unit norm.

    Args:
        m: The mechanism. Its loops are kept closed: after every step its state is brought to the nearest
            one that satisfies them.
        q0: (nq,) position at t = 0, rad or m, with loops closed; by default neutral or, with loops, what
            `assemble` finds from there.
        qd0: (nv,) velocity at t = 0, rad/s or m/s; at rest by default.
        duration: s.
        control: control(t, q, qd) gives the actuator forces (nv,), N m or N; `Recorded` plays back some
            that were recorded. None: no forces.
        method: One of the above.
        external: external(t, q, qd) gives forces from outside, (N m, N): on frames or bodies, by name, as
            {"tool": (6,)} in the axes and at the origin of each, or on all bodies (nb, 6) in body
            coordinates, as `frame_forces` gives them for other axes. What never changes, `m.add_force` adds.
        events: Moments to be found on the way.
        dt: Step of a method of fixed step, s; 0.001 by default.
        sample: Time between recorded states, s; every step of the integrator by default. With a fixed
            step, a multiple of it.
        rtol, atol: Tolerances of the methods that choose their steps.
        progress: Whether a run of more than a second shows on a terminal how far it is.

    Returns:
        The recorded motion, first and last state included.

    Raises:
        SimulationError: The motion could not be continued; it holds the time, the joint at fault and
            what was computed until then.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> run = wt.simulate(m, [1.0, 0.5], duration=2.0)
    >>> run.method, bool(np.ptp(run.energy) < 1e-6)
    ('DOP853', True)
    """
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    m = copy.deepcopy(m)  # what is recorded is of this mechanism, whatever becomes of the other
    q, qd = start(m, q0, qd0)
    duration, rtol, atol = (
        positive(value, name) for value, name in ((duration, "duration"), (rtol, "rtol"), (atol, "atol"))
    )
    known = ("auto", *fixed.METHODS, *adaptive.METHODS)
    if method not in known:
        raise InputError(f"method is {method!r}; known: {', '.join(known)}")
    run = _Run(
        m, Acting(m, control, external), external is not None, method, Watch(events, 0.0, q, qd), duration
    )
    run.closing = Closing(m) if m.loops else None
    run.start(q, qd)
    without = joints_without_inertia(m, q)
    if without and not m.gears and not m.loops:  # through those a joint may move the inertia of another
        raise run.fail(without_inertia_message(m, without[0]), 0.0, m.bodies[without[0]].joint_name)
    if method == "auto":
        run.method, run.reason = choose(run.equations, run.forces, q, qd, duration)
    with Progress(duration, progress) as bar, _told_with_the_run(run):
        if run.method in fixed.METHODS:
            _fixed(run, np.concatenate([q, qd]), dt, sample, bar)
        else:
            if dt is not None:
                raise InputError(
                    f"dt is given, but {run.method} chooses its steps: give sample, or rtol and atol"
                )
            _adaptive(run, np.concatenate([q, qd]), sample, rtol, atol, bar)
    return run.trajectory()


@contextmanager
def _told_with_the_run(run: "_Run") -> Iterator[None]:
    """A function of the user that fails on the way ends the run, and what was computed is kept."""
    try:
        yield
    except ForceFault as fault:
        if fault.t == 0.0:  # wrong from the start: nothing was computed
            raise
        raise run.fail(str(fault), fault.t, None) from None


def start(m: Mechanism, q0: Any, qd0: Any) -> tuple[Array, Array]:
    """A state to start from, checked."""
    meaning = f"one entry per velocity of {m.name!r} (nv = {m.nv})"
    qd = np.array(vector(np.zeros(m.nv) if qd0 is None else qd0, (m.nv,), "qd0", meaning), dtype=float)
    if q0 is None and not m.loops:
        q0 = m.neutral()
    q = None if q0 is None else np.array(position(m, q0, "q0"), dtype=float)
    if q is None or m.loops:
        return closed_start(m, q, qd), qd
    for gear in m.gears:
        driver, driven = m.joint_number(gear.driver), m.joint_number(gear.driven)
        for values, index, offset, name in ((q, m.q_index, gear.offset, "q0"), (qd, m.v_index, 0.0, "qd0")):
            expected = gear.ratio * values[index[driver]][0] + offset
            given = values[index[driven]][0]
            if abs(given - expected) > 1e-9 * max(1.0, abs(expected)):
                raise InputError(
                    f"{name} has {given:g} for joint {gear.driven!r}, which gear {gear.name!r} "
                    f"holds at {expected:g}"
                )
    return q, qd


def positive(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, expected a number above 0") from None
    if not 0.0 < number < np.inf:
        raise InputError(f"{name} is {number:g}, expected a number above 0")
    return number


class _Run:
    """A simulation on its way: what it is made of, and what it has recorded."""

    def __init__(
        self,
        m: Mechanism,
        forces: Acting,
        external: bool,
        method: str,
        watch: Watch,
        duration: float,
    ) -> None:
        self.m, self.forces, self._external = m, forces, external
        self.method, self.reason, self.watch, self.duration = method, "", watch, duration
        self.closing: Closing | None = None
        self._singular: tuple[int, int] | None = None
        self._rows: list[tuple[float, Array, Array, Array, float, float]] = []

    @cached_property
    def equations(self) -> Motion:
        return motion(self.m, self._external)

    def start(self, q: Array, qd: Array) -> None:
        """Record the first state; with loops, choose the constraints that determine all others there."""
        if self.closing is not None:
            self.equations = motion(self.m, self._external, self.closing.rows(q))
            y = self.settle(np.concatenate([q, qd]))
            q[:], qd[:] = y[: self.m.nq], y[self.m.nq :]
        self.record(0.0, q, qd, 0.0)

    def settle(self, y: Array) -> Array:
        """The state with quaternions of unit norm and loops closed."""
        nq = self.m.nq
        if nq != self.m.nv:
            y = np.concatenate([self.equations.projected(y[:nq]), y[nq:]])
        if self.closing is None:
            return y
        y = self.closing(self.equations, y)
        if self.closing.rank > len(self.equations.rows):
            # The run began, or passed, where fewer constraints are independent than elsewhere.
            self._singular = (len(self.equations.rows), self.closing.rank)
        if self.closing.rank > len(self.equations.rows) or self.closing.worn:
            self.equations = motion(self.m, self._external, self.closing.rows(y[:nq]))
        return y

    @property
    def settles(self) -> bool:
        return self.closing is not None or self.m.nq != self.m.nv

    def record(self, t: float, q: Array, qd: Array, h: float) -> None:
        tau, *f_ext = self.forces(t, q, qd)
        power = self.equations.body_power(q, qd, *f_ext) if f_ext else 0.0
        self._rows.append((t, q.copy(), qd.copy(), self.forces.limited(tau), h, float(power)))

    def record_state(self, t: float, y: Array, h: float) -> None:
        self.record(t, y[: self.m.nq], y[self.m.nq :], h)

    def trajectory(self) -> Trajectory:
        t, q, qd, tau, h, power = (np.array(column) for column in zip(*self._rows, strict=True))
        recorded = {"t": t, "q": q, "qd": qd, "tau": tau, "step": h, "mechanism": self.m}
        happened = {"events": tuple(self.watch.occurred), "method": self.method, "reason": self.reason}
        return build(self.equations, power, **recorded, **happened)

    def open_loop(self, error: OpenLoop, t: float) -> SimulationError:
        return self.fail(
            f"loop {error.name!r} is open by {error.gap:.3g} and could not be closed: reduce dt or rtol, or "
            "start away from where the mechanism locks",
            t,
            None,
        )

    def fail(self, what: str, t: float, joint: str | None) -> SimulationError:
        if self._singular is not None:
            few, many = self._singular
            what += (
                f". It was at a singular position, where {few} constraints of loops are independent instead "
                f"of {many}, and may go on in several ways: start elsewhere"
            )
        elif self.closing is not None and self.closing.margin < NEAR_SINGULAR:
            what += ". Its loops are close to a singular position, from where it may go on in several ways"
        return SimulationError(
            f"{self.m.name!r} at t = {t:.6g} s of {self.duration:g} s ({self.method}): {what}",
            t,
            joint,
            self.trajectory(),
        )

    def check(self, t: float, y: Array, before: Array) -> None:
        """Stop where the state has become no numbers; `before` is the last good one."""
        if not np.all(np.isfinite(y)):
            raise self.fail(*fault_at(self.equations, self.forces, t, before, y))


def _fixed(run: _Run, y: Array, dt: float | None, sample: float | None, bar: Progress) -> None:
    h = STEP if dt is None else positive(dt, "dt")
    every = 1
    if sample is not None:
        every = max(1, round(positive(sample, "sample") / h))
        if abs(every * h - sample) > 1e-9 * sample:
            raise InputError(f"sample is {sample:g} s, no multiple of the step dt = {h:g} s")
    steps = max(1, int(np.ceil(run.duration / h * (1.0 - 1e-12))))
    stepper = fixed.METHODS[run.method](run.equations, run.forces)

    def settled(y: Array) -> Array:
        if run.settles:
            y = run.settle(y)
            stepper.motion = run.equations
        return y

    nq = run.m.nq
    t = 0.0
    for k in range(steps):
        end = run.duration if k == steps - 1 else (k + 1) * h
        try:
            new = settled(stepper.step(t, y, end - t))
        except OpenLoop as error:
            raise run.open_loop(error, end) from None
        except fixed.NoConvergence:
            joint = joint_of_worst(run.equations, run.forces, t, y)
            message = f"the implicit step found no solution, with joint {joint!r} changing fastest: reduce dt"
            raise run.fail(message, t, joint) from None
        run.check(end, new, y)
        if run.watch.events:

            def inside(at: float, t=t, y=y, end=end, new=new) -> tuple[Array, Array]:
                state = new if at == end else y if at == t else settled(stepper.step(t, y, at - t))
                return state[:nq], state[nq:]

            stop = run.watch.look(t, end, inside)
            if stop is not None:
                run.record(stop, *inside(stop), stop - t)
                return
        if (k + 1) % every == 0 or k == steps - 1:
            run.record_state(end, new, end - t)
        t, y = end, new
        bar.at(t)


def _adaptive(run: _Run, y: Array, sample: float | None, rtol: float, atol: float, bar: Progress) -> None:
    spacing = None if sample is None else positive(sample, "sample")
    nq, sampled = run.m.nq, 0

    def slope(t: float, y: Array) -> Array:
        q, qd = y[:nq], y[nq:]
        return run.equations.rates(q, qd, *run.forces(t, q, qd))

    run.check(0.0, slope(0.0, y), y)
    settle = run.settle if run.settles else None
    solver = adaptive.Adaptive(run.method, settle, slope, y, run.duration, rtol, atol)
    crawling = 0
    while solver.t < run.duration:
        t, before = solver.t, solver.y
        try:
            message, state = solver.step()
        except OpenLoop as error:
            raise run.open_loop(error, solver.t) from None
        crawling = crawling + 1 if solver.t - t < CRAWL * run.duration else 0
        if message is None and crawling > PATIENCE:
            message = f"{crawling} steps in a row took no {CRAWL * run.duration:.1g} s each"
        if message is not None:
            joint = joint_of_worst(run.equations, run.forces, t, before)
            why = message.rstrip(".").lower()
            raise run.fail(f"{why}, with joint {joint!r} changing fastest", t, joint)
        run.check(solver.t, solver.y, before)
        stop = None
        if run.watch.events:

            def inside(at: float, t=t, before=before, state=state) -> tuple[Array, Array]:
                y = before if at == t else state(at)
                return y[:nq], y[nq:]

            stop = run.watch.look(t, solver.t, inside)
        end = solver.t if stop is None else stop
        while spacing is not None and (sampled + 1) * spacing < min(end, run.duration * (1.0 - 1e-12)):
            sampled += 1
            run.record_state(sampled * spacing, state(sampled * spacing), solver.t - t)
        if spacing is None or stop is not None or end >= run.duration:
            run.record_state(end, state(end), solver.t - t)
        bar.at(end)
        if stop is not None:
            return
