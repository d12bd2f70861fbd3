"""Loops in kernels: the same numbers as a Python loop, however the kernel is run, exported or kept."""

from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.kernels.derive.derivatives import forward, reverse
from whippletree.kernels.run import build
from whippletree.kernels.run.iterate import Iteration, Series
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.simplify.passes import simplify
from whippletree.kernels.store.programs import pack, unpack
from whippletree.kernels.trace import unroll
from whippletree.kernels.trace.program import Program
from whippletree.kernels.trace.recording import TraceError, trace
from whippletree.kernels.trace.unroll import unrolled

SHAPES = {"A": (3, 3), "b": (3,)}


def bounded(A: Any, b: Any) -> Any:
    """Sweeps with bounds, loops inside, a condition from outside, and a state that stays as it is."""
    turned = A[0, 1] > 0.1

    def root(x: Any) -> Any:
        return wt.repeat(4, lambda y: 0.5 * (y + x / y), 1.0 + 0.0 * x)

    def sweep(state: Any) -> Any:
        x, (count, scale) = state["x"], state["rest"]
        x = x.copy()
        for i in range(3):
            step = (b[i] - A[i] @ x) / root(2.0 + A[i, i] * x[i] * x[i])
            x[i] = wt.maximum(x[i] + wt.where(turned, step, 0.5 * step) * scale, -1.25 * count)
        return {"x": x, "rest": (count + 0.125, scale)}

    end = wt.repeat(7, sweep, {"x": 0.0 * b + 0.5, "rest": (0.25, 1.5)})
    return np.sin(end["x"]) + end["rest"][0] * b, end["rest"]


def long(A: Any, b: Any) -> Any:
    """Enough around loops to be cut into subroutines, and loops that lie in several of them."""
    x = b
    for i in range(40):
        x = np.sin(A @ x + 0.01 * i) + b * (1.0 + 0.1 * i)
        x = x + 0.1 * np.cross(x, b) / (1.0 + x @ x)
        if i % 8 == 3:
            x = wt.repeat(2 + i, lambda y, x=x: np.cos(y) + 0.125 * x, x)
    return x


def rows(A: Any, b: Any) -> Any:
    """Rows that go through a step by themselves, one entry unchanged, and a loop inside of it."""

    def turned(x: Any) -> Any:
        y = wt.repeat(3, lambda y: np.cos(y) * x[0] + b[1], x[2])
        return np.array([x[0], A[0] @ x, wt.where(x[1] > 0.0, y, x[2])])

    many = np.concatenate([A + 0.1 * k for k in range(7)])  # more than fit side by side, and some left over
    mixed = wt.each(lambda x: A @ x * b[0] - x / (3.0 + b * b) + b[2] - 1.5, many)
    return wt.each(turned, np.concatenate([A, A.T, b[None]])), wt.each(lambda x: x[::-1] * b[0], A), mixed


@pytest.fixture(scope="module")
def numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(21, 3, 3)) * 0.3 + 1.5 * np.eye(3), rng.normal(size=(21, 3))


def of_each(function: Any, A: Any, b: Any) -> Any:
    results = [function(*pair) for pair in zip(A, b, strict=True)]
    flat = [np.concatenate([np.ravel(np.asarray(x, float)) for x in _arrays(r)]) for r in results]
    return np.array(flat)


def _arrays(result: Any) -> list[Any]:
    return [x for part in result for x in _arrays(part)] if isinstance(result, tuple) else [result]


def flat_of(kernel: Any, A: Any, b: Any, **options: Any) -> Any:
    return np.concatenate([np.reshape(x, (len(b), -1)) for x in _arrays(kernel(A, b, **options))], axis=1)


