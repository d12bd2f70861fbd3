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


def left(name, function):
    """Instructions of one state, those that are computed for several limbs at once counted as one."""
    program = schedule(fuse(record(function, wt.examples.load(name))))
    packs = equal_parts(program, program.instructions, 8)
    return program.n_instructions - saved(program, program.instructions, packs)


@pytest.mark.parametrize(
    ("name", "function", "most"),
    [("quadruped", wt.aba, 1224), ("quadruped", wt.rnea, 348), ("humanoid", wt.aba, 2363)],
)
def test_equal_limbs_are_computed_once_for_all(name, function, most):
    """Without, they are 1,625, 709 and 3,097. Fewer is welcome."""
    assert left(name, function) <= most


def test_an_arm_has_no_equal_limbs():
    arm = wt.examples.load("seven-axis-arm")
    assert left("seven-axis-arm", wt.aba) == schedule(fuse(record(wt.aba, arm))).n_instructions
