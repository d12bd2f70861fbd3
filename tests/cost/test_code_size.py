"""Machine code of a long chain does not grow with it: equal steps are one subroutine.

Source of truth: counting. Bodies, placements and axes differ all along the chain, so that nothing is alike
but the steps themselves.
"""

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.api.compiling import record
from whippletree.kernels.emit.equal_parts import equal_parts
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.emit.outline import outline
from whippletree.kernels.emit.pack_gain import saved
from whippletree.kernels.emit.schedule import schedule


def chain(n):
    rng = np.random.default_rng(n)
    m = wt.Mechanism("chain")
    for i in range(n):
        joint = randoms.JOINTS["revolute"](rng)
        parent = m.bodies[-1].name if i else "ground"
        m.add_body(
            f"b{i}", joint, parent=parent, placement=randoms.placement(rng), inertia=randoms.inertia(rng)
        )
    return m


@pytest.mark.parametrize("n", [200, 500])
def test_subroutines_of_a_chain(n):
    found = outline(schedule(fuse(record(wt.aba, chain(n)))))
    assert len(found.calls) > n
    assert len(found.steps) < 50
    assert sum(len(step.instructions) for step in found.steps) < 15_000


def share_saved(name, function):
    program = schedule(fuse(record(function, wt.examples.load(name))))
    packs = equal_parts(program, program.instructions, 8)
    return saved(program, program.instructions, packs) / program.n_instructions


@pytest.mark.parametrize(
    ("name", "function", "least"),
    [("quadruped", wt.aba, 0.25), ("quadruped", wt.rnea, 0.3), ("humanoid", wt.aba, 0.2)],
)
def test_equal_limbs_are_computed_once_for_all(name, function, least):
    assert share_saved(name, function) > least


def test_an_arm_has_no_equal_limbs():
    assert share_saved("seven-axis-arm", wt.aba) == 0
