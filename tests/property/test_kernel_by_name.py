"""Kernels by name: made once for what a mechanism is at the moment."""

from dataclasses import dataclass

import numpy as np
import pytest

import whippletree as wt
from whippletree.errors import InputError

Q, QD, TAU = np.array([0.3, -0.7]), np.array([0.9, 0.4]), np.array([1.7, -0.6])


def arm(joint: wt.Joint) -> wt.Mechanism:
    m = wt.Mechanism("arm", gravity=(0.4, 0.3, -9.7))
    inertia = wt.Inertia(1.3, (0.2, 0.1, -0.3), (0.11, 0.12, 0.13))
    m.add_body("one", joint, inertia=inertia)
    m.add_body("two", wt.Revolute("y"), "one", wt.Placement((0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1)), inertia)
    m.add_frame("tool", "two", wt.Placement((0.0, 0.1, 0.4)))
    return m


def test_made_once():
    m = arm(wt.Revolute("z"))
    k = m.kernel("aba")
    np.testing.assert_allclose(k(Q, QD, TAU), wt.aba(m, Q, QD, TAU), rtol=1e-12)
    assert m.kernel("aba") is k
    assert arm(wt.Revolute("z")).kernel("aba") is k
    assert m.kernel("rnea") is not k


def test_a_changed_mechanism_has_another():
    m = arm(wt.Revolute("z"))
    before = m.kernel("gravity_force")
    m.gravity = (0.1, -0.2, 3.7)
    after = m.kernel("gravity_force")
    assert after is not before
    np.testing.assert_allclose(after(Q), wt.gravity_force(m, Q), rtol=1e-12)


def test_options_are_those_of_compile():
    m = arm(wt.Revolute("z"))
    np.testing.assert_allclose(
        m.kernel("frame_pose", frame="tool")(Q), wt.frame_pose(m, Q, "tool"), rtol=1e-12, atol=1e-14
    )
    k = m.kernel("forward_dynamics", method="crba", parameters=["two.mass"])
    assert m.kernel("forward_dynamics", method="crba", parameters=["two.mass"]) is k
    heavy = wt.with_parameters(m, ["two.mass"], np.array([2.5]))
    np.testing.assert_allclose(k(Q, QD, TAU, [2.5]), wt.aba(heavy, Q, QD, TAU), rtol=1e-11)


LEAN = {"by": 0.25}


@dataclass(frozen=True)
class Leaning(wt.Revolute):
    """A joint of a user that depends on more than it holds."""

    def transform(self, q):
        return super().transform(q + LEAN["by"])


def test_joints_of_users_are_looked_at_each_time(monkeypatch):
    m = arm(Leaning("z"))
    np.testing.assert_allclose(m.kernel("aba")(Q, QD, TAU), wt.aba(m, Q, QD, TAU), rtol=1e-12)
    monkeypatch.setitem(LEAN, "by", 0.75)
    np.testing.assert_allclose(m.kernel("aba")(Q, QD, TAU), wt.aba(m, Q, QD, TAU), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("abba", "there is no function 'abba' of a mechanism: .*; did you mean 'aba'"),
        ("np", "there is no function 'np' of a mechanism: give the name of a public one"),
        ("checked", "there is no function 'checked'"),
        ("jacobian", "jacobian: the shape of 'frame' is not known"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(InputError, match=message):
        arm(wt.Revolute("z")).kernel(name)
