"""Springs, dampers, friction and stops: forces are gradients of energies, losses are losses."""

from dataclasses import replace

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.dynamics.force_laws.joint_law import SLIP_SPEED

SPRUNG = [name for name in randoms.JOINTS if name not in ("planar", "free", "fixed")]


def sprung(rng: np.random.Generator, joints: list[str], loss: float) -> wt.Mechanism:
    """A random tree with a spring and, where that may be, stops on every joint, and springs across."""
    tree = randoms.tree(rng, joints)
    m = wt.Mechanism("sprung")
    for body in tree.bodies:
        stops = wt.Limits()
        if body.joint.has_rates:
            stops = wt.Limits(-0.3, 0.2, stiffness=rng.uniform(20, 50), dissipation=loss)
        rest = tuple(body.joint.random(rng))
        m.append(
            replace(
                body, stiffness=rng.uniform(2, 9), rest=rest, limits=stops, damping=loss, friction=1.3 * loss
            )
        )
    m.add_spring("to-ground", "ground", rng.normal(size=3), "b1", rng.normal(size=3), 31.0, 0.7 * loss, 0.4)
    m.add_spring("across", "b0", rng.normal(size=3), "b2", rng.normal(size=3), 17.0, 1.1 * loss, 0.9)
    m.add_spring("no-length", "b2", rng.normal(size=3), "ground", rng.normal(size=3), 5.0)
    return m


def power(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> float:
    """Of all forces the mechanism brings along."""
    tau, f_ext = wt.passive_forces(m, q, qd)
    assert f_ext is not None
    return float(tau @ qd + np.sum(f_ext * wt.body_velocities(m, q, qd)))


@pytest.mark.parametrize("seed", range(6))
def test_forces_are_gradients_of_the_elastic_energy(seed):
    rng = np.random.default_rng(seed)
    m = sprung(rng, list(rng.permutation(SPRUNG)[:4]), loss=0.0)
    q, qd = randoms.state(rng, m)
    h = 1e-30
    rate = wt.elastic_energy(m, q + 1j * h * m.rate(q, qd)).imag / h
    assert rate == pytest.approx(-power(m, q, qd), rel=1e-11)
    assert abs(rate) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_losses_take_energy_away(seed):
    rng = np.random.default_rng(seed)
    state = np.random.default_rng(seed + 50)
    lossless = sprung(rng, SPRUNG[:5], loss=0.0)
    lossy = sprung(np.random.default_rng(seed), SPRUNG[:5], loss=0.6)
    q, qd = randoms.state(state, lossless)
    assert power(lossy, q, qd) < power(lossless, q, qd) - 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_forces_are_the_same(seed):
    rng = np.random.default_rng(seed)
    m = sprung(rng, SPRUNG[seed : seed + 4], loss=0.4)
    q, qd = randoms.state(rng, m)
    tau, f_ext = wt.compile(wt.passive_forces, m)(q, qd)
    direct_tau, direct_f_ext = wt.passive_forces(m, q, qd)
    assert direct_f_ext is not None
    np.testing.assert_allclose(tau, direct_tau, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(f_ext, direct_f_ext, rtol=1e-11, atol=1e-11)


def hinge(**properties) -> wt.Mechanism:
    m = wt.Mechanism("hinge")
    m.add_body("leaf", wt.Revolute("z"), inertia=wt.Inertia(2.0, (0.5, 0, 0)), **properties)
    return m


def torque(m: wt.Mechanism, q: float, qd: float) -> float:
    return wt.passive_forces(m, np.array([q]), np.array([qd]))[0][0]


def test_friction_has_its_full_value_at_speed_and_none_at_rest():
    m = hinge(friction=3.0)
    assert torque(m, 0.4, 0.0) == 0.0
    assert torque(m, 0.4, -SLIP_SPEED) == pytest.approx(3.0 / np.sqrt(2.0), rel=1e-14)
    assert torque(m, 0.4, 2.0) == pytest.approx(-3.0, rel=2e-5)


def test_stops_push_back_and_never_pull():
    m = hinge(limits=wt.Limits(-0.5, 0.7, stiffness=100.0, dissipation=0.5))

    assert torque(m, 0.6, 3.0) == 0.0
    assert torque(m, 0.8, 0.0) == pytest.approx(-10.0)
    assert torque(m, 0.8, 1.0) == pytest.approx(-15.0)
    assert torque(m, 0.8, -3.0) == 0.0
    assert torque(m, -0.6, -1.0) == pytest.approx(15.0)


def test_limits_without_stiffness_give_no_force():
    assert torque(hinge(limits=wt.Limits(-0.5, 0.7)), 3.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"stiffness": -1.0}, "stiffness is -1.0, must be 0 or more"),
        ({"stiffness": 1.0, "rest": (0.1, 0.2)}, r"give \(a finite number,\)"),
        ({"limits": wt.Limits(stiffness=np.nan)}, "stiffness of the stops is nan"),
    ],
)
def test_impossible_joint_forces_are_refused(properties, message):
    with pytest.raises(wt.ModelError, match=message):
        hinge(**properties)


def test_joints_without_a_gradient_carry_no_spring():
    m = wt.Mechanism("floating")
    with pytest.raises(wt.ModelError, match=r"a Reversed Free joint carries no spring; .* add_spring"):
        m.add_body("b", wt.Reversed(wt.Free()), inertia=wt.Inertia(1.0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match="a Planar z joint has no stops"):
        m.add_body("b", wt.Planar(), inertia=wt.Inertia(1.0), limits=wt.Limits(0.0, 1.0, stiffness=2.0))


def test_impossible_springs_are_refused():
    m = hinge()
    m.add_spring("s", "ground", (0, 0, 1), "leaf", (1, 0, 0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match="has a spring named 's' already"):
        m.add_spring("s", "ground", (0, 0, 1), "leaf", (1, 0, 0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match="both ends on 'leaf'"):
        m.add_spring("t", "leaf", (0, 0, 1), "leaf", (1, 0, 0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match="no body named 'wall'"):
        m.add_spring("t", "wall", (0, 0, 1), "leaf", (1, 0, 0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match=r"point_b is .*: give three numbers"):
        m.add_spring("t", "ground", (0, 0, 1), "leaf", (1, 0), stiffness=3.0)
    with pytest.raises(wt.ModelError, match="damping is -2"):
        m.add_spring("t", "ground", (0, 0, 1), "leaf", (1, 0, 0), stiffness=3.0, damping=-2.0)
    assert len(m.springs) == 1
