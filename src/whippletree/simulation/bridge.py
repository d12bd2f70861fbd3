"""Steps across singular positions of loops by constraints that are continued there; see `continued`."""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from ..spatial import Array
from .closing import Closing, OpenLoop
from .continued import Continued, Split, continuations
from .equations import Unsolved
from .null_space import accelerated, nearest
from .plan import Plan
from .systems import Compiled

MOST = 400
"""Steps after which they should have led across."""

TOGETHER, ALIKE = 4, 3.0
"""Constraints that are continued at once, at most; sizes up to so many times the least fade with it."""

REST, LOOKS = 0.1, 17
"""A motion that becomes slower than this share of its speed at the start comes to rest, from where it may go
on in several ways; looked at so often in a step."""

BENT = 1e-5
"""Share of a state's largest entry, or of 1, that constraints may bend it by at the end, taking no energy."""

ALSO = 0.1
"""Others fade, too, where they are further from independent than by this share of the margin at the start."""

TRAIL, FRESH = 48, 12
"""Positions behind a motion that are kept, at most; the last of them all."""


class Trail:
    """Where a motion has been: many positions of its last part, fewer of what was before."""

    def __init__(self) -> None:
        self.t: list[float] = []
        self.q: list[Array] = []

    def add(self, t: float, q: Array) -> None:
        """A position q (nq,) at a time, s; one that is not behind the last is known."""
        if self.t and t <= self.t[-1]:
            return
        self.t.append(t)
        self.q.append(q)
        if len(self.t) > TRAIL:
            del self.t[1:-FRESH:2], self.q[1:-FRESH:2]


class Bridge:
    """The motion over several steps.

    Attributes:
        t, end: Start and end, s.
    """

    def __init__(self, t: float, steps: list[tuple[float, Callable[[float], Array]]], last: Array) -> None:
        self.t = t
        self.end = steps[-1][0]
        self._last = last
        self._ends = [end for end, _ in steps]
        self._steps = [state for _, state in steps]

    def state(self, t: float) -> Array:
        """(ny,) the state at a time within the steps."""
        return self._last if t == self.end else self._steps[bisect_left(self._ends, t)](t)


class Bridging:
    """Builds bridges.

    Args:
        closing: The loops.
        system: The motion.
        settle: Brings a state at a time to closed loops.
        rtol, atol: The error that a step may have.
    """

    def __init__(
        self,
        closing: Closing,
        system: Compiled,
        settle: Callable[[float, Array], Array],
        rtol: float,
        atol: float,
    ) -> None:
        self.closing, self.system, self.nq = closing, system, system.nq
        self.settle, self.rtol, self.atol = settle, rtol, atol

    def unsolved(self, t: float, y: Array) -> Unsolved:
        """Equations of motion, with the constraints that are looked at."""
        found = self.system.unsolved(t, y)
        return found._replace(K=self.closing.of_all(found.K), k=self.closing.of_all(found.k))

    def slope(self, t: float, y: Array) -> Array:
        """dy/dt by what constraints leave free, as exact as it can be next to where they become dependent."""
        rate, M, f, K, k = self.unsolved(t, y)
        rows, _ = self.closing.ordered(y[: self.nq])
        return np.concatenate([rate, accelerated(M, f, K[rows], k[rows])])

    def across(self, trail: Trail, y: Array, h: float, left: float) -> tuple[Array, Bridge] | None:
        """To where constraints are as far from dependent as at the start; first (ny,) its error.

        Args:
            trail: Positions up to the start.
            y: The state there.
            h: Length of the last step, s.
            left: How long the motion goes on, s.
        """
        rows, margin = self.closing.ordered(y[: self.nq])
        pivots = np.abs(np.diagonal(np.linalg.qr(self.closing.constraints(y[: self.nq])[1][rows].T)[1]))
        if np.count_nonzero(pivots < ALIKE * pivots[-1]) > TOGETHER:
            return None
        fading = rows[-1:]
        for _ in range(TOGETHER):
            split = np.array([row for row in rows if row not in fading]), fading
            along = continuations(self.closing, split, np.array(trail.t), np.array(trail.q))
            moved = Continued(self.closing, split, along, self.unsolved, self.system.moved)
            try:
                found = self._walk(moved, split, margin, trail.t[-1], y, h, left)
            except (OpenLoop, np.linalg.LinAlgError):
                return None
            if not isinstance(found, int):
                return found
            fading = np.concatenate([[found], fading])
        return None

    def _walk(
        self, moved: Continued, split: Split, margin: float, t: float, y: Array, h: float, left: float
    ) -> tuple[Array, Bridge] | int | None:
        """To the other side; or the number of a further constraint that fades on the way."""
        from scipy.integrate import DOP853  # on use: it takes longer to import than all the rest

        def closed(at: float, y: Array) -> Array:
            return moved.closed(at, y, self.nq)

        begin = closed(t, y)
        bent, y = np.abs(begin - y), begin
        solver = DOP853(moved.slope, t, y, t + left, rtol=self.rtol, atol=self.atol, first_step=min(h, left))
        steps, speed = list[tuple[float, Callable[[float], Array]]](), np.max(np.abs(y[self.nq :]))
        # At the end, gaps of what fades move the state by their share of its margin.
        widest = BENT * max(1.0, float(np.max(np.abs(y)))) * margin * self._largest(y)
        for _ in range(MOST):
            before = solver.t
            if solver.step() is not None or not np.all(np.isfinite(solver.y)):
                return None
            inside = solver.dense_output()
            within = inside(np.linspace(before, solver.t, LOOKS))[self.nq :]
            if np.min(np.max(np.abs(within), axis=0)) < REST * speed:
                return None
            steps.append((float(solver.t), lambda at, inside=inside: closed(at, inside(at))))
            solver.y = closed(solver.t, solver.y)
            solver.f = moved.slope(solver.t, solver.y)
            if np.max(np.abs(self.closing.constraints(solver.y[: self.nq])[0][split[1]])) > widest:
                return None
            others, certain = self.closing.among(solver.y[: self.nq], split[0])
            if certain < ALSO * margin:
                return int(others[-1])
            if self.closing.margin_at(solver.y[: self.nq]) >= margin:
                settled = self._arrived(solver.t, solver.y)
                return np.maximum(bent, np.abs(settled - solver.y)), Bridge(t, steps, settled)
            if solver.status == "finished":
                return bent, Bridge(t, steps, solver.y)
        return None

    def _largest(self, y: Array) -> float:
        """The size of the largest constraint at a state."""
        return float(np.max(np.linalg.norm(self.closing.constraints(y[: self.nq])[1], axis=1)))

    def _arrived(self, t: float, y: Array) -> Array:
        """The closed state next to one on the other side."""
        settled = self.settle(t, y)
        _, M, _, K, _ = self.unsolved(t, settled)
        rows, _ = self.closing.ordered(settled[: self.nq])
        return np.concatenate([settled[: self.nq], nearest(K[rows], M, y[self.nq :])])


def bridging(
    closing: Closing, system: Compiled, settle: Callable[[float, Array], Array], plan: Plan
) -> Bridging | None:
    """What builds bridges in a run; None where drivers or contacts act, too, or some constraints do not."""
    if type(system) is not Compiled or plan.forces.drive is not None or plan.tolerance is not None:
        return None
    return Bridging(closing, system, settle, plan.rtol, plan.atol)
