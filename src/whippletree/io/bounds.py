"""What a file may hold at most: bytes, depth, numbers; the same for every reader, far above what is real."""

import math

LARGEST_TEXT = 64 * 2**20
"""Bytes of a description of a mechanism: some 500,000 frames; ten times as much memory is needed."""

LARGEST_RECORD = 4 * 2**30
"""Bytes of a trajectory's file."""

EXPANSION, FREE = 100, 64 * 2**20
"""A packed file may unpack to so many times its size, or to so many bytes if that is more."""

DEEPEST = 32
"""Tables in tables, parts of a dotted key."""

LARGEST_NUMBER = 1e100
"""Above this, products of numbers of a file need not be finite."""


def unpacked(size: int) -> int:
    """How many bytes a packed file of so many bytes may unpack to."""
    return max(FREE, EXPANSION * size)


def number_fault(value: float, infinite: bool = False) -> str | None:
    """What is wrong with a number of a file, or None; where infinite ones have a meaning, any size has.

    >>> number_fault(float("inf")), number_fault(float("inf"), infinite=True)
    ('is not finite', None)
    """
    if -LARGEST_NUMBER <= value <= LARGEST_NUMBER:  # nearly always
        return None
    if math.isnan(value) or (math.isinf(value) and not infinite):
        return "is not finite"
    return None if infinite else "is too large"
