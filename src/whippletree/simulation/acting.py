"""What acts on a mechanism from outside: actuators and forces on bodies, as given by the user's functions."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import signature
from math import isfinite
from typing import Any, TypeGuard

import numpy as np

from ..api.forward_methods import Method
from ..dynamics.frame_forces import frame_forces
from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.structure import leaves
from ..loops.equations.driven_rows import Coordinate
from ..model.driver_motions import Prescribed
from ..model.mechanism import Mechanism
from ..spatial import Array
from ..spatial.scalar import all_finite, real_numbers
from .equations import common
from .unbroken import Corner

SOON = 1.0 - 1e-12
"""Times beyond this share of that of a sample are the sample's."""


MOST = 1 << 14
"""Samples that are kept, at most: several times as many as steps are taken before they are recorded."""


class ForceFault(InputError):
    """A function of the user that gave no forces, at a time t."""

    def __init__(self, message: str, t: float) -> None:
        self.t = t
        super().__init__(message)


class Drive:
    """What drivers prescribe in a run, nd coordinates.

    Attributes:
        driven: The coordinates.
        names: Of the drivers.
    """

    driven: tuple[Coordinate, ...]
    names: tuple[str, ...]

    @cached_property
    def kernel(self) -> Kernel | None:
        """(3, nd) position, velocity and acceleration at a time, compiled; None if they cannot be."""
        raise NotImplementedError

    @property
    def is_large(self) -> bool:
        """Whether machine code for the forces would grow too large: it does with the cube of their number."""
        raise NotImplementedError

    def asked(self, t: float) -> Prescribed:
        """Position, velocity and acceleration at a time, s, each (nd,)."""
        raise NotImplementedError

    def gaps(self, q: Array, x: Array) -> tuple[Array, Array]:
        """Gaps of loops and drivers (nc + nd,), these being at x (nd,), and their Jacobian (nc + nd, nv)."""
        raise NotImplementedError

    def forces(self, rows: tuple[int, ...]) -> Kernel:
        """(nv,) forces of the drivers, of q, qd, tau, xdd (nd,), and f_ext if there are such, compiled.

        The rows are numbers of independent constraints, those of the drivers last.
        """
        raise NotImplementedError

    def forces_along(self, t: Array, q: Array, qd: Array) -> Array | None:
        """(n, nv) the same alone, at times (n,), s, and states (n, nq), (n, nv) of one motion.

        None where constraints are too near to depend on each other.
        """
        raise NotImplementedError

    def shares(self, q: Array, tau: Array) -> Array:
        """(n, nd) force of each driver along its coordinate, of (n, nv) those of all in n positions."""
        raise NotImplementedError

    def struck(self, t: float, q: Array, qd: Array) -> tuple[Array, Array] | None:
        """Velocities (nv,) and impulses (nd,) that a jump of speeds to those of a time t, s, makes of qd.

        None where constraints are too near to depend on each other to determine them.
        """
        raise NotImplementedError

    def dead_centre(self, qd: Array) -> str:
        """What to say of a motion that ended next to a singular position, with velocities qd (nv,)."""
        raise NotImplementedError


