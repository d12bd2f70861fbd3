"""Derivatives of dynamics and kinematics by recursion, for every joint type, on fixed and free roots.

Source of truth: the complex step on the algorithms themselves, exact to rounding.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import randoms
import whippletree as wt
from complex_steps import by_complex_step, error
from whippletree.spatial import Transform

LIMIT = 1e-12


def mechanism(rng: np.random.Generator, joint: str, free: bool) -> wt.Mechanism:
    """The joint near the root and at the end, other ones between; a third of them mounted the other way."""
    grow = randoms.floating_tree if free else randoms.tree
    return grow(rng, [joint, "revolute", "spherical", joint])


every_joint = pytest.mark.parametrize("joint", randoms.JOINTS)
every_root = pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])


@every_joint
@every_root
def test_inverse_dynamics(joint, free):
    rng = np.random.default_rng([ord(letter) for letter in joint])
    m = mechanism(rng, joint, free)
    q, qd = randoms.state(rng, m)
    state = {"q": q, "qd": qd, "qdd": rng.normal(size=m.nv)}
    f_ext = rng.normal(size=(len(m), 6))
    for found, name in zip(wt.rnea_derivatives(m, **state, f_ext=f_ext), state, strict=True):
        expected = by_complex_step(lambda m, **x: wt.rnea(m, **x, f_ext=f_ext), m, state, name)
        assert error(found, expected) < LIMIT


@every_joint
@every_root
def test_forward_dynamics(joint, free):
    rng = np.random.default_rng([ord(letter) for letter in joint])
    m = mechanism(rng, joint, free)
    q, qd = randoms.state(rng, m)
    state = {"q": q, "qd": qd, "tau": rng.normal(size=m.nv)}
    f_ext = rng.normal(size=(len(m), 6))
    for found, name in zip(wt.aba_derivatives(m, **state, f_ext=f_ext), state, strict=True):
        expected = by_complex_step(lambda m, **x: wt.aba(m, **x, f_ext=f_ext), m, state, name)
        assert error(found, expected) < LIMIT


def test_kernels_by_name_give_the_same():
    rng = np.random.default_rng(3)
    m = randoms.floating_tree(rng, ["universal", "revolute"], branching=0.0)
    q, qd = randoms.state(rng, m)
    x = rng.normal(size=m.nv)
    for name in ("rnea_derivatives", "aba_derivatives"):
        for found, expected in zip(m.kernel(name)(q, qd, x), getattr(wt, name)(m, q, qd, x), strict=True):
            assert error(found, expected) < LIMIT


@dataclass(frozen=True)
class Own(wt.Joint):
    """A joint type of a user whose motion subspace changes, without the change of its bias."""

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def transform(self, q: Any) -> Transform:
        return Transform(np.eye(3), np.array([q[0] * q[0], 0.0, 0.0]))

    def motion_subspace(self, q: Any) -> Any:
        return np.array([0.0, 0.0, 0.0, 2.0 * q[0], 0.0, 0.0])[:, None]

    def motion_subspace_rate(self, q: Any, qd: Any) -> Any:
        return np.array([0.0, 0.0, 0.0, 2.0 * qd[0], 0.0, 0.0])[:, None]


def test_a_joint_type_without_what_is_needed_is_told():
    m = wt.Mechanism("own")
    m.add_body("slider", Own(), inertia=wt.Inertia(1.5))
    told = "^Own.. has a motion subspace that changes with q: give Own a method bias_gradient"
    with pytest.raises(wt.ModelError, match=told):
        wt.rnea_derivatives(m, *np.array([[0.5], [1.0], [0.3]]))
    found = wt.derivative(wt.rnea, m, wrt=("q", "qd"))([0.5], [1.0], [0.3])
    # tau = 1.5 (4 q² qdd + 4 q qd²)
    assert found["q"].item() == pytest.approx(1.5 * (8.0 * 0.5 * 0.3 + 4.0), rel=1e-14)
    assert found["qd"].item() == pytest.approx(1.5 * 8.0 * 0.5, rel=1e-14)
