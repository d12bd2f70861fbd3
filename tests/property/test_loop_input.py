"""Loops that cannot be are refused with words that name them."""

import pytest

import whippletree as wt


@pytest.fixture
def m():
    return wt.examples.load("double-pendulum")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pin", wt.Revolute("y"), "lower", "lower"), "'pin' of 'double-pendulum' joins 'lower' with itself"),
        (("pin", wt.Revolute("y"), "ground", "tower"), "no body named 'tower'"),
        (("upper", wt.Revolute("y"), "ground", "lower"), "has a joint named 'upper' already"),
        (("pin", wt.Free(), "ground", "lower"), "'pin' of 'double-pendulum': a joint with 6 freedoms"),
        (("pin", "revolute", "ground", "lower"), "joint is 'revolute', expected a joint"),
        ((" ", wt.Revolute("y"), "ground", "lower"), "loop name is ' '"),
    ],
)
def test_impossible_loops_are_refused(m, arguments, words):
    with pytest.raises(wt.ModelError, match=words):
        m.add_loop(*arguments)
    assert m.loops == ()


def test_names_of_loops_and_joints_differ(m):
    m.add_loop("pin", wt.Spherical(), "ground", "lower")
    with pytest.raises(wt.ModelError, match="has a loop named 'pin' already"):
        m.add_loop("pin", wt.Fixed(), "ground", "upper")
    with pytest.raises(wt.ModelError, match="has a loop named 'pin' already"):
        m.add_body("third", wt.Revolute("x"), joint_name="pin")


def test_loops_count_for_equality(m):
    other = wt.examples.load("double-pendulum")
    other.add_loop("pin", wt.Spherical(), "ground", "lower")
    assert m != other
    m.add_loop("pin", wt.Spherical(), "ground", "lower")
    assert m == other


def test_a_joint_type_that_cannot_find_its_position_cannot_close_a_loop(m):
    class Odd(wt.Joint):
        nq = nv = 1

        def transform(self, q):
            return wt.Revolute("z").transform(q)

        def motion_subspace(self, q):
            return wt.Revolute("z").motion_subspace(q)

    m.add_loop("odd", Odd(), "ground", "lower")
    with pytest.raises(wt.ModelError, match="give Odd a method position_at"):
        wt.constraint_error(m, m.neutral())
