"""Several threads on one batch. Machine code runs outside the interpreter's lock, so plain threads do.

A batch may take less than a millisecond, so that waking a thread and waiting for it counts: threads are kept
for the next batch.

Ctrl-C raises KeyboardInterrupt in the main thread between any two of its instructions, also while others
compute. Nothing here is counted or handed over that could be lost there: a thread announces by itself that it
takes part in a job, and until it has left, the job keeps its work and so the arrays it computes with.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

from ...errors import InputError

# Many, so that a thread that started late or was interrupted does not keep all others waiting.
_PIECES_PER_THREAD = 16

_THREADS_PER_CORE = 8  # more gain nothing; far more take all memory and processes there are


class _Job:
    """Work that several threads do at once, until it is closed.

    Attributes:
        helpers: How many threads besides the caller's may take part.
        errors: What they raised.
    """

    def __init__(self, work: Callable[[], object], helpers: int) -> None:
        self.helpers = helpers
        self.errors: list[BaseException] = []
        self._work = work
        self._open = True
        self._inside: list[threading.Lock] = []  # one of each thread that takes part, held until it leaves

    def join(self) -> None:
        """Take part, if it is not closed yet. Called by a helper, where no interrupt arrives."""
        inside = threading.Lock()
        with inside:
            self._inside.append(inside)  # first this, then the look: whoever closes waits for us or is seen
            if self._open:
                try:
                    self._work()
                except BaseException as error:  # for the thread that gave the job
                    self.errors.append(error)

    def close(self) -> None:
        """Let no one else in, and wait for all who are. It may be interrupted and called again."""
        self._open = False
        for inside in self._inside:
            with inside:
                pass
        self._work = _nothing  # no arrays are kept by a helper that is late


def _nothing() -> None:
    pass


class _Crew:
    """The threads of this process that help, and what they help with."""

    def __init__(self) -> None:
        self.jobs: set[_Job] = set()
        self._threads: list[threading.Thread] = []
        self._calls: SimpleQueue[_Job] = SimpleQueue()
        self._growing = threading.Lock()

    def call(self, job: _Job) -> None:
        """Ask for the helpers of a job. There may be fewer: not every system starts as many threads."""
        self.jobs.add(job)
        with self._growing:
            while len(self._threads) < sum(job.helpers for job in list(self.jobs)) and self._grow():
                pass
        for _ in range(min(job.helpers, len(self._threads))):
            self._calls.put(job)

    def _grow(self) -> bool:
        """Start one more thread; whether that went well."""
        thread = threading.Thread(target=self._serve, name="whippletree", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads, or the interpreter is about to end
            return False
        finally:
            if thread.ident is not None:  # also where an interrupt arrived
                self._threads.append(thread)
        return True

    def _serve(self) -> None:
        while True:
            self._calls.get().join()  # no name for it, which would keep its arrays until the next one


_crew = _Crew()


def _renew() -> None:
    global _crew
    _crew = _Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)  # threads do not survive a fork


def checked(threads: Any) -> int:
    """A number of threads as users give it, if it makes sense on this machine; or InputError.

    >>> checked(2)
    2
    """
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise InputError(f"threads is {threads!r}, expected a whole number, 1 or more")
    if threads > 1 and threads > most():  # to count the cores takes longer than a small batch
        raise InputError(
            f"threads is {threads}, expected at most {most()}, "
            f"{_THREADS_PER_CORE} for each core of this machine"
        )
    return int(threads)


def most() -> int:
    """The largest number of threads that is accepted."""
    return _THREADS_PER_CORE * (os.cpu_count() or 1)


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

    Whatever happens, all of them have ended when this returns or raises. Threads that have not begun when
    this one has done its share are not waited for: nothing is left to do then.

    Args:
        work: Must release the interpreter's lock to gain anything. It ends when nothing is left to do, and
            holds whatever it computes with: a job that is interrupted is kept until its threads have ended.
        threads: How many at most.
    """
    if threads <= 1:
        work()
        return
    job = _Job(work, threads - 1)
    try:
        try:
            _crew.call(job)
            work()
        finally:
            _close(job)
    except BaseException:
        _close(job)  # again, for an interrupt on the way to the first
        raise
    if job.errors:
        raise job.errors[0]


def _close(job: _Job) -> None:
    """Wait until a job has ended, through interrupts; the last of them is raised afterwards."""
    interrupt = None
    while True:
        try:
            job.close()
            _crew.jobs.discard(job)
            break
        except BaseException as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
