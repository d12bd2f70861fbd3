"""What is folded while a function is recorded, and what simplification finds afterwards: exact results."""

import math
import sys

import numpy as np
import pytest

from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.trace.arithmetic import ADD, MUL
from whippletree.kernels.trace.program import Program, operands
from whippletree.kernels.trace.recording import trace

NAMES = ("x", "y", "z", "u")


def text(program: Program) -> str:
    """A program of scalar inputs, written out as expressions."""
    values = [entry.name for entry in program.inputs] + [f"{c:g}" for c in program.constants]
    for op, _, numbers in operands(program):
        values.append(f"{op}({', '.join(values[n] for n in numbers)})")
    return ", ".join(values[r] for r in program.results)


def recorded(function) -> Program:
    return trace(function, dict.fromkeys(NAMES, ()))


FOLDED = [
    (lambda x, y, z, u: x * 0.0, "0"),
    (lambda x, y, z, u: 0.0 * (x + y), "0"),
    (lambda x, y, z, u: x * 1.0, "x"),
    (lambda x, y, z, u: x * -1.0, "neg(x)"),
    (lambda x, y, z, u: x + 0.0, "x"),
    (lambda x, y, z, u: 0.0 - x, "neg(x)"),
    (lambda x, y, z, u: x - x, "0"),
    (lambda x, y, z, u: (x + y) - (y + x), "0"),
    (lambda x, y, z, u: x + -x, "0"),
    (lambda x, y, z, u: x / x, "1"),
    (lambda x, y, z, u: 0.0 / x, "0"),
    (lambda x, y, z, u: x + x, "mul(2, x)"),
    (lambda x, y, z, u: -(x * -1.0), "x"),
    (lambda x, y, z, u: (-x) * (-y), "mul(x, y)"),
    (lambda x, y, z, u: (-x) / (-y), "div(x, y)"),
    (lambda x, y, z, u: x - (-y), "add(x, y)"),
    (lambda x, y, z, u: -x + y, "sub(y, x)"),
    (lambda x, y, z, u: -(x - y), "sub(y, x)"),
    (lambda x, y, z, u: -(2.5 * x), "mul(-2.5, x)"),
    (lambda x, y, z, u: z - (-x) * y, "add(z, mul(x, y))"),
    (lambda x, y, z, u: (x * y - y * x, x * y + z - z), "0, mul(x, y)"),
    (lambda x, y, z, u: (z - (z - x), z - (x + z)), "x, neg(x)"),
    (lambda x, y, z, u: (x * (y / x), x * (y * (1.0 / x))), "y, y"),
    (lambda x, y, z, u: 2.0 * (3.0 * x), "mul(6, x)"),
    (lambda x, y, z, u: (x * 3.0) / 4.0, "mul(0.75, x)"),
    (lambda x, y, z, u: x / 4.0, "mul(0.25, x)"),
    (lambda x, y, z, u: x / 3.0, "div(x, 3)"),
    (lambda x, y, z, u: 3.0 * (x / 3.0), "x"),
    (lambda x, y, z, u: (x / 3.0) / 5.0, "div(x, 15)"),
    (lambda x, y, z, u: 6.0 / (2.0 * x), "div(3, x)"),
    (lambda x, y, z, u: 6.0 * (2.0 / x), "mul(6, div(2, x))"),
    (lambda x, y, z, u: (2.0 / x) / 3.0, "div(0.666667, x)"),
    (lambda x, y, z, u: (x + 1.0) + 2.0, "add(3, x)"),
    (lambda x, y, z, u: 1.0 - (1.0 - x), "x"),
    (lambda x, y, z, u: np.sin(-x), "neg(sin(x))"),
    (lambda x, y, z, u: np.cos(-x), "cos(x)"),
    (lambda x, y, z, u: np.cos(x - y) * np.cos(y - x), "mul(cos(sub(x, y)), cos(sub(x, y)))"),
    (lambda x, y, z, u: np.tan(-x) * np.arcsin(-y), "mul(tan(x), asin(y))"),
    (lambda x, y, z, u: np.arctan2(-y, x), "neg(atan2(y, x))"),
    (lambda x, y, z, u: np.arccos(-x), "acos(neg(x))"),
    (lambda x, y, z, u: abs(-abs(y - x)), "abs(sub(x, y))"),
    (lambda x, y, z, u: np.floor(np.floor(x)), "floor(x)"),
    (lambda x, y, z, u: x**0, "1"),
    (lambda x, y, z, u: x**1, "x"),
    (lambda x, y, z, u: x**3, "mul(x, mul(x, x))"),
    (lambda x, y, z, u: x**4, "mul(mul(x, x), mul(x, x))"),
    (lambda x, y, z, u: x**-2, "div(1, mul(x, x))"),
    (lambda x, y, z, u: x**0.5, "sqrt(x)"),
    (lambda x, y, z, u: x**-0.5, "div(1, sqrt(x))"),
    (lambda x, y, z, u: x**1.5, "mul(x, sqrt(x))"),
    (lambda x, y, z, u: x**0.3, "exp(mul(0.3, log(x)))"),
    (lambda x, y, z, u: x**100.0, "exp(mul(100, log(abs(x))))"),
    (lambda x, y, z, u: np.arctan(x), "atan2(x, 1)"),
    (lambda x, y, z, u: x.minimum(x), "x"),
    (lambda x, y, z, u: (-x).minimum(-y), "neg(maximum(x, y))"),
    (lambda x, y, z, u: x.minimum(y) - y.minimum(x), "0"),
    (lambda x, y, z, u: (x < x).where(y, z), "z"),
    (lambda x, y, z, u: (x < y).where(z, z), "z"),
    (lambda x, y, z, u: (x > y).where(-z, -u), "neg(where(lt(y, x), z, u))"),
    (lambda x, y, z, u: (~(x < y)).where(z, u), "where(lt(x, y), u, z)"),
    (lambda x, y, z, u: (x > 0.0).where(y, z), "where(gt(x, 0), y, z)"),
    (lambda x, y, z, u: (-x < -y).where(z, u), "where(lt(y, x), z, u)"),
    (lambda x, y, z, u: (-x <= 2.0).where(z, u), "where(ge(x, -2), z, u)"),
    (lambda x, y, z, u: (x < y).where((x < y).where(z, u), y), "where(lt(x, y), z, y)"),
    (lambda x, y, z, u: (x != y).where(z, u), "where(eq(x, y), u, z)"),
    (lambda x, y, z, u: ((x < y) | ~(x < y)).where(z, u), "z"),
    (lambda x, y, z, u: ((x < y) & ~(x < y)).where(z, u), "u"),
    (lambda x, y, z, u: ((x < y) & True).where(z, u), "where(lt(x, y), z, u)"),
    (lambda x, y, z, u: ((x < y) | (z < u)) & (x < u), "where(and(or(lt(x, y), lt(z, u)), lt(x, u)), 1, 0)"),
    (lambda x, y, z, u: (x < y) * z, "mul(z, where(lt(x, y), 1, 0))"),
    (lambda x, y, z, u: np.sin(np.float64(0.0)) + x * np.float64(2.0), "mul(2, x)"),
]


