"""A x = b by the pseudo-inverse, for conversions that have too many equations or too few."""

import numpy as np

from ...errors import InputError
from ...spatial import Array

TOLERANCE = 1e-9
"""Singular values below this share of the largest one count as zero."""


def pseudo_solve(A: Array, b: Array) -> tuple[Array, int]:
    """A⁺ b, of all that come closest to A x = b the least, and the rank of A.

    >>> pseudo_solve(np.array([[2.0, 0.0], [2.0, 0.0]]), np.array([1.0, 3.0]))
    (array([1., 0.]), 1)
    """
    if "c" in (A.dtype.kind, b.dtype.kind):
        raise InputError("a rank is found from real numbers: a complex step cannot pass a pseudo-inverse")
    x, _, rank, _ = np.linalg.lstsq(A, b, rcond=TOLERANCE)
    return x, int(rank)
