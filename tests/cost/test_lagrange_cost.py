"""What Lagrange's equations cost along chains of growing length.

Source of truth: arithmetic. Operations of recorded programs are counted, nothing is timed.
"""

from itertools import pairwise

import numpy as np
from numpy.testing import assert_allclose

from whippletree.api.compiling import record
from whippletree.benchmark.counts import gu
from whippletree.formulations import lagrange


def operations(function, n):
    return sum(record(function, gu(n)).cost.values())


def test_recursion_in_link_frames_is_linear():
    counts = [operations(lagrange.local_inverse_dynamics, n) for n in range(4, 9)]
    steps = [b - a for a, b in pairwise(counts)]
    assert set(steps) == {steps[0]}


def test_forward_dynamics_by_link_jacobians_is_cubic():
    sizes = np.arange(3, 9)
    counts = np.array([operations(lagrange.lagrange, n) for n in sizes])
    cubic = np.polyfit(sizes, counts, 3)
    # A polynomial of third degree with every count on it, and not of second.
    assert_allclose(np.polyval(cubic, sizes), counts, rtol=1e-9)
    assert cubic[0] > 1.0
