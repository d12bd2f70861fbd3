"""Where to cut a long list of instructions, so that equal stretches are cut alike wherever they occur.

A cut stands where a hash of the next few instructions is the least far and wide. Whether it is depends on
what stands around it alone, so a stretch that occurs again is cut at the same places again, and in a list
that repeats itself the cuts repeat themselves, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_RADIUS = 300  # how far around a cut its hash is the least
_SHORTEST, _LONGEST = 100, 3000  # lengths of segments
_WINDOW = 48  # instructions that are hashed
_NEAR = 64  # operands further back than this do not tell one stretch from another
_MOST = np.iinfo(np.uint64).max


def cuts(ops: Ints, distances: Ints) -> list[int]:
    """Where segments begin, the first one aside.

    Args:
        ops: (n,) code of every operation.
        distances: (n, 3) how many instructions back its operands were computed; 0 if they were not.

    >>> ops = np.tile(np.random.default_rng(1).integers(0, 9, 400), 20)
    >>> found = cuts(ops, np.zeros((8000, 3), dtype=np.int64))
    >>> set(np.diff(found).tolist()) <= {400}
    True
    """
    hashes = _hashes(ops, distances)
    found: list[int] = []
    last = 0
    for cut in [*np.flatnonzero((hashes == _least_around(hashes)) & (hashes < _MOST)).tolist(), len(ops)]:
        while cut - last > _LONGEST:
            last += _LONGEST
            found.append(last)
        if cut - last >= _SHORTEST and cut < len(ops):
            found.append(cut)
            last = cut
    return found


def _hashes(ops: Ints, distances: Ints) -> Words:
    """A hash of the window that begins at every place; the largest number where there is no whole window."""
    count = len(ops)
    hashes = np.full(count, _MOST)
    if count <= _WINDOW:
        return hashes
    rng = np.random.default_rng(0)  # any numbers will do, if they are always the same
    letters = rng.integers(0, 2**64, int(ops.max()) + 1, np.uint64)[ops]
    for k in range(3):
        near = np.where(distances[:, k] < _NEAR, distances[:, k], 0)
        letters = letters * np.uint64(0x9E3779B97F4A7C15) ^ rng.integers(0, 2**64, _NEAR, np.uint64)[near]
    # A polynomial over the window, by differences of running sums; all arithmetic is modulo 2^64.
    base = 0xD1342543DE82EF95
    powers = np.cumprod(np.full(count, base, np.uint64))
    inverse = np.cumprod(np.full(count, pow(base, -1, 2**64), np.uint64))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(letters * powers)])
    inner = (sums[_WINDOW:-1] - sums[: -_WINDOW - 1]) * inverse[:-_WINDOW]
    hashes[:-_WINDOW] = (inner ^ (inner >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return hashes


def _least_around(values: Words) -> Words:
    """The least value within `_RADIUS` of every place.

    In blocks as long as the surroundings, it is the lesser of two: the least of the first block from where
    the surroundings begin, and the least of the second up to where they end.
    """
    width = 2 * _RADIUS + 1
    blocks = -(-(len(values) + 2 * _RADIUS) // width)
    padded = np.full(blocks * width, _MOST)
    padded[_RADIUS : _RADIUS + len(values)] = values
    table = padded.reshape(blocks, width)
    up_to = np.minimum.accumulate(table, axis=1).ravel()
    onward = np.minimum.accumulate(table[:, ::-1], axis=1)[:, ::-1].ravel()
    return np.minimum(onward[: len(values)], up_to[width - 1 : width - 1 + len(values)])
