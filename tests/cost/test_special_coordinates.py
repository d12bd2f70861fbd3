"""Forward dynamics by special coordinates costs the same for every body of a chain, rates included.

Source of truth: arithmetic. Nothing is timed.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import randoms
import whippletree as wt
from counting import counting


def operations(n, joint):
    """All operations on a chain of n equal bodies, counted one by one."""
    rng, tally = np.random.default_rng(1), Counter()
    m = wt.Mechanism("chain")
    made, placement, inertia = randoms.JOINTS[joint](rng), randoms.placement(rng), randoms.inertia(rng)
    for i in range(n):
        parent = f"b{i - 1}" if i else "ground"
        m.add_body(f"b{i}", made, parent, placement, inertia, armature=0.1)
    q = np.tile(made.random(np.random.default_rng(3)), n)
    vectors = (q, *rng.normal(size=(2, m.nv)))
    wt.formulations.special_coordinates.special_coordinates_dynamics(
        m, *(counting(v, tally) for v in vectors)
    )
    return sum(tally.values())


def test_it_is_dearer_than_articulated_bodies_as_its_page_says():
    m = wt.examples.load("seven-axis-arm")
    by = wt.formulations.special_coordinates.special_coordinates_dynamics
    special, articulated = (sum(wt.compile(f, m).cost.values()) for f in (by, wt.aba))
    assert round(special / articulated) == 5


@pytest.mark.parametrize("joint", ["revolute", "universal", "free"])
def test_every_body_costs_the_same(joint):
    steps = [b - a for a, b in pairwise(operations(n, joint) for n in (2, 3, 4, 5))]
    assert steps[0] > 1000
    assert steps[2] == steps[1] == steps[0]
