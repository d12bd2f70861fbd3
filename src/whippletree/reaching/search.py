"""The search for positions that reach targets: many problems at a time, from one start after the other.

Problems go through machine code together, some steps at a time. What is solved leaves. What is not
begins again elsewhere after a while: a start that leads to the target does so soon, and one that does not is
stuck at a bound or in a bend of the arm. Many problems take their first starts in single precision.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..api.compiling import compile
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..spatial import Array
from .asked import Asked
from .bounds_of_joints import JointBounds
from .damped_least_squares import descend
from .goals import Goals, Task
from .near_starts import NearStarts
from .places import as_targets
from .rough_search import RoughSearch, worth_it
from .task_errors import farthest, widest

STEPS = 3
"""Steps between two looks."""

FIRST = 5
"""How often `STEPS` are taken at the first start, which a user may have chosen."""

MORE = 3
"""How often they are taken at every other start."""

PATIENCE = 4
"""After so many starts each one gets `MORE` times `STEPS` more steps."""

LANES = 256
"""Fewer problems than this take several starts at once."""

ROUGH = 0.5
"""The share of starts in single precision, of many problems: what is left then may be left because of it."""

CLOSED = 1e-9
"""rad or m: gaps of loops and gears that count as closed."""

EXACT = 1e-24
"""Half the sum of squares of errors, rad² and m²: solutions that are not so near take the few steps there."""

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
        numbers = numbers.take(chosen)
        for mine, new in zip(self[:6], rows, strict=True):
            mine[numbers] = new.take(chosen, axis=0)


def go_down(
    m: Mechanism,
    q: Array,
    damping: Any,
    wanted: Array,
    weights: Array,
    closing: Any,
    liking: Any,
    liked: Array,
    tasks: tuple[Task, ...],
    bounds: JointBounds,
    count: int,
) -> tuple[Any, ...]:
    """As `descend`; and the squares of the largest error and of the largest gap."""
    targets = as_targets(wanted, tasks)
    found = descend(m, q, damping, targets, weights, closing, liking, liked, tasks, bounds, count)
    return *found, farthest(found[2], weights), widest(found[3])


class Search:
    """The search for one mechanism and one list of tasks.

    Args:
        asked: The mechanism and what is asked of it.
        goals: What is asked for.
        liked: (nq,) a position to be near to, or any.
        tolerance: rad and m: what counts as reached.
        threads: How many.
    """

    def __init__(self, asked: Asked, goals: Goals, liked: Array, tolerance: float, threads: int) -> None:
        self._asked, self._goals, self._liked, self._threads = asked, goals, liked, threads
        self._kernel, self._tolerance = _going_down(asked), tolerance

    def __call__(self, q0: Array, elsewhere: NearStarts, starts: int) -> SearchResult:
        """Search from q0 (count, nq) and then, where that does not lead to the target, from elsewhere."""
        goals = self._goals
        rough = RoughSearch(self._asked, goals, self._threads) if worth_it(q0, goals) else None
        begin, starts_tried, first = q0, np.ones(len(q0), int), 1
        if rough:
            first = max(1, int(ROUGH * starts))
            begin, starts_tried = rough(np.arange(len(q0)), q0, elsewhere, range(first))
            begin = elsewhere.hold(begin.astype(float), q0, np.arange(len(q0)))
        q, nu, *rest = self._run(slice(None), begin, np.full(len(q0), DAMPING), 1.0, 0.0)
        found = SearchResult._make((q, *rest, starts_tried))
        while rough and len(left := np.flatnonzero(~found.solved & (found.starts < first))):
            begin, found.starts[left] = rough(left, q0, elsewhere, range(found.starts[left].max(), first))
            self._go_on(left, found, elsewhere.hold(begin.astype(float), q0, left), None, 1)
        left, tried = np.flatnonzero(~found.solved), first
        self._go_on(left, found, found.q[left], nu[left], FIRST - 1)
        while len(left := left[~found.solved[left]]) and tried < starts:
            copies = min(max(1, LANES // len(left)), starts - tried)
            begin = elsewhere(goals.wanted[left], q0, left, range(tried, tried + copies))
            tried += copies
            found.starts[left] = tried
            rounds = MORE * (1 + (tried - first) // PATIENCE)
            self._go_on(np.repeat(left, copies), found, begin, None, rounds)
        loose = np.flatnonzero(found.solved & (found.cost > EXACT))
        self._go_on(loose, found, found.q[loose], None, 1)
        for closing in CLOSING:
            found.cost[left] = np.inf  # of another weight: what is found next is nearer to being closed
            self._go_on(left, found, found.q[left], None, MORE * 3, closing)
        return found

    def come_near(self, found: SearchResult) -> None:
        """Move solutions towards the liked position as far as they stay solutions."""
        numbers = np.flatnonzero(found.solved)
        q = found.q[numbers]
        for liking in LIKING:
            nu = np.full(len(q), DAMPING * liking)
            for _ in range(MORE):
                q, nu, *_ = self._run(numbers, q, nu, 1.0, liking)
        nu = np.full(len(q), DAMPING)
        for _ in range(2 * MORE):
            q, nu, *rest = self._run(numbers, q, nu, 1.0, 0.0)
            found.keep(numbers, np.flatnonzero(rest[-1]), (q, *rest))

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
        before = found.solved[numbers]
        better = np.flatnonzero((solved & ~before) | ((solved == before) & (cost < found.cost[numbers])))
        if np.any(numbers[1:] == numbers[:-1]):  # several starts of a problem stand side by side
            better = better[np.lexsort((cost[better], ~solved[better], numbers[better]))]
            better = better[np.diff(numbers[better], prepend=-1) != 0]
        found.keep(numbers, better, rows)

    def _run(
        self, numbers: Array | slice, q: Array, nu: Array, closing: float, liking: float
    ) -> tuple[Array, ...]:
        """So many steps of some problems: q, ν, errors, gaps, gradient, cost, and whether they are solved."""
        wanted, weights = self._goals.wanted[numbers], self._goals.weights
        options = {} if self._threads == 1 else {"threads": self._threads}
        *found, far, gap = self._kernel(q, nu, wanted, weights, closing, liking, self._liked, **options)
        return *found, (far <= self._tolerance**2) & (gap <= CLOSED**2)


@lru_cache(maxsize=16)
def _going_down(asked: Asked) -> Kernel:
    """`go_down`, compiled."""
    m, tasks = asked.m, asked.tasks
    inputs = {
        "damping": (),
        "wanted": (sum(task.numbers for task in tasks),),
        "weights": (sum(task.rows for task in tasks),),
        "closing": (),
        "liking": (),
        "liked": (m.nq,),
    }
    return compile(go_down, m, inputs=inputs, tasks=tasks, bounds=asked.bounds, count=STEPS)
