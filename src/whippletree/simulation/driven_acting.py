"""Drivers in a run: forces under which some coordinates move as prescribed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..analysis.driven_system import DrivenSystem
from ..api.compiling import made_once
from ..api.prescribed import motion_of
from ..errors import InputError, SolverError
from ..loops.closing.assembly import assemble
from ..loops.equations.constraints import stabilization_time
from ..loops.equations.driven_rows import found
from ..loops.equations.rank import TOLERANCE
from ..loops.methods.driven_motion import DrivenTerms, driven_motion, driven_terms
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting

AGREES = 1e-6
"""rad or m: how far from its driver a start that is given may be."""


def freed(m: Mechanism, drive: Mapping[str, Any]) -> Mechanism:
    """A copy in which no effort limit holds a driven joint back."""
    made = m.copy()
    for name in drive:
        if made.has("joint", name):
            limits = made.bodies[made.joint_number(name)].limits
            made.change(name, limits=replace(limits, effort=np.inf))
    return made


class DrivenActing(Acting):
    """As `Acting`, with the forces of the drivers, which make up for what the prescribed motion takes.

    Their accelerations are prescribed, with errors that integration leaves pulled back as those of loops are
    by Baumgarte (RBDA 8.22): x follows its driver to the tolerances of the run.
    """

    def __init__(
        self,
        m: Mechanism,
        drive: Mapping[str, Any],
        control: Callable[..., Any] | None,
        external: Callable[..., Any] | None,
    ) -> None:
        if not isinstance(drive, Mapping) or not drive:
            raise InputError(f"drive is {drive!r}, expected motions by joint, as {{'crank': 6.28}}")
        super().__init__(m, control, external)
        self._drive, driven = drive, tuple(found(m, name) for name in drive)
        self._system = DrivenSystem(m, tuple(drive), driven)
        shapes = {} if external is None else {"inputs": {"f_ext": (len(m), 6)}}
        self._terms = made_once(driven_terms, m, driven=driven, **shapes)
        self._pull = 1.0 / stabilization_time(m)

    @property
    def idle(self) -> bool:
        return False

    @property
    def by_control_alone(self) -> bool:
        return False

    def start(self, q0: Array | None, qd0: Array | None) -> tuple[Array, Array]:
        """The state at t = 0 that agrees with loops and drivers, nearest to what is given.

        Raises:
            InputError: A position is given that contradicts a driver, or a driver is one too many.
            SolverError: The drivers begin where loops cannot be closed.
        """
        m, system = self._m, self._system
        q = m.neutral() if q0 is None else np.array(q0, dtype=float)
        own = [(n, c.number) for n, c in zip(system.drivers, system.driven, strict=True) if not c.loop]
        for name, number in own:
            if callable(self._drive[name]):
                index = m.q_index[number].start
                begin = float(motion_of(self._drive[name], name, 0.0, 0.0)(np.asarray(0.0)).x)
                if q0 is not None and abs(q[index] - begin) > AGREES:
                    raise InputError(
                        f"q0 has {q[index]:.6g} for joint {name!r}, whose driver begins at {begin:.6g}"
                    )
                q[index] = begin
        try:
            q = assemble(m, q, hold=[name for name, _ in own])
        except SolverError as error:
            raise SolverError(f"where the drivers begin, at t = 0 s: {error}") from None
        system.refuse_idle(q)
        x = system.driven_at(q)
        pairs = zip(system.drivers, x, strict=True)
        system.motions = [motion_of(self._drive[name], name, float(at), 0.0) for name, at in pairs]
        begin = system.prescribed(0.0)
        away = np.abs(x - begin.x)
        if np.any(away > AGREES):
            k = int(np.argmax(away))
            raise InputError(
                f"joint {system.drivers[k]!r} is at {x[k]:.6g} where its driver begins at {begin.x[k]:.6g}: "
                "give q0, as wt.kinematics finds it"
            )
        A = system.matrix(q)
        wanted = np.zeros(len(A))
        wanted[len(A) - len(x) :] = begin.xd
        qd = np.zeros(m.nv) if qd0 is None else np.array(qd0, dtype=float)
        return q, qd + np.linalg.lstsq(A, wanted - A @ qd, rcond=TOLERANCE)[0]

    def __call__(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        tau, *f_ext = super().__call__(t, q, qd)
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            return (tau, *f_ext)
        terms = DrivenTerms(*self._terms(q, qd, self.limited(tau), *f_ext))
        nd = len(self._system.drivers)
        W, asked = terms.A[len(terms.A) - nd :], self._system.prescribed(t)
        ahead = terms.x - asked.x
        turns = [coordinate.is_known_by_turns(self._m) for coordinate in self._system.driven]
        ahead = np.where(turns, np.remainder(ahead + np.pi, 2.0 * np.pi) - np.pi, ahead)
        xdd = asked.xdd - 2.0 * self._pull * (W @ qd - asked.xd) - self._pull**2 * ahead
        return (self.limited(tau) + W.T @ driven_motion(terms, xdd)[1], *f_ext)
