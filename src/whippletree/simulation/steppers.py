"""From one state of a simulation to the next: by steps of fixed length, or of a length that is chosen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..spatial import Array
from .closing import Closed
from .factors import lapack
from .integrators import INTEGRATORS, NoConvergence
from .systems import Compiled

CHOOSING, STIFF = ("RK45", "DOP853", "PIRK", "Radau", "BDF"), ("Radau", "BDF")
"""Names of integrators that choose their steps, of SciPy but for PIRK; those for stiff equations."""


@dataclass(frozen=True)
class Step:
    """A step of an integrator.

    Attributes:
        end: Of the step, s.
        closed: The state at the end.
        state: (nq + nv,) states at times within the step. Reading one changes nothing.
    """

    end: float
    closed: Closed
    state: Callable[[float], Array]

    def at(self, t: float) -> Array:
        """(nq + nv,) the state at a time within the step, or at its end."""
        return self.closed.y if t == self.end else self.state(t)


class StepFailure(ArithmeticError):
    """A step that could not be taken, and why."""


class Stepper(Protocol):
    """Takes steps."""

    chooses: bool
    """Whether it chooses the lengths of its steps, so that a shorter one may be asked for."""

    def step(self, t: float, y: Array, longest: float | None) -> Step:
        """A step from (t, y); `longest` bounds it, s. Raises StepFailure."""
        ...


Closer = Callable[[float, Array], Closed]
"""Brings a state at a time to quaternions of unit norm and closed loops."""


class FixedSteps:
    """Steps from one multiple of a length to the next.

    Args:
        system: What is integrated.
        method: Name of the integrator.
        h: The length, s.
        duration: Where the last step ends, s.
        close: See `Closer`.
    """

    chooses = False

    def __init__(self, system: Compiled, method: str, h: float, duration: float, close: Closer) -> None:
        self.system, self.integrator, self.h = system, INTEGRATORS[method], h
        self.duration, self.close = duration, close
        self.count = max(1, int(np.ceil(duration / h * (1.0 - 1e-12))))

    def time(self, k: int) -> float:
        """The end of step k, s."""
        return self.duration if k >= self.count else k * self.h

    def number(self, t: float) -> int:
        """Of the step that begins at t or, from within one as behind an event, goes to its end."""
        k = int(t / self.h)
        while self.time(k) <= t:
            k += 1
        return k

    def step(self, t: float, y: Array, longest: float | None) -> Step:
        k = self.number(t)
        self.system.forces.sample(t, y[: self.system.nq], y[self.system.nq :])

        def stepped(at: float) -> Closed:
            return self.close(at, self.integrator.step(self.system, t, y, at - t))

        try:
            return Step(self.time(k), stepped(self.time(k)), lambda at: stepped(at).y)
        except NoConvergence:
            raise StepFailure("the implicit step found no solution: reduce dt") from None


def _factored(A: Array) -> tuple[Array, Array, bool]:
    """A matrix, real or complex, as LU with its pivots (Golub & Van Loan, Matrix Computations, §3.4.1)."""
    kind = np.iscomplexobj(A)
    return (*(lapack().zgetrf if kind else lapack().dgetrf)(A)[:2], kind)


def _solved(factors: tuple[Array, Array, bool], right: Array) -> Array:
    LU, pivots, kind = factors
    return (lapack().zgetrs if kind else lapack().dgetrs)(LU, pivots, right)[0]


def _checked_behind() -> np.errstate:
    """Without warnings: steps too long for numbers are shortened; what is not finite then ends the run."""
    return np.errstate(over="ignore", invalid="ignore")


class ChosenSteps:
    """A SciPy solver that is taken from step to step.

    Args:
        system: What is integrated.
        method: Name of the integrator.
        rtol, atol: Tolerances.
        duration: Where the last step ends, s.
        close: See `Closer`; None if there is nothing to bring back.
        dense: Whether states within steps will be asked for.

    Attributes:
        h: The length of the last step, s, with which one from elsewhere begins; None at first.
        following: What the length of the next would be, if nothing comes between; None at first.
    """

    chooses = True

    def __init__(
        self,
        system: Compiled,
        method: str,
        rtol: float,
        atol: float,
        duration: float,
        close: Closer | None,
        dense: bool,
    ) -> None:
        self.system, self.rtol, self.atol, self.duration = system, rtol, atol, duration
        self.close, self._dense = close, dense
        # A step by itself, which has none before it, is one of DOP853.
        self._name = "DOP853" if method == "PIRK" else method
        self.begin_again()

    def begin_again(self) -> None:
        """The next step is the first of a run."""
        self._solver: Any = None
        self.h: float | None = None
        self.following: float | None = None

    def step(self, t: float, y: Array, longest: float | None) -> Step:
        solver = self._solver
        forces = self.system.forces
        forces.sample(t, y[: self.system.nq], y[self.system.nq :])
        ended = solver is not None and solver.status != "running"  # at a sample
        if solver is None or longest is not None or t != solver.t or y is not solver.y or ended:
            with _checked_behind():
                solver = self._solver = self._started(t, y, longest)
        with _checked_behind():
            message = solver.step()
        if message is not None:
            raise StepFailure(str(message).rstrip(".").lower())
        inside, end, close = solver.dense_output() if self._dense else None, float(solver.t), self.close
        self.h, self.following = end - t, float(solver.h_abs)
        closed = Closed(solver.y, 1.0, 0) if close is None else self._brought_back(close)

        def state(at: float) -> Array:
            assert inside is not None
            found = np.array(inside(at))
            return found if close is None else close(at, found).y

        return Step(end, closed, state)

    def _started(self, t: float, y: Array, longest: float | None) -> Any:
        """A solver at (t, y), whose first step is like the last one unless bounded."""
        from scipy import integrate  # on use: it takes longer to import than all the rest

        first = self.h if longest is None else longest
        end = min(self.duration, self.system.forces.next_sample)
        first = None if first is None else min(first, end - t)
        # Without a Jacobian SciPy differences by increments that grow without bound where a column is zero.
        stiff = {"jac": self.system.slope_derivative} if self._name in STIFF else {}
        solver = getattr(integrate, self._name)(
            self.system.slope, t, y, end, first_step=first, rtol=self.rtol, atol=self.atol, **stiff
        )
        if stiff:  # of small matrices SciPy's own take several times as long, all for what is known here
            solver.lu, solver.solve_lu = _factored, _solved
        return solver

    def _brought_back(self, close: Closer) -> Closed:
        """Bring the solver's own state back."""
        solver = self._solver
        closed = close(solver.t, solver.y)
        if self._name == "BDF":
            solver.D[0] = closed.y  # the newest point of its polynomial
        else:
            solver.f = self.system.slope(solver.t, closed.y)
        solver.y = closed.y
        return closed