@pytest.mark.parametrize("function", [bounded, long, rows])
def test_loops_on_numbers_recorded_and_compiled(function, numbers, monkeypatch):
    expected = of_each(function, *numbers)
    program = trace(function, SHAPES)
    simple = simplify(program)
    assert simple.loops
    assert simple.n_instructions < simple.n_executed
    for one in (program, simple, unrolled(program)):
        np.testing.assert_allclose(flat_of(one, *numbers), expected, rtol=1e-12, atol=1e-13)
    straight = flat_of(Kernel(simple), *numbers)
    np.testing.assert_allclose(straight, expected, rtol=1e-12, atol=1e-13)
    monkeypatch.setattr(build, "_LONGEST_STRAIGHT", 10)
    monkeypatch.setattr(build, "_maker", lambda: None)
    for kernel in (Kernel(simple), Kernel(program)):
        outlined = flat_of(kernel, *numbers)
        np.testing.assert_array_equal(flat_of(kernel, *numbers, threads=2), outlined)
        np.testing.assert_array_equal(of_each(kernel, *numbers), outlined)
    np.testing.assert_allclose(outlined, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("function", [bounded, rows])
def test_one_state_a_batch_and_threads_are_the_same(function, numbers):
    kernel = Kernel(simplify(trace(function, SHAPES)))
    batch = flat_of(kernel, *numbers)
    np.testing.assert_array_equal(of_each(kernel, *numbers), batch)
    np.testing.assert_array_equal(flat_of(kernel, *numbers, threads=2), batch)


def test_loops_inside_of_an_iteration(numbers):
    A, b = numbers

    def step(x: Any, A: Any) -> Any:
        return wt.repeat(5, lambda y: 0.5 * np.sin(A @ y) + 0.25 * x, x)

    program = trace(step, {"x": (3,), "A": (3, 3)})
    out = np.empty((len(b), 4, 3))
    series = Series.of(np.ascontiguousarray(A[:, None].repeat(8, 1)), (3, 3))
    Iteration(program, 1)([b], [series], [out], steps=8, every=2, threads=1)
    k, x = Kernel(program), b
    for n in range(8):
        x = k(x, A)
        if n % 2:
            np.testing.assert_array_equal(out[:, n // 2], x)


def test_derivatives_of_loops(numbers):
    program = trace(lambda A, b: bounded(A, b)[0], SHAPES)
    A, b = numbers[0][0], numbers[1][0]
    h = 1e-30
    step = np.array([bounded(A, b + 1j * h * e)[0].imag / h for e in np.eye(3)]).T.astype(float)
    for derived in (forward, reverse):
        np.testing.assert_allclose(derived(program, ["b"])(A, b)["b"], step, rtol=1e-12, atol=1e-13)


def test_loops_in_other_languages(numbers):
    program = trace(lambda A, b: bounded(A, b)[0], SHAPES)
    A, b = numbers[0][0], numbers[1][0]
    space: dict[str, Any] = {}
    exec(Kernel(program, "swept").source("python"), space)
    np.testing.assert_allclose(space["swept"](A.tolist(), b.tolist()), bounded(A, b)[0].astype(float), 1e-13)
    assert "void swept(" in Kernel(program, "swept").source("c")


def test_a_loop_kept_on_disk_is_the_same():
    program = simplify(trace(bounded, SHAPES))
    data = pack(program)
    assert data is not None
    found = unpack(data)
    assert found is not None
    assert found.digest == _without_cache(found) == program.digest
    assert found.cost == program.cost
    assert unpack(data[:-1]) is None


def _without_cache(program: Program) -> str:
    return Program(
        program.inputs, program.constants, program.columns, program.results, program.outputs, program.loops
    ).digest


def test_loops_that_differ_in_the_count_alone_are_not_the_same():
    both = [trace(lambda x, n=n: wt.repeat(n, np.sin, x), {"x": (2,)}) for n in (3, 4)]
    assert both[0].digest != both[1].digest
    x = np.array([0.7, -1.9])
    np.testing.assert_allclose(Kernel(both[1])(x), np.sin(np.sin(np.sin(np.sin(x)))), rtol=1e-14)


def test_a_loop_that_begins_with_numbers():
    def steps(A, b):
        return wt.repeat(5, lambda x: 0.5 * (A @ x) + b, np.array([0.1, 0.2, 0.3]))

    program = trace(steps, SHAPES)
    assert len(program.loops) == 1
    A, b = np.diag([0.3, 0.7, 1.1]) + 0.1, np.array([1.3, -0.2, 0.4])
    np.testing.assert_allclose(program(A, b), steps(A, b), rtol=1e-14)


def test_few_passes():
    program = trace(lambda x: (wt.repeat(0, np.sin, x), wt.repeat(1, np.sin, x)), {"x": (2,)})
    x = np.array([0.7, -1.9])
    zero, one = program(x)
    np.testing.assert_array_equal(zero, x)
    np.testing.assert_array_equal(one, np.sin(x))


def test_the_state_given_is_left_as_it_is():
    def halve(x):
        x *= 0.5
        return x

    x = np.array([3.0, 5.0])
    np.testing.assert_array_equal(wt.repeat(3, halve, x), [0.375, 0.625])
    np.testing.assert_array_equal(x, [3.0, 5.0])


def test_what_a_loop_refuses():
    wrong: tuple[Any, ...] = (-2, 2.5, "3", None)
    for count in wrong:
        told = rf"repeat: count is {count!r}, expected a whole number, 0 or more"
        with pytest.raises(wt.InputError, match=told):
            trace(lambda x, count=count: wt.repeat(count, np.sin, x), {"x": ()})
        with pytest.raises(wt.InputError, match=told):
            wt.repeat(count, np.sin, 0.7)
    with pytest.raises(wt.InputError, match=r"returned an array of shape \(3,\), expected .* \(2,\)"):
        trace(lambda x: wt.repeat(2, lambda y: np.append(y, 1.0), x), {"x": (2,)})
    with pytest.raises(wt.InputError, match=r"returned a number, expected a tuple with shapes \(\), \(2,\)"):
        trace(lambda x: wt.repeat(2, lambda s: s[0], (x[0], x)), {"x": (2,)})
    with pytest.raises(TraceError, match=r"the state holds .*, it is made of|the state holds"):
        trace(lambda x: wt.repeat(2, lambda s: s, (x, np.array([1j]))), {"x": ()})
    with pytest.raises(TraceError, match="a branch needs a value"):
        trace(lambda x: wt.repeat(2, lambda y: y if y > 0.0 else -y, x), {"x": ()})
    with pytest.raises(TraceError, match="an index or a count"):
        trace(lambda x: wt.repeat(x, lambda y: y, x), {"x": ()})
    kept = []

    def leak(x):
        wt.repeat(2, lambda y: kept.append(np.sin(y)) or 2.0 * y, x)
        return kept[0]

    with pytest.raises(TraceError, match="from inside of the step of repeat"):
        trace(leak, {"x": ()})


def test_too_long_to_be_written_out(monkeypatch):
    monkeypatch.setattr(unroll, "MOST", 100)
    program = trace(lambda x: wt.repeat(200, np.sin, x), {"x": ()})
    with pytest.raises(wt.InputError, match=r"would be 203 instructions, and 100 are the most"):
        Kernel(program).source("python")


def test_rows_of_another_form_are_refused():
    with pytest.raises(wt.InputError, match=r"each: rows has shape \(3,\), expected an array \(n, k\)"):
        wt.each(lambda x: x, np.zeros(3))
    with pytest.raises(wt.InputError, match=r"each: the step returned an array of shape \(2,\), expected an"):
        trace(lambda A, b: wt.each(lambda x: x[:2], A), SHAPES)
    assert wt.each(lambda x: x, np.zeros((0, 3))).shape == (0, 3)


def test_rows_survive_a_file_and_have_derivatives(numbers):
    program = simplify(trace(rows, SHAPES))
    found = unpack(pack(program) or b"")
    assert found is not None
    assert found.digest == program.digest
    A, b = numbers[0][0], numbers[1][0]
    for derive in (forward, reverse):
        by_b = derive(program, ["b"])(A, b)["b"][0]
        step = 1e-30
        columns = [rows(A, b + 1j * step * e)[0].imag / step for e in np.eye(3)]
        assert np.allclose(by_b, np.stack(columns, axis=-1), rtol=1e-13, atol=1e-15)


def test_what_follows_from_a_state_that_stays_is_part_of_the_loop() -> None:
    def circled(A: Any, b: Any) -> Any:
        return wt.repeat(3, lambda state: (state[0] + np.sin(state[1] * state[1]), state[1]), (A[0], b))

    program = simplify(trace(circled, SHAPES))
    A, b = np.arange(9.0).reshape(3, 3), np.array([0.3, -0.7, 1.9])
    found, kept = Kernel(program, "circled")(A, b)
    assert np.abs(found - (A[0] + 3.0 * np.sin(b * b))).max() < 1e-14
    assert np.array_equal(kept, b)
