"""Whether a run whose steps are chosen will get to its end."""

MOST = 1e9
"""Steps or states of a simulation: a day's work of the fastest."""

MANY = 20_000
"""Steps by which it is judged how many there will be: those of a stiff start or next to a pole are short."""


class Pace:
    """How a run gets on.

    Args:
        duration: Of the run, s.

    Attributes:
        fault: Why it will not get to its end, in words; empty as long as it may.

    >>> pace = Pace(1.0)
    >>> pace.take(1e-12, 30000, 3e-8)
    >>> pace.fault.partition(":")[0]
    "30000 steps were no longer than 1e-12 s, and 1e+12 such are left, where 1e+09 are a day's work"
    """

    def __init__(self, duration: float) -> None:
        self._duration, self._longest, self._count, self.fault = duration, 0.0, 0, ""

    def take(self, longest: float, count: int, t: float) -> None:
        """Steps were taken, up to a time t, s, none longer than the longest, s."""
        self._longest, self._count = max(self._longest, longest), self._count + count
        if self._count < MANY:
            return
        left = (self._duration - t) / self._longest
        if left > MOST:
            self.fault = (
                f"{self._count} steps were no longer than {self._longest:.2g} s, and {left:.1g} such are "
                f"left, where {MOST:.1g} are a day's work: shorten or slow the run"
            )
        self._longest, self._count = 0.0, 0
