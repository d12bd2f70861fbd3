"""One step of many trajectories at once, written once for any scalar and compiled with its controller."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import record
from ..errors import InputError
from ..kernels.run.guarded import Guarded
from ..kernels.run.iterate import Iteration
from ..kernels.trace.precision import DOUBLE, Precision
from ..kernels.trace.program import Program
from ..model.driver_motions import TimeFunction
from ..model.mechanism import Mechanism
from ..model.positions import difference
from ..model.snapshot import Snapshot
from ..spatial import Array, array, minimum
from .closed_step import Rows, closed, closed_and_driven
from .contact_step import Contacting, ContactMode, contact_advance
from .equations import Law, projected
from .integrators import Integrator
from .rollout_drive import RolloutDrive
from .systems import Force, Traced


@dataclass(frozen=True, eq=False)
class Feedback:
    """Linear feedback: tau = forward - gain · (x - x_ref), x being position and velocity.

    Args:
        gain: (nv, 2 nv), or (steps, nv, 2 nv) for gains that change.
        q: (nq,) or (steps, nq) the reference's position. Differences are taken as `m.difference` does, so
            quaternions are fine.
        qd: (nv,) or (steps, nv) the reference's velocity; zero by default.
        forward: (nv,), (steps, nv) or (batch, steps, nv) forces in any case; zero by default.

    Servos that bring an arm to a position, and carry its weight there:

    >>> import numpy as np, whippletree as wt
    >>> arm, home = wt.examples.load("six-axis-arm"), np.array([0.2, -1.0, 0.9, 0.1, 0.4, 0.0])
    >>> gain = np.hstack([400.0 * np.eye(6), 40.0 * np.eye(6)])  # N m/rad, N m s/rad
    >>> servos = wt.Feedback(gain, home, forward=wt.gravity_force(arm, home))
    >>> q, qd = wt.rollout(arm, home + 0.3, np.zeros(6), servos, steps=3000, implicit_damping=40.0)
    >>> bool(np.abs(q[-1] - home).max() < 1e-3)
    True
    """

    gain: Any
    q: Any
    qd: Any = None
    forward: Any = None


class Stepping(NamedTuple):
    """How many trajectories at once are stepped.

    Attributes:
        integrator: Of fixed step.
        rows: Numbers of the constraints that hold the loops.
        law: How accelerations are found.
        other: Another law, where the choice of the first does not hold; None if it holds everywhere.
        bound: The quality below which it does not.
        touching: How contact is treated; None if it is not.
        drive: What is driven; None if nothing is.
        parameters: Names of numbers that differ from trajectory to trajectory.
        precision: Of all numbers.
    """

    integrator: Integrator
    rows: Rows
    law: Law
    other: Law | None
    bound: float
    touching: ContactMode | None = None
    drive: RolloutDrive | None = None
    parameters: tuple[str, ...] = ()
    precision: Precision = DOUBLE


class Mode(NamedTuple):
    """What a recorded step is made of."""

    integrator: Integrator
    rows: Rows
    law: Law
    touching: ContactMode | None
    drive: RolloutDrive | None = None


class Before(NamedTuple):
    """What a step begins with: the state, that of contacts, and the watch; None where there is no such.

    Where drivers have begun, (nd,), stays what it is.
    """

    q: Array
    qd: Array
    touch: Array | None
    watch: Any
    begin: Array | None = None


def advance(m: Mechanism, before: Before, force: Force, t: Any, h: Any, mode: Mode) -> tuple[Any, ...]:
    """A step with quaternions of unit norm and loops kept closed: what the next begins with.

    The watch is the least quality of the law's choice so far; None if nobody asks for it.
    """
    q, qd, touch, watch, begin = before
    drive = mode.drive
    if drive is not None and begin is not None:
        force = drive.forces(m, force, begin)
    contacts: tuple[Any, ...] = ()
    if touch is None or mode.touching is None:
        y = mode.integrator.step(Traced(m, force, mode.law), t, np.concatenate([q, qd]), h)
    else:
        y, touch = contact_advance(m, q, qd, touch, force, t, h, Contacting(*mode[:3], mode.touching))
        contacts = (touch,)
    new_q, new_qd = y[: m.nq], y[m.nq :]
    if m.nq != m.nv:
        new_q = projected(m, new_q)
    if drive is not None and begin is not None:
        asked = drive.asked(m, begin, t + h)
        new_q, new_qd = closed_and_driven(m, new_q, new_qd, drive.rows, asked, drive.driven)
    elif mode.rows:
        new_q, new_qd = closed(m, new_q, new_qd, mode.rows)
    if watch is None:
        return new_q, new_qd, *contacts
    assert mode.law.method.quality is not None
    quality = mode.law.method.quality(m, q, **dict(mode.law.choice))
    return new_q, new_qd, *contacts, minimum(watch, quality)


def _iteration(m: Mechanism, how: Stepping, step: Callable[..., Program]) -> Iteration | Guarded:
    """The iteration of a step: `step` records it with a mode, and further inputs or values."""
    touches = how.touching is not None
    more = {"touch": (how.touching.size(m),)} if how.touching is not None else {}
    fixed: dict[str, Any] = {} if touches else {"touch": None}
    states = 3 if touches else 2
    if how.drive is None:
        fixed["begin"] = None
    else:
        more["begin"] = (len(how.drive.driven),)
    if how.parameters:
        fixed["parameters"] = how.parameters

    def mode(law: Law) -> Mode:
        return Mode(how.integrator, how.rows, law, how.touching, how.drive)

    if how.other is None:
        return Iteration(step(mode(how.law), more, watch=None, **fixed), states, precision=how.precision)
    first = step(mode(how.law), {**more, "watch": ()}, **fixed)
    return Guarded(first, step(mode(how.other), more, watch=None, **fixed), states, how.bound, how.precision)


def given_forces(m: Mechanism, how: Stepping) -> Iteration | Guarded:
    """Steps under forces that are inputs: q, qd; h, tau, and with drivers number, begin."""
    return _kept(_given_forces, how)(Snapshot(m), how)


def _kept(made: Any, how: Stepping) -> Callable[[Snapshot, Stepping], Iteration | Guarded]:
    """What is made once, unless a driver follows a function of the user, which may have changed since."""
    drivers = () if how.drive is None else how.drive.drivers
    return made.__wrapped__ if any(isinstance(d.position, TimeFunction) for d in drivers) else made


def _clocked(how: Stepping, shapes: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Further inputs and fixed values of a step: its number, if it matters."""
    return (shapes, {"number": 0.0}) if how.drive is None else ({**shapes, "number": ()}, {})


