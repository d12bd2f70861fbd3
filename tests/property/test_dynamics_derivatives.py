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
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.trace.recording import trace
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


def centroidal_momentum(m, q, qd):
    return wt.centroidal_momentum_matrix(m, q) @ qd


KINEMATICS = {
    wt.frame_pose_derivative: (wt.frame_pose, ("q",), True),
    wt.frame_velocity_derivatives: (wt.frame_velocity, ("q", "qd"), True),
    wt.frame_acceleration_derivatives: (wt.frame_acceleration, ("q", "qd", "qdd"), True),
    wt.center_of_mass_derivative: (wt.center_of_mass, ("q",), False),
    wt.centroidal_momentum_derivatives: (centroidal_momentum, ("q", "qd"), False),
    wt.kinetic_energy_derivatives: (wt.kinetic_energy, ("q", "qd"), False),
    wt.potential_energy_derivative: (wt.potential_energy, ("q",), False),
}
"""Each with the function it differentiates, what with respect to, and whether it is of a frame."""


@every_joint
def test_kinematics(joint):
    rng = np.random.default_rng([ord(letter) for letter in joint])
    m = mechanism(rng, joint, free=joint == "revolute")
    last = m.bodies[-1].name
    m.add_frame("tool", body=last, placement=randoms.placement(rng))
    q, qd = randoms.state(rng, m)
    every = {"q": q, "qd": qd, "qdd": rng.normal(size=m.nv)}
    for derivatives, (function, names, of_frame) in KINEMATICS.items():
        state, frame = {name: every[name] for name in names}, {"frame": "tool"} if of_frame else {}
        found: Any = derivatives(m, **state, **frame)
        for part, name in zip(found if isinstance(found, tuple) else [found], names, strict=True):
            expected = by_complex_step(lambda m, f=function, x=frame, **s: f(m, **s, **x), m, state, name)
            assert error(part, expected) < LIMIT, derivatives.__name__


def test_kernels_by_name_give_the_same():
    rng = np.random.default_rng(3)
    m = randoms.tree(rng, ["universal", "revolute"], branching=0.0)
    q, qd = randoms.state(rng, m)
    x = rng.normal(size=m.nv)
    for name in ("rnea_derivatives", "aba_derivatives"):
        for found, expected in zip(m.kernel(name)(q, qd, x), getattr(wt, name)(m, q, qd, x), strict=True):
            assert error(found, expected) < LIMIT


def _hand(rng):
    """An arm with two fingers of one joint: too short for loops of their own."""
    m = wt.Mechanism("hand", gravity=(0.3, -0.2, -9.7))
    parents = ["ground", "0", "1", "2", "3", "3"]
    for i, parent in enumerate(parents):
        m.add_body(str(i), wt.Revolute("xyz"[i % 3]), parent, randoms.placement(rng), randoms.inertia(rng))
    return m


@pytest.mark.parametrize(
    ("make", "loops"),
    [(lambda rng: randoms.tree(rng, ["revolute", "universal", "revolute"]), None), (_hand, 1)],
    ids=["branches", "short branches"],
)
def test_columns_by_loops_are_the_same(make, loops, monkeypatch):
    rng = np.random.default_rng(4)
    m = make(rng)
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    expected = wt.aba_derivatives(m, q, qd, tau)
    monkeypatch.setattr("whippletree.dynamics.factor.BRANCHES", 2)
    by_loops = trace(
        lambda q, qd, tau: wt.aba_derivatives(m, q, qd, tau), {"q": (m.nq,), "qd": (m.nv,), "tau": (m.nv,)}
    )
    assert by_loops.loops if loops is None else len(by_loops.loops) == loops
    for kernel in (by_loops, Kernel(by_loops)):
        for found, known in zip(kernel(q, qd, tau), expected, strict=True):
            assert error(found, known) < LIMIT


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
