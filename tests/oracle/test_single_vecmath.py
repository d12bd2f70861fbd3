"""Vector functions of floats against NumPy's of doubles: two units in the last place, the same bits for every
width.

Any double function is right to 1e-8 of a float's last place. `bench/vecmath_accuracy.py float32` takes all of
them.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from machine_code import run_batch
from whippletree.kernels.run import build
from whippletree.kernels.run.machine import Code, host
from whippletree.kernels.trace.precision import SINGLE
from whippletree.kernels.trace.recording import trace

WIDTHS = [width for width in (1, 2, 4, 8, 16) if width <= host().lanes(SINGLE)]
FMA = [True, False] if host().fma else [False]
NAMES = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "exp": np.exp,
    "log": np.log,
}
STRIDE = 104_729
"""Of all floats, taken by their bits, every so manieth: a prime, so that they are all over."""

Array = np.ndarray


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@cache
def code(name: str, width: int, fma: bool) -> Code:
    inputs: dict[str, tuple[int, ...]] = {"y": (), "x": ()} if name == "arctan2" else {"x": ()}
    program = trace(lambda *a: getattr(a[0], name)(*a[1:]), inputs)
    return build.kernel_code(program, replace(host(), fma=fma), width, SINGLE)


def evaluate(name: str, points: tuple[Array, ...], width: int, fma: bool) -> Array:
    """The function at all points, `width` at a time."""
    result = np.empty_like(points[0])
    run_batch(code(name, width, fma), [*points, result], 0, len(result))
    return result


def ulps(true: Array, values: Array) -> Array:
    """Errors in units of the last place of the true values, doubles; inf where infinities or NaN differ."""
    size = np.where(np.isfinite(true) & (true != 0.0), np.abs(true), 1.0)
    unit = np.exp2(np.maximum(np.floor(np.log2(size)), -126.0) - 23.0)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(values.astype(float) - true) / np.where(true == 0.0, 2.0**-149, unit)
        rounded = true.astype(np.float32)
    alike = (values == rounded) | (np.isnan(values) & np.isnan(rounded))
    return np.where(alike, 0.5, np.where(np.isfinite(error), error, np.inf))  # rounded well, to half a unit


def all_over(first: int = 0, stride: int = STRIDE, last: int = 2**32) -> Array:
    """Floats by their bits: all signs and sizes, NaN and infinities."""
    return np.arange(first, last, stride, dtype=np.uint32).view(np.float32)


def hard() -> Array:
    """Floats close to multiples of π/2, close to 1, and others where something changes."""
    near = (np.arange(1, 2000) * (np.pi / 2)).astype(np.float32)
    special = [0.0, 1e-45, 1e-40, 2.0**-126, 0.5, 1.0, 2.0, 1024.0, 88.72, 88.73, 103.9, 104.0, 3e38, np.inf]
    points = [*near, *(np.nextafter(near, np.float32(np.inf))), *np.array(special, np.float32)]
    points += [np.nextafter(np.float32(x), np.float32(y)) for x in (0.5, 1.0, 1024.0) for y in (0.0, 2000.0)]
    return np.array([*points, *(-np.array(points))], np.float32)


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("name", NAMES)
def test_within_two_ulps_and_alike_for_every_width(name: str, fma: bool) -> None:
    x = np.concatenate([all_over(), hard()])
    values = evaluate(name, (x,), 1, fma)
    for width in WIDTHS[1:]:
        np.testing.assert_array_equal(evaluate(name, (x,), width, fma), values)
    with np.errstate(all="ignore"):
        error = ulps(NAMES[name](x.astype(float)), values)
    assert error.max() <= 2.0, (x[np.argmax(error)], values[np.argmax(error)])
    if name in ("sin", "tan", "arcsin"):
        assert (np.signbit(values) == np.signbit(x))[np.abs(x) < 0.5].all()  # that of zeros, too


def pairs() -> Iterator[tuple[Array, Array]]:
    """Points of the plane: of all sizes, of comparable sizes, and all pairs of what is special."""
    rng = np.random.default_rng(1)
    size = np.exp2(rng.uniform(-149.0, 127.9, (2, 20_000))) * rng.choice([-1.0, 1.0], (2, 20_000))
    yield size[0].astype(np.float32), size[1].astype(np.float32)
    near = size[0] * np.exp2(rng.uniform(-4.0, 4.0, 20_000)) * rng.choice([-1.0, 1.0], 20_000)
    keep = np.abs(near) < 3e38
    yield size[0][keep].astype(np.float32), near[keep].astype(np.float32)
    y, x = np.meshgrid(hard()[::97], hard()[::101])
    yield y.ravel(), x.ravel()
    special = np.array([0.0, -0.0, 1.0, -1.0, 1e-45, np.inf, -np.inf, np.nan], np.float32)
    y, x = np.meshgrid(special, special)
    yield y.ravel(), x.ravel()


@pytest.mark.parametrize("fma", FMA)
def test_angles_of_points(fma: bool) -> None:
    for y, x in pairs():
        values = evaluate("arctan2", (y, x), 1, fma)
        for width in WIDTHS[1:]:
            np.testing.assert_array_equal(evaluate("arctan2", (y, x), width, fma), values)
        true = np.arctan2(y.astype(float), x.astype(float))
        error = ulps(true, values)
        assert error.max() <= 2.0, (y[np.argmax(error)], x[np.argmax(error)])
        assert (np.signbit(values) == np.signbit(true))[~np.isnan(true)].all()


def test_ulps_can_fail() -> None:
    true = np.array([np.e, 1.0, np.inf])
    assert ulps(true, np.array([2.718281, 1.0, np.inf], np.float32)).tolist() == pytest.approx(
        [3.35, 0.5, 0.5], abs=0.01
    )
    assert ulps(true, np.array([np.e, np.nan, 3e38], np.float32))[1:].tolist() == [np.inf, np.inf]