@pytest.mark.parametrize(("function", "expected"), FOLDED, ids=[e for _, e in FOLDED])
def test_folding(function, expected):
    assert text(recorded(function)) == expected


SIMPLIFIED = [
    # a common factor
    (lambda x, y, z, u: x * y + x * z, "mul(x, add(y, z))"),
    (lambda x, y, z, u: x * y - z * x, "mul(x, sub(y, z))"),
    (lambda x, y, z, u: x * y + x * z + u * x, "mul(x, add(u, add(y, z)))"),
    (lambda x, y, z, u: x * y * z + x * y * u, "mul(mul(x, y), add(z, u))"),
    (lambda x, y, z, u: 1.7 * x + y * 1.7, "mul(1.7, add(x, y))"),
    (lambda x, y, z, u: 1.7 * x - y * 1.7, "mul(1.7, sub(x, y))"),
    (lambda x, y, z, u: x / u + y / u, "div(add(x, y), u)"),
    (lambda x, y, z, u: x * y / u + z / u, "div(add(z, mul(x, y)), u)"),
    # products with another use stay
    (lambda x, y, z, u: (x * y + x * z, x * y, x * z), "add(mul(x, y), mul(x, z)), mul(x, y), mul(x, z)"),
    # constants meet
    (lambda x, y, z, u: (1.5 * x) * (2.0 * y), "mul(3, mul(x, y))"),
    (lambda x, y, z, u: ((x * 1.5) * y) * 4.0, "mul(6, mul(x, y))"),
    (lambda x, y, z, u: y * (1.6 * x) - x * (1.6 * y), "0"),
    (lambda x, y, z, u: y * (1.5 * x) + x * (2.5 * y), "mul(4, mul(x, y))"),
    (lambda x, y, z, u: (x + z) + (y - z), "add(x, y)"),
    (lambda x, y, z, u: 3.0 * x + y - 2.0 * x, "add(x, y)"),
    (lambda x, y, z, u: (x + 2.0) + (y - 2.0), "add(x, y)"),
    (lambda x, y, z, u: 0.1 * x + 0.2 * x - 0.3 * x + y, "y"),
    # quotients
    (lambda x, y, z, u: 6.0 * (2.0 / x), "div(12, x)"),
    (lambda x, y, z, u: (1.0 / x) * y, "div(y, x)"),
    (lambda x, y, z, u: 2.5 * (1.0 / x) * y + z, "add(z, div(mul(2.5, y), x))"),
    (lambda x, y, z, u: (2.0 * (1.0 / x), y * (1.0 / x)), "mul(2, div(1, x)), mul(y, div(1, x))"),
    # sines and cosines
    (lambda x, y, z, u: np.sin(x) ** 2 + np.cos(x) ** 2, "1"),
    (lambda x, y, z, u: y * np.sin(x) * np.sin(x) + np.cos(x) ** 2 * y, "y"),
    (lambda x, y, z, u: 3.0 * np.sin(x) ** 2 + 2.0 * np.cos(x) ** 2, "add(2, mul(sin(x), sin(x)))"),
    # halves of a selection
    (lambda x, y, z, u: (x < y).where(z, 0.0) + (x < y).where(0.0, u), "where(lt(x, y), z, u)"),
    (lambda x, y, z, u: (x < y).where(z, 0.0) - (x < y).where(0.0, u), "where(lt(x, y), z, neg(u))"),
    # a comparison decided only now, used the other way round
    (
        lambda x, y, z, u: (~((x + z) + (y - z) < x + y) & (x < 0.0)).where(z, u),
        "where(lt(x, 0), z, u)",
    ),
    # shared pairs
    (
        lambda x, y, z, u: ((x + y) + z, (x + u) + y),
        "add(z, add(x, y)), add(u, add(x, y))",
    ),
    (
        lambda x, y, z, u: ((x * y) * z, (x * u) * y),
        "mul(z, mul(x, y)), mul(u, mul(x, y))",
    ),
    (
        lambda x, y, z, u: ((x - y) + z, u + (y - x)),
        "add(z, sub(x, y)), sub(u, sub(x, y))",
    ),
    # nothing to gain: left as written
    (lambda x, y, z, u: (x + y) + (z + u), "add(add(x, y), add(z, u))"),
    (lambda x, y, z, u: x + x * y, "add(x, mul(x, y))"),
]


