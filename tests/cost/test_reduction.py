"""What recursive coordinate reduction costs: operation counts, which are exact."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.api.compiling import record
from whippletree.examples.linkages import four_bar_tree, four_bars


def cost(m, q):
    return record(wt.loops.grcr, m, reduction=wt.loops.choose_reduction(m, q)).cost


def row(windows):
    signs = np.array([1.0 if i % 2 == 0 else -1.0 for i in range(2 * windows + 1)])
    return cost(four_bars(windows), 1.1 * signs)


@pytest.fixture(scope="module")
def line():
    """What N four-bars cost, kind by kind, by the line through N = 2 and N = 3."""
    two, three = row(2), row(3)
    return lambda windows: {key: two[key] + (windows - 2) * (three[key] - two[key]) for key in two}


@pytest.mark.parametrize("windows", [*range(2, 61), 95, 100, 330, 400, 1000])
def test_four_bars_in_a_row_cost_the_same_each(windows, line):
    assert row(windows) == line(windows)


def test_a_four_bar_more_costs_no_more_than_it_did(line):
    three, four = line(3), line(4)
    assert {key: four[key] - three[key] for key in four if four[key] > three[key]} == {
        "mul": 72,
        "add": 53,
        "div": 2,
        "trig": 4,
    }


def ring(joints):
    """A closed chain of equal links with general axes, hung up at the ground; one long loop."""
    m = wt.Mechanism("ring")
    link = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    place = wt.Placement((0.3, 0.1, -0.2), rpy=(0.4, 0.9, -0.3))
    parent = "ground"
    for i in range(joints):
        m.add_body(f"b{i}", wt.Revolute("z"), parent, place, link)
        parent = f"b{i}"
    end = wt.forward_kinematics(m, 0.2 * np.ones(joints))[-1]
    at_end = wt.Placement(end[:3, 3], quaternion=wt.Placement(rotation=_rotation(end)).quaternion)
    m.add_loop("closure", wt.Revolute("z"), "ground", parent, at_end)
    return m, 0.2 * np.ones(joints)


def _rotation(pose):
    U, _, V = np.linalg.svd(pose[:3, :3])
    return U @ V


def test_a_long_loop_costs_a_constant_for_each_link():
    totals = [sum(cost(*ring(joints)).values()) for joints in (10, 13, 16, 19)]
    steps = np.diff(totals)
    assert np.ptp(steps) == 0


def bow(planar):
    """A spatial loop that ends in a long planar chain: its joints alone can never determine the loop."""
    m = wt.Mechanism("bow")
    link = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    general = wt.Placement((0.3, 0.1, -0.2), rpy=(0.4, 0.9, -0.3))
    flat = wt.Placement((0.4, 0.1, 0.0), rpy=(0.0, 0.0, 0.3))
    for i in range(6 + planar):
        m.add_body(
            f"b{i}", wt.Revolute("z"), f"b{i - 1}" if i else "ground", general if i < 7 else flat, link
        )
    q = 0.2 * np.ones(m.nv)
    end = wt.forward_kinematics(m, q)[-1]
    m.add_loop(
        "closure",
        wt.Revolute("z"),
        "ground",
        m.bodies[-1].name,
        wt.Placement(end[:3, 3], rotation=_rotation(end)),
    )
    return m, q


def test_a_long_planar_part_of_a_spatial_loop_costs_a_constant_for_each_link():
    totals = [sum(cost(*bow(planar)).values()) for planar in (6, 12, 18, 24, 30)]
    steps = np.diff(totals)
    assert np.ptp(steps) < 0.15 * steps[0]


@pytest.mark.parametrize("planar", [4, 9, 14])
def test_a_planar_part_of_a_spatial_loop_is_solved_right_away_from_where_it_was_chosen(planar):
    m, q = bow(planar)
    reduction = wt.loops.choose_reduction(m, q)
    rng = np.random.default_rng(planar)
    for _ in range(3):
        at = wt.assemble(m, q + 0.1 * rng.normal(size=m.nv))
        qd, tau = wt.project_velocity(m, at, rng.normal(size=m.nv)), rng.normal(size=m.nv)
        expected = wt.loops.kkt(m, at, qd, tau)
        found = wt.loops.grcr(m, at, qd, tau, reduction=reduction)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("levels", [2, 3])
def test_a_tree_of_four_bars_is_solved_right(levels):
    m = four_bar_tree(levels)
    q = m.neutral()
    rng = np.random.default_rng(levels)
    qd, tau = wt.project_velocity(m, q, rng.normal(size=m.nv)), rng.normal(size=m.nv)
    expected = wt.loops.kkt(m, q, qd, tau)
    np.testing.assert_allclose(wt.loops.grcr(m, q, qd, tau), expected, atol=1e-9 * np.abs(expected).max())


def test_a_tree_of_four_bars_costs_in_proportion_to_its_loops():
    totals = [sum(cost(m := four_bar_tree(levels), m.neutral()).values()) for levels in (3, 4, 5)]
    per_loop = [total / (2**levels - 1) for total, levels in zip(totals, (3, 4, 5), strict=True)]
    assert per_loop[2] < 1.1 * per_loop[1] < 1.3 * per_loop[0]
