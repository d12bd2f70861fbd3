"""Kinematic analysis: how a mechanism moves whose freedoms are all driven, and what that takes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.compiling import compile
from ..api.frame_motion import FrameMotion, frame_motion
from ..api.prescribed import course_of, drivers_of
from ..api.reaction_history import Driving, Reactions, reactions_along
from ..dynamics.passive import with_own_forces
from ..dynamics.rnea import rnea
from ..errors import InputError, LimitsWarning, SolverError, tell
from ..kernels.run.kernel import Kernel
from ..loops.closing.assembly import assemble
from ..loops.equations.driven_rows import found
from ..loops.equations.rank import eliminate
from ..model.driver_motions import Prescribed
from ..model.driver_part import Driver
from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot
from ..model.values import position
from ..model.wording import counted
from ..spatial import Array
from ..spatial.scalar import real_numbers
from .driven_steps import DrivenState, DrivenSteps
from .driven_system import DrivenSystem, joint_of_velocity
from .turning_points import TurningPoint, branch_points, dead_centres

BEYOND = 1e-9
"""rad or m: how far beyond a limit rounding may lead."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class DrivenMotion:
    """What `kinematics` found, n positions one after the other.

    Attributes:
        t: (n,) time, s.
        q: (n, nq) positions, rad or m.
        qd: (n, nv) velocities, rad/s or m/s; NaN where the drivers do not determine them.
        qdd: (n, nv) accelerations, rad/s² or m/s²; likewise.
        drivers: Names of the drivers.
        driving_force: (n, nd) what the drivers exert, N m or N; springs, dampers and loads of the mechanism
            act as well.
        tau: (n, nv) the same as joint forces: of a driven loop joint, those that have the same power.
        mechanism: What moved.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    drivers: tuple[str, ...]
    driving_force: Array
    tau: Array
    mechanism: Mechanism
    _steps: DrivenSteps
    _states: tuple[DrivenState, ...]

    def __repr__(self) -> str:
        end = f", {self.t[0]:g} … {self.t[-1]:g} s" if len(self) else ""
        by = ", ".join(self.drivers)
        return f"<DrivenMotion of {self.mechanism.name!r}: {len(self)} positions{end}, driven by {by}>"

    def __len__(self) -> int:
        return len(self.t)

    @property
    def power(self) -> Array:
        """(n,) power of the drivers, W."""
        return np.sum(self.tau * self.qd, axis=1)

    def joint(self, name: str) -> Array:
        """(n, nq of the joint) positions of a joint by name, rad or m."""
        return self.q[:, self.mechanism.q_index[self.mechanism.joint_number(name)]]

    def frame(self, name: str) -> FrameMotion:
        """Path, velocity and acceleration of a frame or body: a `FrameMotion`."""
        return frame_motion(self.mechanism, self.q, self.qd, self.qdd, name)

    def reactions(self) -> Reactions:
        """Force and moment that every joint transmits, loop joints too."""
        m, driving = self.mechanism, Driving(self._steps.system.driven, self.driving_force)
        return reactions_along(m, self.q, self.qd, self.qdd, driving.of_tree(m), driving=driving)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Figure":
        """A figure of positions, velocities, driving forces and paths; written to a file if one is named.

        Needs matplotlib: pip install whippletree[plot].
        """
        from ..display.driven_plots import plot_motion

        return plot_motion(self, path)

    def animate(self, path: str | os.PathLike[str], fps: int = 30) -> None:
        """Write a moving picture at the speed of the motion: .gif or .mp4."""
        from ..display.animation import animate
        from ..display.played import played_motion

        animate(played_motion(self), path, fps)

    def transmission_angle(self, coupler: str, pin: str, follower: str) -> Array:
        """(n,) the angle at a pin between two links, 0 … π rad: near π/2 force is passed on best.

        Args:
            coupler, pin, follower: Names of frames or bodies: at the coupler's other end, at the pin, and at
                the follower's other end.
        """
        a, b, c = (self.frame(name).position for name in (coupler, pin, follower))
        u, v = a - b, c - b
        lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        if not np.all(lengths > 0.0):
            raise InputError(
                f"transmission_angle: {pin!r} coincides with {coupler!r} or {follower!r}; name frames at the "
                "other ends of the two links"
            )
        return np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.sum(u * v, axis=1))

    @cached_property
    def dead_centres(self) -> tuple[TurningPoint, ...]:
        """Where a joint turns back though its driver goes on: from there it could not drive in its place.

        Of mechanisms with a single driver; with several, no joint turns back by itself.
        """
        return dead_centres(self._steps, self._states)

    @cached_property
    def branch_points(self) -> tuple[TurningPoint, ...]:
        """Where the drivers do not determine how it goes on: the named joint moves most in the second way."""
        return branch_points(self._steps, self._states)


def needed_forces(m: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """(nv,) what joint forces a motion takes in all, loops left open, own forces taken off."""
    own, forces = with_own_forces(m, q, qd, np.zeros(m.nv))
    return rnea(m, q, qd, qdd, forces) - own


@lru_cache(maxsize=32)
def _needed(now: Snapshot) -> Kernel:
    return compile(needed_forces, now.m)


def kinematics(
    m: Mechanism, drive: Mapping[str, Any] | None = None, t: Any = None, q_guess: Array | None = None
) -> DrivenMotion:
    """How a mechanism moves whose freedoms are all driven, position after position.

    Positions are found by Newton's method, each from the one before, by steps short enough that the mechanism
    stays in the way in which it was put together; compiled, as is all that follows from them.

    Args:
        m: The mechanism, with its drivers.
        drive: What further joints do, or the same in another way, by name: tree joints, loop joints or
            distances. A function of time that gives the position, rad or m, whose rates are found by
            recording it; a formula; a `MotionTable` or spline; or a speed, rad/s or m/s, that starts where
            the joint is in `q_guess`.
        t: (n,) times, s, ascending.
        q_guess: (nq,) near which the mechanism is assembled at the first time; neutral by default.

    Raises:
        InputError: A driver is one too many, or too few are given; names the joints.
        SolverError: The drivers ask for what loops do not allow; names the time and the joint.

    >>> import whippletree as wt
    >>> m = wt.examples.load("crank-slider")
    >>> motion = wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 5))
    >>> motion, motion.frame("slider"), motion.reactions()  # doctest: +NORMALIZE_WHITESPACE
    (<DrivenMotion of 'crank-slider': 5 positions, 0 … 3.14159 s, driven by crank>,
     <FrameMotion: 5 states>, <Reactions of 'crank-slider': 5 states>)
    >>> motion.joint("slider")[:, 0].round(4)
    array([ 0.    , -0.2036, -0.18  ,  0.0364,  0.    ])
    >>> [(point.joint, round(point.t, 6)) for point in motion.dead_centres]
    [('slider', 1.107149), ('slider', 2.677945)]
    """
    times = _times(t)
    drivers = drivers_of(m, drive)
    driven = tuple(found(m, driver.joint) for driver in drivers)
    system = DrivenSystem(m, tuple(driver.name for driver in drivers), driven)
    q = m.neutral() if q_guess is None else position(m, q_guess, "q_guess")
    steps, first = _start(system, drivers, float(times[0]), np.asarray(q, dtype=float))
    return _motion(steps, times, [first, *steps.along(first, times[1:])])


def _motion(steps: DrivenSteps, t: Array, states: list[DrivenState]) -> DrivenMotion:
    system, m = steps.system, steps.system.m
    q, qd, qdd, G = (np.array([state[k] for state in states]) for k in (1, 2, 3, 4))
    _tell_limits(m, t, q)
    singular = np.isnan(G).any(axis=(1, 2))
    qd[singular] = qdd[singular] = np.nan
    needed = _needed(system.now)(q, qd, qdd)
    force = np.einsum("nvd,nv->nd", G, needed)
    nd = len(system.drivers)
    W = np.asarray(system.matrix(q))
    W = W[:, W.shape[1] - nd :]
    tau = np.einsum("ndv,nd->nv", W, force)
    return DrivenMotion(t, q, qd, qdd, system.drivers, force, tau, m, steps, tuple(states))


def _start(
    system: DrivenSystem, drivers: tuple[Driver, ...], t: float, guess: Array
) -> tuple[DrivenSteps, DrivenState]:
    """The first state: assembled, driven to where the drivers begin, and checked for what drives it."""
    m = system.m
    own = [(d, c.number) for d, c in zip(drivers, system.driven, strict=True) if c.is_own]
    q = guess.copy()
    for driver, number in own:
        if not driver.position.begins_anywhere:
            q[m.q_index[number].start] = float(course_of(driver, 0.0, t)(np.asarray(t)).x)
    try:
        q = assemble(m, q, hold=[driver.joint for driver, _ in own])
    except SolverError as error:
        _refuse_too_many(system, guess)
        names = " and ".join(repr(name) for name in system.drivers)
        begin = f"driver {names} begins" if len(system.drivers) == 1 else f"drivers {names} begin"
        raise SolverError(f"at t = {t:g} s, where {begin}: {error}") from None
    system.choose(q)
    _refuse_wrong_drivers(system, q)
    x = system.driven_at(q)
    system.motions = [course_of(driver, float(x0), t) for driver, x0 in zip(drivers, x, strict=True)]
    steps = DrivenSteps(system)
    return steps, _brought(steps, q, x, t)


def _refuse_too_many(system: DrivenSystem, guess: Array) -> None:
    """InputError if drivers ask for different positions because there are more of them than freedoms."""
    try:
        q = assemble(system.m, guess)
    except SolverError:
        return
    system.choose(q)
    system.refuse_idle(q)


def _brought(steps: DrivenSteps, q: Array, x: Array, t: float) -> DrivenState:
    """The state in which the drivers are where they begin, reached along a straight way from x (nd,)."""
    system = steps.system
    begin, motions = system.prescribed(t), system.motions
    way = begin.x - x
    if np.any(np.abs(way) > 1e-9):

        def along(k: int) -> Any:
            return lambda s: Prescribed(x[k] + s * way[k], np.asarray(way[k]), np.asarray(0.0))

        system.motions = [along(k) for k in range(len(way))]
        q = steps.advance(steps.state(0.0, q, system.prescribed(0.0)), 1.0).q
        system.motions = motions
    return steps.state(t, system.nearest(q, begin.x), begin)


def _refuse_wrong_drivers(system: DrivenSystem, q: Array) -> None:
    """InputError for a driver that moves nothing of its own, and for freedoms that none drives."""
    m, A, freedoms = system.m, system.matrix(q), system.refuse_idle(q)
    left = eliminate(A, np.zeros(len(A))).independent
    if left:
        names = dict.fromkeys(joint_of_velocity(m, k) for k in left)
        there = counted(freedoms, "freedom", "freedoms")
        message = f"{m.name!r} has {there} and {counted(len(system.drivers), 'driver', 'drivers')}: drive "
        message += f"{', '.join(map(repr, names))} as well, or let it move freely by wt.simulate"
        idle = [name for name in names if m.bodies[m.joint_number(name)].joint.nv > 1]
        if idle:
            message += (
                f". {idle[0]!r} has several velocities and cannot be driven; if it lets a rod between two "
                "balls spin about itself, let one of them be a universal joint"
            )
        raise InputError(message)
    if not system.drivers:
        raise InputError(
            f"{m.name!r} has no freedom and no driver: it stands still, where wt.assemble puts it"
        )


def _tell_limits(m: Mechanism, t: Array, q: Array) -> None:
    """LimitsWarning for the first joint of the tree that a motion takes beyond its limits."""
    for i, body in enumerate(m.bodies):
        if body.joint.nq != 1:
            continue
        x, lower, upper = q[:, m.q_index[i].start], body.limits.lower, body.limits.upper
        beyond = np.flatnonzero((x < lower - BEYOND) | (x > upper + BEYOND))
        if len(beyond):
            k = int(beyond[0])
            tell(
                f"{m.name!r} goes beyond limits of its joints, which hold no driver back: "
                f"{body.joint_name!r} is at {x[k]:.6g} at t = {t[k]:.6g} s, outside of {lower:g} … {upper:g}",
                LimitsWarning,
            )
            return


def _times(t: Any) -> Array:
    try:
        times = real_numbers(t)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not len(times) or not np.all(np.isfinite(times)):
        raise InputError(f"t is {t!r}, expected times (n,), finite, at least one")
    if np.any(np.diff(times) <= 0.0):
        k = int(np.argmax(np.diff(times) <= 0.0))
        raise InputError(f"t[{k + 1}] is {times[k + 1]:g}, not after t[{k}] = {times[k]:g}")
    return times
