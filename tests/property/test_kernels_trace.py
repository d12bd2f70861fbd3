"""Recording: what NumPy does with traced scalars, structures in and out, and the errors."""

import copy
import math
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import whippletree as wt
from whippletree.errors import InputError, WhippletreeError
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.recording import TraceError, trace
from whippletree.kernels.trace.traced import Scalar

X = np.array([0.37, -1.24, 2.18, 0.81])


def check(function, *arguments):
    """The recorded function gives what the function itself gives, and simplification changes nothing."""
    inputs = {f"x{i}": np.shape(a) for i, a in enumerate(arguments)}
    program = trace(function, inputs)
    expected = function(*arguments)
    np.testing.assert_allclose(program(*arguments), expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(simplify(program)(*arguments), expected, rtol=1e-13, atol=1e-14)


NUMPY = {
    "functions": lambda x: np.sin(x) + np.cos(x) * np.tan(x) - np.exp(x) + np.sqrt(x * x),
    "inverses": lambda x: np.arcsin(x / 3.0) + np.arccos(x / 3.0) + np.arctan(x) + np.arctan2(x, x * x + 1.0),
    "logarithm": lambda x: np.log(x * x) + np.abs(x) + np.floor(x) - np.negative(x) + np.positive(x),
    "powers": lambda x: x**2 + np.square(x) + x**-3 + np.power(x, 4) + np.reciprocal(x) + (x * x) ** 0.5,
    "other powers": lambda x: (x * x) ** 0.7 + np.float64(1.3) ** x + (x * x) ** 2.5,
    "angles": lambda x: np.deg2rad(x) + np.rad2deg(x) + np.radians(x) * np.degrees(x) + np.hypot(x, 2.0),
    "remainder": lambda x: x % 0.7 + np.mod(x, 1.3) + x // 0.6 + 3.0 % (x * x) + 2.5 // (x * x),
    "numpy scalar left": lambda x: np.float64(2.5) * x[0] + np.float64(1.5) - np.int64(3) / x[1],
    "numpy scalar right": lambda x: x[0] * np.float32(0.5) + x[1] - np.float64(1.5),
    "array of floats": lambda x: np.arange(1.0, 5.0) * x[0] + x[1] * np.eye(4)[2],
    "products": lambda x: x @ np.arange(16.0).reshape(4, 4) @ x + np.dot(x, x),
    "matrices": lambda x: np.outer(x, x) @ x + np.diag(np.outer(x, x)) + x.reshape(2, 2).T.ravel(),
    "cross": lambda x: np.cross(x[:3], x[1:]),
    "norm": lambda x: np.linalg.norm(x) + np.sum(x) + np.prod(x) + x.mean() + np.trace(np.outer(x, x)),
    "joining": lambda x: np.concatenate(
        [np.zeros(2), x, np.stack([x, 2.0 * x]).ravel(), np.array([1, x[0]])]
    ),
    "einsum": lambda x: np.einsum("i,j,ij->i", x, x, np.arange(16.0).reshape(4, 4)),
    "cumulative": lambda x: np.cumsum(x) + np.diff(x, append=0.0),
    "complex parts": lambda x: x.real + x.conjugate() + x.T,
    "copies": lambda x: copy.deepcopy(x) + x.copy() + copy.copy(x[0]),
    "integers": lambda x: 3 * x - 2 + x / 4 + True * x[0],
}


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_on_traced_arrays(name):
    check(NUMPY[name], X)


def test_several_inputs_of_all_shapes():
    a = np.arange(6.0).reshape(2, 3) + 0.5
    check(lambda a, x, s: s * (a @ x) + a[1, 2], a, X[:3], np.float64(1.7))


def test_comparisons_choose():
    def function(x, y):
        if isinstance(x, Scalar):
            return [
                (x < y).where(1.5, x),
                (x >= y).where(x, -y),
                ((x > 0.5) & (y < 0.5)).where(y, 2.0),
                ((x == y) | ~(x <= 1.0)).where(3.0, x * y),
                ((x < y) ^ (x < 0.0)).where(1.0, 2.0),
                ((x < y) == (x < 0.0)).where(1.0, 2.0),
                x.minimum(y) - x.maximum(0.25),
                (x < y) + 2.0 * (x > y),
            ]
        return [
            np.where(x < y, 1.5, x),
            np.where(x >= y, x, -y),
            np.where((x > 0.5) & (y < 0.5), y, 2.0),
            np.where((x == y) | ~(x <= 1.0), 3.0, x * y),
            np.where((x < y) ^ (x < 0.0), 1.0, 2.0),
            np.where((x < y) == (x < 0.0), 1.0, 2.0),
            np.minimum(x, y) - np.maximum(x, 0.25),
            (x < y) + 2.0 * (x > y),
        ]

    program = simplify(trace(function, {"x": (), "y": ()}))
    x, y = (v.ravel() for v in np.meshgrid([-1.2, 0.3, 0.7, 1.9], [-1.2, 0.4, 0.7, 2.5]))
    np.testing.assert_array_equal(program(x, y), function(x, y))


class Pair(NamedTuple):
    left: Any
    right: Any


def test_nested_outputs_keep_their_structure():
    def function(x, a):
        return {
            "sum": x[0] + a[0, 1],
            "parts": [x, (a, 3.0)],
            "pair": Pair(x[1] < 0.0, np.zeros((0, 2))),
            7: (x[2], x[2]),
        }

    a = np.arange(6.0).reshape(2, 3)
    result = simplify(trace(function, {"x": (4,), "a": (2, 3)}))(X, a)
    assert list(result) == ["sum", "parts", "pair", 7]
    assert result["sum"] == X[0] + 1.0
    assert isinstance(result["parts"], list)
    np.testing.assert_array_equal(result["parts"][0], X)
    np.testing.assert_array_equal(result["parts"][1][0], a)
    assert result["parts"][1][1] == 3.0
    assert isinstance(result["pair"], Pair)
    assert result["pair"].left == 1.0
    assert result["pair"].right.shape == (0, 2)
    assert result[7] == (X[2], X[2])


def test_batches_broadcast():
    program = trace(lambda a, x, s: {"y": s * (a @ x), "z": s, "one": 1.0}, {"a": (2, 3), "x": (3,), "s": ()})
    rng = np.random.default_rng(4)
    a, x, s = rng.normal(size=(5, 1, 2, 3)), rng.normal(size=(4, 3)), rng.normal()
    result = program(a, x, s)
    np.testing.assert_allclose(result["y"], s * np.einsum("bcij,cj->bci", a, x), rtol=1e-14)
    np.testing.assert_array_equal(result["z"], np.full((5, 4), s))
    np.testing.assert_array_equal(result["one"], np.ones((5, 4)))
    assert program.flat(a, x, s).shape == (5, 4, 4)


def test_known_values_count_as_numbers():
    seen = []

    def function(x):
        zero, two = x[0] * 0.0, x[0] / x[0] + 1.0
        seen.append(
            (zero.known, float(two), int(two), complex(two), bool(zero), bool(two > zero), x[0].known)
        )
        return x if two > 1.0 else -x

    trace(function, {"x": (4,)})
    assert seen == [(0.0, 2.0, 2, 2 + 0j, False, True, None)]


def branch(x):
    if x[0] > 0.0:  # the line to show
        return x
    return -x


def into_floats(x):
    y = np.zeros(3)
    y[0] = x[0]  # the line to show
    return y


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (branch, "if x[0] > 0.0:  # the line to show"),
        (into_floats, "y[0] = x[0]  # the line to show"),
        (lambda x: math.sin(x[0]), "(lambda x: math.sin(x[0])"),
        (lambda x: np.minimum(x, 0.0), "(lambda x: np.minimum(x, 0.0)"),
        (lambda x: np.where(x > 0.0, x, 0.0), "(lambda x: np.where(x > 0.0"),
        (lambda x: x[0] and x[1], "(lambda x: x[0] and x[1]"),
        (lambda x: max(x), "(lambda x: max(x)"),
    ],
)
def test_a_use_of_the_value_shows_the_line_and_the_way_out(function, line):
    with pytest.raises(TraceError) as caught:
        trace(function, {"x": (3,)})
    message = str(caught.value)
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    number = next(i for i, text in enumerate(source, 1) if line in text)
    assert message.startswith(f"{__file__}, line {number}:\n")
    assert line in message.splitlines()[1]
    assert "where(condition, a, b)" in message
    assert isinstance(caught.value, WhippletreeError)


