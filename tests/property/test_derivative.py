"""Jacobians and products without them, of any function.

Source of truth: the complex step, exact to rounding, on the function as it stands.
"""

from typing import Any

import numpy as np
import pytest

import randoms
import whippletree as wt
from complex_steps import by_complex_step, error
from whippletree.dynamics.aba import aba

LIMIT = 1e-12


def mechanism(rng: np.random.Generator) -> wt.Mechanism:
    """Quaternions, a joint whose motion subspace depends on q, a turn."""
    return randoms.tree(rng, ["spherical", "universal", "revolute"])


@pytest.fixture(scope="module")
def m() -> wt.Mechanism:
    return mechanism(np.random.default_rng(5))


def own(m, q, qd, gains):
    """A function of a user, of an argument that is nested."""
    e = wt.frame_velocity(m, q, qd, "b2")
    return {"power": gains["p"] * (e @ e), "momentum": gains["d"] * wt.momentum(m, q, qd)}


def test_jacobians_of_a_function_of_a_user(m):
    rng = np.random.default_rng(6)
    q, qd = randoms.state(rng, m)
    gains = {"p": np.array(1.3), "d": rng.normal(size=6)}
    k = wt.derivative(own, m, wrt=("gains", "q", "qd"), inputs={"gains": {"p": (), "d": (6,)}})
    found = k(q, qd, gains)
    assert list(found) == ["gains", "q", "qd"]
    for part in ("power", "momentum"):
        for name in ("q", "qd"):
            arguments = {"q": q, "qd": qd, "gains": gains}
            expected = by_complex_step(lambda m, p=part, **a: own(m, **a)[p], m, arguments, name)
            assert error(found[name][part], expected) < LIMIT
    h = wt.momentum(m, q, qd)
    assert error(found["gains"]["d"]["momentum"], np.diag(h)) < LIMIT
    assert np.all(found["gains"]["p"]["momentum"] == 0.0)
    assert found["gains"]["p"]["power"] == pytest.approx(
        np.sum(wt.frame_velocity(m, q, qd, "b2") ** 2), rel=1e-13
    )


def test_products_agree_with_the_jacobian(m):
    rng = np.random.default_rng(7)
    q, qd = randoms.state(rng, m)
    tau, weights = rng.normal(size=(2, m.nv))
    wrt = ("q", "tau")
    J = wt.derivative(wt.aba, m, wrt=wrt)(q, qd, tau)
    directions = {name: rng.normal(size=m.nv) for name in wrt}
    along = wt.jvp(wt.aba, m, wrt=wrt)(q, qd, tau, *directions.values())
    assert error(along, J["q"] @ directions["q"] + J["tau"] @ directions["tau"]) < LIMIT
    back = wt.vjp(wt.aba, m, wrt=wrt)(q, qd, tau, weights)
    assert list(back) == list(wrt)
    for name in wrt:
        assert error(back[name], weights @ J[name]) < LIMIT


def test_products_with_external_forces_and_parameters():
    """By the implicit road, against the Jacobians by rules for each operation."""
    rng = np.random.default_rng(12)
    m = randoms.tree(rng, ["revolute", "spherical"], branching=0.0)
    names, wrt = ["b1.mass", "gravity.y"], ("f_ext", "q", "parameters", "tau")
    options: dict[str, Any] = {"wrt": wrt, "parameters": names, "inputs": {"f_ext": (2, 6)}}
    q, qd = randoms.state(rng, m)
    at = (q, qd, rng.normal(size=m.nv), rng.normal(size=(2, 6)), wt.parameter_values(m, names))
    J = wt.derivative(wt.aba, m, **options).program(*at)
    weights = rng.normal(size=m.nv)
    back = wt.vjp(wt.aba, m, **options).program(*at, weights)
    directions = [rng.normal(size=shape) for shape in ((2, 6), (m.nv,), (2,), (m.nv,))]
    along = wt.jvp(wt.aba, m, **options).program(*at, *directions)
    expected = np.zeros(m.nv)
    for name, direction in zip(wrt, directions, strict=True):
        assert error(back[name], np.tensordot(weights, J[name], axes=1)) < LIMIT
        expected = expected + np.tensordot(J[name], direction, axes=direction.ndim)
    assert error(along, expected) < LIMIT


