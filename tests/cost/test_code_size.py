"""Machine code of a long chain does not grow with it: equal steps are one subroutine.

Source of truth: counting. Bodies, placements and axes differ all along the chain, so that nothing is alike
but the steps themselves.
"""

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.api.compiling import record
from whippletree.kernels.emit.fuse import fuse
from whippletree.kernels.emit.outline import outline
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
