"""Which method of forward dynamics "auto" takes: the one with fewer operations.

Source of truth: operations counted in recorded programs.
"""

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.api.compiling import record
from whippletree.api.forward_methods import METHODS
from whippletree.benchmark.counts import gu
from whippletree.examples.linkages import four_bar_tree, four_bars
from whippletree.loops.equations.rank import independent_rows
from whippletree.loops.methods.estimate import operations


def in_a_row():
    return four_bars(8), 1.1 * np.array([1.0 if i % 2 == 0 else -1.0 for i in range(17)])


def bundled(name):
    m = wt.examples.load(name)
    return m, wt.assemble(m, m.neutral())


def tree():
    m = four_bar_tree(3)
    return m, m.neutral()


def grid(columns, rows):
    """Bars along all edges of a grid that stands on the ground, pinned together where they meet."""
    m = wt.Mechanism("grid", gravity=(0.0, -9.81, 0.0))
    corner = {(i, j): np.array([i + 0.1 * j, 1.0 * j]) for i in range(columns + 1) for j in range(rows + 1)}
    holder = {(i, 0): "ground" for i in range(columns + 1)}
    origin = {"ground": np.zeros(2)}
    bars = [((i, j), (i, j + 1)) for j in range(rows) for i in range(columns + 1)]
    bars += [((i, j), (i + 1, j)) for j in range(1, rows + 1) for i in range(columns)]
    for start, end in bars:
        d = corner[end] - corner[start]
        spin = np.diag([0.001 + d[1] ** 2 / 12, 0.001 + d[0] ** 2 / 12, d @ d / 12])
        rod = wt.Inertia(mass=1.0, com=(*(d / 2), 0.0), about_com=spin)
        name, parent = f"{start}-{end}", holder[start]
        at = corner[start] - origin[parent]
        m.add_body(name, wt.Revolute("z"), parent, wt.Placement((*at, 0.0)), rod)
        origin[name] = corner[start]
        other = holder.setdefault(end, name)
        if other != name:
            places = (wt.Placement((*(corner[end] - origin[body]), 0.0)) for body in (other, name))
            m.add_loop(f"at {end} to {name}", wt.Revolute("z"), other, name, *places)
    return m, m.neutral()


def held_chain(links, every, joint):
    """A chain of general links of which every few are held by a joint to the ground; loops share links."""
    m = wt.Mechanism("chain")
    link = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    place = wt.Placement((0.3, 0.1, -0.2), rpy=(0.4, 0.9, -0.3))
    for i in range(links):
        m.add_body(f"b{i}", wt.Revolute("z"), f"b{i - 1}" if i else "ground", place, link)
    q = 0.2 * np.ones(links)
    for i, pose in enumerate(wt.forward_kinematics(m, q)):
        if i % every == every - 1:
            U, _, V = np.linalg.svd(pose[:3, :3])
            m.add_loop(f"hold{i}", joint, "ground", f"b{i}", wt.Placement(pose[:3, 3], rotation=U @ V))
    return m, q


CASES = {
    "four-bars": in_a_row,
    "tree of four-bars": tree,
    "grid": lambda: grid(3, 3),
    "stewart-platform": lambda: bundled("stewart-platform"),
    "delta-robot": lambda: bundled("delta-robot"),
    "linkage-quadruped": lambda: bundled("linkage-quadruped"),
    "andrews-squeezer": lambda: bundled("andrews-squeezer"),
    "five-bar": lambda: bundled("five-bar"),
    "held at one point": lambda: held_chain(8, 8, wt.Spherical()),
    "held in many planes": lambda: held_chain(16, 4, wt.Planar()),
    "long loop": lambda: held_chain(20, 20, wt.Revolute("z")),
}


@pytest.mark.parametrize("case", CASES)
def test_auto_takes_what_costs_less(case):
    m, q = CASES[case]()
    rows = independent_rows(wt.constraint_jacobian(m, q))
    counted = {
        "grcr": sum(record(wt.loops.grcr, m, reduction=wt.loops.choose_reduction(m, q)).cost.values()),
        "lambda-first": sum(record(wt.loops.lambda_first, m, rows=rows).cost.values()),
    }
    chosen = wt.methods(m)[0]
    assert chosen == min(counted, key=lambda name: counted[name])
    assert wt.method_reason(m).startswith(f"{chosen}: ")
    estimated = operations(m)
    assert str(estimated.grcr) in wt.method_reason(m)
    assert str(estimated.lambda_first) in wt.method_reason(m)
    ratio = (estimated.grcr / estimated.lambda_first) / (counted["grcr"] / counted["lambda-first"])
    assert 2 / 3 < ratio < 3 / 2


def counted(m):
    """Operations of the two roads to the accelerations of a tree."""
    return {name: sum(record(METHODS[name].accelerations, m).cost.values()) for name in ("aba", "crba")}


@pytest.mark.parametrize("n", range(1, 15))
def test_of_a_chain_auto_takes_what_costs_less(n):
    m = gu(n)
    found = counted(m)
    assert found[wt.methods(m)[0]] == min(found.values())
    assert wt.method_reason(m).startswith(f"{wt.methods(m)[0]}: ")


@pytest.mark.parametrize("seed", range(8))
def test_of_a_branched_tree_auto_takes_what_costs_less(seed):
    rng = np.random.default_rng(seed)
    joints = rng.choice(["revolute", "prismatic", "helical", "universal"], int(rng.integers(3, 20)))
    m = randoms.tree(rng, list(joints), branching=0.3)
    found = counted(m)
    # Prices are those of joints that turn; where both take nearly as many, either will do.
    assert found[wt.methods(m)[0]] <= 1.05 * min(found.values())


@pytest.mark.parametrize(("name", "aba", "crba"), [("six-axis-arm", 804, 595), ("seven-axis-arm", 1080, 907)])
def test_arms_by_either_road(name, aba, crba):
    m = wt.examples.load(name)
    assert counted(m) == {"aba": aba, "crba": crba}
    assert wt.methods(m)[0] == "crba"


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_what_a_floating_base_carries_goes_by_articulated_bodies(name):
    m = wt.examples.load(name)
    assert wt.methods(m)[:2] == ["aba", "crba"]
    assert counted(m)["aba"] < counted(m)["crba"]


def test_joints_that_know_gimbal_lock_go_by_articulated_bodies():
    # Next to it H is all but singular, and its factors lose more digits than articulated bodies do.
    m = wt.examples.load("tutorial-tree")
    assert counted(m)["crba"] < counted(m)["aba"]
    assert wt.methods(m)[0] == "aba"
    assert "gimbal lock" in wt.method_reason(m)
    constant = wt.Mechanism("ball")
    constant.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5)))
    assert wt.methods(constant)[0] == "crba"


def test_few_constraints_on_many_joints_are_said_to_be_the_reason():
    m, q = CASES["held at one point"]()
    assert "few constraints tie many joints" in wt.method_reason(m)
    assert set(wt.methods(m)) >= {"grcr", "lambda-first", "kkt"}
    zero = np.zeros(m.nv)
    expected = wt.loops.grcr(m, q, zero, zero)
    found = wt.forward_dynamics(m, q, zero, zero)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_mechanisms_that_differ_by_a_loop_are_told_apart():
    m = four_bars(2)
    before = operations(m)
    fewer = m.with_parts(loops=m.loops[:-1])
    assert operations(fewer) != before