class Acting:
    """Actuator and external forces at (t, q, qd), checked: (tau,), or (tau, f_ext) if there are any.

    Args:
        m: The mechanism.
        control, external: The user's functions, or None.

    Attributes:
        limited: Compiled: (nv,) actuator forces within their limits.
        drive: What drivers prescribe; None if there are none.
        corners: Where their speeds jump.
        method: By which accelerations were found, if only by this one; else None.
    """

    drive: Drive | None = None
    corners: tuple[Corner, ...] = ()
    method: Method | None = None

    def __init__(
        self, m: Mechanism, control: Callable[..., Any] | None, external: Callable[..., Any] | None
    ) -> None:
        for name, function in (("control", control), ("external", external)):
            if function is not None:
                check_function(function, name)
        self.control = control
        self.external = external
        # Stages of a step have quaternions next to their sphere: functions of the user get them on it.
        wants = m.nq != m.nv and not control is external is None
        self._projected = common(m).projected if wants else None
        self._m, self._tau_shape, self._force_shape = m, (m.nv,), (len(m), 6)
        self._none = np.zeros(m.nv)
        self.limited: Kernel = common(m).limited

    @property
    def body_power(self) -> Kernel:
        """Compiled: W, the power of forces on the bodies."""
        return common(self._m).body_power

    period: float | None = None
    """s: how long a control is held; None: it is asked wherever forces are."""

    next_sample: float = np.inf
    """s: when it is asked the next time, if it is held."""

    @property
    def idle(self) -> bool:
        """Whether nothing acts at any time."""
        return self.gives_nothing

    @property
    def gives_nothing(self) -> bool:
        """Whether the user has given no functions."""
        return self.control is None and self.external is None

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the loop joints and distances that drivers move."""
        coordinates = () if self.drive is None else self.drive.driven
        return tuple(c.name(self._m) for c in coordinates if not c.is_own)

    @property
    def by_control_alone(self) -> bool:
        """Whether the forces that the control gives are all there are."""
        return self.control is not None and self.external is None

    def __call__(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        return self.given(t, q, qd)

    def given(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        """What the user's functions give."""
        if self.control is None and self.external is None:
            return (self._none,)
        tau, f_ext = np.zeros(self._tau_shape), np.zeros(self._force_shape)
        self.write(t, q, qd, tau, f_ext)
        return (tau,) if self.external is None else (tau, f_ext)

    def write(self, t: float, q: Array, qd: Array, tau: Array, f_ext: Array) -> None:
        """Write what the user's functions give into tau (nv,) and f_ext (nb, 6), each if there is one."""
        # A sum that is finite tells that all are, and takes the least time of a few numbers.
        if not isfinite(sum(q.tolist()) + sum(qd.tolist())) and not (all_finite(q) and all_finite(qd)):
            # The motion has run away: who integrates will tell. No function of the user is asked about it.
            tau[:], f_ext[:] = (tau if self.control is None else 0.0), 0.0
            return
        self.ask(t, q, qd, tau, f_ext)

    def ask(self, t: float, q: Array, qd: Array, tau: Array, f_ext: Array) -> None:
        """The same of a state that is finite."""
        control, external = self.control, self.external
        q = q if self._projected is None else self._projected(q)
        if control is not None:
            given = control(t, q.copy(), qd.copy())  # copies: what the function does to them is its own
            if type(given) is not np.ndarray or given.dtype != np.float64 or given.shape != self._tau_shape:
                given = _checked(given, self._tau_shape, "control", "one force per velocity", t)
            tau[:] = given
            if not isfinite(sum(tau.tolist())):
                _checked(tau, self._tau_shape, "control", "one force per velocity", t)
        if external is not None:
            f_ext[:] = self._outside(external, t, q, qd)

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Ask a control that is held, if it is time to; the motion is at a state now."""

    def back_to(self, t: float) -> None:
        """Forget what a control that is held has said about later states."""

    def outside(self, t: float, q: Array, qd: Array) -> Array:
        """(nb, 6) forces on the bodies at (t, q, qd) alone; zero if no function gives any."""
        if self.external is None:
            return np.zeros(self._force_shape)
        return self._outside(self.external, t, q, qd)

    def _outside(self, external: Callable[..., Any], t: float, q: Array, qd: Array) -> Array:
        given = external(t, q.copy(), qd.copy())
        if isinstance(given, Mapping):
            for name, wrench in given.items():
                _checked(wrench, (6,), f"external on {name!r}", "torque and force", t)
            given = frame_forces(self._m, q, given)
        return _checked(given, self._force_shape, "external", "one wrench per body", t)


class HeldActing(Acting):
    """As `Acting`, with a control that is asked at multiples of a time, and held in between.

    Args:
        m: The mechanism.
        control, external: The user's functions; external may be None.
        period: The time, s.
    """

    def __init__(
        self, m: Mechanism, control: Callable[..., Any], external: Callable[..., Any] | None, period: float
    ) -> None:
        super().__init__(m, None, external)
        self._asked = Acting(m, control, None)
        self.period = period
        self._times: list[float] = []
        self._forces: list[Array] = []
        self.back_to(-np.inf)

    @property
    def idle(self) -> bool:
        return False

    @property
    def tau(self) -> Array:
        """(nv,) what was said last."""
        return self._forces[-1] if self._forces else self._none

    def __call__(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        _, *f_ext = super().__call__(t, q, qd)
        return (self._at(t), *f_ext)

    def _at(self, t: float) -> Array:
        k = bisect_right(self._times, t) - 1
        return self._forces[max(k, 0)] if self._forces else self._none

    def along(self, t: Array) -> Array:
        """(n, nv) what is held at times (n,)."""
        k = np.searchsorted(self._times, t, side="right") - 1
        return np.array(self._forces)[np.maximum(k, 0)]

    def sample(self, t: float, q: Array, qd: Array) -> None:
        assert self.period is not None
        if t < SOON * self.next_sample:
            return
        (tau,) = self._asked(t, q, qd)
        self._times.append(t)
        self._forces.append(tau)
        if len(self._times) > MOST:  # all but the newest have been recorded long ago
            del self._times[: MOST // 2], self._forces[: MOST // 2]
        self.next_sample = (round(t / self.period) + 1) * self.period

    def back_to(self, t: float) -> None:
        assert self.period is not None
        keep = bisect_right(self._times, t)
        del self._times[keep:], self._forces[keep:]
        self.next_sample = (round(self._times[-1] / self.period) + 1) * self.period if keep else 0.0


def is_control(control: object, nq: int, nv: int) -> TypeGuard[Kernel]:
    """Whether a control is machine code itself, of (t, q, qd)."""
    if not isinstance(control, Kernel):
        return False
    shapes = [leaf.shape for leaf in leaves(control.program.outputs)]
    return control.array_shapes() == [(), (nq,), (nv,), (nv,)] and len(shapes) == 1


def check_function(function: Any, name: str) -> None:
    """InputError for what cannot be called as function(t, q, qd)."""
    if not callable(function) or isinstance(function, type):
        raise InputError(f"{name} is {function!r:.60}, expected a function of (t, q, qd)")
    try:
        taken = signature(function)
    except ValueError:  # some functions written in C do not tell what they take
        return
    try:
        taken.bind(0.0, None, None)
    except TypeError:
        raise InputError(f"{name} is a function of {taken}, expected one of (t, q, qd)") from None


def acting_at(forces: Acting, t: float, q: Array, qd: Array) -> tuple[Array, float]:
    """Forces of the actuators within their limits (nv,), and the power of those from outside, W."""
    forces.sample(t, q, qd)
    tau, *f_ext = forces(t, q, qd)
    power = float(forces.body_power(q, qd, *f_ext)) if f_ext else 0.0
    return forces.limited(tau), power


def acting_along(forces: Acting, t: Array, q: Array, qd: Array) -> tuple[Array, Array, BaseException | None]:
    """The same of many states, up to where a function of the user fails, and how."""
    tau, power = np.zeros(qd.shape), np.zeros(len(t))
    if forces.idle or not len(t):
        return tau, power, None
    if forces.by_control_alone and is_control(forces.control, q.shape[1], qd.shape[1]):
        given = forces.control(t, q, qd)
        if all_finite(given):  # else it is told which
            return forces.limited(given), power, None
    driving = forces.drive.forces_along(t, q, qd) if forces.drive and forces.gives_nothing else None
    if driving is not None:
        return driving, power, None
    if isinstance(forces, HeldActing) and forces.external is None:
        try:
            forces.sample(float(t[-1]), q[-1], qd[-1])
        except BaseException as found:
            return forces.limited(forces.along(t[:-1])), power[:-1], found
        return forces.limited(forces.along(t)), power, None
    count, fault = len(t), None
    for k, state in enumerate(zip(t.tolist(), q, qd, strict=True)):
        try:
            forces.sample(*state)
            tau[k], *f_ext = forces(*state)
            if f_ext:
                power[k] = forces.body_power(*state[1:], *f_ext)
        except BaseException as found:  # raised again when what was computed is recorded
            count, fault = k, found
            break
    return forces.limited(tau[:count]), power[:count], fault


def _checked(value: Any, shape: tuple[int, ...], name: str, meaning: str, t: float) -> Array:
    try:  # a copy: the user's function may reuse its array
        plain = type(value) is np.ndarray and value.dtype == np.float64
        result = value.copy() if plain else real_numbers(value)
    except (TypeError, ValueError):
        raise ForceFault(f"{name} gives {value!r} at t = {t:g}, expected {shape}: {meaning}", t) from None
    if result.shape != shape:
        raise ForceFault(
            f"{name} gives an array of shape {result.shape} at t = {t:g}, expected {shape}: {meaning}", t
        )
    if not all_finite(result):
        raise ForceFault(f"{name} gives {result} at t = {t:g}: every entry must be finite", t)
    return result