def test_plain_numbers_among_traced_ones_are_explained():
    with pytest.raises(TraceError, match=r"(?s)np\.cos\(mixed\).*plain numbers beside traced ones"):
        trace(mixes, {"x": (3,)})


def mixes(x):
    mixed = np.concatenate([np.zeros(1), x])
    return np.cos(mixed)


def test_other_errors_of_the_function_come_through():
    with pytest.raises(TypeError, match="unsupported operand"):
        trace(lambda x: x + "a", {"x": ()})


def test_a_value_kept_from_another_trace_is_refused():
    kept = []
    trace(lambda x: kept.append(x) or x, {"x": ()})
    for use in (lambda x: x + kept[0], lambda x: kept[0] * x, lambda x: (x > 0.0).where(kept[0], x)):
        with pytest.raises(TraceError, match="of one trace was used in another"):
            trace(use, {"x": ()})


@pytest.mark.parametrize("value", [None, "text", {1, 2}])
def test_what_is_no_number_cannot_be_returned(value):
    with pytest.raises(InputError, match=r"result\['a'\]\[1\] is"):
        trace(lambda x: {"a": [x, value]}, {"x": ()})
    with pytest.raises(TraceError, match="real numbers"):
        trace(lambda x: np.array([x, 2j]), {"x": ()})


