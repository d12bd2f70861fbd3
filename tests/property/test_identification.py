"""Identification: what is linear is so, and parameters come back from motions within their bounds."""

import sys

import numpy as np
import pytest

import whippletree as wt
from randoms import JOINTS, state, tree

ALL = list(JOINTS)


def arm() -> wt.Mechanism:
    """Three links of general inertias, with rotors, dampers and friction."""
    rng = np.random.default_rng(7)
    m = wt.Mechanism("arm")
    parent, axes = "ground", ("z", "y", (0.3, 1.0, 0.2))
    for i, axis in enumerate(axes):
        m.add_body(
            f"link{i}",
            wt.Revolute(axis),
            parent,
            wt.Placement((0.3 * i, 0.1, 0.2)),
            wt.Inertia(2.0 - 0.4 * i, rng.normal(size=3) * 0.1, (0.05, 0.06, 0.07)),
            armature=0.02 + 0.01 * i,
            damping=0.3,
            friction=0.2,
            limits=wt.Limits(-2.0, 1.6, velocity=3.0),
        )
        parent = f"link{i}"
    return m


def measured(m: wt.Mechanism, noise: float, seed: int = 0) -> wt.MeasuredMotion:
    q, qd, qdd = wt.exciting_trajectory(m, harmonics=3).at(np.linspace(0.0, 10.0, 400))
    tau = wt.compile(wt.regressor, m)(q, qd, qdd) @ wt.regressor_values(m)
    return wt.MeasuredMotion(q, qd, qdd, tau + noise * np.random.default_rng(seed).normal(size=tau.shape))


@pytest.mark.parametrize("seed", range(3))
def test_forces_energy_and_momentum_are_linear_in_the_parameters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = tree(rng, [str(name) for name in rng.permutation(ALL)])
    for body in m.bodies:
        m.change(body.name, kind="body", damping=rng.uniform(0.1, 0.5), friction=rng.uniform(0.1, 0.5))
    q, qd = state(rng, m)
    qdd, p = rng.normal(size=m.nv), wt.regressor_values(m)
    own, _ = wt.passive_forces(m, q, qd)
    expected = wt.rnea(m, q, qd, qdd) - own
    assert np.abs(wt.regressor(m, q, qd, qdd) @ p - expected).max() < 1e-12 * np.abs(expected).max()
    for row, value in zip(wt.energy_regressor(m, q, qd), wt.energy(m, q, qd), strict=True):
        assert abs(row @ p - value) < 1e-12 * abs(value)
    h = wt.momentum(m, q, qd)
    assert np.abs(wt.momentum_regressor(m, q, qd) @ p - h).max() < 1e-12 * np.abs(h).max()
    assert len(wt.regressor_names(m)) == len(p)
    again = wt.with_regressor_values(m, p)
    assert np.abs(wt.rnea(again, q, qd, qdd) - wt.rnea(m, q, qd, qdd)).max() < 1e-12 * np.abs(expected).max()


def test_base_parameters_hold_all_that_forces_depend_on() -> None:
    rng = np.random.default_rng(5)
    m = tree(rng, ["revolute", "prismatic", "universal", "spherical"])
    base = wt.base_parameters(m)
    q, qd = state(rng, m)
    Y, p = wt.regressor(m, q, qd, rng.normal(size=m.nv)), rng.normal(size=13 * len(m))
    assert np.abs(Y[:, base.columns] @ (base.matrix @ p) - Y @ p).max() < 1e-8 * np.abs(Y @ p).max()
    assert len(base) < 13 * len(m)
    lines = str(base).splitlines()
    assert lines[0] == f"{len(base)} base parameters of {13 * len(m)}"
    assert lines[1].strip() == base.names[0]


def test_an_exciting_motion_keeps_limits_and_conditions_well() -> None:
    motion = wt.exciting_trajectory(arm(), duration=8.0, harmonics=3)
    t = np.linspace(0.0, 8.0, 1601)
    q, qd, qdd = motion.at(t)
    assert q.min() >= -2.0
    assert q.max() <= 1.6
    assert np.abs(qd).max() <= 3.0
    assert np.abs(q[0] - q[-1]).max() < 1e-12
    for of, rate in ((q, qd), (qd, qdd)):
        middle = (of[2:] - of[:-2]) / (t[2:] - t[:-2])[:, None]
        assert np.abs(middle - rate[1:-1]).max() < 1e-3 * np.abs(rate).max()
    assert motion.condition < 0.8 * motion.first_condition
    assert str(motion).startswith(f"8 s, condition {motion.condition:.3g}")


