"""Integrators that choose their steps: SciPy's, on y = (q, qd), projected after every step."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import BDF, DOP853, RK45, Radau

from ..spatial import Array
from .motion import Motion

METHODS: dict[str, Any] = {"RK45": RK45, "DOP853": DOP853, "Radau": Radau, "BDF": BDF}


class Adaptive:
    """A SciPy solver that is taken from step to step.

    Args:
        method: One of `METHODS`.
        motion: Of the mechanism.
        slope: dy/dt at (t, y).
        y: The state at t = 0.
        end: When to stop, s.
        rtol, atol: Relative and absolute tolerance of each step.
    """

    def __init__(
        self,
        method: str,
        motion: Motion,
        slope: Callable[[float, Array], Array],
        y: Array,
        end: float,
        rtol: float,
        atol: float,
    ) -> None:
        self.motion, self.slope = motion, slope
        self.solver = METHODS[method](slope, 0.0, y, end, rtol=rtol, atol=atol)
        self._project = motion.m.nq != motion.m.nv

    @property
    def t(self) -> float:
        return self.solver.t

    @property
    def y(self) -> Array:
        return self.solver.y

    def step(self) -> tuple[str | None, Callable[[float], Array]]:
        """Take a step; what went wrong, and the states within the step as a function of time."""
        message = self.solver.step()
        inside = self.solver.dense_output() if message is None else None
        if message is None and self._project:
            self._bring_back()

        def state(t: float) -> Array:
            if t == self.solver.t or inside is None:
                return self.solver.y
            y = np.array(inside(t))
            y[: self.motion.m.nq] = self.motion.projected(y[: self.motion.m.nq])
            return y

        return message, state

    def _bring_back(self) -> None:
        """Put the quaternions of the solver's state back on their sphere."""
        solver, nq = self.solver, self.motion.m.nq
        y = solver.y.copy()
        y[:nq] = self.motion.projected(y[:nq])
        if isinstance(solver, BDF):
            solver.D[0] = y  # the newest point of its polynomial
        else:
            solver.f = self.slope(solver.t, y)
        solver.y = y
