"""How fast anything changes at most, without eigenvalues."""

import numpy as np

from ..spatial import Array

SQUARINGS = 3
"""The bound is that of A to the power of 8."""


def spectral_bound(A: Array) -> float:
    """No eigenvalue of A (n, n) is larger in size: ‖A^k‖^(1/k), which tends to it as k grows (Gelfand).

    Infinite if A is not finite.

    >>> float(round(spectral_bound(np.array([[0.0, 1.0], [-100.0, 0.0]])), 2))
    10.44
    """
    power, logarithm = A, 0.0
    for k in range(SQUARINGS + 1):
        size = float(np.sqrt(np.vdot(power, power)))
        if not 0.0 < size < np.inf:
            return 0.0 if size == 0.0 else np.inf
        logarithm += np.log(size) / 2**k
        if k < SQUARINGS:
            power = power / size
            power = power @ power
    return float(np.exp(logarithm))
