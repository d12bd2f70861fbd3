"""Let one mechanism move, with everything that acts on it."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import InputError
from ..loops.closing.check import GEARED_START, check_gears
from ..model.mechanism import Mechanism
from ..model.singular import joints_without_inertia, without_inertia_message
from ..model.values import position, vector
from ..spatial import Array
from . import adaptive
from . import fixed_step as fixed
from .acting import Acting, ForceFault
from .closing import OpenLoop, closed_start
from .events import Event, Watch
from .faults import joint_of_worst
from .progress import Progress
from .run import Run, Step
from .trajectory import Trajectory

STEP = 1e-3
"""s: the step of methods of fixed step, unless given."""

CRAWL, PATIENCE = 1e-8, 1000
"""Steps below this share of the duration, so many in a row, lead nowhere."""

STUCK, STUCK_PATIENCE = 1e-4, 100
"""Nor do, near singular positions of loops, so many steps below this share of the longest one."""

CLOSER = 0.9
"""A step that comes closer to a singular position than it should, by this share, is taken again."""

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

    Loops stay closed to rounding. Where branches of a mechanism's motion meet, as where a parallelogram lies
    flat, it goes on along the branch it is on, positions and velocities without a jump; so it does from a
    start there, or at rest along the branch nearest to its acceleration. A motion that comes to rest in such
    a position is not determined any more and ends with an error that says so. Loops whose branches come
    together within some 1e-6 rad or m count as meeting.

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
    run = Run(m, Acting(m, control, external), method, Watch(events, 0.0, q, qd), duration, rtol, atol)
    run.start(np.concatenate([q, qd]))
    without = joints_without_inertia(m, q)
    if without and not m.gears and not m.loops:  # through those a joint may move the inertia of another
        raise run.fail(without_inertia_message(m, without[0]), 0.0, m.bodies[without[0]].joint_name)
    with Progress(duration, progress) as bar, _told_with_the_run(run):
        if method == "auto":
            run.choose()
        if run.method in fixed.METHODS:
            _fixed(run, dt, sample, bar)
        else:
            if dt is not None:
                raise InputError(
                    f"dt is given, but {run.method} chooses its steps: give sample, or rtol and atol"
                )
            _adaptive(run, sample, bar)
    return run.trajectory()


@contextmanager
def _told_with_the_run(run: Run) -> Iterator[None]:
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
    check_gears(m, {"q0": q}, {"qd0": qd}, GEARED_START)
    return q, qd


def positive(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, expected a number above 0") from None
    if not 0.0 < number < np.inf:
        raise InputError(f"{name} is {number:g}, expected a number above 0")
    return number


def _fixed(run: Run, dt: float | None, sample: float | None, bar: Progress) -> None:
    h = STEP if dt is None else positive(dt, "dt")
    every = 1
    if sample is not None:
        every = max(1, round(positive(sample, "sample") / h))
        if abs(every * h - sample) > 1e-9 * sample:
            raise InputError(f"sample is {sample:g} s, no multiple of the step dt = {h:g} s")
    steps = max(1, int(np.ceil(run.duration / h * (1.0 - 1e-12))))
    stepper = fixed.METHODS[run.method](run.equations, run.forces)

    def stepped(t: float, y: Array, end: float) -> Step:
        def state(at: float) -> Array:
            stepper.motion = run.equations
            return run.settle(stepper.step(t, y, at - t))

        return Step(end, state(end), state, run.margin)

    def grid(k: int) -> float:
        return run.duration if k == steps else k * h

    t, y, margin, k = 0.0, run.last, run.margin, 0
    while k < steps:
        try:
            step = run.first if run.first is not None and k == 0 else stepped(t, y, grid(k + 1))
            run.check(step.end, step.y, y)
            found = run.look(t, y, margin, step)
        except OpenLoop as error:
            raise run.open_loop(error, grid(k + 1)) from None
        except fixed.NoConvergence:
            joint = joint_of_worst(run.equations, run.forces, t, y)
            message = f"the implicit step found no solution, with joint {joint!r} changing fastest: reduce dt"
            raise run.fail(message, t, joint) from None
        step = found if isinstance(found, Step) else step
        stop = run.happening(t, y, step)
        end = step.end if stop is None else stop
        while k < steps and grid(k + 1) <= end:
            k += 1
            if (k % every == 0 or k == steps) and grid(k) != stop:
                run.record(
                    grid(k), step.y if grid(k) == step.end else step.state(grid(k)), min(h, grid(k) - t)
                )
        if stop is not None:
            run.record(stop, step.state(stop), stop - t)
            return
        t, y, margin = step.end, step.y, step.margin
        bar.at(t)


def _adaptive(run: Run, sample: float | None, bar: Progress) -> None:
    spacing = None if sample is None else positive(sample, "sample")
    solver = adaptive.Adaptive(run, dense=spacing is not None or bool(run.watch.events))
    t, y, margin, sampled = 0.0, run.last, run.margin, 0
    if run.first is None:
        run.check(0.0, run.slope(0.0, y), y)
    longest: float | None = None
    longest_yet, crawling = 0.0, 0
    while t < run.duration:
        try:
            step = run.first if run.first is not None and t == 0.0 else solver.step(t, y, longest)
            if isinstance(step, Step):
                least, patience = CRAWL * run.duration, PATIENCE
                if run.near_singular:
                    least, patience = max(least, STUCK * longest_yet), STUCK_PATIENCE
                longest_yet = max(longest_yet, step.end - t)
                crawling = crawling + 1 if step.end - t < least else 0
                if crawling > patience:
                    step = f"{crawling} steps in a row took no {least:.1g} s each"
            if isinstance(step, str):
                joint = joint_of_worst(run.equations, run.forces, t, y)
                raise run.fail(f"{step.rstrip('.').lower()}, with joint {joint!r} changing fastest", t, joint)
            run.check(step.end, step.y, y)
            found = run.look(t, y, margin, step)
        except OpenLoop as error:
            raise run.open_loop(error, t) from None
        longest = None
        if isinstance(found, float) and found < CLOSER * (step.end - t):
            longest = found
            continue
        step = found if isinstance(found, Step) else step
        stop = run.happening(t, y, step)
        end = step.end if stop is None else stop
        while spacing is not None and (sampled + 1) * spacing < min(end, run.duration * (1.0 - 1e-12)):
            sampled += 1
            run.record(sampled * spacing, step.state(sampled * spacing), step.end - t)
        if spacing is None or stop is not None or end >= run.duration:
            run.record(end, step.y if end == step.end else step.state(end), step.end - t)
        bar.at(end)
        if stop is not None:
            return
        t, y, margin = step.end, step.y, step.margin
