"""Kernels made and used, in a module of its own so that other processes can import it."""

from typing import Any

import numpy as np

from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.trace.recording import trace

X = np.arange(-11.0, 12.0) / 8.0  # no rounding anywhere


def use(factor: float = 3.0) -> None:
    """Make a kernel and use all of its code."""
    k = Kernel(trace(lambda x: factor * x + 1.0, {"x": ()}))
    np.testing.assert_array_equal(k(X), factor * X + 1.0)
    assert k(2.0) == factor * 2.0 + 1.0


def many_at_once(start: Any, seed: int) -> None:
    """Wait for the start, then use several kernels in an order of one's own."""
    start.wait()
    for factor in np.random.default_rng(seed).permutation(6):
        use(float(factor) + 2.5)
