"""Many trajectories at once: dynamics, integrator and loop in machine code, on all cores or beyond."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from ..api.forward_methods import METHODS, Method, applicable, find
from ..contact.compliant.compliant_contact import Compliant
from ..contact.sweeps.moreau import Rigid
from ..errors import InputError, NotFiniteWarning, SingularError, SolverError, tell
from ..joints import Joint
from ..kernels.run.iterate import Series
from ..kernels.run.threads import checked
from ..kernels.trace.precision import precision_of
from ..loops.closing.check import GEARED_START, check_gears
from ..loops.closing.generic import generic_position
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import independent_rows
from ..model.mechanism import Mechanism
from ..model.singular import fault_of_free_joints
from ..model.snapshot import Snapshot
from ..model.values import real_positive, whole_number
from ..spatial import Array
from .chosen_law import damping
from .closed_step import DAMPING, RANK, rows_for
from .contact_step import ContactRecord, touching_of
from .distribute import distribute
from .equations import Law, equations
from .given_arrays import (
    apart,
    as_rows,
    common_lead,
    must_be_finite,
    real_array,
    to_write_into,
)
from .integrators import INTEGRATORS, Integrator
from .locally import compute_here
from .open_parameters import for_all_steps, opened_parameters
from .rollout_control import RolloutControl
from .rollout_drive import driven_starts, rollout_drive
from .starts import check_turns, constraints_at, room
from .step_length import check_rollout
from .stepping import Stepping
from .touching.touching_door import meant

Shape = tuple[int, ...]

SHORTEST = 1e-12
"""s: of shorter steps a position of ordinary size does not notice anything."""

WORN = 0.03
"""A choice whose quality falls below this share of what it was does not hold any more."""


def rollout(
    m: Mechanism,
    q0: Any,
    qd0: Any,
    tau: Any = None,
    *,
    dt: float = 1e-3,
    steps: int | None = None,
    every: int = 1,
    method: str = "euler",
    dynamics: str = "auto",
    implicit_damping: Any = None,
    contacts: str | Compliant | Rigid | None = "auto",
    contact_forces: Array | None = None,
    residual: Array | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: tuple[Array, Array] | None = None,
    threads: int = 1,
    executor: Executor | None = None,
    progress: bool = True,
    dtype: Any = "float64",
) -> tuple[Array, Array]:
    """Many trajectories of a mechanism, several at a time in one loop of machine code.

    What acts is what acts in `simulate`. Every trajectory is the same to the last bit whatever others are
    computed with it, on however many threads. One that leaves all bounds holds nan from there on, harms no
    other, and is told by a `NotFiniteWarning`; steps that are too long to follow what changes fastest at the
    start, by a `StepLengthWarning`.

    Args:
        m: The mechanism. Its drivers are followed, driven coordinates being where they should after every
            step, and qd0 is brought to what agrees with them; if their speeds jump, all must be driven, for
            others would be struck. Its loops are kept closed: every step ends with a Newton step towards
            closed loops, of positions and of velocities. What is left open is about the square of what a step
            without it opens: for the bundled mechanisms at 1 ms, from 1e-16 to 1e-6 m or rad (of Andrews'
            squeezer, which turns by a radian in a few milliseconds, 5e-4), and it does not grow.
            `wt.compile(wt.constraint_error, m)(q)` tells.
        q0: (..., nq) positions at the start, rad or m.
        qd0: (..., nv) velocities at the start, rad/s or m/s. Leading axes broadcast.
        tau: Actuator forces, N m or N: an array (nv,), (steps, nv) or (..., steps, nv), each row held
            for a step; a `Feedback`; or a function of (t, q, qd), which is compiled along and so must be
            made of arithmetic, NumPy functions and `wt.where`. None: no forces.
        dt: Length of a step, s.
        steps: How many; those of tau by default.
        every: Of how many steps the last is recorded; at most `steps`.
        method: The integrator: "euler" (semi-implicit), "rk4" or "rk6".
        dynamics: By which method accelerations are found, a name out of `methods(m)`; "auto" is the one
            that `method_reason` tells. With loops, what it chooses is chosen once, at a position of the
            mechanism's own; where that does not hold, the constraint forces are solved for instead.
        implicit_damping: Damping of tau that each step of "euler" takes at its end, where it is stable for
            steps of any length, as it does with damping and friction of the joints in any case (a joint that
            friction holds stands still): (nv,) or one number, N m s/rad or N s/m, by which tau depends on qd,
            as the gains of a controller do. It adds no force.
        contacts: How surfaces meet that may touch by the mechanism's contacts: "compliant", by stiffness and
            damping, explicit, so that `wt.contact.step_limits` bounds dt; "rigid", by impulses, without
            events and without a bound on dt, where contacts that have a stiffness take it at a step's end; or
            a `wt.contact.Compliant` or `wt.contact.Rigid` with settings. None: nothing touches. "auto" is
            "rigid" if there are contacts.
        contact_forces: (..., steps // every, nc, 3) array to write into: the forces of each recorded step
            along n, t1 and t2 of `wt.contact.contact_frames`, N.
        residual: (..., steps // every) array to write into: how well rigid contact has been solved so far,
            the largest residual of all steps, m/s. More sweeps, `wt.contact.Rigid(sweeps=10)`, make it less,
            but not where restitution has been held back; see there.
        parameters: Numbers of the mechanism that differ from trajectory to trajectory, each (...), by names
            as `parameter_names` has them: {"hook.mass": (100,)}. With lengths of loops, q0 is assembled for
            each.
        out: Two arrays to write into, as they are returned. They may hold q0, qd0 or tau, of which a copy is
            taken then.
        threads: On how many threads, here or at each worker.
        executor: Where to compute instead of here: any `concurrent.futures.Executor`, such as
            `Client.get_executor()` of a Dask cluster. Pieces of the batch are sent to it and sent again if
            their worker dies. Workers of the same kind of processor and with the same versions find the
            same bits as this process; other versions are refused.
        progress: Whether what takes more than a second shows on a terminal how far it is.
        dtype: Of the numbers computed and returned, "float64" or "float32", and so of `out`. In float32 steps
            take about half the time; every step rounds positions and velocities by 6e-8 of themselves, and
            loops are kept closed to as much.

    Returns:
        q (..., steps // every, nq) and qd (..., steps // every, nv), without the start.

    Warns:
        NotFiniteWarning: Some trajectories became NaN or infinite.
        StepLengthWarning: Steps are too long for a surface that gives way to come to rest.

    Raises:
        WorkerError: An executor's workers have died, or it takes no work, and some pieces were not computed;
            `out` holds all others.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> q, qd = wt.rollout(m, np.linspace([0, 0], [1, 2], 100), [0.0, 0.0], steps=500, every=10)
    >>> q.shape, qd.shape
    ((100, 50, 2), (100, 50, 2))
    >>> m.add_shape("bob", wt.Sphere(0.05), body="lower", placement=wt.Placement((0, 0, -1)))
    >>> m.add_shape("floor", wt.Plane(), placement=wt.Placement((0, 0, -1.5)))
    >>> m.add_contact("landing", "bob", "floor", friction=0.4)
    >>> q, qd = wt.rollout(m, [1.0, 0.5], [0.0, 0.0], steps=4000, contacts="rigid")
    >>> abs(wt.contact.gaps(m, q[-1])).max() < 1e-3
    np.True_
    """
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    known = [name for name, integrator in INTEGRATORS.items() if integrator.recordable]
    if not isinstance(method, str) or method not in known:
        raise InputError(f"method is {method!r}; known: {', '.join(known)}")
    every = whole_number(every, "every")
    if executor is not None and not hasattr(executor, "submit"):
        raise InputError(f"executor is {executor!r}, expected a concurrent.futures.Executor")
    # Those of a worker are held against the cores of its own machine, there.
    threads = checked(threads) if executor is None else whole_number(threads, "threads")
    precision = precision_of(dtype)
    real = np.dtype(precision.dtype)
    h = np.array(real_positive(dt, "dt"))
    if h < SHORTEST:
        raise InputError(f"dt is {dt:g} s, below {SHORTEST:g} s: nothing would move. Give a larger one")
    starts = [_start(m, q0, m.nq, "q0"), _start(m, qd0, m.nv, "qd0")]
    damped = None if implicit_damping is None else real_array(implicit_damping, "implicit_damping")
    touching = touching_of(m, meant(m, contacts), method, residual is not None)
    found = _recordable(m, dynamics)
    if dynamics == "auto" and touching is not None:
        found = touching.accelerations(m, found)
    opened = opened_parameters(m, parameters)
    law = Law(found, implicit_damping=damping(m, damped, method, *opened[:1]))
    fault = m.once(fault_of_free_joints)
    if fault is not None:
        raise SingularError(f"rollout: {fault}")
    control = RolloutControl(m, tau, steps, real)
    if every > control.steps > 0:
        raise InputError(f"every is {every}, more than the {control.steps} steps: nothing would be recorded")
    if not opened:
        check_gears(m, {"q0": starts[0]}, {"qd0": starts[1]}, GEARED_START)
    leads = {"q0": starts[0].shape[:-1], "qd0": starts[1].shape[:-1], "tau": control.lead}
    lead = common_lead({**leads, "parameters": opened[1].shape[:-1]} if opened else leads)
    K = constraints_at(m, starts[0], starts[1], opened)
    how = _stepping(m, INTEGRATORS[method], law, K, starts[0])._replace(
        parameters=opened[0] if opened else (), precision=precision
    )
    begin = []
    if m.drivers:
        if touching is not None:
            raise InputError(f"{m.name!r} has drivers and contacts act: give contacts=None")
        how = how._replace(drive=rollout_drive(m, how.rows))
        assert how.drive is not None
        ends = control.steps * float(h)
        x, starts[1] = driven_starts(m, how.drive, starts[0], starts[1], ends, opened)
        begin = [x]
    if touching is not None:
        touching.held(m, how.rows)
        if starts[0].size:
            touching.tell_long_step(m, starts[0].reshape(-1, m.nq)[0], float(h))
        how = how._replace(touching=touching)
    count = prod(lead)
    recorded = control.steps // every
    shapes = [(*lead, recorded, m.nq), (*lead, recorded, m.nv)]
    told = ContactRecord(m, touching, (*lead, recorded), contact_forces, residual)
    outs = room(shapes, real) if out is None else to_write_into(out, shapes, real)
    if out is not None:  # as where a rollout goes on from the last states of the one before
        starts = [apart(start, outs) for start in starts]
        control.arrays = [(apart(array, outs), shape) for array, shape in control.arrays]
    rows = [as_rows(start.astype(real, copy=False), lead, 1) for start in starts]
    places = [place.reshape(count, recorded, place.shape[-1]) for place in outs]
    if touching is not None:
        rows.append(touching.start(m)[None].astype(real, copy=False))
        places.append(told.states(count, recorded, how.other is not None, real))
    if count == 0 or recorded == 0:
        return outs[0], outs[1]
    series = [Series(h.astype(real), 0, 0), *control.series(lead, bool(begin))]
    held = (as_rows(value.astype(real, copy=False), lead, 1) for value in (*begin, *opened[1:]))
    series += [for_all_steps(value, control.steps) for value in held]
    run = compute_here if executor is None else partial(distribute, executor)
    options = {"steps": recorded * every, "every": every, "threads": threads}
    iteration = control.iteration(how)
    if touching is None:  # a step in which something is struck has no rate
        singular = np.broadcast_to(_singular(K, how.rows), lead).ravel()
        check_rollout(m, iteration, rows, series, method, singular)
    run(iteration, rows, series, places, **options, progress=progress)
    told.write(float(h))
    _tell_not_finite(m, places[:2], every * float(h))
    return outs[0], outs[1]


def _tell_not_finite(m: Mechanism, places: Sequence[Array], spacing: float) -> None:
    """Warn of trajectories that are not finite at their end; they stay so from where they became it."""
    ended = np.all([np.isfinite(place[:, -1]).all(axis=1) for place in places], axis=0)
    lost = np.flatnonzero(~ended)
    if not len(lost):
        return
    first = np.all([np.isfinite(place[lost[0]]).all(axis=1) for place in places], axis=0)
    time = (int(np.argmin(first)) + 1) * spacing
    tell(
        f"{len(lost)} of {len(ended)} trajectories of {m.name!r} became NaN or infinite, number {lost[0]} "
        f"by t = {time:.6g} s: reduce dt, give the damping of tau as implicit_damping, or look at the start",
        NotFiniteWarning,
    )


def _start(m: Mechanism, value: Any, size: int, name: str) -> Array:
    """(..., size) starts, checked."""
    array = real_array(value, name)
    if array.ndim < 1 or array.shape[-1] != size:
        raise InputError(f"{name} has shape {array.shape}, expected (..., {size}) for {m.name!r}")
    must_be_finite(array, name)
    rows = array.reshape(prod(array.shape[:-1]), size)
    if name == "q0":
        _check_positions(m, rows)
        check_turns(m, rows, name)
    return array


def _check_positions(m: Mechanism, rows: Array) -> None:
    for body, index in zip(m.bodies, m.q_index, strict=True):
        if type(body.joint).position_fault is Joint.position_fault:
            continue
        for k, row in enumerate(rows):
            fault = body.joint.position_fault(row[index])
            if fault is not None:
                raise InputError(f"q0 of trajectory {k}, joint {body.joint_name!r}: {fault}")


def _singular(K: Array, rows: Sequence[int]) -> Array:
    """(...) whether fewer constraints are independent at a start than elsewhere."""
    if not rows:
        return np.zeros(K.shape[:-2], bool)
    return np.linalg.matrix_rank(K[..., list(rows), :], rtol=RANK) < len(rows)


def _recordable(m: Mechanism, dynamics: str) -> Method:
    """The method of forward dynamics; InputError if it cannot be recorded."""
    name, method = find(m, dynamics, "dynamics")
    if method.recordable:
        return method
    known = [other for other in applicable(m) if METHODS[other].recordable]
    raise InputError(
        f"dynamics {name!r} cannot be recorded, and a rollout is machine code throughout: give one of "
        f"{', '.join(known)}, or use simulate"
    )


def _stepping(m: Mechanism, integrator: Integrator, law: Law, K: Array, q0: Array) -> Stepping:
    """How to step: by which constraints and by what choices of the law, if it has any to make."""
    if not law.method.holds(m):
        return Stepping(integrator, (), law, None, 0.0)
    generic = _generic_position(Snapshot(m))
    rows = rows_for(K, None if generic is None else tuple(independent_rows(constraint_jacobian(m, generic))))
    if law.method.choose is None:
        return Stepping(integrator, rows, law, None, 0.0)
    at = q0.reshape(-1, m.nq)[0] if generic is None else generic
    robust = next(method for method in METHODS.values() if method.everywhere and method.fault(m) is None)
    by_forces = Law(
        robust, ((robust.choice, rows),), (("damping", DAMPING),), implicit_damping=law.implicit_damping
    )
    if law.method.everywhere:
        method = law.method
        return Stepping(integrator, rows, by_forces._replace(method=method), None, 0.0)
    chosen = law.at(m, at)
    quality = equations(m, False, chosen).quality
    assert quality is not None
    return Stepping(integrator, rows, chosen, by_forces, WORN * float(quality(at)))


@lru_cache(maxsize=32)
def _generic_position(now: Snapshot) -> Array | None:
    try:
        return generic_position(now.m)
    except SolverError:  # the neutral position may be far from any closed one
        return None
