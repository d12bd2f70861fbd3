"""Several threads on one batch. Machine code runs outside the interpreter's lock, so plain threads do."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_PIECES_PER_THREAD = (
    4  # so that a thread that started late or was interrupted does not keep all others waiting
)

_lock = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # threads do not survive a fork


def run(work: Callable[[int, int], object], count: int, grain: int, threads: int) -> None:
    """Call `work(first, last)` on pieces that cover 0 … count, on up to `threads` threads.

    Args:
        work: Computes the states first … last - 1; must release the lock to gain anything.
        count: Number of states.
        grain: Pieces are multiples of this, save the last.
        threads: This thread is one of them.
    """
    blocks = -(-count // grain)
    threads = min(threads, blocks)
    if threads <= 1:
        work(0, count)
        return
    size = -(-blocks // (threads * _PIECES_PER_THREAD)) * grain
    starts = itertools.count(0, size)  # `next` on it is atomic

    def take() -> None:
        while (first := next(starts)) < count:
            work(first, min(first + size, count))

    futures = [_pool(threads - 1).submit(take) for _ in range(threads - 1)]
    take()
    for future in futures:
        future.result()


def _pool(workers: int) -> ThreadPoolExecutor:
    """The threads kept for this number of workers."""
    with _lock:
        if workers not in _pools:
            _pools[workers] = ThreadPoolExecutor(workers, thread_name_prefix="whippletree")
        return _pools[workers]
