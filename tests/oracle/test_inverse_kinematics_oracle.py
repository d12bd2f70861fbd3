"""Inverse kinematics against closed forms: the two solutions of two links, and how far targets beyond are."""

import numpy as np
import pytest

import whippletree as wt

FIRST, SECOND = 0.8, 0.5
"""m: lengths of the links."""


FREE = wt.Limits()


def two_links(limits: wt.Limits = FREE) -> wt.Mechanism:
    m = wt.Mechanism("two links")
    m.add_body("upper", wt.Revolute("y"), inertia=wt.Inertia(1.3, (0.4, 0, 0)))
    at = wt.Placement((FIRST, 0, 0))
    m.add_body("lower", wt.Revolute("y"), "upper", at, wt.Inertia(0.7, (0.2, 0, 0)), limits=limits)
    m.add_frame("tip", "lower", wt.Placement((SECOND, 0, 0)))
    return m


def test_two_links_have_the_two_solutions_of_the_cosine_theorem() -> None:
    m, rng = two_links(), np.random.default_rng(3)
    radius, angle = rng.uniform(0.35, 1.25, 40), rng.uniform(-3.1, 3.1, 40)
    points = np.stack([radius * np.cos(angle), np.zeros(40), radius * np.sin(angle)], axis=1)
    found = wt.inverse_kinematics(m, {"tip": points}, rng.uniform(-2.0, 2.0, (40, 2)))
    assert found.solved.all()
    elbow = np.arccos((radius**2 - FIRST**2 - SECOND**2) / (2.0 * FIRST * SECOND))
    assert np.abs(np.cos(found.q[:, 1]) - np.cos(elbow)).max() < 1e-6
    assert (found.q[:, 1] > 0.0).any()
    assert (found.q[:, 1] < 0.0).any()
    # A turn about y leads from x to -z.
    way = np.arctan2(SECOND * np.sin(found.q[:, 1]), FIRST + SECOND * np.cos(found.q[:, 1]))
    assert np.abs(np.exp(1j * (found.q[:, 0] + way)) - np.exp(-1j * angle)).max() < 1e-6


@pytest.mark.parametrize(("radius", "missing"), [(1.9, 0.6), (0.1, 0.2)])
def test_what_is_out_of_reach_is_missed_by_its_distance(radius: float, missing: float) -> None:
    found = wt.inverse_kinematics(two_links(), {"tip": [0.0, 0.0, radius]}, [0.3, 0.9])
    assert not found.solved
    assert abs(found.distance["tip"] - missing) < 1e-9
    assert found.hindrance == "reach"
    assert str(found) == (
        f"not reached after 32 starts: tip {missing:.3g} m from its target, which is as near as it gets "
        "around there"
    )


def test_limits_that_stand_in_the_way_are_named() -> None:
    m = two_links(wt.Limits(-0.4, 0.6))
    nearest = np.hypot(FIRST + SECOND * np.cos(0.6), SECOND * np.sin(0.6))
    found = wt.inverse_kinematics(m, {"tip": [0.0, 0.0, 0.9]}, [0.3, 0.1])
    assert abs(found.distance["tip"] - (nearest - 0.9)) < 1e-9
    assert found.q[1] == 0.6
    assert found.hindrance == "limits"
    assert found.at_limit["lower"]
    assert str(found).endswith("held back by the limits of 'lower'")
