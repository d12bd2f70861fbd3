"""Several threads on one batch. Machine code runs outside the interpreter's lock, so plain threads do.

A batch may take less than a millisecond, so that waking a thread and waiting for it counts. Threads are kept
for the next batch, each behind a lock of its own: half the way of a general pool with its queue.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

# Many, so that a thread that started late or was interrupted does not keep all others waiting.
_PIECES_PER_THREAD = 16


class _Helper:
    """A thread that does one job after the other."""

    def __init__(self) -> None:
        self._begin, self._end = threading.Lock(), threading.Lock()
        self._begin.acquire()
        self._end.acquire()
        self._job: Callable[[], object] | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._serve, name="whippletree", daemon=True).start()

    def begin(self, job: Callable[[], object]) -> None:
        """Give it a job; `end` must follow."""
        self._job = job
        self._begin.release()

    def end(self) -> BaseException | None:
        """Wait until it is done; what it raised, if anything."""
        self._end.acquire()
        error, self._error = self._error, None
        return error

    def _serve(self) -> None:
        while True:
            self._begin.acquire()
            assert self._job is not None
            try:
                self._job()
            except BaseException as error:  # for the thread that gave the job
                self._error = error
            self._job = None  # nothing of it is kept until the next one
            self._end.release()


_idle: list[_Helper] = []  # appending and popping are atomic

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


def pieces(count: int, grain: int, threads: int) -> tuple[int, int]:
    """How to split a batch: the size of a piece, and how many threads there is work for.

    Args:
        count: Number of states.
        grain: Pieces are multiples of this, save the last.
        threads: How many there may be.
    """
    blocks = -(-count // grain)
    threads = min(threads, blocks)
    return count if threads <= 1 else -(-blocks // (threads * _PIECES_PER_THREAD)) * grain, threads


def run(work: Callable[[], object], threads: int) -> None:
    """Do the same work on so many threads at once, this one among them.

    Args:
        work: Must release the interpreter's lock to gain anything.
        threads: How many.
    """
    helpers = [_helper() for _ in range(threads - 1)]
    for helper in helpers:
        helper.begin(work)
    try:
        work()
    finally:
        errors = [error for helper in helpers if (error := helper.end()) is not None]
        _idle.extend(helpers)
    if errors:
        raise errors[0]


def _helper() -> _Helper:
    """A thread without work, a new one if need be."""
    try:
        return _idle.pop()
    except IndexError:
        return _Helper()
