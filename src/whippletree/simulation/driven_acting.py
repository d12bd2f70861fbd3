"""Drivers in a run: some coordinates are known functions of time, and forces make up for what that takes."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..analysis.driven_system import DrivenSystem, joint_of_velocity
from ..api.compiling import made_once
from ..api.prescribed import Course, asked, course_of
from ..errors import InputError, SolverError
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplify
from ..kernels.trace.recording import trace
from ..loops.closing.assembly import assemble
from ..loops.equations.driven_rows import found
from ..loops.equations.rank import TOLERANCE
from ..loops.methods.driven_motion import DrivenTerms, driven_blow, driven_motion, driven_terms
from ..loops.methods.driving_forces import driving_forces
from ..model.driver_motions import Prescribed
from ..model.driver_part import Driver
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting, Drive
from .closed_step import Rows
from .unbroken import corners_of

AGREES = 1e-6
"""rad or m: how far from its driver a start that is given may be."""


CLEAR = 1e-6
"""Share of the largest singular value above which constraints are clear of depending on each other."""


LARGE = 60
"""Joint velocities and constraints together up to which forces of drivers are compiled."""


def freed(m: Mechanism, drivers: tuple[Driver, ...]) -> Mechanism:
    """A copy in which no effort limit holds a driven joint back."""
    made = m.copy()
    for driver in drivers:
        if made.has("joint", driver.joint):
            limits = made.bodies[made.joint_number(driver.joint)].limits
            made.change(driver.joint, kind="joint", limits=replace(limits, effort=np.inf))
    return made


class DrivenActing(Acting):
    """As `Acting`, with the forces of the drivers, which make up for what the prescribed motion takes.

    Args:
        m: The mechanism.
        drivers: What moves as prescribed.
        control, external: The user's functions, or None.
    """

    def __init__(
        self,
        m: Mechanism,
        drivers: tuple[Driver, ...],
        control: Callable[..., Any] | None,
        external: Callable[..., Any] | None,
    ) -> None:
        if not drivers:
            raise InputError("drive is {}, expected motions by joint, as {'crank': 6.28}")
        super().__init__(m, control, external)
        self._drivers, driven = drivers, tuple(found(m, driver.joint) for driver in drivers)
        self._system = DrivenSystem(m, tuple(driver.name for driver in drivers), driven)
        self._shapes = {} if external is None else {"f_ext": (len(m), 6)}
        self._terms = made_once(driven_terms, m, driven=driven, inputs=self._shapes)

    @property
    def idle(self) -> bool:
        return False

    def start(self, q0: Array | None, qd0: Array | None, duration: float) -> tuple[Array, Array]:
        """The state at t = 0 that agrees with loops and drivers, nearest to what is given.

        Raises:
            InputError: A position is given that contradicts a driver, a driver is one too many, or one says
                nothing about some time of the run.
            SolverError: The drivers begin where loops cannot be closed.
        """
        m, system = self._m, self._system
        q = m.neutral() if q0 is None else np.array(q0, dtype=float)
        own = [(d, c.number) for d, c in zip(self._drivers, system.driven, strict=True) if c.is_own]
        for driver, number in own:
            if not driver.position.begins_anywhere:
                index = m.q_index[number].start
                begin = float(course_of(driver, 0.0, 0.0)(np.asarray(0.0)).x)
                if q0 is not None and abs(q[index] - begin) > AGREES:
                    raise InputError(
                        f"q0 has {q[index]:.6g} for joint {driver.joint!r}, whose driver begins at "
                        f"{begin:.6g}"
                    )
                q[index] = begin
        try:
            q = assemble(m, q, hold=[driver.joint for driver, _ in own])
        except SolverError as error:
            raise SolverError(f"where the drivers begin, at t = 0 s: {error}") from None
        system.refuse_idle(q)
        system.choose(q)
        x = system.driven_at(q)
        courses = [course_of(driver, float(at), 0.0) for driver, at in zip(self._drivers, x, strict=True)]
        self.corners = corners_of(courses, duration)
        self.drive = DriveCourses(self._system, courses, self._m, self._shapes)
        begin = system.prescribed(0.0)
        away = np.abs(x - begin.x)
        if np.any(away > AGREES):
            k = int(np.argmax(away))
            raise InputError(
                f"joint {self._drivers[k].joint!r} is at {x[k]:.6g} where its driver begins at "
                f"{begin.x[k]:.6g}: give q0, as wt.kinematics finds it"
            )
        q = system.nearest(q, begin.x)
        A = system.matrix(q)
        wanted = np.zeros(len(A))
        wanted[len(A) - len(x) :] = begin.xd
        qd = np.zeros(m.nv) if qd0 is None else np.array(qd0, dtype=float)
        return q, qd + np.linalg.lstsq(A, wanted - A @ qd, rcond=TOLERANCE)[0]

    def __call__(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        tau, *f_ext = self.given(t, q, qd)
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            return (tau, *f_ext)
        terms = DrivenTerms(*self._terms(q, qd, self.limited(tau), *f_ext))
        nd = len(self._drivers)
        W, xdd = terms.A[len(terms.A) - nd :], self._system.prescribed(t).xdd
        return (self.limited(tau) + W.T @ driven_motion(terms, xdd)[1], *f_ext)


class DriveCourses(Drive):
    """What drivers prescribe in a run.

    Args:
        system: The equations.
        courses: What the drivers do.
        m: The mechanism.
        shapes: Of further inputs of the forces: those on bodies, if there are any.
    """

    def __init__(
        self, system: DrivenSystem, courses: list[Course], m: Mechanism, shapes: dict[str, tuple[int, ...]]
    ) -> None:
        self._system, self._courses, self._m, self._shapes = system, courses, m, shapes
        self.driven, self.names = system.driven, system.drivers
        system.motions = list(courses)

    @property
    def is_large(self) -> bool:
        return self._m.nv + len(self._system.rows) > LARGE

    def asked(self, t: float) -> Prescribed:
        return self._system.prescribed(t)

    def gaps(self, q: Array, x: Array) -> tuple[Array, Array]:
        error, _, A = self._system.gaps(q, x)
        return error, A

    @cached_property
    def kernel(self) -> Kernel | None:
        if not all(course.is_recordable for course in self._courses):
            return None
        return Kernel(simplify(trace(lambda t: asked(self._courses, t), {"t": ()})), "asked")

    def forces_along(self, t: Array, q: Array, qd: Array) -> Array | None:
        if self.is_large:
            return None
        A = self._system.matrix(q)[:, self._system.rows]
        sizes = np.linalg.svd(A, compute_uv=False)
        if self._shapes or not np.all(sizes[:, -1] > CLEAR * sizes[:, 0]):
            return None
        xdd = np.ascontiguousarray(np.array([course(t).xdd for course in self._courses]).T)
        return np.asarray(self.forces(tuple(self._system.rows))(q, qd, np.zeros(qd.shape), xdd))

    def shares(self, q: Array, tau: Array) -> Array:
        W = np.asarray(self._system.matrix(q))[:, -len(self.driven) :]
        return np.linalg.solve(W @ np.swapaxes(W, 1, 2), W @ tau[..., None])[..., 0]

    def struck(self, t: float, q: Array, qd: Array) -> tuple[Array, Array] | None:
        still = np.zeros(self._m.nv)
        terms = DrivenTerms(*made_once(driven_terms, self._m, driven=self.driven)(q, still, still))
        sizes = np.linalg.svd(terms.A[self._system.rows], compute_uv=False)
        if not sizes[-1] > CLEAR * sizes[0]:
            return None
        return driven_blow(terms, qd, self.asked(t).xd)

    def dead_centre(self, qd: Array) -> str:
        names = " and ".join(repr(name) for name in self.names)
        fastest = joint_of_velocity(self._m, int(np.argmax(np.abs(qd))))
        return (
            f". Its driver {names} asks for what loops do not allow, or leave open: it comes to a dead "
            f"centre, next to which joint {fastest!r} moves fastest. Drive another joint, or by less"
        )

    def forces(self, rows: Rows) -> Kernel:
        shapes = {"xdd": (len(self.driven),), **self._shapes}
        return made_once(driving_forces, self._m, driven=self.driven, rows=rows, inputs=shapes)
