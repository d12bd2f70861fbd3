"""How fast anything changes at most, without eigenvalues."""

from math import exp, inf, log, sqrt

import numpy as np

from ..spatial import Array

SQUARINGS = 3
"""The bound is that of A to the power of 8."""


def spectral_bound(A: Array, enough: float = 0.0) -> float:
    """No eigenvalue of A (n, n) is larger in size: ‖A^k‖^(1/k), which tends to it as k grows (Gelfand).

    Infinite if A is not finite. A bound that is not above `enough` is not made closer.

    >>> float(round(spectral_bound(np.array([[0.0, 1.0], [-100.0, 0.0]])), 2))
    10.44
    """
    power, logarithm = A, 0.0
    for k in range(SQUARINGS + 1):
        size = sqrt(np.vdot(power, power))
        if not 0.0 < size < inf:
            return 0.0 if size == 0.0 else inf
        logarithm += log(size) / 2**k
        if k == SQUARINGS or exp(logarithm) <= enough:
            break
        power = power / size
        power = power @ power
    return exp(logarithm)
