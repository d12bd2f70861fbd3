"""Constraints that depend on each other but for the last digits of lengths and angles."""

import numpy as np

from ...errors import InputError
from ...spatial import Array
from .rank import eliminate

REMEDY = "overconstrained: replace a revolute by a spherical or cylindrical joint, or give tolerance={:.1g}"
"""What to do about it, with the least tolerance that does."""

SUSPECT = 1e-4
"""Constraints that depend on each other but for this share may be meant to do so exactly."""

AMPLE = 10.0
"""A tolerance is told so many times larger than what is found at one position: it changes with that."""


def checked_tolerance(tolerance: float) -> float:
    """A tolerance as a number; InputError for what is none."""
    if not isinstance(tolerance, int | float | np.floating) or not 0.0 < tolerance < 0.1:
        raise InputError(f"tolerance is {tolerance!r}, expected a share above 0 and below 0.1, as 1e-4")
    return float(tolerance)


def nearly_dependent(K: Array) -> float | None:
    """The least tolerance, if one below `SUSPECT` does, by which more can move than exactly; else None."""
    sizes = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
    largest = float(np.max(np.abs(K), initial=0.0))
    exact = eliminate(K, np.zeros(len(K)))
    if len(eliminate(K, np.zeros(len(K)), tolerance=SUSPECT).rows) == len(exact.rows):
        return None
    small = [float(size) for size in sizes[: len(exact.rows)] if size <= SUSPECT * largest]
    return min(AMPLE * max(small, default=SUSPECT * largest) / largest, SUSPECT)