@pytest.mark.parametrize(
    ("function", "wrt"),
    [
        (wt.frame_velocity, ("qd", "q")),
        (wt.frame_acceleration, ("q", "qd", "qdd")),
        (wt.frame_pose, ("q",)),
        (wt.kinetic_energy, ("q", "qd")),
    ],
)
def test_whatever_road_is_taken(m, function, wrt):
    rng = np.random.default_rng(11)
    fixed: dict[str, Any] = {} if function is wt.kinetic_energy else {"frame": "b2"}
    every: dict[str, Any] = dict(
        zip(("q", "qd", "qdd"), (*randoms.state(rng, m), rng.normal(size=m.nv)), strict=True)
    )
    k = wt.derivative(function, m, wrt=wrt, **fixed)
    state = {entry.name: every[entry.name] for entry in k.program.inputs}
    for name, found in k.program(*state.values()).items():
        assert error(found, by_complex_step(lambda m, **x: function(m, **x, **fixed), m, state, name)) < LIMIT


def test_second_derivatives_are_changes_of_the_gradient():
    m = randoms.tree(np.random.default_rng(8), ["revolute", "spherical"], branching=0.0)
    rng = np.random.default_rng(9)
    q, qd = randoms.state(rng, m)
    gradient = wt.vjp(wt.kinetic_energy, m, wrt=("q", "qd"))
    k = wt.hvp(wt.kinetic_energy, m, wrt=("q", "qd"))
    d_q, d_qd = rng.normal(size=(2, m.nv))
    found = k(q, qd, 0.7, d_q, d_qd)
    for name in ("q", "qd"):
        along = [
            by_complex_step(
                lambda m, q, qd, n=name: gradient.program(q, qd, 0.7)[n], m, {"q": q, "qd": qd}, change
            )
            for change in ("q", "qd")
        ]
        assert error(found[name], along[0] @ d_q + along[1] @ d_qd) < LIMIT


def test_parameters_are_variables():
    rng = np.random.default_rng(10)
    m = randoms.tree(rng, ["revolute", "prismatic", "spherical"])
    names = ["b1.mass", "b2.com.y", "b1.position.z", "b2.about_com.xz", "gravity.x", "b0.armature"]
    q, qd = randoms.state(rng, m)
    tau, values = rng.normal(size=m.nv), wt.parameter_values(m, names)
    found = wt.derivative(wt.aba, m, wrt=["parameters"], parameters=names)(q, qd, tau, values)["parameters"]

    def of_parameters(m, parameters):
        return aba(wt.with_parameters(m, names, parameters), q, qd, tau)

    assert error(found, by_complex_step(of_parameters, m, {"parameters": values}, "parameters")) < LIMIT


def test_a_nan_that_is_told_has_no_derivative():
    m = wt.examples.load("pendulum")

    def guarded(q):
        return wt.where(q[0] > 0.0, q[0] * q[0], np.nan)

    for product in (wt.derivative(guarded, m), wt.vjp(guarded, m)):
        weights = [] if product.name.endswith("derivative") else [1.0]
        assert product([0.5], *weights)["q"].item() == 1.0
        assert np.isnan(product([-0.5], *weights)["q"].item())


def stairs(q):
    return np.floor(q)


def test_what_has_no_derivative_is_told(m):
    pendulum = wt.examples.load("pendulum")
    told = "^stairs depends on q by floor alone: its derivative is 0 between steps and does not exist"
    for make in (wt.derivative, wt.jvp, wt.vjp, wt.hvp):
        with pytest.raises(wt.InputError, match=told):
            make(stairs, pendulum)
    with pytest.raises(wt.InputError, match=r"^<lambda> depends on q by comparisons alone"):
        wt.derivative(lambda q: wt.where(q[0] > 0.3, 1.0, 2.0), pendulum)
    sawtooth = wt.derivative(lambda q: q - np.floor(q), pendulum)
    assert sawtooth([1.7])["q"] == 1.0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"wrt": ("q", "qdd")},
            "^aba has no input 'qdd' to differentiate .*; its inputs are q, qd, tau",
        ),
        ({"wrt": ["rod.mass"]}, "'rod.mass'.*left open, as parameters="),
        ({"wrt": "q"}, r"^wrt is 'q', expected names of inputs, as \('q',\)$"),
        ({"wrt": ()}, r"^wrt is \(\), expected names of inputs, as \('q', 'qd'\)$"),
        ({"wrt": ("q", "q")}, "^wrt names an input twice: q, q$"),
    ],
)
def test_what_is_no_input_is_told(options, told):
    with pytest.raises(wt.InputError, match=told):
        wt.derivative(wt.aba, wt.examples.load("pendulum"), **options)


def test_a_joint_without_inertia_is_told():
    m = wt.Mechanism("light")
    m.add_body("link", wt.Revolute("z"), inertia=wt.Inertia(1.0))
    with pytest.raises(wt.SingularError, match="link"):
        wt.derivative(wt.aba, m)
