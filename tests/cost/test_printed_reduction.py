"""What recursive coordinate reduction costs as Critchley & Anderson print it (§6); counts are exact.

Source of truth: O(n + m) for RCR and GCL, n_I³ beside that for ACS.
"""

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.compiling import record
from whippletree.examples.linkages import four_bars
from whippletree.examples.rings import ring

reduction = wt.formulations.reduction


def operations(function, m, dependents):
    return sum(record(function, m, dependents=dependents).cost.values())


@pytest.mark.parametrize("function", [reduction.rcr, reduction.gcl, reduction.reduced_reactions])
def test_a_ring_costs_the_same_for_each_joint_more(function):
    rings = [ring(hinges) for hinges in (9, 11, 13)]
    counts = [operations(function, m, reduction.rcr_dependents(m, m.neutral())) for m in rings]
    first, second = np.diff(counts)
    assert first == second


def planar(joints):
    """A ring that begins and ends with planar joints; the last three depend, and three of those between."""
    m = ring(4, joints)
    names = [*m.joint_names[joints + 1 : joints + 4], *m.joint_names[-2:], "closure"]
    return m, reduction.named_dependents(m, m.neutral(), names)


def test_a_planar_part_costs_gcl_the_same_for_each_joint():
    first, second = np.diff([operations(reduction.gcl, *planar(joints)) for joints in (4, 6, 8)])
    assert first == second


def polygon(hinges):
    """Parallel hinges in a ring; the first one depends, the last one and that which closes it."""
    m = wt.Mechanism("polygon")
    for i in range(hinges):
        place = wt.Placement((0.4 + 0.1 * np.sin(i), 0.1, 0.0), rpy=(0.0, 0.0, 0.5 + 0.2 * np.sin(2.4 * i)))
        inertia = wt.Inertia(1.0, (0.1, 0.2, 0.0), (0.3, 0.4, 0.5))
        m.add_body(f"h{i}", wt.Revolute("z"), f"h{i - 1}" if i else "ground", place, inertia)
    end = wt.forward_kinematics(m, m.neutral())[-1][:3, 3]
    m.add_loop("closure", wt.Revolute("z"), "ground", f"h{hinges - 1}", wt.Placement(end))
    return m, ["h0", f"h{hinges - 2}", "closure"]


def test_independent_coordinates_between_dependent_ones_cost_acs_their_cube():
    """n_I is as large as it can be (§6)."""
    counts = [operations(reduction.acs, *polygon(hinges)) for hinges in (6, 7, 8, 9, 10)]
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
