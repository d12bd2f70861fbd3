"""Machine code agrees with the interpreter, and all its forms agree with one another to the last bit."""

import gc
import types
import weakref
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from machine_code import run_batch
from random_graphs import Recipe, agree, recipe
from whippletree.kernels.emit.memory import room_size
from whippletree.kernels.emit.result_slots import FEWEST
from whippletree.kernels.emit.vecmath.lanes import Form
from whippletree.kernels.run import build, machine
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.machine import host
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import trace
from whippletree.kernels.trace.structure import leaves

WIDTHS = [width for width in (1, 2, 4, 8) if width <= host().width]
FMA = [True, False] if host().fma else [False]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def run(
    program: Program, inputs: list[np.ndarray], width: int, fma: bool, first: int = 0
) -> list[np.ndarray]:
    """All outputs of code of this width for rows first … of the inputs; rows before and after stay NaN."""
    count = max(len(a) for a in inputs)
    code = build.kernel_code(program, replace(host(), fma=fma), width)
    room = np.empty(room_size(program, Form(width, fma)) + 64, np.uint8)
    found = []
    for address in (0, -(-room.ctypes.data // 64) * 64):  # directly, and past the caches
        outputs = [np.full((count + 3, leaf.size), np.nan) for leaf in leaves(program.outputs)]
        run_batch(code, [*inputs, *outputs], first, count, address)
        for out in outputs:
            assert np.isnan(out[count:]).all()
            assert np.isnan(out[:first]).all()
        found.append([out[first:count] for out in outputs])
    for one, other in zip(*found, strict=True):
        assert_same_bits(one, other)
    return found[0]


def assert_same_bits(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(one.view(np.uint64), other.view(np.uint64))


def graph(seed: int) -> tuple[Recipe, Program, np.random.Generator]:
    rng = np.random.default_rng(seed)
    made = recipe(lambda n: int(rng.integers(n)), 40)
    return made, trace(lambda x: np.stack(made.traced(x)), {"x": (made.n_inputs,)}), rng


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("seed", range(25))
def test_random_graphs_for_every_width(seed, fma):
    made, program, rng = graph(seed)
    x = rng.uniform(-3.0, 3.0, (2 * max(WIDTHS) + 3, made.n_inputs))
    (scalar,) = run(program, [x], 1, fma)
    decided = 0
    for row, values in zip(x, scalar, strict=True):
        bounds = made.bounded(row)
        assert agree(values, bounds)
        decided += sum(np.isfinite(b.error) for b in bounds)
    assert decided > 0
    for width in WIDTHS[1:]:
        assert_same_bits(run(program, [x], width, fma)[0], scalar)


def test_every_operation_was_reached():
    seen = {i[0] for seed in range(25) for i in graph(seed)[1].instructions}
    basic = {
        "add",
        "sub",
        "mul",
        "div",
        "neg",
        "sqrt",
        "abs",
        "floor",
        "minimum",
        "maximum",
        "where",
        "and",
        "not",
    }
    assert seen >= basic | {"sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log"}


def test_long_graph():
    rng = np.random.default_rng(5)
    made = recipe(lambda n: int(rng.integers(n)), 1500, calm=True)
    made = Recipe(made.n_inputs, made.steps, tuple(range(made.n_inputs, made.n_inputs + 1500, 7)))
    program = trace(lambda x: np.stack(made.traced(x)), {"x": (made.n_inputs,)})
    x = rng.uniform(-1.0, 1.0, (max(WIDTHS) + 1, made.n_inputs))
    (scalar,) = run(program, [x], 1, host().fma)
    bounds = made.bounded(x[0])
    assert sum(b.error < 1e-9 for b in bounds) > len(bounds) / 2
    assert agree(scalar[0], bounds)
    for width in WIDTHS[1:]:
        assert_same_bits(run(program, [x], width, host().fma)[0], scalar)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", range(13))
def test_rows_of_every_length_and_every_remainder(width, size):
    """Transposing moves every number to its place, and nothing else is touched."""
    program = trace(lambda x, y: (x[::-1], y + 0.0 * sum(x, 0.0)), {"x": (size,), "y": ()})
    rng = np.random.default_rng(size)
    for count in range(1, 2 * width + 2):
        x, y = rng.uniform(-1.0, 1.0, (count, size)), rng.uniform(-1.0, 1.0, (count, 1))
        backwards, same = run(program, [x, y], width, host().fma)
        np.testing.assert_array_equal(backwards, x[:, ::-1])
        np.testing.assert_array_equal(same, y)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", [FEWEST, FEWEST + 5, 256, 263])
def test_long_rows_go_by_slots(width, size):
    """Two arrays of many numbers, values that stand there twice, constants, and an array of few."""
    rng = np.random.default_rng(size)
    chosen = rng.integers(0, 20, (2, size))

    def many(x):
        values = np.array([*(x * 3.0), *x, *np.arange(10.0)], dtype=object)
        return values[chosen[0]], x[:2] - 1.0, values[chosen[1]]

    program = trace(many, {"x": (5,)})
    turn = 8 * width  # states in whose rows lines of memory begin everywhere
    for count in (*range(1, 2 * width + 2), turn - 1, turn, turn + 3, 3 * turn, 4 * turn + 1):
        x = rng.normal(size=(count, 5))
        values = np.column_stack([x * 3.0, x, np.tile(np.arange(10.0), (count, 1))])
        for first in {0, count // 2}:
            one, few, other = run(program, [x], width, host().fma, first)
            np.testing.assert_array_equal(one, values[first:, chosen[0]])
            np.testing.assert_array_equal(few, x[first:, :2] - 1.0)
            np.testing.assert_array_equal(other, values[first:, chosen[1]])


@pytest.mark.parametrize("width", WIDTHS)
def test_strides_and_ranges(width):
    program = trace(lambda a, b: a @ b, {"a": (3, 3), "b": (3,)})
    rng = np.random.default_rng(0)
    count = 2 * width + 1
    a, b = rng.uniform(-1.0, 1.0, (count, 9)), rng.uniform(-1.0, 1.0, (count, 3))
    (straight,) = run(program, [a, b], 1, host().fma)
    padded = rng.uniform(-1.0, 1.0, (2 * count, 14))
    padded[::2, 5:] = a
    for rows in (padded[::2, 5:], np.ascontiguousarray(a[::-1])[::-1]):  # further apart, and backwards
        assert_same_bits(run(program, [rows, b], width, host().fma)[0], straight)
    for first in range(count):
        assert_same_bits(run(program, [a, b], width, host().fma, first)[0], straight[first:])
    shared = run(program, [a[:1], b], width, host().fma)[0]
    assert_same_bits(shared, run(program, [np.repeat(a[:1], count, axis=0), b], 1, host().fma)[0])


def test_constant_and_repeated_outputs():
    numbers = [1.5, 0.0, np.inf, 5e-324, 0.1, -np.inf, 1.5]
    program = trace(lambda x: [np.array(numbers), x, x, 7.0], {"x": (2,)})
    x = np.array([[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0]])
    for width in WIDTHS:
        constant, first, second, seven = run(program, [x], width, host().fma)
        np.testing.assert_array_equal(constant, np.tile(numbers, (3, 1)))
        np.testing.assert_array_equal(first, x)
        np.testing.assert_array_equal(second, x)
        np.testing.assert_array_equal(seven, np.full((3, 1), 7.0))


def test_products_are_fused_once_for_all_widths():
    """(1 + e)² - 1 - 2 e is e² with one rounding; with two it is 0."""
    e = 2.0**-27
    program = trace(lambda x, y: x * x - y, {"x": (), "y": ()})
    x, y = np.full((9, 1), 1.0 + e), np.full((9, 1), 1.0 + 2.0 * e)
    for width in WIDTHS:
        for fma in FMA:
            (value,) = run(program, [x, y], width, fma)
            np.testing.assert_array_equal(value, e * e if fma else 0.0)


def test_shapes_of_inputs_and_outputs():
    shapes = {"a": (2, 3), "b": (), "c": (0,), "d": (1, 1, 4)}
    program = trace(lambda a, b, c, d: {"t": a.T * b, "e": c, "s": d.sum()}, shapes)
    rng = np.random.default_rng(1)
    inputs = [rng.uniform(-1.0, 1.0, (5, *shape)) for shape in shapes.values()]
    expected = program(*inputs)
    tables = [a.reshape(5, prod(a.shape[1:])) for a in inputs]
    for width in WIDTHS:
        t, e, s = run(program, tables, width, host().fma)
        np.testing.assert_array_equal(t.reshape(5, 3, 2), expected["t"])
        assert e.shape == (5, 0)
        np.testing.assert_allclose(s[:, 0], expected["s"], rtol=1e-14)


@pytest.mark.parametrize(
    ("cpu", "width", "fma"), [("x86-64", 1, False), ("x86-64", 2, False), ("haswell", 4, True)]
)
def test_code_for_older_processors(cpu, width, fma, monkeypatch):
    """The same bits, and nothing in the code that it would have to find elsewhere."""
    if not host().triple.startswith("x86_64") or width > host().width or (fma and not host().fma):
        pytest.skip("this processor does not run such code")
    for seed in range(10):
        _, program, rng = graph(seed)
        x = rng.uniform(-3.0, 3.0, (width + 1, program.n_inputs))
        (expected,) = run(program, [x], 1, fma)
        with monkeypatch.context() as patch:
            older = replace(host(), cpu=cpu, features="")
            patch.setattr(f"{__name__}.host", lambda older=older: older)
            assert_same_bits(run(program, [x], width, fma)[0], expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_floor(width):
    half = np.array([0.0, 0.25, 0.49999999999999994, 0.5, 0.75, 0.9999999999999999, 1.0, 1.5, 5e-324])
    large = np.array([2.0**52 - 0.5, 2.0**52, 2.0**52 + 1.0, 2.0**53 + 2.0, 1e300, np.inf, 2.0**51 + 0.5])
    x = np.concatenate([half, -half, large, -large, [np.nan]])
    x = np.concatenate([x, np.random.default_rng(0).uniform(-1e6, 1e6, 1000)])[:, None]
    program = trace(lambda x: np.floor(np.stack([x]))[0], {"x": ()})
    (floor,) = run(program, [x], width, host().fma)
    assert_same_bits(floor + 0.0, np.floor(x) + 0.0)
    np.testing.assert_array_equal(np.signbit(floor), np.signbit(np.floor(x)))


@pytest.mark.parametrize("fma", FMA)
@pytest.mark.parametrize("count", [1, 2, 3, 11])
def test_angles_of_one_state_in_lanes_have_the_bits_of_a_batch(count, fma):
    def turned(x):
        sines = [a.sin() * b for a, b in zip(x, x[::-1], strict=True)]
        shifted = [a.cos() for a in 0.3 - x[::2]]
        return np.array([*sines, *shifted, *((1.3 + a).sin() for a in shifted)])

    program = trace(turned, {"x": (count,)})
    rng = np.random.default_rng(count)
    x = rng.normal(size=(24, count)) * 10.0 ** rng.integers(-9, 19, (24, count))
    x.flat[:5] = [-0.0, np.nan, np.inf, 3e300, -np.inf][: x.size]
    wide, one = (run(program, [x], width, fma)[0] for width in (WIDTHS[-1], 1))
    assert_same_bits(wide, one)
    finite = np.isfinite(x).all(axis=1)
    np.testing.assert_allclose(one[finite], program(x[finite]), rtol=1e-14, atol=1e-300)


def test_code_that_is_gone_is_noted_without_a_line_of_python():
    """Python drops a Ctrl-C that falls into one: the callback of a weak reference raises into nothing."""
    kernel = Kernel(trace(lambda a: np.sin(0.31 * a), {"a": (2,)}))
    kernel(np.ones(2))
    callbacks = [
        reference.__callback__ for code in gc.get_objects() if type(code) is machine.Code
        for reference in weakref.getweakrefs(code)
    ]  # fmt: skip
    assert callbacks
    assert all(isinstance(callback, types.BuiltinMethodType) for callback in callbacks)


def test_code_that_is_gone_is_unloaded_by_the_next():
    def count() -> int:
        gc.collect()
        Kernel(trace(lambda a: np.sin(0.37 * a), {"a": (2,)}))(np.ones(2))
        return len(machine._engines)

    before = count()
    for k in range(5):
        Kernel(trace(lambda a, k=k: np.cos((0.41 + k) * a), {"a": (2,)}))(np.ones(2))
    assert count() <= before + 1