def test_parameters_come_back_from_noisy_motion_within_their_bounds() -> None:
    m = arm()
    truth, inside = wt.regressor_values(m), []
    wrong = wt.with_regressor_values(m, truth * np.random.default_rng(1).uniform(0.8, 1.25, len(truth)))
    reports = [wt.identify(wrong, measured(m, 0.05, seed)) for seed in range(4)]
    for found in reports:
        off = np.abs(found.base_values - found.base.matrix @ truth)
        inside.append(off < found.base_bounds)
        assert np.all(off < 2.5 * found.base_bounds)
        alone = np.isfinite(found.bounds)
        assert np.all(np.abs(found.values - truth)[alone] < 2.5 * found.bounds[alone])
        assert np.abs(found.noise - 0.05).max() < 0.01
    assert 0.88 < np.mean(inside) <= 1.0  # of 95 %
    found = reports[0]
    assert "link0.mass" in found.base.absent
    assert set(found.base.absent) < set(found.undetermined)
    assert {"link2.friction", "link2.armature"}.isdisjoint(found.undetermined)
    assert f"not determined by themselves: {len(found.undetermined)}" in str(found)
    q, qd = np.array([[0.3, -0.4, 0.6], [0.2, 0.1, -0.5]])
    expected = wt.rnea(m, q, qd, qd)
    assert np.abs(wt.rnea(found.mechanism, q, qd, qd) - expected).max() < 0.02 * np.abs(expected).max()


def test_without_noise_they_come_back_to_rounding() -> None:
    m = arm()
    motion, truth = measured(m, 0.0), wt.regressor_values(m)
    found = wt.identify(m, motion, known=["link0.armature", "link1.mass"])
    assert np.abs(found.base_values - found.base.matrix @ truth).max() < 3e-9
    assert found.bounds[wt.regressor_names(m).index("link1.mass")] == 0.0


def test_bodies_that_cannot_be_are_not_given() -> None:
    pytest.importorskip("clarabel")
    m = wt.examples.load("double-pendulum")  # thin rods: the least noise leads beyond what bodies can have
    found = wt.identify(m, measured(m, 0.2))
    assert not found.consistent
    for body in found.mechanism.bodies:
        assert body.inertia.m > 0.0
        assert min(body.armature, body.damping, body.friction) >= -1e-8
        a, b, c = np.linalg.eigvalsh(body.inertia.about_com)
        assert a > -1e-7
        assert c <= a + b + 1e-7
    truth = wt.regressor_values(m)
    assert np.all(np.abs(found.base.matrix @ (found.values - truth)) < 3.0 * found.base_bounds)


def test_a_missing_solver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    m = wt.examples.load("double-pendulum")
    with pytest.raises(
        wt.ModelError, match=r"needs the solver clarabel: pip install 'whippletree\[identify\]'"
    ):
        wt.identify(m, measured(m, 0.2))


def test_a_simulated_run_is_a_motion_too() -> None:
    m = arm()
    for body in m.bodies:  # friction comes and goes at once, which no spline follows
        m.change(body.name, kind="body", friction=0.0)
    m.change("link2", kind="body", stiffness=3.0)  # taken as it is
    run = wt.simulate(
        m,
        [0.3, 0.5, -0.2],
        duration=1.0,
        control=lambda t, q, qd: [3.0 * np.sin(3.0 * t), 4.0 * np.cos(5.0 * t), np.sin(7.0 * t)],
        sample=0.002,
        progress=False,
    )
    found = wt.identify(m, run, known=[f"{body.name}.friction" for body in m.bodies])
    truth = wt.regressor_values(m)
    assert found.noise.max() < 1e-4
    assert abs(found.base_values - found.base.matrix @ truth).max() < 1e-3
