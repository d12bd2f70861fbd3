"""Motions as integrators see them: of numbers, compiled in pieces, or of symbols, to be recorded whole."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..model.positions import integrate, rate
from ..spatial import Array
from .acting import Acting
from .equations import Equations, Law, Unsolved, acceleration, projected, stepped

Force = Callable[[Any, Array, Array], Array]
"""Actuator forces (nv,) at (t, q, qd)."""


DIFFERENCE, CENTRAL = 1e-7, 1e-5
"""Steps, relative to a coordinate's size, of differences to one side and to both."""

EXACT = 12
"""Velocities up to which derivatives are compiled; their code grows with the cube of the number."""


class Compiled:
    """One trajectory: the user's functions are called, the equations are machine code.

    Args:
        equations: For the law in force; replaced when another choice is better.
        forces: What acts from outside.
    """

    def __init__(self, equations: Equations, forces: Acting) -> None:
        self.equations = equations
        self.forces = forces
        self.nq: int = equations.m.nq

    def slope(self, t: float, y: Array) -> Array:
        q, qd = y[: self.nq], y[self.nq :]
        return self.equations.rates(q, qd, *self.forces(t, q, qd))

    def unsolved(self, t: float, y: Array) -> Unsolved:
        q, qd = y[: self.nq], y[self.nq :]
        return Unsolved(*self.equations.unsolved(q, qd, *self.forces(t, q, qd)))

    def slope_derivative(self, t: float, y: Array) -> Array:
        """(nq + nv, nq + nv) of `slope` by y.

        Exact for mechanisms of up to `EXACT` velocities, for which that takes a second to compile, but for
        functions of the user, which are differenced; larger ones are differenced as a whole.
        """
        q, qd = y[: self.nq], y[self.nq :]
        if len(qd) > EXACT or not self.equations.law.method.recordable:
            return self._differenced(t, y, self.slope)
        now = self.forces(t, q, qd)
        parts = self.equations.rate_derivatives(q, qd, *now)
        J = np.concatenate([parts["q"], parts["qd"]], axis=1)
        if self.forces.idle:
            return J
        names = ("tau", "f_ext")[: len(now)]
        by_force = np.concatenate([parts[name].reshape(len(y), -1) for name in names], axis=1)
        for k, step in enumerate(DIFFERENCE * np.maximum(1.0, np.abs(y))):
            there = self.forces(t, *self._moved_along(y, k, step))
            change = np.concatenate([(b - a).ravel() for a, b in zip(now, there, strict=True)])
            J[:, k] += by_force @ (change / step)
        return J

    def _differenced(self, t: float, y: Array, slope: Callable[[float, Array], Array]) -> Array:
        """The same by central differences of a slope."""
        steps = self.increments(y)
        ends = [
            [slope(t, np.concatenate(self._moved_along(y, k, sign * step))) for k, step in enumerate(steps)]
            for sign in (1, -1)
        ]
        return ((np.array(ends[0]) - np.array(ends[1])) / (2.0 * steps[:, None])).T

    def increments(self, y: Array) -> Array:
        """How far states are moved to see how slopes change."""
        return CENTRAL * np.maximum(1.0, np.abs(y))

    def _moved_along(self, y: Array, k: int, step: float) -> tuple[Array, Array]:
        moved = y.copy()
        moved[k] += step
        return moved[: self.nq], moved[self.nq :]

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
        external: Forces on the bodies (nb, 6) at (t, q, qd), in body coordinates; None: there are none.
    """

    def __init__(self, m: Mechanism, force: Force, law: Law, external: Force | None = None) -> None:
        self.m = m
        self.force = force
        self.law = law
        self.external = external
        self.nq: int = m.nq

    def slope(self, t: Any, y: Array) -> Array:
        q, qd = y[: self.nq], y[self.nq :]
        return np.concatenate([rate(self.m, q, qd), self.acceleration(t, q, qd, 0.0)])

    def acceleration(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        # Stages of a step have quaternions next to their sphere: the actuators get them on it.
        seen = projected(self.m, q) if self.m.nq != self.m.nv else q
        f_ext = None if self.external is None else self.external(t, seen, qd)
        return acceleration(self.m, q, qd, self.force(t, seen, qd), f_ext, h=h, law=self.law)

    def moved(self, q: Array, qd: Array, h: Any) -> Array:
        return integrate(self.m, q, h * qd)

    def stepped(self, q: Array, qd: Array, qdd: Array, h: Any) -> Array:
        return stepped(self.m, q, qd, qdd, h)

    def midpoint_derivative(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        raise NotImplementedError("derivatives of what is being recorded are not at hand")
