"""What claims to be linear is: operations are counted along chains of growing length, and must grow by
the same number with every body.

Source of truth: arithmetic. Nothing is timed.
"""

import gc
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import randoms
import whippletree as wt
from counting import counting
from whippletree import dynamics
from whippletree.dynamics.handles import Assembly

LINEAR = {
    "rnea": ("q", "qd", "qdd", "f_ext"),
    "rnea_base": ("q", "qd", "qdd", "f_ext"),
    "bias_force": ("q", "qd"),
    "gravity_force": ("q",),
    "coriolis_force": ("q", "qd"),
    "inertia_product": ("q", "x"),
    "aba": ("q", "qd", "tau", "f_ext"),
    "aba_variant_1": ("q", "qd", "tau", "f_ext"),
    "aba_variant_2": ("q", "qd", "tau", "f_ext"),
    "hybrid_aba": ("q", "qd", "tau", "qdd"),
    "floating_aba": ("q", "qd", "tau", "f_ext"),
    "floating_inverse_dynamics": ("q", "qd", "qdd_joints", "f_ext"),
}


def chain(n, joint, root="revolute"):
    """A chain of n equal bodies behind a first one."""
    rng = np.random.default_rng(1)
    m = wt.Mechanism("chain")
    made, placement, inertia = randoms.JOINTS[joint](rng), randoms.placement(rng), randoms.inertia(rng)
    m.add_body("root", randoms.JOINTS[root](rng), inertia=inertia)
    for i in range(n):
        parent = m.bodies[-1].name
        m.add_body(f"b{i}", made, parent=parent, placement=placement, inertia=inertia, armature=0.1)
    return m


def operations(name, m, **others):
    rng, tally = np.random.default_rng(2), Counter()
    vectors = {
        # Equal joints at equal positions: series for small angles cost other than large ones.
        "q": np.concatenate([body.joint.random(np.random.default_rng(3)) for body in m.bodies]),
        "f_ext": rng.normal(size=(len(m), 6)),
        "qdd_joints": rng.normal(size=max(m.nv - 6, 0)),
        **{k: rng.normal(size=m.nv) for k in ("qd", "qdd", "tau", "x")},
    }
    getattr(dynamics, name)(
        m, *(counting(vectors[k], tally) for k in LINEAR.get(name, ("q", "qd", "tau"))), **others
    )
    return tally


def difference(a, b):
    return {k: a[k] - b[k] for k in a | b}


@pytest.mark.parametrize("joint", randoms.JOINTS)
@pytest.mark.parametrize("name", LINEAR)
def test_operations_grow_linearly_along_a_chain(name, joint):
    root = "free" if name.startswith("floating") else "revolute"
    others = {"prescribed": ["root", "b0"]} if name == "hybrid_aba" else {}
    counts = [operations(name, chain(n, joint, root), **others) for n in (3, 4, 5, 6)]
    steps = [difference(b, a) for a, b in pairwise(counts)]
    assert sum(counts[-1].values()) > sum(counts[0].values())
    assert steps[1] == steps[0]
    assert steps[2] == steps[0]


def test_the_inertia_matrix_is_not_linear():
    counts = [operations("forward_dynamics_crba", chain(n, "revolute")) for n in (2, 3, 4)]
    assert difference(counts[2], counts[1]) != difference(counts[1], counts[0])


def test_divide_and_conquer_costs_linearly_along_a_chain():
    # 2^k bodies, ground included, are halved into equal pieces down to single ones. Inner pieces cost
    # the same at every level, pieces at either end of the chain less: a 2^k + b k + c in all.
    counts = [
        sum(operations("divide_and_conquer", chain(2**k - 2, "revolute")).values()) for k in range(3, 8)
    ]
    ends = [b - 2 * a for a, b in pairwise(counts)]
    steps = [b - a for a, b in pairwise(ends)]
    assert steps[2] == steps[1] == steps[0]


@pytest.mark.parametrize("n", [15, 63, 255, 1000])
def test_divide_and_conquer_needs_few_steps_one_after_the_other(n, monkeypatch):
    """With a processor for each piece, a chain takes two assemblies for each halving."""
    module = sys.modules["whippletree.dynamics.divide_and_conquer"]
    longest = {}
    assemble = module.assemble

    def watched(predecessor, successor, link, keep):
        whole = assemble(predecessor, successor, link, keep)
        longest[id(whole)] = whole, 1 + max(depth(predecessor), depth(successor))
        return whole

    def depth(part):
        return longest[id(part)][1] if isinstance(part, Assembly) else 0

    monkeypatch.setattr(module, "assemble", watched)
    m = chain(n - 1, "revolute")
    rng = np.random.default_rng(0)
    module.divide_and_conquer(m, m.random(rng), rng.normal(size=n), rng.normal(size=n))
    assert len(longest) == n
    assert max(steps for _, steps in longest.values()) <= 2 * np.log2(n + 1)


def test_building_is_linear_in_the_bodies():
    """Lines of Python executed while a chain is built, frames and gears included."""

    def lines(n):
        executed = 0

        def tracer(frame, event, _):
            nonlocal executed
            executed += event == "line"
            return tracer

        rng = np.random.default_rng(0)
        joint, placement, inertia = wt.Revolute("z"), randoms.placement(rng), randoms.inertia(rng)
        before = sys.gettrace()
        gc.disable()  # or lines of what it ends, of other tests, count as well
        sys.settrace(tracer)
        try:
            m = wt.Mechanism("chain")
            for i in range(n):
                m.add_body(f"b{i}", joint, f"b{i - 1}" if i else "ground", placement, inertia)
                m.add_frame(f"f{i}", f"b{i}", placement)
        finally:
            sys.settrace(before)
            gc.enable()
        return executed

    counts = [lines(n) for n in (20, 40, 60, 80)]
    assert counts[1] - counts[0] == counts[2] - counts[1] == counts[3] - counts[2] > 0
