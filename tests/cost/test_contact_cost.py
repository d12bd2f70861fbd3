"""Operations of gaps: a free body with one shape on the ground. Exact, so that a rise is seen."""

import pytest

import touching
import whippletree as wt

COUNTS = {
    ("sphere", "plane"): 1,
    ("capsule", "plane"): 16,
    ("cylinder", "plane"): 63,
    ("box", "plane"): 36,
    ("ellipsoid", "plane"): 39,
    ("mesh", "plane"): 43,
    ("sphere", "sphere"): 7,
    ("sphere", "capsule"): 8,
    ("sphere", "box"): 13,
    ("capsule", "capsule"): 61,
}
"""Multiplications, additions, divisions and roots."""


@pytest.mark.parametrize(("kind_a", "kind_b"), COUNTS)
def test_gaps_cost_so_many_operations(kind_a: str, kind_b: str) -> None:
    m = wt.Mechanism("body")
    m.add_body("body", wt.Free(), inertia=wt.Inertia.box((1, 1, 1), mass=1.0))
    m.add_shape("shape", touching.SHAPES[kind_a], "body")
    m.add_shape("ground shape", touching.SHAPES[kind_b])
    m.add_contact("touch", "shape", "ground shape")
    cost = wt.compile(wt.contact.gaps, m).cost
    assert sum(cost[kind] for kind in ("mul", "add", "div", "sqrt")) == COUNTS[kind_a, kind_b]
