"""Explicit Runge-Kutta methods, each given by its table."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...spatial import Array
from .integrator import Integrator, System


class RungeKutta(Integrator):
    """k_i = slope(t + c_i h, y + h Σ_j A_ij k_j), then y + h Σ_i b_i k_i, with c_i = Σ_j A_ij."""

    A: ClassVar[list[list[float]]]
    b: ClassVar[list[float]]

    def step(self, system: System, t: Any, y: Array, h: Any) -> Array:
        slopes: list[Array] = []
        for row in self.A:
            slopes.append(system.slope(t + sum(row) * h, _moved(y, h, row, slopes)))
        return _moved(y, h, self.b, slopes)


def _moved(y: Array, h: Any, weights: Sequence[float], slopes: list[Array]) -> Array:
    """y + h Σ weights · slopes; a motion that grows beyond all numbers is told by who called."""
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, slope in zip(weights, slopes, strict=True):
            if weight:
                y = y + (weight * h) * slope
    return y


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