@pytest.mark.parametrize(("function", "expected"), SIMPLIFIED, ids=[e for _, e in SIMPLIFIED])
def test_simplification(function, expected):
    assert text(simplify(recorded(function))) == expected


@pytest.mark.parametrize("length", [50, 127, 128, 129, 400])
def test_a_sum_of_any_length_is_regrouped_as_a_whole(length):
    def function(x, y, a):
        return sum(y * x[i] if i % 3 else a[i] * x[i] for i in range(length))

    program = trace(function, {"x": (length,), "y": (), "a": (length,)})
    alone = (length + 2) // 3
    assert simplify(program).cost["mul"] == alone + 1
    assert simplify(program).cost["add"] == length - 1


@pytest.mark.parametrize("length", [20, 31, 32, 33, 300])
def test_pairs_are_shared_wherever_they_lie_in_a_long_sum(length):
    def function(x, y):
        long = x[0]
        for i in range(1, length):
            long = (long + x[i]) + y[i]
        return long, [(y[i] - 2.5 * y[i - 1]) + x[i] for i in range(1, length)]

    program = trace(function, {"x": (length,), "y": (length,)})
    assert program.cost["add"] - simplify(program).cost["add"] == length - 1


def test_what_is_not_looked_at_would_not_have_gained(monkeypatch):
    """Regrouping looks closely only at what an array pass finds promising; with a look at all, the same."""
    module = sys.modules["whippletree.kernels.simplify.regroup"]

    def everything(table, part):
        return np.isin(table.code, (ADD, MUL)) & (table.count > 0) & ~part

    rng = np.random.default_rng(5)
    programs = [
        trace(lambda x, seed=seed: _tangle(x, seed), {"x": (5,)}) for seed in rng.integers(1 << 30, size=300)
    ]
    quick = [simplify(program) for program in programs]
    assert sum(a.cost != b.cost for a, b in zip(programs, quick, strict=True)) > 200
    monkeypatch.setattr(module, "_promising", everything)
    assert [simplify(program).cost for program in programs] == [program.cost for program in quick]


