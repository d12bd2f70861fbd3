"""Accelerations by what constraints leave free: also where they leave nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from whippletree.simulation.null_space import accelerated, nearest


@pytest.mark.parametrize("count", [1, 2, 3])
def test_accelerations_are_those_of_the_equations(count):
    rng = np.random.default_rng(count)
    root, f, b = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=count)
    M, B = root @ root.T + 0.3 * np.eye(3), rng.normal(size=(count, 3))
    both = np.block([[M, B.T], [B, np.zeros((count, count))]])
    expected = np.linalg.solve(both, np.concatenate([f, b]))[:3]
    assert_allclose(accelerated(M, f, B, b), expected, rtol=1e-11, atol=1e-12)


def test_the_nearest_velocity_is_none_where_nothing_is_free():
    rng = np.random.default_rng(4)
    B = rng.normal(size=(2, 2))
    assert_allclose(nearest(B, np.diag([1.5, 0.7]), rng.normal(size=2)), np.zeros(2))
