"""Motions as integrators see them: of numbers, compiled in pieces, or of symbols, to be recorded whole."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting
from .equations import Equations, Law, acceleration, projected, stepped

Force = Callable[[Any, Array, Array], Array]
"""Actuator forces (nv,) at (t, q, qd)."""


class Compiled:
    """One trajectory: the user's functions are called, the equations are machine code.

    Args:
        equations: For the law in force; replaced when another choice is better.
        forces: What acts from outside.
    """

    def __init__(self, equations: Equations, forces: Acting) -> None:
        self.equations, self.forces, self.nq = equations, forces, equations.m.nq

    def slope(self, t: float, y: Array) -> Array:
        q, qd = y[: self.nq], y[self.nq :]
        return self.equations.rates(q, qd, *self.forces(t, q, qd))

    def acceleration(self, t: float, q: Array, qd: Array, h: float) -> Array:
        tau, *f_ext = self.forces(t, q, qd)
        return self.equations.acceleration(q, qd, tau, *f_ext, h)

    def moved(self, q: Array, qd: Array, h: float) -> Array:
        return self.equations.common.advanced(q, qd, h)

    def stepped(self, q: Array, qd: Array, qdd: Array, h: float) -> Array:
        return self.equations.common.stepped(q, qd, qdd, h)

    def midpoint_derivative(self, t: float, q: Array, qd: Array, h: float) -> Array:
        tau, *f_ext = self.forces(t, self.moved(q, qd, 0.5 * h), qd)
        return self.equations.midpoint_derivative(q, qd, tau, h, *f_ext)["qd"]


class Traced:
    """A step of a rollout, with symbols in place of numbers.

    Args:
        m: The mechanism.
        force: The actuators.
        law: How accelerations are found.
    """

    def __init__(self, m: Mechanism, force: Force, law: Law) -> None:
        self.m, self.force, self.law, self.nq = m, force, law, m.nq

    def slope(self, t: Any, y: Array) -> Array:
        q, qd = y[: self.nq], y[self.nq :]
        return np.concatenate([self.m.rate(q, qd), self.acceleration(t, q, qd, 0.0)])

    def acceleration(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        # Stages of a step have quaternions next to their sphere: the actuators get them on it.
        seen = projected(self.m, q) if self.m.nq != self.m.nv else q
        return acceleration(self.m, q, qd, self.force(t, seen, qd), h=h, law=self.law)

    def moved(self, q: Array, qd: Array, h: Any) -> Array:
        return self.m.integrate(q, h * qd)

    def stepped(self, q: Array, qd: Array, qdd: Array, h: Any) -> Array:
        return stepped(self.m, q, qd, qdd, h)

    def midpoint_derivative(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        raise NotImplementedError("derivatives of what is being recorded are not at hand")