def _tangle(x, seed):
    """Sums and products of few values and constants, sines and selections among them."""
    rng = np.random.default_rng(seed)
    values = [*x, np.sin(x[0]), np.cos(x[0]), 1.5, 0.25, 1.0 / x[1], (x[2] < x[3]).where(x[4], 0.0)]
    values.append((x[2] < x[3]).where(0.0, x[1]))
    for _ in range(40):
        a, b = (values[i] for i in rng.integers(len(values), size=2))
        values.append((a + b, a - b, a * b, 1.5 * a, a * a)[rng.integers(5)])
    return sum(values[-1:-12:-2]), values[-2] * values[-3]


def test_constants_that_would_leave_the_number_range_stay_apart():
    tiny, huge = 1e-200, 1e200
    for function in (
        lambda x, y, z, u: tiny * (tiny * x),
        lambda x, y, z, u: huge * (huge * x),
        lambda x, y, z, u: (tiny * x) * (tiny * y),
        lambda x, y, z, u: (tiny * x) * (tiny * y) + (tiny * z) * (tiny * u),
        lambda x, y, z, u: (tiny * x) / huge,
    ):
        program = recorded(function)
        big = (1e250, 1e251, 1.5e250, 3e250)
        assert math.isfinite(program(*big)) == math.isfinite(float(function(*big)))
        np.testing.assert_allclose(simplify(program)(*big), program(*big), rtol=1e-15)
        np.testing.assert_allclose(program(*big), function(*big), rtol=1e-15)


def test_infinite_and_undefined_constants_pass_through():
    program = recorded(lambda x, y, z, u: (x.minimum(math.inf), y + math.nan, -math.inf + z, u / 0.0))
    small, undefined, infinite, quotient = simplify(program)(1.5, 2.5, 3.5, -4.5)
    assert (small, infinite, quotient) == (1.5, -math.inf, -math.inf)
    assert math.isnan(undefined)
