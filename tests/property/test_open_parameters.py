"""Numbers of every kind of part, left open: derivatives by them, and rollouts in which they differ."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.model.parameters import parameter_values, with_parameters


def machine() -> wt.Mechanism:
    """A four-bar with a spring, a force, a frame and a wheel in gear."""
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=3.0, damping=0.2, friction=0.1)
    m.change("crank", armature=0.02)
    m.add_body("wheel", wt.Revolute("z"), inertia=wt.Inertia(0.5, (0.1, 0.2, 0.0), (0.01, 0.02, 0.02)))
    m.add_gear("belt", "crank", "wheel", ratio=-1.5, offset=0.2)
    m.add_frame("tip", "coupler", wt.Placement((0.3, 0.2, 0.1), rpy=(0.1, 0.2, 0.3)))
    m.add_spring("coil", "ground", (0.3, 0.9, 0), "coupler", (0.3, 0.2, 0), 40.0, 0.7, 0.2)
    m.add_force("wind", "tip", (1.0, 2.0, 0.3), (0.1, 0.2, 0.4))
    return m


PLANAR = [
    *("crank.turn.z", "rocker.position.x", "rocker.damping", "rocker.friction", "rocker.stiffness"),
    *("coupler.position.y", "pin.position_p.x", "pin.position_s.y", "pin.turn_p.x", "belt.ratio"),
    *("tip.position.x", "tip.turn.y", "coil.stiffness", "coil.damping", "coil.length", "coil.point_b.x"),
    *("wind.force.y", "wind.torque.z", "crank.armature", "coupler.mass", "wheel.about_com.zz"),
]


def test_accelerations_are_differentiated_by_every_kind_of_number() -> None:
    m, rng = machine(), np.random.default_rng(5)
    q = wt.assemble(m, np.array([0.4, 0.0, 0.0, -0.4]), hold=["crank"])
    qd = wt.project_velocity(m, q, np.array([0.9, 0.0, 0.0, 0.0]), hold=["crank"])
    tau = rng.normal(size=4)
    values = parameter_values(m, PLANAR)
    assert set(PLANAR) <= set(wt.parameter_names(m))

    def whole(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        own, forces = wt.passive_forces(m, q, qd)
        found = wt.rnea(m, q, qd, tau, forces) - own  # tau stands for accelerations here
        return np.concatenate([found, wt.constraint_error(m, q), wt.constraint_jacobian(m, q) @ qd])

    kernel = wt.derivative(whole, m, wrt=("parameters",), parameters=PLANAR)
    exact = kernel(q, qd, tau, values)["parameters"]
    for k in range(len(PLANAR)):
        step = 1e-6 * np.eye(len(PLANAR))[k]
        ends = [whole(with_parameters(m, PLANAR, values + s * step), q, qd, tau) for s in (1.0, -1.0)]
        assert_allclose(exact[:, k], (ends[0] - ends[1]) / 2e-6, rtol=0, atol=2e-8, err_msg=PLANAR[k])
        assert np.any(exact[:, k]), PLANAR[k]


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_every_trajectory_has_its_own_numbers(method: str) -> None:
    m = wt.examples.load("double-pendulum")
    m.add_spring("coil", "ground", (0.3, 0.1, 0.2), "lower", (0.1, 0.0, -0.3), 40.0, 0.7, 0.2)
    given: dict[str, Any] = {
        "lower.mass": np.array([0.8, 1.3]),
        "upper.damping": 0.3,
        "coil.length": np.array([[0.1], [0.3]]),
    }
    options: dict[str, Any] = {"steps": 40, "dt": 2e-3, "method": method}
    q, qd = wt.rollout(m, [0.4, 0.3], [0.1, 0.0], parameters=given, **options)
    assert q.shape == (2, 2, 40, 2)
    for i in range(2):
        for k in range(2):
            own = np.array([given["lower.mass"][k], 0.3, given["coil.length"][i, 0]])
            alone = wt.rollout(with_parameters(m, list(given), own), [0.4, 0.3], [0.1, 0.0], **options)
            assert_allclose(q[i, k], alone[0], rtol=0, atol=1e-13)
            assert_allclose(qd[i, k], alone[1], rtol=0, atol=1e-12)


def test_linkages_of_several_lengths_are_rolled_out_together() -> None:
    m, name = wt.examples.load("four-bar"), "rocker.position.x"
    lengths = parameter_values(m, [name]) + np.array([0.0, 0.02])
    starts = [wt.assemble(with_parameters(m, [name], np.array([x])), m.neutral(), ["crank"]) for x in lengths]
    q, _ = wt.rollout(m, starts, np.zeros(3), parameters={name: lengths}, steps=50)
    for k, x in enumerate(lengths):
        own = with_parameters(m, [name], np.array([x]))
        assert_allclose(q[k], wt.rollout(own, starts[k], np.zeros(3), steps=50)[0], atol=1e-12)
    with pytest.raises(wt.InputError, match="q0 of trajectory 1 leaves loop 'pin' open"):
        wt.rollout(m, m.neutral(), np.zeros(3), parameters={name: lengths}, steps=5)


def test_drivers_of_several_amplitudes_are_rolled_out_together() -> None:
    m = wt.examples.load("cart-pole")
    m.add_driver("shake", "sin(3 * t)", joint="cart", amplitude=0.2)
    given = {"shake.amplitude": np.array([0.1, 0.3])}
    q, qd = wt.rollout(m, [0.0, 0.3], [0.0, 0.0], parameters=given, steps=30, dt=0.01, method="rk4")
    t = 0.01 * np.arange(1, 31)
    assert_allclose(q[..., 0], given["shake.amplitude"][:, None] * np.sin(3.0 * t), rtol=0, atol=1e-15)
    assert_allclose(qd[..., 0], 3.0 * given["shake.amplitude"][:, None] * np.cos(3.0 * t), rtol=0, atol=1e-14)
    m.change("shake", amplitude=0.3)
    run = wt.simulate(m, [0.0, 0.3], duration=0.3, rtol=1e-11, atol=1e-12)
    assert_allclose(q[1, -1], run.q[-1], rtol=0, atol=1e-7)
    with pytest.raises(
        wt.InputError, match=r"q0 of trajectory 0 has 0.1 for joint 'cart', whose driver begins"
    ):
        wt.rollout(m, [0.1, 0.3], [0.0, 0.0], steps=5)
    with pytest.raises(wt.ModelError, match="rollout_gradient does not follow drivers"):
        wt.rollout_gradient(m, [0.0, 0.3], [0.0, 0.0], steps=5, by_q=np.zeros((5, 2)))


def test_wrong_numbers_are_refused() -> None:
    m = wt.examples.load("double-pendulum")
    wrong: list[tuple[Any, str]] = [
        (["lower.mass"], "expected numbers by name"),
        ({"lower.weight": 1.0}, "has no parameter 'lower.weight'"),
        ({"lower.mass": [1.0, np.nan]}, "finite"),
        ({"lower.mass": [1.0, -2.0]}, "parameters of trajectory 1: "),
        ({"lower.damping": [0.1, -0.2, 0.3]}, "parameters of trajectory 1: body 'lower': damping is -0.2"),
        ({"lower.mass": [1.0, 2.0], "upper.mass": [1.0] * 3}, "shapes of parameters do not fit each other"),
    ]
    for given, message in wrong:
        with pytest.raises(wt.InputError, match=message):
            wt.rollout(m, [0.1, 0.2], [0.0, 0.0], steps=3, parameters=given)
    m.add_spring("lower", "ground", (0.3, 0.1, 0.2), "lower", (0.1, 0.0, -0.3), 40.0, 0.7, 0.2)
    assert {"lower.damping", "spring.lower.damping", "lower.length"} <= set(wt.parameter_names(m))
    changed = with_parameters(m, ["spring.lower.damping", "lower.damping"], np.array([0.9, 0.4]))
    assert (changed.springs[0].damping, changed.bodies[1].damping) == (0.9, 0.4)
