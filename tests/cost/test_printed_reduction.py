"""What recursive coordinate reduction costs as Critchley & Anderson print it (§6); counts are exact.

Source of truth: O(n + m) for RCR and GCL, n_I³ beside that for ACS.
"""

import numpy as np
import pytest

import whippletree as wt
from rings import ring
from whippletree.api.compiling import record
from whippletree.examples.linkages import four_bars

reduction = wt.formulations.reduction


def operations(function, m, dependents):
    return sum(record(function, m, dependents=dependents).cost.values())


@pytest.mark.parametrize("function", [reduction.rcr, reduction.gcl, reduction.reduced_reactions])
def test_a_ring_costs_the_same_for_each_joint_more(function):
    rings = [ring(joints) for joints in (9, 11, 13)]
    counts = [operations(function, m, reduction.rcr_dependents(m, q)) for m, q in rings]
    first, second = np.diff(counts)
    assert first == second


def planar(joints):
    """A ring that ends with planar joints; the last three of them depend, and three of the others."""
    m, q = ring(6, joints)
    names = m.joint_names
    return m, reduction.named_dependents(m, q, [*names[3:6], *names[-2:], "closure"])


def test_a_planar_part_costs_gcl_the_same_for_each_joint():
    first, second = np.diff([operations(reduction.gcl, *planar(joints)) for joints in (4, 6, 8)])
    assert first == second


def test_a_planar_part_costs_acs_its_cube():
    """Its independent coordinates all lie between dependent ones: n_I is as large as it can be (§6)."""
    counts = [operations(reduction.acs, *planar(joints)) for joints in (3, 4, 5, 6, 7)]
    first, second = np.diff(counts, 3)
    assert first == second > 0


@pytest.mark.parametrize("function", [reduction.rcr, reduction.gcl])
def test_loops_in_a_row_cost_the_same_each(function):
    counts = []
    for windows in (3, 4, 5):
        m = four_bars(windows)
        q = 1.1 * np.array([1.0 if i % 2 == 0 else -1.0 for i in range(2 * windows + 1)])
        counts.append(operations(function, m, reduction.rcr_dependents(m, q)))
    first, second = np.diff(counts)
    assert first == second
