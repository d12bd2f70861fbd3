"""Let one mechanism move, with everything that acts on it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..api.prescribed import drivers_of
from ..contact.compliant.compliant_contact import Compliant
from ..contact.impulses.impacts import IMPACT_LAWS
from ..errors import InputError
from ..loops.closing.check import GEARED_START, check_gears
from ..loops.equations.near_dependence import checked_tolerance
from ..model.mechanism import Mechanism
from ..model.singular import coupled_joints, joints_in_doubt, joints_without_inertia, without_inertia_message
from ..model.snapshot import Snapshot
from ..model.values import flag, real_position, real_positive, real_velocity
from ..spatial import Array
from .acting import Acting, ForceFault, HeldActing
from .chosen_law import chosen_law, damping
from .closing import closed_start
from .driven_acting import DrivenActing, freed
from .events import Event, Watch
from .integrators import INTEGRATORS
from .pace import MOST
from .plan import Plan
from .progress import Progress
from .reruns import Reruns, options_of
from .rounded_loops import tell_overconstrained
from .run import Run
from .run_parts import STEP, follow
from .starts import check_turns
from .steppers import CHOOSING
from .touching.touching_door import Each, check_touching, check_yielding, chosen
from .touching.touching_run import TouchingRun
from .trajectory import Trajectory
from .yielding.mixed_contact_run import MixedContactRun
from .yielding.patch_run import PatchRun

FINEST = 1e-13
"""The least rtol: of steps that err less nothing is seen but rounding errors."""

Control = Callable[[float, Array, Array], Any]


def simulate(
    m: Mechanism,
    q0: Any = None,
    qd0: Any = None,
    duration: float = 10.0,
    control: Control | None = None,
    method: str = "auto",
    *,
    control_dt: float | None = None,
    dynamics: str = "auto",
    external: Control | None = None,
    events: Sequence[Event] = (),
    dt: float | None = None,
    sample: float | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    stabilization: float | None = None,
    implicit_damping: Any = None,
    contacts: str | Compliant | None = "auto",
    impacts: str = "poisson",
    drive: Mapping[str, Any] | None = None,
    tolerance: float | None = None,
    progress: bool = True,
) -> Trajectory:
    """Let a mechanism move from a state, for a time.

    On it act gravity, actuators, its springs, dampers, friction, stops and forces, and external forces;
    gears hold. Actuator forces end at the effort limits of their joints. Limits of position act only as
    stops, which have a stiffness; limits of velocity not at all.

    Methods: of fixed step "euler" (semi-implicit, order 1), "midpoint" (implicit, order 2, for stiff
    joints), "rk4", "rk6"; with steps chosen to the tolerances "DOP853", "PIRK", which evaluates eight
    stages side by side, and leaves to "DOP853" steps that are looked at one by one, SciPy's "RK45" and, for
    stiff equations, "Radau" and SciPy's "BDF"; "auto" is "Radau" if the start is stiff, else "PIRK" where
    accelerations are long machine code and "DOP853" where not, and `Trajectory.reason` tells why. Quaternions
    stay of unit norm. Steps of "euler", "rk4", "rk6", "DOP853", "PIRK" and "Radau" are machine code, many at
    a time, where nothing has to be decided.

    Loops stay closed to rounding. Where branches of a mechanism's motion meet, as where a parallelogram lies
    flat, it goes on along the branch it is on, positions and velocities without a jump; so it does from a
    start there, or at rest along the branch nearest to its acceleration. A motion that comes to rest in such
    a position is not determined any more and ends with an error that says so. Loops whose branches come
    together within some 1e-6 rad or m count as meeting. Where several constraints become dependent at once, a
    motion within rounding of that goes on as it came; there, velocities may bend by 1e-5 of the largest one.

    Args:
        m: The mechanism. Its loops are kept closed: after every step its state is brought to the nearest
            one that satisfies them.
        q0: (nq,) position at t = 0, rad or m, with loops closed; by default neutral or, with loops, what
            `assemble` finds from there.
        qd0: (nv,) velocity at t = 0, rad/s or m/s; at rest by default.
        duration: How long, s.
        control: control(t, q, qd) gives the actuator forces (nv,), N m or N; `Recorded` plays back some
            that were recorded. A kernel, as `compile(control, m, inputs={"t": ()})` makes of a function
            without memory, is called by machine code. None: no forces.
        control_dt: Time between two calls of the control, s, as real controllers are sampled: its forces are
            held in between, and steps end where it is asked. With a fixed step, a multiple of it. None: the
            control is asked wherever forces are.
        method: One of the above.
        dynamics: By which method accelerations are found, a name out of `methods(m)`; "auto" is the one that
            `method_reason` tells; where its dependent coordinates wear out again and again, the run goes on
            by constraint forces, "lambda-first".
        external: external(t, q, qd) gives forces from outside, (N m, N): on frames or bodies, by name, as
            {"tool": (6,)} in the axes and at the origin of each, or on all bodies (nb, 6) in body
            coordinates, as `frame_forces` gives them for other axes. What never changes, `m.add_force` adds.
        events: Moments to be found on the way.
        dt: Step of a method of fixed step, s; 0.001 by default. One that is too long to follow what changes
            fastest at the start is told by a `StepLengthWarning`.
        sample: Time between recorded states, s; every step of the integrator by default. With a fixed
            step, a multiple of it.
        rtol, atol: Tolerances of the methods that choose their steps.
        stabilization: T_stab, s, of Baumgarte's stabilization (RBDA 8.22), such as `stabilization_time(m)`:
            loops are then pulled together by accelerations, with gaps that show in `constraint_error`, and
            not closed after every step. None: they are closed.
        implicit_damping: Damping by the control that each step of "euler" takes at its end; see `rollout`.
        contacts: "rigid": shapes that may touch, by the mechanism's contacts, do not overlap. The motion goes
            from one event to the next (RBDA table 11.1): contacts close with an impact, open where their
            force would pull or where they pass over an edge, stick and slip by Coulomb's law; ever lower hops
            end in rest. Where slip begins or ends its direction is stiff: there "DOP853" and "RK45" give way
            to steps of "Radau". "compliant", or a `wt.contact.Compliant` with laws: surfaces give way by
            their stiffness and damping, with where they are as states of the motion (RBDA §11.8);
            `Trajectory.reason` and a `StepLengthWarning` tell what they ask of explicit steps. None: nothing
            touches. "auto" takes each contact by its numbers: those with a stiffness give way by it, others
            are rigid, and both may be there at once.
        impacts: The law of impacts: "poisson", "newton" or "sequential"; see `wt.contact.impact`.
        drive: What driven joints do beside what the mechanism's own drivers say, by name, tree joints, loop
            joints or distances: a speed, a function of time that gives the position, a formula, a
            `MotionTable` or a spline, as in `kinematics`; other freedoms move as they will. Driven ones are
            where they should be after every step, effort limits do not hold them back, and `Trajectory.tau`
            has the forces that it takes. q0 and qd0 are brought to what agrees with them. Where a driver's
            speed jumps, a step ends, and the others' velocities jump by the blow that this is to them:
            `Trajectory.blows` has its impulses. Motions that jump, are infinitely fast or no numbers are
            refused; a gap of less than 1/2,000 of the run that fits before and behind, where a step meets it.
        tolerance: Constraints of loops that depend on others but for this share are not asked for, as those
            see to them; q0 is closed to it, and loops stay so. For overconstrained loops whose lengths and
            angles are rounded, as they come from CAD; None: loops are taken as they are.
        progress: Whether a run of more than a second shows on a terminal how far it is.

    Returns:
        The recorded motion, first and last state included.

    Raises:
        SimulationError: The motion could not be continued, or has made energy from nothing, twice what it had
            to move with; it holds the time, the joint at fault and what was computed until then.

    Warns:
        EnergyWarning: Energy differs from what went in and out by more than 5 % of what the run has to move
            with: kinetic energy at the start, potential energy that it comes down by, work of forces.
        HeldControlWarning: No step across a singular position of loops was found from one sample of a control
            on, so that it was held for longer than `control_dt`.
        OverconstrainedWarning: Loops hold all that could move if lengths and angles were exact.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> run = wt.simulate(m, [1.0, 0.5], duration=2.0)
    >>> run.method, bool(np.ptp(run.energy) < 1e-6)
    ('DOP853', True)
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", restitution=0.5)
    >>> run = wt.simulate(m, [0.6], duration=1.5, contacts="rigid")
    >>> [round(t, 4) for t in run.contacts.times("impact")[:3]], round(run.contacts.times("rests")[0], 4)
    ([0.3193, 0.6386, 0.7982], 0.9578)
    """
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    if not isinstance(method, str) or not (method == "auto" or method in INTEGRATORS or method in CHOOSING):
        known = ("auto", *INTEGRATORS, *CHOOSING)
        raise InputError(f"method is {method!r}; known: {', '.join(known)}")
    m = Snapshot(m).m  # as it is now, whatever becomes of it
    duration = real_positive(duration, "duration")
    rtol, atol = real_positive(rtol, "rtol"), real_positive(atol, "atol")
    if rtol < FINEST:
        raise InputError(
            f"rtol is {rtol:g}, below {FINEST:g}, which rounding errors allow: give a larger one"
        )
    if tolerance is not None:
        checked_tolerance(tolerance)
    drivers = drivers_of(m, drive)
    if drive is None and not drivers:
        q, qd = start(m, q0, qd0, tolerance)
        forces = None
    else:
        if chosen(m, contacts) is not None:
            raise InputError("drive is given and contacts act: give contacts=None, or drive by a control")
        if control_dt is not None:
            raise InputError("drive and control_dt are given: let the control hold its forces by itself")
        if stabilization is not None:
            raise InputError(
                "drive is given and stabilization, too: driven coordinates are not pulled but set"
            )
        if tolerance is not None:
            raise InputError("drive is given and tolerance, too: drivers need loops that close")
        m = freed(m, drivers)
        forces = DrivenActing(m, drivers, control, external)
        q, qd = forces.start(q0, qd0, duration)
    _check_amount(duration, (STEP if dt is None else dt) if method in INTEGRATORS else None, "dt", "steps")
    _check_amount(duration, sample, "sample", "states")
    _check_amount(duration, control_dt, "control_dt", "calls of the control")
    if not (isinstance(impacts, str) and impacts in IMPACT_LAWS):
        raise InputError(f"impacts is {impacts!r}, expected one of {', '.join(IMPACT_LAWS)}")
    if tolerance is None:
        tell_overconstrained(m, q)
    contacts = chosen(m, contacts)
    if contacts is not None and control_dt is not None:
        raise InputError("control_dt is given and contacts act: let the control hold its forces by itself")
    if isinstance(contacts, Compliant):
        check_yielding(m, contacts, impacts, method)
    elif contacts is not None:
        check_touching(m, contacts, impacts, method, (dynamics, stabilization, implicit_damping))
    y, options, reruns = np.concatenate([q, qd]), None, m.once(Reruns)
    if forces is None and type(events) is tuple and not events:
        others = external, control_dt, sample, stabilization, implicit_damping, contacts, tolerance
        options = options_of(duration, method, dynamics, dt, rtol, atol, control, *others)
    flag(progress, "progress")
    if options is not None and (found := reruns.take(options, y)) is not None:
        return found
    if forces is None:
        forces = _acting(m, control, external, control_dt)
    law = chosen_law(m, dynamics, stabilization, damping(m, implicit_damping, method), tolerance)
    if tolerance is not None and m.loops:
        if (dynamics, stabilization, contacts) != ("auto", None, None):
            raise InputError("tolerance is given: leave out dynamics, stabilization and contacts")
        forces.method = law.law.method
    projects = stabilization is None and (law.holds or forces.drive is not None)
    accuracy = duration, rtol, atol
    plan = Plan(
        m, forces, law.law, law.name, method, *accuracy, projects, tolerance, law.reserve, law.instead
    )
    watch = Watch(events, 0.0, q, qd)
    run = Run(plan, watch)
    if isinstance(contacts, Compliant):
        run = PatchRun(plan._replace(forces=_pushed(m, control, external)), watch, contacts)
    elif isinstance(contacts, Each):
        mixed = plan._replace(forces=_pushed(m, control, external), projects=False)
        run = MixedContactRun(mixed, watch, impacts, contacts)
    elif contacts is not None:
        run = TouchingRun(plan._replace(projects=False), watch, impacts, m)
    run.start(y)
    without = joints_without_inertia(m, q, coupled_joints(m)) if m.once(joints_in_doubt) else ()
    if without:
        raise run.fail(without_inertia_message(m, without[0]), 0.0, m.bodies[without[0]].joint_name)
    run.check_start()
    with Progress(duration, progress) as bar:
        try:
            if method == "auto":
                run.choose_integrator()
            whole = follow(run, dt, sample, bar)
            run.settle()
        except ForceFault as fault:
            if fault.t == 0.0:  # wrong from the start: nothing was computed
                raise
            raise run.fail(str(fault), fault.t, None) from None
    found = run.trajectory()
    if options is not None and whole is not None:
        reruns.keep(options, run, whole)
    return found


def _acting(
    m: Mechanism, control: Control | None, external: Control | None, control_dt: float | None
) -> Acting:
    if control_dt is None:
        return Acting(m, control, external)
    period = real_positive(control_dt, "control_dt")
    if control is None:
        raise InputError(f"control_dt is {period:g} s, but there is no control")
    return HeldActing(m, control, external, period)


def _pushed(m: Mechanism, control: Control | None, external: Control | None) -> Acting:
    """What acts, with room for the forces on bodies that surfaces which give way bring."""
    return Acting(m, control, (lambda *_: np.zeros((len(m), 6))) if external is None else external)


def start(m: Mechanism, q0: Any, qd0: Any, tolerance: float | None = None) -> tuple[Array, Array]:
    """A state to start from, checked."""
    qd = np.zeros(m.nv) if qd0 is None else real_velocity(m, qd0, "qd0")
    if q0 is None and not m.loops:
        q0 = m.neutral()
    q = None if q0 is None else real_position(m, q0, "q0")
    if q is None or m.loops:
        q = closed_start(m, q, qd, tolerance)
    check_turns(m, q, "q0")
    if m.gears:
        check_gears(m, {"q0": q}, {"qd0": qd}, GEARED_START)
    return q, qd


def _check_amount(duration: float, spacing: float | None, name: str, what: str) -> None:
    """InputError for a spacing that is so small that no computer gets to the end of the duration."""
    if spacing is not None and duration / MOST > real_positive(spacing, name):
        raise InputError(
            f"{name} is {spacing:g} s, which makes more than {MOST:g} {what} in {duration:g} s: "
            "give a larger one"
        )
