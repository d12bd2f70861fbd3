"""What acts on a mechanism from outside: actuators and forces on bodies, as given by the user's functions."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from ..dynamics.frame_forces import frame_forces
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..spatial import Array
from ..spatial.scalar import real_numbers
from .equations import common


class ForceFault(InputError):
    """A function of the user that gave no forces, at a time t."""

    def __init__(self, message: str, t: float) -> None:
        self.t = t
        super().__init__(message)


class Acting:
    """Actuator and external forces at (t, q, qd), checked: (tau,), or (tau, f_ext) if there are any.

    Args:
        m: The mechanism.
        control, external: The user's functions, or None.

    Attributes:
        limited: Compiled: (nv,) actuator forces within their limits.
    """

    def __init__(
        self, m: Mechanism, control: Callable[..., Any] | None, external: Callable[..., Any] | None
    ) -> None:
        for name, function in (("control", control), ("external", external)):
            if function is not None:
                check_function(function, name)
        self.control, self.external = control, external
        # Stages of a step have quaternions next to their sphere: functions of the user get them on it.
        wants = m.nq != m.nv and not control is external is None
        self._projected = common(m).projected if wants else None
        self._m, self._tau_shape, self._force_shape = m, (m.nv,), (len(m), 6)
        self._none = np.zeros(m.nv)
        self.limited = common(m).limited

    @property
    def idle(self) -> bool:
        """Whether nothing acts at any time."""
        return self.control is None and self.external is None

    @property
    def by_control_alone(self) -> bool:
        """Whether the forces that the control gives are all there are."""
        return self.control is not None and self.external is None

    def __call__(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        tau = self._none
        if self.control is None and self.external is None:
            return (tau,)
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            # The motion has run away: who integrates will tell. No function of the user is asked about it.
            return (tau,) if self.external is None else (tau, np.zeros(self._force_shape))
        q = q if self._projected is None else self._projected(q)
        if self.control is not None:
            given = self.control(t, q.copy(), qd.copy())  # copies: what the function does to them is its own
            tau = _checked(given, self._tau_shape, "control", "one force per velocity", t)
        if self.external is None:
            return (tau,)
        return tau, self._outside(self.external, t, q, qd)

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


def check_function(function: Any, name: str) -> None:
    """InputError for what cannot be called as function(t, q, qd)."""
    if not callable(function):
        raise InputError(f"{name} is {function!r}, expected a function of (t, q, qd)")
    try:
        taken = signature(function)
    except ValueError:  # some functions written in C do not tell what they take
        return
    try:
        taken.bind(0.0, None, None)
    except TypeError:
        raise InputError(f"{name} is a function of {taken}, expected one of (t, q, qd)") from None


def _checked(value: Any, shape: tuple[int, ...], name: str, meaning: str, t: float) -> Array:
    try:
        result = real_numbers(value)  # a copy: the user's function may reuse its array
    except (TypeError, ValueError):
        raise ForceFault(f"{name} gives {value!r} at t = {t:g}, expected {shape}: {meaning}", t) from None
    if result.shape != shape:
        raise ForceFault(
            f"{name} gives an array of shape {result.shape} at t = {t:g}, expected {shape}: {meaning}", t
        )
    if not np.all(np.isfinite(result)):
        raise ForceFault(f"{name} gives {result} at t = {t:g}: every entry must be finite", t)
    return result
