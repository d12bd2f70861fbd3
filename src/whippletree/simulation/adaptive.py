"""Integrators that choose their steps: SciPy's, on y = (q, qd), projected after every step."""

from collections.abc import Callable

import numpy as np

from ..spatial import Array

METHODS = ("RK45", "DOP853", "Radau", "BDF")
"""Names of SciPy's integrators."""


class Adaptive:
    """A SciPy solver that is taken from step to step.

    Args:
        method: One of `METHODS`.
        settle: Brings a state back to where states are, such as quaternions to their sphere; None if they
            are everywhere.
        slope: dy/dt at (t, y).
        y: The state at t = 0.
        end: When to stop, s.
        rtol, atol: Relative and absolute tolerance of each step.
    """

    def __init__(
        self,
        method: str,
        settle: Callable[[Array], Array] | None,
        slope: Callable[[float, Array], Array],
        y: Array,
        end: float,
        rtol: float,
        atol: float,
    ) -> None:
        self.slope, self.settle = slope, settle
        from scipy import integrate  # on use: it takes longer to import than all the rest

        self.method = method
        self.solver = getattr(integrate, method)(slope, 0.0, y, end, rtol=rtol, atol=atol)

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
        if message is None and self.settle is not None:
            self._bring_back(self.settle)

        def state(t: float) -> Array:
            if t == self.solver.t or inside is None:
                return self.solver.y
            y = np.array(inside(t))
            return y if self.settle is None else self.settle(y)

        return message, state

    def _bring_back(self, settle: Callable[[Array], Array]) -> None:
        """Settle the solver's own state."""
        solver = self.solver
        y = settle(solver.y)
        if self.method == "BDF":
            solver.D[0] = y  # the newest point of its polynomial
        else:
            solver.f = self.slope(solver.t, y)
        solver.y = y
