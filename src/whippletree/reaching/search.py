"""The search for positions that reach targets: many problems at a time, from one start after the other.

Problems go through machine code together, some steps at a time. What is solved leaves. What is not
begins again elsewhere after a while: a start that leads to the target does so soon, and one that does not is
stuck at a bound or in a bend of the arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.run.kernel import Kernel
from ..spatial import Array
from .goals import Goals
from .near_starts import NearStarts

STEPS = 8
"""Steps between two looks."""

FIRST = 1
"""How often `STEPS` are added at the first start, which a user may have chosen."""

PATIENCE = 4
"""After so many starts each one gets `STEPS` more steps."""

LANES = 64
"""Fewer problems than this take several starts at once."""

CLOSED = 1e-9
"""rad or m: gaps of loops and gears that count as closed."""

ROUNDED = 1.0 + 1e-9
"""What rounding adds to a cost at most."""

DAMPING = 0.1
"""ν at a start."""

CLOSING = (10.0, 1e3, 1e5)
"""Weights of loops, once no start has led to the target and the nearest closed position is looked for."""

LIKING = (1e-2, 1e-4, 1e-6)
"""Weights of the way to a liked position, while that of the target is 1."""


class SearchResult(NamedTuple):
    """What a search has found, one row a problem.

    Attributes:
        q: (count, nq) positions.
        errors: (count, rows) of the tasks.
        gaps: (count, nc) of loops and gears.
        gradient: (count, nv) of half the sum of squares.
        cost: (count,) half the sum of squares.
        solved: (count,) whether targets are reached and loops closed.
        starts: (count,) how many were tried.
    """

    q: Array
    errors: Array
    gaps: Array
    gradient: Array
    cost: Array
    solved: Array
    starts: NDArray[np.int_]

    def keep(self, numbers: Array, chosen: Array, rows: tuple[Array, ...]) -> None:
        """Take over some rows, all but how many starts were tried."""
        for mine, new in zip(self[:6], rows, strict=True):
            mine[numbers[chosen]] = new[chosen]


class Search:
    """The search for one mechanism and one list of tasks.

    Args:
        kernel: `descend`, compiled.
        goals: What is asked for.
        liked: (nq,) a position to be near to, or any.
        tolerance: rad and m: what counts as reached.
        threads: How many.
    """

    def __init__(self, kernel: Kernel, goals: Goals, liked: Array, tolerance: float, threads: int) -> None:
        self._kernel, self._goals, self._liked, self._threads = kernel, goals, liked, threads
        self._tolerance = tolerance

    def __call__(self, q0: Array, elsewhere: NearStarts, starts: int) -> SearchResult:
        """Search from q0 (count, nq) and then, where that does not lead to the target, from elsewhere."""
        damping, everywhere = np.full(len(q0), DAMPING), np.arange(len(q0))
        q, nu, errors, gaps, gradient, cost, solved = self._run(everywhere, q0, damping, 1.0, 0.0)
        found = SearchResult(q.copy(), errors, gaps, gradient, cost, solved, np.ones(len(q0), int))
        left, tried = np.flatnonzero(~found.solved), 1
        self._go_on(left, found, q[left], nu[left], FIRST)
        while len(left := left[~found.solved[left]]) and tried < starts:
            copies = min(max(1, LANES // len(left)), starts - tried)
            tried += copies
            found.starts[left] = tried
            begin = elsewhere(left, q0[left], copies)
            self._go_on(np.repeat(left, copies), found, begin, None, 1 + tried // PATIENCE)
        for closing in CLOSING:
            found.cost[left] = np.inf  # of another weight: what is found next is nearer to being closed
            self._go_on(left, found, found.q[left], None, 3, closing)
        return found

    def come_near(self, found: SearchResult) -> None:
        """Move solutions towards the liked position as far as they stay solutions."""
        numbers = np.flatnonzero(found.solved)
        q = found.q[numbers]
        for liking in LIKING:
            q, *_ = self._run(numbers, q, np.full(len(q), DAMPING * liking), 1.0, liking)
        for _ in range(2):
            q, _, *rest = self._run(numbers, q, np.full(len(q), DAMPING), 1.0, 0.0)
            found.keep(numbers, rest[-1], (q, *rest))

    def _go_on(
        self,
        numbers: Array,
        found: SearchResult,
        q: Array,
        nu: Array | None,
        rounds: int,
        closing: float = 1.0,
    ) -> None:
        """Go down from positions of some problems, and keep what is better than what is found."""
        nu = np.full(len(q), DAMPING) if nu is None else nu
        for _ in range(rounds):
            if not len(numbers):
                break
            q, nu, *rest = self._run(numbers, q, nu, closing, 0.0)
            self._take_best(numbers, found, (q, *rest))
            on = ~found.solved[numbers]
            numbers, q, nu = numbers[on], q[on], nu[on]

    def _take_best(self, numbers: Array, found: SearchResult, rows: tuple[Array, ...]) -> None:
        """Keep what is better; of several rows of a problem the best. Solutions are better than others."""
        *_, cost, solved = rows
        new = np.where(solved, -1.0, cost)
        first = np.arange(len(numbers))
        if np.any(numbers[1:] == numbers[:-1]):  # several starts of a problem stand side by side
            order = np.lexsort((new, numbers))
            first = order[np.concatenate([[True], np.diff(numbers[order]) != 0])]
        found.keep(numbers, first[new[first] < found.cost[numbers[first]]], rows)

    def _run(self, numbers: Array, q: Array, nu: Array, closing: float, liking: float) -> tuple[Array, ...]:
        """So many steps of some problems: q, ν, errors, gaps, gradient, cost, and whether they are solved."""
        goals = self._goals
        q, nu, errors, gaps, gradient, cost = self._kernel(
            *(q, nu, goals.of(numbers), goals.weights, closing, liking, self._liked), threads=self._threads
        )
        solved = np.zeros(len(q), bool)
        near = np.flatnonzero(cost <= self._most(gaps.shape[1] * closing**2))
        solved[near] = self._reached(errors[near], gaps[near])
        return q, nu, errors, gaps, gradient, cost, solved

    def _most(self, closing: float) -> float:
        """What the cost of a solution is at most: few positions have to be looked at more closely."""
        return 0.5 * (np.sum(self._goals.weights**2) * self._tolerance**2 + closing * CLOSED**2) * ROUNDED

    def _reached(self, errors: Array, gaps: Array) -> Array:
        """(count,) whether all errors that count are within the tolerance and all gaps closed."""
        reached = np.max(np.abs(gaps), axis=1, initial=0.0) <= CLOSED
        counted = errors * (self._goals.weights > 0.0)
        for task, rows in self._goals.blocks():
            for part in np.split(counted[:, rows], task.rows // 3, axis=1):
                reached &= np.einsum("ij,ij->i", part, part) <= self._tolerance**2
        return reached
