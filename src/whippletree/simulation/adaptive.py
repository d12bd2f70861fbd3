"""Integrators that choose their steps: SciPy's, on y = (q, qd), projected after every step."""

from typing import Any

import numpy as np

from ..spatial import Array
from .run import Run, Step

METHODS = ("RK45", "DOP853", "Radau", "BDF")
"""Names of SciPy's integrators."""


class Adaptive:
    """A SciPy solver that is taken from step to step.

    Args:
        run: What it integrates, by which method and to which tolerances.
        dense: Whether states within steps will be asked for.
    """

    def __init__(self, run: Run, dense: bool) -> None:
        from scipy import integrate  # on use: it takes longer to import than all the rest

        self.run, self._dense = run, dense
        self._method = getattr(integrate, run.method)
        self._solver: Any = None
        self._h: float | None = None

    def step(self, t: float, y: Array, longest: float | None = None) -> Step | str:
        """A step from (t, y), or what went wrong; `longest` bounds it."""
        solver = self._solver
        if solver is None or longest is not None or t != solver.t or y is not solver.y:
            solver = self._solver = self._started(t, y, longest)
        message = solver.step()
        if message is not None:
            return str(message)
        inside, end = solver.dense_output() if self._dense else None, float(solver.t)
        self._h = end - t
        if self.run.settles:
            self._settle()
        new, margin = solver.y, self.run.margin

        def state(at: float) -> Array:
            return new if at == end or inside is None else self.run.closed(np.array(inside(at)))

        return Step(end, new, state, margin)

    def _started(self, t: float, y: Array, longest: float | None) -> Any:
        """A solver at (t, y), whose first step is like the last one unless bounded."""
        run = self.run
        first = self._h if longest is None else longest
        first = None if first is None else min(first, run.duration - t)
        return self._method(run.slope, t, y, run.duration, first_step=first, rtol=run.rtol, atol=run.atol)

    def _settle(self) -> None:
        """Settle the solver's own state."""
        solver = self._solver
        y = self.run.settle(solver.y)
        if self.run.method == "BDF":
            solver.D[0] = y  # the newest point of its polynomial
        else:
            solver.f = self.run.slope(solver.t, y)
        solver.y = y
