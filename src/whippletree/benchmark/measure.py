"""Fair timing: everything that is compared is run in turn, and the best of several rounds counts."""

from collections.abc import Callable, Mapping
from time import perf_counter


def best_times(
    functions: Mapping[str, Callable[[], object]],
    rounds: int = 7,
    at_least: float = 0.02,
    progress: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Seconds per call of each function, the best of several rounds in which all take turns.

    A round calls each function as often as fills `at_least` seconds, so that the clock and the loop do
    not count; taking turns spreads whatever else the machine does over all of them.

    Args:
        functions: By name; called without arguments.
        rounds: How many rounds.
        at_least: Seconds for each function in each round.
        progress: Called after every measurement, rounds · len(functions) times.
    """
    calls = {name: _calls_that_fill(function, at_least) for name, function in functions.items()}
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            best[name] = min(best[name], _seconds(function, calls[name]) / calls[name])
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