def forced_step(
    m: Mechanism,
    q: Array,
    qd: Array,
    touch: Any,
    watch: Any,
    h: Any,
    tau: Array,
    number: Any,
    begin: Any,
    mode: Mode,
) -> tuple[Any, ...]:
    """One step under a force that stays as it is."""
    return advance(m, Before(q, qd, touch, watch, begin), lambda *_: tau, number * h, h, mode)


@lru_cache(maxsize=32)
def _given_forces(now: Snapshot, how: Stepping) -> Iteration | Guarded:
    shapes, clock = _clocked(how, {"h": ()})

    def step(mode: Mode, more: dict[str, Any], **fixed: Any) -> Program:
        return record(forced_step, now.m, inputs={**shapes, **more}, mode=mode, **clock, **fixed)

    return _iteration(now.m, how, step)


def linear_feedback(m: Mechanism, how: Stepping) -> Iteration | Guarded:
    """Steps under linear feedback: q, qd; h, gain, q_ref, qd_ref, forward, and with drivers number, begin."""
    return _kept(_linear_feedback, how)(Snapshot(m), how)


def feedback_step(
    m: Mechanism,
    q: Array,
    qd: Array,
    touch: Any,
    watch: Any,
    h: Any,
    gain: Array,
    q_ref: Array,
    qd_ref: Array,
    forward: Array,
    number: Any,
    begin: Any,
    mode: Mode,
) -> tuple[Any, ...]:
    """One step under linear feedback."""

    def force(_: Any, q: Array, qd: Array) -> Array:
        return forward - gain @ np.concatenate([difference(m, q_ref, q), qd - qd_ref])

    return advance(m, Before(q, qd, touch, watch, begin), force, number * h, h, mode)


@lru_cache(maxsize=32)
def _linear_feedback(now: Snapshot, how: Stepping) -> Iteration | Guarded:
    m, nv = now.m, (now.m.nv,)
    own = {"h": (), "gain": (m.nv, 2 * m.nv), "q_ref": (m.nq,), "qd_ref": nv, "forward": nv}
    shapes, clock = _clocked(how, own)

    def step(mode: Mode, more: dict[str, Any], **fixed: Any) -> Program:
        return record(feedback_step, m, inputs={**shapes, **more}, mode=mode, **clock, **fixed)

    return _iteration(m, how, step)


def traced_control(m: Mechanism, how: Stepping, control: Callable[..., Any]) -> Iteration | Guarded:
    """Steps under a function of (t, q, qd) that is compiled along: q, qd; h, number, and with drivers begin.

    Recorded at every call.

    What the function reads besides its arguments is fixed from then on, and may have changed since.
    """
    m = m.copy()

    def force(t: Any, q: Array, qd: Array) -> Array:
        tau = array(control(t, q, qd))
        if tau.shape != (m.nv,):
            raise InputError(
                f"tau gives an array of shape {tau.shape}, expected ({m.nv},): one force per velocity"
            )
        return tau

    whole = m

    def controlled_step(
        m: Mechanism,
        q: Array,
        qd: Array,
        touch: Any,
        watch: Any,
        h: Any,
        number: Any,
        begin: Any,
        mode: Mode,
    ) -> tuple[Any, ...]:
        return advance(m, Before(q, qd, touch, watch, begin), force, number * h, h, mode)

    def step(mode: Mode, more: dict[str, Any], **fixed: Any) -> Program:
        return record(controlled_step, whole, inputs={"h": (), "number": (), **more}, mode=mode, **fixed)

    return _iteration(m, how, step)
