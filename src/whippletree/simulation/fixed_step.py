"""Integrators of fixed step.

A state is y = (q, qd), (nq + nv,). Quaternions are coordinates of the space around their sphere, in which
every Runge-Kutta method keeps its order; who calls brings each state back (Hairer, Lubich, Wanner, Geometric
Numerical Integration, §IV.4). Euler and midpoint step along the exponential map instead.
"""

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from ..spatial import Array
from .motion import Motion

Forces = Callable[[float, Array, Array], tuple[Array, ...]]
"""What acts at (t, q, qd): (tau,), or (tau, f_ext)."""


class NoConvergence(ArithmeticError):
    """An implicit step found no solution."""


class Integrator(Protocol):
    """One step of fixed length."""

    order: ClassVar[int]
    motion: Motion

    def __init__(self, motion: Motion, forces: Forces) -> None: ...

    def step(self, t: float, y: Array, h: float) -> Array:
        """(nq + nv,) the state at t + h."""
        ...


class Euler:
    """Semi-implicit Euler: velocities first, positions with the new ones."""

    order: ClassVar[int] = 1

    def __init__(self, motion: Motion, forces: Forces) -> None:
        self.motion, self.forces = motion, forces

    def step(self, t: float, y: Array, h: float) -> Array:
        nq = self.motion.m.nq
        q, qd = y[:nq], y[nq:]
        tau, *f_ext = self.forces(t, q, qd)
        return self.motion.euler_step(q, qd, tau, h, *f_ext)


class Midpoint:
    """Implicit midpoint rule, for stiff joints: solves v = qd + h/2 qdd(q moved by h/2 v, v)."""

    order: ClassVar[int] = 2
    iterations = 50

    def __init__(self, motion: Motion, forces: Forces) -> None:
        self.motion, self.forces = motion, forces

    def step(self, t: float, y: Array, h: float) -> Array:
        nq = self.motion.m.nq
        q, qd = y[:nq], y[nq:]
        v, scale = qd.copy(), 1e-13 * (1.0 + np.max(np.abs(qd), initial=0.0))
        last = np.inf
        for _ in range(self.iterations):
            middle = self.motion.common.advanced(q, v, 0.5 * h)
            tau, *f_ext = self.forces(t + 0.5 * h, middle, v)
            given = (q, v, tau, h, *f_ext)
            with np.errstate(over="ignore", invalid="ignore"):
                residual = v - qd - 0.5 * h * self.motion.midpoint_acceleration(*given)
                slope = np.eye(len(v)) - 0.5 * h * self.motion.midpoint_derivative(*given)["qd"]
            if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(slope))):
                break
            try:
                change = np.linalg.solve(slope, residual)
            except np.linalg.LinAlgError:
                break
            v = v - change
            size = np.max(np.abs(change), initial=0.0)
            # Rounding ends the decrease somewhere above zero: no further gain is convergence, too.
            if size <= scale or (size >= 0.5 * last and size <= 1e3 * scale):
                return np.concatenate([self.motion.common.advanced(q, v, h), 2.0 * v - qd])
            last = size
        raise NoConvergence


class RungeKutta:
    """An explicit Runge-Kutta method, given by its table."""

    order: ClassVar[int]
    A: ClassVar[list[list[float]]]
    b: ClassVar[list[float]]

    def __init__(self, motion: Motion, forces: Forces) -> None:
        self.motion, self.forces = motion, forces
        self._A = [np.array(row) for row in self.A]
        self._b, self._c = np.array(self.b), [sum(row) for row in self.A]
        self._slopes = np.empty((len(self.b), motion.m.nq + motion.m.nv))

    def step(self, t: float, y: Array, h: float) -> Array:
        nq, slopes = self.motion.m.nq, self._slopes
        for i, (row, c) in enumerate(zip(self._A, self._c, strict=True)):
            stage = _moved(y, h, row, slopes[:i]) if i else y
            q, qd = stage[:nq], stage[nq:]
            tau, *f_ext = self.forces(t + c * h, q, qd)
            self.motion.rates(q, qd, tau, *f_ext, out=slopes[i])
        return _moved(y, h, self._b, slopes)


def _moved(y: Array, h: float, weights: Array, slopes: Array) -> Array:
    """y + h Σ weights · slopes; a motion that grows beyond all numbers is told by who called."""
    with np.errstate(over="ignore", invalid="ignore"):
        return y + h * (weights @ slopes)


class RungeKutta4(RungeKutta):
    """The classical method of four stages."""

    order: ClassVar[int] = 4
    A: ClassVar[list[list[float]]] = [[], [1 / 2], [0, 1 / 2], [0, 0, 1]]
    b: ClassVar[list[float]] = [1 / 6, 1 / 3, 1 / 3, 1 / 6]


class RungeKutta6(RungeKutta):
    """Butcher's method of seven stages (J. Austral. Math. Soc. 4, 1964)."""

    order: ClassVar[int] = 6
    A: ClassVar[list[list[float]]] = [
        [],
        [1 / 3],
        [0, 2 / 3],
        [1 / 12, 1 / 3, -1 / 12],
        [-1 / 16, 9 / 8, -3 / 16, -3 / 8],
        [0, 9 / 8, -3 / 8, -3 / 4, 1 / 2],
        [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0, -16 / 11],
    ]
    b: ClassVar[list[float]] = [11 / 120, 0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120]


METHODS: dict[str, type[Integrator]] = {
    "euler": Euler,
    "midpoint": Midpoint,
    "rk4": RungeKutta4,
    "rk6": RungeKutta6,
}
