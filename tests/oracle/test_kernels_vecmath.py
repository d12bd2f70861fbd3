"""Vector functions against mpmath: at most two units in the last place, and the same bits for every width."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from machine_code import run_batch
from whippletree.kernels.run import build
from whippletree.kernels.run.machine import Code, host
from whippletree.kernels.trace.recording import trace

WIDTHS = [width for width in (1, 2, 4, 8) if width <= host().width]
FMA = [True, False] if host().fma else [False]
POINTS = 5000  # a set; bench/vecmath_accuracy.py takes a million

Array = np.ndarray
Points = tuple[Array, ...]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@cache
def code(name: str, width: int, fma: bool) -> Code:
    inputs: dict[str, tuple[int, ...]] = {"y": (), "x": ()} if name == "atan2" else {"x": ()}
    method = {"asin": "arcsin", "acos": "arccos", "atan2": "arctan2"}.get(name, name)
    program = trace(lambda *a: getattr(a[0], method)(*a[1:]), inputs)
    return build.kernel_code(program, replace(host(), fma=fma), width)


def evaluate(name: str, points: Points, width: int, fma: bool) -> Array:
    """The function at all points, `width` at a time."""
    result = np.empty_like(points[0])
    arrays = [*(np.ascontiguousarray(p) for p in points), result]
    run_batch(code(name, width, fma), arrays, 0, len(result))
    return result


def ulps(name: str, points: Points, values: Array) -> tuple[float, tuple[float, ...]]:
    """The largest error in units of the last place of the true value, and where it is."""
    true_function: Callable[..., Any] = getattr(mpmath, name)
    worst, where = 0.0, ()
    with mpmath.workprec(130):
        for *arguments, value in zip(*(p.tolist() for p in points), values.tolist(), strict=True):
            true = true_function(*map(mpmath.mpf, arguments))
            if abs(true) > np.finfo(float).max:
                error = 0.0 if value == float(true) else np.inf
            else:
                unit = mpmath.ldexp(1, max(mpmath.frexp(true)[1], -1021) - 53)
                error = float(abs(mpmath.mpf(value) - true) / unit)
            if not error <= worst:
                worst, where = error, tuple(arguments)
    return worst, where


def sets(name: str, rng: np.random.Generator, n: int) -> Iterator[Points]:
    """Random arguments: uniform over the usual range and over the whole, and close to what is hard."""

    def spread(lowest: float, highest: float) -> Array:
        """Uniform in the exponent, both signs."""
        return np.exp2(rng.uniform(lowest, highest, n)) * rng.choice([-1.0, 1.0], n)

    if name in ("sin", "cos", "tan"):
        yield (rng.uniform(-4.0, 4.0, n),)
        yield (rng.uniform(-1000.0, 1000.0, n),)
        yield (spread(-1074.0, 1024.0),)
        yield (spread(-30.0, 25.0),)
        near = rng.integers(-650_000, 650_000, n) * (np.pi / 2)
        yield (near + np.spacing(near) * rng.integers(-2, 3, n),)
    elif name in ("asin", "acos"):
        yield (rng.uniform(-1.0, 1.0, n),)
        yield (spread(-1074.0, 0.0),)
        yield ((1.0 - np.abs(spread(-53.0, -1.0))) * rng.choice([-1.0, 1.0], n),)
    elif name == "atan2":
        yield rng.uniform(-1.0, 1.0, n), rng.uniform(-1.0, 1.0, n)
        yield spread(-1074.0, 1024.0), spread(-1074.0, 1024.0)
        yield spread(-3.0, 3.0), spread(-3.0, 3.0)
        y = spread(-1074.0, 1020.0)
        yield y, y * spread(-3.9, 3.9)
    elif name == "exp":
        yield (rng.uniform(-1.0, 1.0, n),)
        yield (rng.uniform(-745.5, 710.0, n),)
        yield (spread(-1074.0, 9.6),)
    else:
        yield (rng.uniform(0.0, 3.0, n),)
        yield (np.abs(spread(-1074.0, 1024.0)),)
        yield (1.0 + spread(-53.0, -1.0),)


NAMES = ["sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log"]


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("name", NAMES)
def test_within_two_ulps_and_alike_for_every_width(name: str, fma: bool) -> None:
    rng = np.random.default_rng(NAMES.index(name))
    for points in sets(name, rng, POINTS if fma else POINTS // 5):
        values = evaluate(name, points, 1, fma)
        for width in WIDTHS[1:]:
            assert np.array_equal(evaluate(name, points, width, fma), values), (name, width)
        error, where = ulps(name, points, values)
        assert error <= 2.0, where


_INF, _NAN, _TINY = np.inf, np.nan, 5e-324
# The double closest to a multiple of π/2, relative to its size, among all doubles.
_HARDEST = 6381956970095103.0 * 2.0**797
_SPECIAL = [
    0.0,
    _TINY,
    1e-310,
    2.0**-1022,
    1e-8,
    0.5,
    np.nextafter(0.5, 1.0),
    1.0,
    np.nextafter(1.0, 2.0),
    2.0,
]
_SPECIAL += [
    np.pi / 2,
    np.pi,
    2.0**20,
    np.nextafter(2.0**20, _INF),
    1e22,
    _HARDEST,
    1e308,
    np.finfo(float).max,
]
_SPECIAL += [709.78, 709.79, 745.1, 745.2, 708.4]
SPECIAL = np.array([*_SPECIAL, *(-x for x in _SPECIAL)])


def same(a: float, b: float) -> bool:
    """Equal, sign of zero included; NaN equals NaN."""
    return (a != a and b != b) or (a == b and np.signbit(a) == np.signbit(b))


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("width", WIDTHS)
class TestSpecialValues:
    def test_hard_finite_arguments(self, width: int, fma: bool) -> None:
        for name in NAMES:
            points = (SPECIAL,)
            if name in ("asin", "acos"):
                points = (SPECIAL[np.abs(SPECIAL) <= 1.0],)
            elif name == "log":
                points = (SPECIAL[SPECIAL > 0.0],)
            elif name == "atan2":
                y, x = (grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL))
                signed = y != 0.0  # mpmath has no negative zero
                points = (y[signed], x[signed])
            error, where = ulps(name, points, evaluate(name, points, width, fma))
            assert error <= 2.0, (name, where)

    @pytest.mark.parametrize(
        ("name", "x", "expected"),
        [
            *((name, x, _NAN) for name in ("sin", "cos", "tan") for x in (_INF, -_INF, _NAN)),
            *((name, x, x) for name in ("sin", "tan", "asin") for x in (0.0, -0.0, _TINY, -_TINY)),
            *(
                (name, x, _NAN)
                for name in ("asin", "acos")
                for x in (1.0000000000000002, -2.0, _INF, -_INF, _NAN)
            ),
            ("cos", -0.0, 1.0),
            ("acos", 1.0, 0.0),
            ("exp", 0.0, 1.0),
            ("exp", _INF, _INF),
            ("exp", -_INF, 0.0),
            ("exp", _NAN, _NAN),
            ("exp", 710.0, _INF),
            ("exp", -746.0, 0.0),
            ("log", 0.0, -_INF),
            ("log", -0.0, -_INF),
            ("log", 1.0, 0.0),
            ("log", _INF, _INF),
            *(("log", x, _NAN) for x in (-_TINY, -1.0, -_INF, _NAN)),
        ],
    )
    def test_of_one_argument(self, name: str, x: float, expected: float, width: int, fma: bool) -> None:
        # In every lane, among ordinary numbers in the others.
        for lane in range(width):
            points = np.full(width, 0.3)
            points[lane] = x
            values = evaluate(name, (points,), width, fma)
            assert same(values[lane], expected)
            others = np.delete(values, lane)
            assert (others == evaluate(name, (np.array([0.3]),), 1, fma)).all()

    def test_atan2_of_zeros_and_infinities(self, width: int, fma: bool) -> None:
        numbers = [0.0, -0.0, 1.0, -1.0, _TINY, _INF, -_INF, _NAN]
        y, x = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
        values = evaluate("atan2", (y, x), width, fma)
        assert all(same(v, e) for v, e in zip(values, np.arctan2(y, x), strict=True))


def test_ulps_can_fail() -> None:
    x = np.array([1.0])
    assert ulps("exp", (x,), np.exp(x))[0] < 1.0
    assert ulps("exp", (x,), np.exp(x) * (1.0 + 2.0**-50))[0] > 4.0
