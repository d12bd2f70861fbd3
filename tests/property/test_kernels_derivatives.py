"""Derivative programs: complex steps where the function is analytic, differences where it is not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whippletree.errors import InputError
from whippletree.kernels.derive.derivatives import forward, jacobian, reverse
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace

ANALYTIC = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: 0.7 - x + y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / (1.3 + y * y)),
    "neg": (1, lambda x: -x),
    "sqrt": (1, lambda x: (x * x + 0.4).sqrt()),
    "sin": (1, lambda x: x.sin()),
    "cos": (1, lambda x: (2.0 * x).cos()),
    "tan": (1, lambda x: x.sin().tan()),
    "asin": (1, lambda x: (0.9 * x.sin()).arcsin()),
    "acos": (1, lambda x: (0.9 * x.cos()).arccos()),
    "exp": (1, lambda x: x.cos().exp()),
    "log": (1, lambda x: (x * x + 0.6).log()),
    "power": (1, lambda x: (x * x + 0.6) ** 1.7),
}


@st.composite
def smooth_functions(draw):
    """An analytic function of three variables with two results."""
    names = sorted(ANALYTIC)
    steps = []
    for count in range(3, 3 + draw(st.integers(2, 12))):
        name = draw(st.sampled_from(names))
        steps.append((name, [draw(st.integers(0, count - 1)) for _ in range(ANALYTIC[name][0])]))

    def function(x):
        values = list(x)
        for name, operands in steps:
            values.append(ANALYTIC[name][1](*(values[i] for i in operands)).sin())
        return values[-1], values[-2] * x[0]

    return function


def by_complex_step(program: Program, x: np.ndarray) -> np.ndarray:
    step = 1e-30
    columns = [program.flat(x + 1j * step * e).imag / step for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


def condition(program: Program, x: np.ndarray) -> float:
    """How much the derivatives themselves move when x is rounded: a bound for what can be asked."""
    moved = [
        np.abs(by_complex_step(program, x * (1.0 + 1e-9 * s)) - by_complex_step(program, x)) for s in (1, -1)
    ]
    return float(np.max(moved)) / 1e-9


@settings(max_examples=80, deadline=None)
@given(function=smooth_functions(), x=st.tuples(*[st.floats(0.1, 1.4)] * 3))
def test_analytic_functions(function, x):
    x = np.array(x)
    program = trace(function, {"x": (3,)})
    expected = by_complex_step(program, x)
    tolerance = 1e-13 * (1.0 + np.max(np.abs(expected)) + condition(program, x))
    for derive in (forward, reverse, jacobian):
        result = np.array(derive(program, ["x"])(x)["x"])
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=tolerance)
        simpler = np.array(simplify(derive(simplify(program), ["x"]))(x)["x"])
        np.testing.assert_allclose(simpler, expected, rtol=0.0, atol=tolerance)


PIECEWISE = {
    "abs": lambda x, y: abs(x) * y,
    "minimum": lambda x, y: x.minimum(y) * x,
    "maximum": lambda x, y: (x * x).maximum(y * 2.0),
    "where": lambda x, y: (x < y).where(x * y, x - y * y),
    "nested where": lambda x, y: ((x < y) & ~(y < 0.0)).where((x > 0.1).where(x * x, y), y.exp()),
    "floor": lambda x, y: x * (y * 3.0).__floor__(),
    "atan2": lambda x, y: y.arctan2(x) * x,
    "condition as number": lambda x, y: (x < y) * x * y,
    "remainder": lambda x, y: x % 0.3 + y // 0.2,
}


@pytest.mark.parametrize("name", PIECEWISE)
@pytest.mark.parametrize("derive", [forward, reverse])
def test_piecewise_functions(name, derive):
    program = trace(PIECEWISE[name], {"x": (), "y": ()})
    derivative = derive(program, ["x", "y"])
    h = 1e-5
    for x, y in ((0.43, 0.71), (0.71, 0.43), (-0.43, 0.71), (0.43, -0.71), (-0.71, -0.43)):
        result = derivative(x, y)
        assert result["x"] == pytest.approx((program(x + h, y) - program(x - h, y)) / (2 * h), abs=1e-9)
        assert result["y"] == pytest.approx((program(x, y + h) - program(x, y - h)) / (2 * h), abs=1e-9)


def test_shapes_follow_outputs_then_input():
    def function(a, x, s):
        return {"y": a @ x * s, "parts": (x[0] * s, np.outer(x, x))}

    program = trace(function, {"a": (2, 3), "x": (3,), "s": ()})
    rng = np.random.default_rng(8)
    a, x, s = rng.normal(size=(2, 3)), rng.normal(size=3), rng.normal()
    for derive in (forward, reverse):
        result = derive(program, ["x", "a"])(a, x, s)
        assert list(result) == ["x", "a"]
        np.testing.assert_allclose(result["x"]["y"], a * s, rtol=1e-14)
        np.testing.assert_allclose(result["a"]["y"], np.einsum("ij,k->ijk", np.eye(2), x) * s, rtol=1e-14)
        np.testing.assert_allclose(result["x"]["parts"][0], [s, 0.0, 0.0], rtol=1e-14)
        expected = np.einsum("ik,j->ijk", np.eye(3), x) + np.einsum("jk,i->ijk", np.eye(3), x)
        np.testing.assert_allclose(result["x"]["parts"][1], expected, rtol=1e-14)
        assert result["a"]["parts"][1].shape == (3, 3, 2, 3)


def test_derivatives_of_derivatives():
    program = trace(lambda x: np.sin(x[0]) * np.exp(x[1]) * x[1], {"x": (2,)})
    hessian = jacobian(jacobian(program, ["x"]), ["x"])
    x, y = 0.4, 0.9
    e = math.exp(y)
    expected = [
        [-math.sin(x) * e * y, math.cos(x) * e * (y + 1.0)],
        [math.cos(x) * e * (y + 1.0), math.sin(x) * e * (y + 2.0)],
    ]
    np.testing.assert_allclose(hessian([x, y])["x"]["x"], expected, rtol=1e-14)


def test_a_branch_not_taken_contributes_nothing():
    """sin(x)/x with its limit at 0: the quotient is not finite there, its derivative neither."""
    program = trace(lambda x: (x == 0.0).where(1.0, x.sin() / x), {"x": ()})
    derivative = forward(program, ["x"])
    assert derivative(0.0)["x"] == 0.0
    assert derivative(0.5)["x"] == pytest.approx((0.5 * math.cos(0.5) - math.sin(0.5)) / 0.25, rel=1e-14)


def test_cheaper_direction_is_taken():
    gradient = trace(lambda x: np.prod(x), {"x": (12,)})
    assert jacobian(gradient, ["x"]).digest == reverse(gradient, ["x"]).digest
    assert jacobian(gradient, ["x"]).cost["mul"] < forward(gradient, ["x"]).cost["mul"]
    curve = trace(lambda s: s ** np.arange(1, 13), {"s": ()})
    assert jacobian(curve, ["s"]).digest == forward(curve, ["s"]).digest


def test_unknown_inputs_are_named():
    with pytest.raises(InputError, match="no input is called 'z'; inputs are x, y"):
        jacobian(trace(lambda x, y: x + y, {"x": (), "y": ()}), ["x", "z"])
