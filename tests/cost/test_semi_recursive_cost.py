"""What the open equations of the semi-recursive methods cost, in operations of their kernels along chains.

Source of truth: differences of exact counts. By I every pair of joints below a body meets at that body, by II
only once, at the composite body that both carry.
"""

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.formulations import semi_recursive as sr


def chain(n):
    """n bodies in a row, of general geometry, with hinges about their own z axes."""
    return randoms.tree(np.random.default_rng(0), ["revolute-z"] * n, branching=0.0)


@pytest.mark.parametrize(
    ("equations", "degree", "difference"), [(sr.joint_equations_1, 3, 12), (sr.joint_equations_2, 2, 11)]
)
def test_the_order_of_growth(equations, degree, difference):
    counts = [sum(wt.compile(equations, chain(n)).cost.values()) for n in range(4, 9)]
    assert np.all(np.diff(counts, degree) == difference)
    assert counts[-1] > 4000


def test_the_whole_costs_more_than_by_body_coordinates():
    m = chain(6)
    costs = [
        sum(wt.compile(function, m).cost.values())
        for function in (wt.dynamics.forward_dynamics_crba, sr.semi_recursive_2, sr.semi_recursive_1)
    ]
    assert costs == sorted(costs)
    assert costs[1] > 1.5 * costs[0]
