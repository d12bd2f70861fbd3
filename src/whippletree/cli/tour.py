"""What `whippletree demo` computes: the accelerations of one state by every road there is, side by side."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..api.compiling import compile
from ..api.forward import accelerations_by, forward_dynamics, inverse_dynamics, methods
from ..api.forward_methods import find
from ..benchmark.comparison import relative_difference, some_state, title
from ..model.mechanism import Mechanism
from ..spatial import Array

MECHANISMS = ("seven-axis-arm", "humanoid", "quick-return")
AGREEMENT = 1e-9
"""Accelerations may differ by this share of the largest one: rounding, times the condition of H."""

BATCH = 4096
"""How many states a kernel is given at once."""


State = tuple[Array, Array, Array]
"""Positions q (nq,), velocities qd (nv,) and joint forces tau (nv,) of a mechanism."""


@dataclass(frozen=True)
class Entry:
    """One line of the demo: a way to compute the accelerations of a state, ready to be called.

    `accelerations` gives qdd (nv,) for the demo's state, and does so for `states` states in one call.
    """

    name: str
    how: str
    accelerations: Callable[[], Array]
    states: int = 1


def interpreted(m: Mechanism, state: State) -> Iterator[Entry]:
    """Every method of forward dynamics that applies, as printed in the book, with its file's first line."""
    for method in methods(m):

        def accelerations(method: str = method) -> Array:
            return forward_dynamics(m, *state, method)

        yield Entry(method, title(method), accelerations)


def compiled(m: Mechanism, state: State) -> Iterator[Entry]:
    """The method that suits best as machine code for this mechanism, for one state and for many at once."""
    start = time.perf_counter()
    name, method = find(m, "auto")
    kernel = compile(accelerations_by, m, method=method, choice=tuple(method.chosen(m, state[0]).items()))
    kernel(*state)
    how = f"machine code made for {m.name}, ready in {time.perf_counter() - start:.2g} s"
    yield Entry(f"{name}, compiled", how, lambda: kernel(*state))
    many = [np.tile(part, (BATCH, 1)) for part in state]
    how = f"the same, {BATCH} states at once"
    yield Entry(f"{name}, compiled", how, lambda: kernel(*many)[-1], BATCH)


# To show more, add a function of a mechanism and a state that yields entries.
CHAPTERS: list[Callable[[Mechanism, State], Iterator[Entry]]] = [interpreted, compiled]


@dataclass(frozen=True)
class Outcome:
    """What came of an entry: its largest difference from the first one, relative, and its time a state, s."""

    entry: Entry
    difference: float
    seconds: float

    @property
    def agrees(self) -> bool:
        """Whether the difference is no more than rounding makes; a result that is not finite never agrees."""
        return self.difference <= AGREEMENT


def expected(m: Mechanism) -> list[str]:
    """Names of the entries to come, about, for those who want to tell how far they are."""
    return [*methods(m), "compiled", "compiled for many"]


def compare(m: Mechanism, seconds: float = 0.15) -> Iterator[Outcome]:
    """The accelerations of one state by every entry, compared with those of the first.

    Args:
        m: The mechanism.
        seconds: How long each entry is repeated to find its time, s.

    >>> import whippletree as wt
    >>> all(outcome.agrees for outcome in compare(wt.examples.load("pendulum"), seconds=0.0))
    True
    """
    state = some_state(m)
    first: Array | None = None
    for chapter in CHAPTERS:
        for entry in chapter(m, state):
            qdd = np.array(entry.accelerations())
            first = qdd if first is None else first
            difference = relative_difference(qdd, first)
            yield Outcome(entry, difference, best_time(entry.accelerations, seconds) / entry.states)


def round_trip(m: Mechanism) -> float:
    """How far, relative, accelerations are from themselves after inverse and forward dynamics.

    >>> import whippletree as wt
    >>> round_trip(wt.examples.load("double-pendulum")) < 1e-12
    True
    """
    q, qd, tau = some_state(m)
    qdd = forward_dynamics(m, q, qd, tau)
    tau = inverse_dynamics(m, q, qd, qdd)
    return relative_difference(forward_dynamics(m, q, qd, tau), qdd)


def best_time(call: Callable[[], object], seconds: float) -> float:
    """The least time of one call, s, repeated for so many seconds; one at least."""
    best, end = np.inf, time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
        if now >= end:
            return float(best)