def test_wrong_arguments_are_named():
    program = trace(lambda a, x: a @ x, {"a": (2, 3), "x": (3,)})
    with pytest.raises(InputError, match=r"x not given; the inputs are a, x"):
        program(X)
    with pytest.raises(InputError, match=r"x has shape \(4,\), expected \(\.\.\., 3\)"):
        program(np.ones((2, 3)), X)
    with pytest.raises(InputError, match=r"input x has shape \(-1,\)"):
        trace(lambda x: x, {"x": (-1,)})


def test_a_million_nodes_need_no_recursion():
    """One chain, deeper than any stack: record, simplify, count, hash."""

    def chain(x):
        a, b = x
        for _ in range(210_000):
            a, b = (a * b + 0.25).sin(), (b - a) * 0.5
        return a

    program = trace(chain, {"x": (2,)})
    assert len(program.instructions) > 1_000_000
    total = trace(lambda x: sum((x[0] + i) * x[1] for i in range(20_000)), {"x": (2,)})
    simpler = simplify(total)
    assert simpler.cost["mul"] < 200
    np.testing.assert_allclose(simpler([0.3, 0.7]), total([0.3, 0.7]), rtol=1e-11)
    assert len(program.digest) == 64


def test_simplifying_a_deep_chain_needs_no_recursion():
    def chain(x):
        a, b = x
        for _ in range(20_000):
            a, b = a * b + b, b * 0.9 - a * 0.9
        return a, b

    program = trace(chain, {"x": (2,)})
    assert simplify(program).cost["mul"] < program.cost["mul"]


DIGEST = """
import numpy as np
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.recording import trace
def f(x, a):
    y = a @ np.sin(x) + a.T @ np.cos(x) * x[0]
    return {"y": y * y[1] + x * y[1], "s": {"t": (y[0] > 0.0).where(y[0], 1.6)}}
program = trace(f, {"x": (3,), "a": (3, 3)})
print(program.digest, simplify(program).digest)
"""


def test_programs_are_the_same_in_every_process():
    printed = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    first, second = printed.pop().split()
    assert first != second


def test_digest_sees_every_part():
    def variant(name="x", shape=(2,), constant=1.5, op=np.sin, key="a"):
        return trace(lambda x: {key: op(x[0]) * constant}, {name: shape}).digest

    variants = [
        variant(),
        variant(name="y"),
        variant(shape=(3,)),
        variant(constant=np.nextafter(1.5, 2.0)),
        variant(op=np.cos),
        variant(key="b"),
    ]
    assert len(set(variants)) == len(variants)
    assert variant() == variants[0]


BASES = (-2.5, -2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 2.0, 3.7)
EXPONENTS = (-101.0, -3.0, -2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.2, 3.0, 4.0, 100.0, 101.0)


def same_power(actual, base, exponent):
    with np.errstate(all="ignore"):
        expected = np.float64(base) ** np.float64(exponent)
    # exp(y log x) loses what y log x has in digits before the point: two of sixteen at 101.
    np.testing.assert_allclose(actual, expected, rtol=5e-14)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_are_those_of_floats(exponent):
    of_both = trace(lambda x, y: x**y, {"x": (), "y": ()})
    known_exponent = trace(lambda x: x**exponent, {"x": ()})
    for base in BASES:
        same_power(of_both(base, exponent), base, exponent)
        same_power(known_exponent(base), base, exponent)
        same_power(trace(lambda y, base=base: base**y, {"y": ()})(exponent), base, exponent)


def test_choices_of_arrays_are_made_entry_by_entry():
    def clipped(x, limit):
        return wt.minimum(wt.maximum(x, -limit), limit), wt.where(x[0] < x[1], x, [[0.0], [1.0]])

    x, limit = np.array([-3.0, 0.2, 1.5]), 1.0
    program = trace(clipped, {"x": (3,), "limit": ()})
    for actual, expected in zip(program(x, limit), clipped(x, limit), strict=True):
        np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(clipped(x, limit)[0], [-1.0, 0.2, 1.0])
    assert clipped(x, limit)[1].shape == (2, 3)


def test_constants_too_large_to_be_squared_stay_apart():
    for function in (lambda x: (x * 1e200) ** 2 * 3.0, lambda x: (x * 1e155) * (x * 1e155) * 0.5):
        program = simplify(trace(function, {"x": ()}))
        assert program(1e-150) == pytest.approx(function(1e-150), rel=1e-15)
