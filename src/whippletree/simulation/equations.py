"""The equations of motion of a mechanism with everything that acts on it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import compile, record
from ..api.forward_methods import Method
from ..dynamics.crba import crba
from ..dynamics.elastic import elastic_energy
from ..dynamics.energy import kinetic_energy, potential_energy
from ..dynamics.force_laws.force_law import body_power
from ..dynamics.passive import passive_powers, with_own_forces
from ..dynamics.rnea import bias_force
from ..errors import InputError, SingularError
from ..kernels.derive.derivatives import jacobian
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplify
from ..kernels.trace.program import Program
from ..kernels.trace.refusal import TraceError
from ..loops.equations.constraints import constraint_equation, constraint_error, constraint_jacobian
from ..loops.equations.loop_sizes import row_sizes
from ..model.mechanism import Mechanism
from ..model.positions import integrate, rate
from ..model.singular import general_position, joint_without_inertia
from ..model.snapshot import Snapshot
from ..spatial import Array, array, largest, maximum, minimum
from .implicit import Implicit, implicit_acceleration, loop_rows, without_friction

Function = Callable[..., Any]
"""Of arrays, in the order of the arguments: a kernel, or plain Python for what cannot be recorded."""

NUDGE = 1e-6
"""Step of central differences, rad/s or m/s, or as a share of a velocity above 1."""


class Law(NamedTuple):
    """By which method accelerations are found, and what it has chosen: the mode a motion is in.

    Attributes:
        method: Of forward dynamics.
        choice: What it chose, by the argument's name; with loops, what equations hold.
        options: Further arguments of the method: `stabilization` or `damping`.
        implicit_damping: For each velocity the damping that steps take at their end, N m s/rad or N s/m, on
            top of damping and friction of the joints; None if all is taken at their beginning.
    """

    method: Method
    choice: tuple[tuple[str, Any], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    implicit_damping: tuple[float, ...] | None = None

    def at(self, m: Mechanism, q: Array) -> "Law":
        """The same with the choice that suits a position q (nq,) best; it is kept for starts from there."""
        return _at(Snapshot(m), self, q.tobytes())

    @property
    def at_once(self) -> "Law":
        """The same with all damping and friction as they are at the moment."""
        return self._replace(implicit_damping=None)

    @property
    def arguments(self) -> Mapping[str, Any]:
        return {**dict(self.choice), **dict(self.options)}


def acceleration(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None, h: Any = 0.0, *, law: Law
) -> Array:
    """(nv,) qdd under actuator forces, held within their effort limits, and all that is passive.

    Args:
        m: The mechanism, loops and gears included.
        q, qd: (nq,), (nv,) its state.
        tau: (nv,) forces of the actuators, N m or N.
        f_ext: (nb, 6) further forces on the bodies, in body coordinates, or None.
        h: The step, s, at whose end damping and friction are taken, if the law says so.
        law: How accelerations are found.
    """
    return motion(m, q, qd, tau, f_ext, h, law=law).qdd


def motion(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None, h: Any = 0.0, *, law: Law
) -> Implicit:
    """The same, with the mechanism that further forces find in a step of length h."""
    implicit = law.implicit_damping
    own = m if implicit is None else without_friction(m)
    acting, forces = with_own_forces(own, q, qd, limited(m, tau), f_ext)

    def solve(moved: Mechanism, tau: Array) -> Array:
        return array(law.method.accelerations(moved, q, qd, tau, forces, **law.arguments))

    try:
        if implicit is None:
            found = Implicit(solve(m, acting), m)
        else:
            found = implicit_acceleration(m, qd, acting, h, implicit, solve, loop_rows(m, q))
    except ZeroDivisionError as error:
        fault = joint_without_inertia(m, general_position(m))
        raise SingularError(f"{m.name!r} has no accelerations: {fault or error}") from None
    if found.qdd.shape != (m.nv,):
        meaning = f"one entry per velocity of {m.name!r}"
        raise InputError(
            f"dynamics gives accelerations of shape {found.qdd.shape}, expected ({m.nv},): {meaning}"
        )
    return found


def limited(m: Mechanism, tau: Array) -> Array:
    """(nv,) actuator forces cut off at the effort limits of their joints."""
    parts = [np.zeros(0)]
    for body, index in zip(m.bodies, m.v_index, strict=True):
        effort = body.limits.effort
        own = list(tau[index])
        if np.isfinite(effort):
            own = [maximum(minimum(force, effort), -effort) for force in own]
        parts.append(array(own) if own else np.zeros(0))
    return np.concatenate(parts)


def rates(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None, *, law: Law) -> Array:
    """(nq + nv,) dq/dt and qdd at the moment: nothing is taken at the end of a step."""
    return np.concatenate([rate(m, q, qd), acceleration(m, q, qd, tau, f_ext, law=law.at_once)])


class Unsolved(NamedTuple):
    """Equations of motion before they are solved.

    Attributes:
        rate: (nq,) dq/dt.
        M: (nv, nv) inertia.
        f: (nv,) forces, those of the motion itself included.
        K, k: (nc, nv), (nc,) constraints on accelerations, K qdd = k.
    """

    rate: Array
    M: Array
    f: Array
    K: Array
    k: Array


def unsolved(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Unsolved:
    """What the method that the user asked for solves, whichever it is."""
    acting, forces = with_own_forces(m, q, qd, limited(m, tau), f_ext)
    K, k = constraint_equation(m, q, qd)
    return Unsolved(rate(m, q, qd), crba(m, q), acting - bias_force(m, q, qd, forces), K, k)


def stepped(m: Mechanism, q: Array, qd: Array, qdd: Array, h: Any) -> Array:
    """(nq + nv,) the state after h, s, by `Joint.step`."""
    pairs = [
        body.joint.step(q[m.q_index[i]], qd[m.v_index[i]], qdd[m.v_index[i]], h)
        for i, body in enumerate(m.bodies)
    ]
    return np.concatenate([np.zeros(0), *(q_i for q_i, _ in pairs), *(qd_i for _, qd_i in pairs)])


def midpoint_acceleration(
    m: Mechanism, q: Array, qd: Array, tau: Array, h: Any, f_ext: Array | None = None, *, law: Law
) -> Array:
    """(nv,) qdd at the middle of a step h that starts at q and has the mean velocity qd."""
    return acceleration(m, integrate(m, q, 0.5 * h * qd), qd, tau, f_ext, law=law)


class Accounts(NamedTuple):
    """Energies and powers of a state.

    Attributes:
        kinetic, gravity, elastic: Energy of the motion, of gravity, and of springs and stops, J.
        lost, brought: What dampers, friction and stops take away, and what its own forces bring, W.
    """

    kinetic: Any
    gravity: Any
    elastic: Any
    lost: Any
    brought: Any


def accounts(m: Mechanism, y: Array) -> Array:
    """(5,) see `Accounts`, at a state (nq + nv,)."""
    q, qd = y[: m.nq], y[m.nq :]
    energies = kinetic_energy(m, q, qd), potential_energy(m, q), elastic_energy(m, q)
    return array([*energies, *passive_powers(m, q, qd)])


def projected(m: Mechanism, q: Array) -> Array:
    """(nq,) q with its quaternions of unit norm."""
    return integrate(m, q, np.zeros(m.nv))


def constraints(m: Mechanism, q: Array) -> tuple[Array, Array]:
    """δ (nc,) and K (nc, nv) of all loops and gears."""
    return constraint_error(m, q), constraint_jacobian(m, q)


def openness(m: Mechanism, q: Array, qd: Array) -> Any:
    """The largest gap of a loop, or rate at which one opens, as a share of what counts as large there."""
    error, K = constraints(m, q)
    n, sizes = len(error) - len(m.gears), row_sizes(m)
    rates = [abs(row @ qd) / (size + abs(row) @ abs(qd)) for row, size in zip(K[:n], sizes, strict=False)]
    return largest([*(error[:n] / sizes[:n]), *rates])


def advanced(m: Mechanism, q: Array, qd: Array, h: Any) -> Array:
    """(nq,) the position after moving with qd for the time h."""
    return integrate(m, q, h * qd)


@dataclass(frozen=True, eq=False)
class Equations:
    """Compiled equations of motion, each compiled when it is first asked for.

    Attributes:
        m: The mechanism.
        external: Whether forces on the bodies, f_ext (nb, 6), are a last input of all that has forces.
        law: How accelerations are found.
    """

    m: Mechanism
    external: bool
    law: Law

    def _recorded(self, function: Callable[..., Any], **shapes: tuple[int, ...]) -> Program:
        if self.external:
            shapes["f_ext"] = (len(self.m), 6)
        try:
            return record(function, self.m, inputs=shapes, law=self.law)
        except TraceError as error:
            raise TraceError(
                f"{error}. A method of forward dynamics that cannot do so says Method(…, recordable=False)"
            ) from error

    def _made(self, function: Callable[..., Any], **shapes: tuple[int, ...]) -> Function:
        return Kernel(self._recorded(function, **shapes), function.__name__)

    @cached_property
    def rates(self) -> Function:
        return self._made(rates)

    @cached_property
    def rate_derivatives(self) -> Kernel:
        """Of `rates` by the state and by what acts: {"q": (nq + nv, nq), "qd": …, "tau": …} and "f_ext"."""
        wrt = ["q", "qd", "tau", *(["f_ext"] if self.external else [])]
        return Kernel(simplify(jacobian(self._recorded(rates), wrt)))

    @cached_property
    def unsolved(self) -> Kernel:
        """See `Unsolved`; its five arrays."""
        shapes = {"f_ext": (len(self.m), 6)} if self.external else {}
        return compile(unsolved, self.m, inputs=shapes)

    @cached_property
    def acceleration(self) -> Function:
        return self._made(acceleration, h=())

    @cached_property
    def midpoint_derivative(self) -> Function:
        """Of `midpoint_acceleration` by the mean velocity: {"qd": (nv, nv)}."""
        return Kernel(simplify(jacobian(self._recorded(midpoint_acceleration, h=()), ["qd"])))

    @cached_property
    def quality(self) -> Function | None:
        """How well what was chosen suits a position q; None if nothing is chosen."""
        quality = self.law.method.quality
        return None if quality is None else compile(quality, self.m, **dict(self.law.choice))

    @cached_property
    def common(self) -> "Common":
        """What does not depend on the law."""
        return common(self.m)


class Interpreted(Equations):
    """The same for a method that cannot be recorded: plain Python, called as it stands.

    It gets what functions of a user get: quaternions on their sphere, and nothing of a motion that has run
    away. There, and where it finds a singular matrix, accelerations are not numbers, as in machine code.
    """

    def _made(self, function: Callable[..., Any], **shapes: tuple[int, ...]) -> Function:
        inputs = {"q", "qd", "tau", *shapes, *(["f_ext"] if self.external else [])}
        names = [name for name in signature(function).parameters if name in inputs]
        method = replace(self.law.method, accelerations=self._accelerations)
        law = self.law._replace(method=method)
        return lambda *arrays: function(self.m, **dict(zip(names, arrays, strict=True)), law=law)

    def _accelerations(
        self, m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None, **arguments: Any
    ) -> Array:
        if np.all(np.isfinite(q)) and np.all(np.isfinite(qd)):
            seen = self.common.projected(q) if m.nq != m.nv else q.copy()
            with suppress(SingularError, ZeroDivisionError, np.linalg.LinAlgError):
                return self.law.method.accelerations(m, seen, qd.copy(), tau, f_ext, **arguments)
        return np.full(m.nv, np.nan)

    @cached_property
    def midpoint_derivative(self) -> Function:
        accelerations = self._made(midpoint_acceleration, h=())

        def differences(q: Array, qd: Array, *rest: Any) -> dict[str, Array]:
            by_qd = np.empty((len(qd), len(qd)))
            for k, step in enumerate(NUDGE * np.maximum(1.0, np.abs(qd))):
                change = step * np.eye(len(qd))[k]
                after, before = (accelerations(q, qd + side * change, *rest) for side in (1.0, -1.0))
                by_qd[:, k] = (after - before) / (2.0 * step)
            return {"qd": by_qd}

        return differences

    @cached_property
    def quality(self) -> Function | None:
        quality, choice = self.law.method.quality, dict(self.law.choice)
        return None if quality is None else partial(quality, self.m, **choice)


@dataclass(frozen=True, eq=False)
class Common:
    """Compiled functions of the state of a mechanism, each compiled when it is first asked for."""

    m: Mechanism

    @cached_property
    def accounts(self) -> Kernel:
        return compile(accounts, self.m, inputs={"y": (self.m.nq + self.m.nv,)})

    @cached_property
    def loses(self) -> bool:
        """Whether dampers, friction or stops may take energy away: their power is not zero as recorded."""
        program = self.accounts.program
        lost = Accounts(*program.results).lost - program.first_constant
        return not (0 <= lost < len(program.constants) and program.constants[lost] == 0.0)

    @cached_property
    def body_power(self) -> Kernel:
        return compile(body_power, self.m)

    @cached_property
    def limited(self) -> Kernel:
        return compile(limited, self.m)

    @cached_property
    def projected(self) -> Kernel:
        return compile(projected, self.m)

    @cached_property
    def advanced(self) -> Kernel:
        return compile(advanced, self.m, inputs={"h": ()})

    @cached_property
    def stepped(self) -> Kernel:
        return compile(stepped, self.m, inputs={"h": ()})

    @cached_property
    def constraints(self) -> Kernel:
        return compile(constraints, self.m)

    @cached_property
    def openness(self) -> Kernel:
        return compile(openness, self.m)

    @cached_property
    def gaps(self) -> Kernel:
        return compile(constraint_error, self.m)


def equations(m: Mechanism, external: bool, law: Law) -> Equations:
    """The equations of a mechanism; those of equal mechanisms and laws, the same functions, are made once."""
    return _equations(Snapshot(m), external, law)


def common(m: Mechanism) -> Common:
    """Compiled functions of the state; those of equal mechanisms are made once."""
    return m.once(_of_snapshot)


@lru_cache(maxsize=64)
def _at(now: Snapshot, law: Law, q: bytes) -> Law:
    return law._replace(choice=tuple(law.method.chosen(now.m, np.frombuffer(q)).items()))


@lru_cache(maxsize=32)
def _equations(now: Snapshot, external: bool, law: Law) -> Equations:
    return (Equations if law.method.recordable else Interpreted)(now.m, external, law)


def _of_snapshot(m: Mechanism) -> Common:
    return _common(Snapshot(m))


@lru_cache(maxsize=32)
def _common(now: Snapshot) -> Common:
    return Common(now.m)
