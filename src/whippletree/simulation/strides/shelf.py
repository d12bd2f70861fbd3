"""Scripts that nobody uses at the moment, kept for the next run of the same kind."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

ROOM = 16
"""Scripts that are kept; each has memory of its own, up to some megabytes."""


class Shelf:
    """A script belongs to the run that has taken it: its memory is that of one motion.

    >>> shelf = Shelf()
    >>> numbers = shelf.take("numbers", lambda: [1, 2])
    >>> shelf.take("numbers", lambda: [1, 2]) is numbers
    False
    >>> shelf.put("numbers", numbers)
    >>> shelf.take("numbers", lambda: [1, 2]) is numbers
    True
    """

    def __init__(self) -> None:
        self._idle: list[tuple[Hashable, Any]] = []
        self._lock = Lock()

    def take(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was put back last under a key, for the caller alone; made if there is none."""
        with self._lock:
            for k in reversed(range(len(self._idle))):
                if self._idle[k][0] == key:
                    return self._idle.pop(k)[1]
        return make()

    def put(self, key: Hashable, thing: Any) -> None:
        """Keep something for the next who asks; what was not asked for the longest time goes."""
        with self._lock:
            self._idle = [*self._idle[1 - ROOM :], (key, thing)]


SHELF = Shelf()
