"""Actuator forces that were recorded, played back."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..spatial import Array
from ..spatial.scalar import real_numbers

BETWEEN = ("linear", "hold")


class Recorded:
    """Forces at given times, as a control function for `simulate`: of a measurement, or of another run.

    Before the first time the forces are those of the first row, after the last those of the last.

    Args:
        t: (n,) times, s, in ascending order.
        tau: (n, nv) forces of the actuators, N m or N, as `Trajectory.tau`.
        between: "linear" interpolates between two times, "hold" keeps each row until the next time.

    >>> import whippletree as wt
    >>> control = wt.Recorded([0.0, 1.0, 2.0], [[0.0], [4.0], [6.0]])
    >>> control(0.25, [0.0], [0.0]), wt.Recorded(control.t, control.tau, "hold")(1.9, [0.0], [0.0])
    (array([1.]), array([4.]))
    >>> run = wt.simulate(wt.examples.load("pendulum"), duration=2.0, control=control)
    >>> float(run.tau[-1, 0])
    6.0
    """

    def __init__(self, t: Any, tau: Any, between: str = "linear") -> None:
        self.t: Array = _numbers(t, "t")
        self.tau: Array = _numbers(tau, "tau")
        if self.t.ndim != 1 or self.tau.ndim != 2 or len(self.t) != len(self.tau) or not len(self.t):
            raise InputError(
                f"t has shape {self.t.shape} and tau {self.tau.shape}, expected (n,) and (n, nv) with n ≥ 1"
            )
        if np.any(np.diff(self.t) < 0.0):
            k = int(np.argmax(np.diff(self.t) < 0.0))
            raise InputError(f"t[{k + 1}] is {self.t[k + 1]:g}, before t[{k}] = {self.t[k]:g}")
        if between not in BETWEEN:
            raise InputError(f"between is {between!r}; known: {', '.join(BETWEEN)}")
        self.between = between

    def __call__(self, t: float, q: Any, qd: Any) -> Array:
        """(nv,) the forces at the time t, whatever the state."""
        k = int(np.searchsorted(self.t, t, side="right")) - 1
        if k < 0 or k == len(self.t) - 1 or self.between == "hold":
            return self.tau[max(k, 0)]
        share = (t - self.t[k]) / (self.t[k + 1] - self.t[k])
        return self.tau[k] + share * (self.tau[k + 1] - self.tau[k])


def _numbers(values: Any, name: str) -> Array:
    try:
        array = real_numbers(values)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not an array of numbers: {values!r}") from None
    if not np.all(np.isfinite(array)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        where = ", ".join(map(str, index))
        raise InputError(f"{name}[{where}] is {array[index]}: every entry must be finite")
    return array
