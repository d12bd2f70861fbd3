"""Fair timing: everything that is compared is run in turn, and the best of many short stretches counts."""

from collections.abc import Callable, Mapping
from time import perf_counter

STRETCH = 0.001
"""Seconds: long enough for the clock, and short enough for other programs to leave some alone."""


def best_times(
    functions: Mapping[str, Callable[[], object]],
    rounds: int = 7,
    at_least: float = 0.006,
    progress: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Seconds per call of each function, the best of several rounds in which all take turns.

    A round gives each function `at_least` seconds, in stretches of about a millisecond in which it is called
    as often as fits: the best stretch counts. Taking turns spreads whatever else the machine does over all of
    them. A call that takes longer than a stretch is one.

    Args:
        functions: By name; called without arguments.
        rounds: How many rounds.
        at_least: Seconds for each function in each round.
        progress: Called after every measurement, rounds · len(functions) times.
    """
    calls = {name: _calls_that_fill(function, min(STRETCH, at_least)) for name, function in functions.items()}
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            spent = 0.0
            while spent < at_least:
                stretch = _seconds(function, calls[name])
                best[name] = min(best[name], stretch / calls[name])
                spent += stretch
            progress()
    return best


def _seconds(function: Callable[[], object], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        function()
    return perf_counter() - start


def _calls_that_fill(function: Callable[[], object], seconds: float) -> int:
    calls = 1
    while (spent := _seconds(function, calls)) < seconds:
        calls = max(2 * calls, int(calls * seconds / max(spent, 1e-9)))
    return calls
