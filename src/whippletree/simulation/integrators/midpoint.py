"""The implicit midpoint rule."""

from typing import Any, ClassVar

import numpy as np

from ...spatial import Array
from .integrator import Integrator, NoConvergence, System

ITERATIONS = 50
"""Newton steps after which the mean velocity should be found."""

HALVINGS = 30
"""How often a Newton step is halved that leads further away, as where dry friction turns round."""


class Midpoint(Integrator):
    """Order 2, symmetric, for stiff joints.

    The mean velocity v solves v = qd + h/2 · qdd(q after h/2 of v, v), by Newton's method, which decides by
    values when it is done.
    """

    order: ClassVar[int] = 2
    bounded: ClassVar[bool] = False
    recordable: ClassVar[bool] = False

    def step(self, system: System, t: Any, y: Array, h: Any) -> Array:
        q, qd = y[: system.nq], y[system.nq :]
        v, scale = qd.copy(), 1e-13 * (1.0 + np.max(np.abs(qd), initial=0.0))
        last = np.inf

        def residual_at(v: Array) -> Array:
            middle = system.moved(q, v, 0.5 * h)
            with np.errstate(over="ignore", invalid="ignore"):
                return v - qd - 0.5 * h * system.acceleration(t + 0.5 * h, middle, v, 0.0)

        residual = residual_at(v)
        for _ in range(ITERATIONS):
            slope = np.eye(len(v)) - 0.5 * h * system.midpoint_derivative(t + 0.5 * h, q, v, h)
            if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(slope))):
                break
            try:
                change = np.linalg.solve(slope, residual)
            except np.linalg.LinAlgError:
                break
            norm, residual = np.linalg.norm(residual), residual_at(v - change)
            for _ in range(HALVINGS):
                if not np.linalg.norm(residual) > norm + scale:
                    break
                change = 0.5 * change
                residual = residual_at(v - change)
            v = v - change
            size = np.max(np.abs(change), initial=0.0)
            # Rounding ends the decrease somewhere above zero: no further gain is convergence, too.
            if size <= scale or (size >= 0.5 * last and size <= 1e3 * scale):
                return np.concatenate([system.moved(q, v, h), 2.0 * v - qd])
            last = size
        raise NoConvergence
