"""Kernels and rollouts in float32: the numbers of float64 but for rounding, the same in any company."""

import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import randoms
import whippletree as wt
from whippletree.kernels.run import build, general_call
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.machine import host
from whippletree.kernels.trace.recording import trace

EPS = float(np.finfo(np.float32).eps)
TREE = [
    "free",
    "revolute",
    "universal",
    "spherical",
    "helical",
    "planar",
    "spherical-exponential",
    "prismatic",
]


def states(rng: np.random.Generator, m: wt.Mechanism, count: int) -> list[np.ndarray]:
    """Positions, velocities and forces, in float32."""
    q = m.integrate(m.neutral(), rng.normal(size=(count, m.nv)))
    return [a.astype(np.float32) for a in (q, *rng.normal(size=(2, count, m.nv)))]


@pytest.mark.parametrize("function", [wt.rnea, wt.aba], ids=["rnea", "aba"])
def test_every_kind_of_joint_rounds_and_no_more(function: Callable) -> None:
    rng = np.random.default_rng(3)
    m = randoms.tree(rng, TREE)
    given = states(rng, m, 40)
    given[0][0] = m.neutral()  # where angles vanish
    exact = wt.compile(function, m)(*given)
    k = wt.compile(function, m, dtype="float32")
    found = k(*given)
    assert found.dtype == k.dtype == np.float32
    scale = np.abs(exact).max(axis=1, keepdims=True)
    assert (np.abs(found - exact) / scale).max() < 200 * EPS  # 1e-5 of the largest; typical 10
    for count in (1, 15, 16, 17):
        np.testing.assert_array_equal(k(*(a[:count] for a in given), threads=2), found[:count])
    np.testing.assert_array_equal(k(*(a[7] for a in given)), found[7])


@pytest.mark.parametrize("function", [wt.rnea, wt.aba], ids=["rnea", "aba"])
def test_derivatives_round_and_no_more(function: Callable) -> None:
    rng = np.random.default_rng(4)
    m = randoms.tree(rng, ["spherical", "helical", "universal"])
    given = states(rng, m, 20)
    force = list(wt.compile(function, m).program.inputs)[2].name
    directions, weights = rng.normal(size=(3, 20, m.nv)).astype(np.float32), given[2]
    wrt = ("q", "qd", force)
    calls = {
        wt.derivative: given,
        wt.jvp: [*given, *directions],
        wt.vjp: [*given, weights],
        wt.hvp: [*given, weights, *directions],
    }
    for derive, arguments in calls.items():
        k = derive(function, m, wrt=wrt, dtype="float32")
        exact = k.program(*(a.astype(float) for a in arguments))
        found = k(*arguments)
        assert k.dtype == np.float32
        pairs = [(exact[name], found[name]) for name in wrt] if isinstance(exact, dict) else [(exact, found)]
        for a, b in pairs:
            assert b.dtype == np.float32
            scale = np.abs(a).max(axis=tuple(range(1, a.ndim)), keepdims=True)
            error = (np.abs(b - a) / scale).max()
            assert error < 300 * EPS, derive  # as a share of the largest; that of the function is as large
        alone = k(*(a[7] for a in arguments))
        for name in wrt if isinstance(found, dict) else ():
            np.testing.assert_array_equal(alone[name], found[name][7])


def test_arrays_of_float64_are_rounded_first() -> None:
    m = wt.examples.load("double-pendulum")
    k = m.kernel("aba", dtype="float32")
    given = np.random.default_rng(0).normal(size=(3, 5, 2))
    np.testing.assert_array_equal(k(*given), k(*given.astype(np.float32)))
    assert k([0.3, 0.5], [0, 0], np.zeros(2)).dtype == np.float32
    assert k is m.kernel("aba", dtype="float32")
    assert m.kernel("aba")(*given).dtype == np.float64


def test_numbers_are_float32_too() -> None:
    k = Kernel(trace(lambda x, y: (x * y, x + y), {"x": (), "y": ()}), dtype="float32")
    third = np.float32(1.0) / np.float32(3.0)
    for x in (third, float(third), np.array(third), [third]):
        product, total = k(x, 2.5)
        assert product.dtype == total.dtype == np.float32
        assert np.ravel(product)[0] == third * np.float32(2.5)


def test_what_is_refused() -> None:
    m = wt.examples.load("double-pendulum")
    k = wt.compile(wt.aba, m, dtype=np.float32)
    zeros = np.zeros(2, np.float32)
    with pytest.raises(wt.InputError, match=r"out has dtype float64, expected float32"):
        k(zeros, zeros, zeros, out=np.empty(2))
    with pytest.raises(wt.InputError, match=r"tau has the number 1e\+40, and float32 ends at 3.40282e\+38"):
        k(zeros, zeros, [1e40, np.inf])
    with pytest.raises(wt.InputError, match="dtype is 'float16', expected 'float64' or 'float32'"):
        wt.compile(wt.aba, m, dtype="float16")
    with pytest.raises(wt.InputError, match="dtype is 'quick', expected"):
        m.kernel("aba", dtype="quick")
    with pytest.raises(wt.InputError, match="dtype is 'half', expected 'float64' or 'float32'"):
        wt.derivative(wt.aba, m, dtype="half")
    with pytest.raises(wt.InputError, match="assemble searches in float64 only"):
        wt.examples.load("four-bar").kernel("assemble", dtype="float32")
    with pytest.raises(wt.InputError, match=r"out for q is float64 .* expected float32"):
        wt.rollout(m, [0, 0], [0, 0], steps=3, dtype="float32", out=(np.empty((3, 2)), np.empty((3, 2))))
    with pytest.raises(wt.InputError, match="more than float32 can count"):
        wt.rollout(m, [0, 0], [0, 0], steps=2**23 + 1, every=2**20, dtype="float32")
    with pytest.raises(wt.InputError, match=r"aba computes in float32, and interop.jax takes float64"):
        wt.interop.jax(k)


def test_copies_and_packed_results_keep_their_dtype() -> None:
    m = wt.examples.load("double-pendulum")
    k = wt.compile(wt.crba, m, dtype="float32")
    q = np.array([0.3, 0.5], np.float32)
    again = pickle.loads(pickle.dumps(k))
    np.testing.assert_array_equal(again(q), k(q))
    packed = pickle.loads(pickle.dumps(k.packed()))
    assert repr(again) == "<Kernel crba(q: (2,)) in float32>"
    assert packed(q).dtype == packed.unpack(packed(q)).dtype == np.float32
    np.testing.assert_array_equal(packed.unpack(packed(q)), k(q))


def test_bounds_below_all_floats_still_hold() -> None:
    k = Kernel(trace(lambda x: 1.0 / x.maximum(1e-300), {"x": ()}), dtype="float32")
    assert np.isfinite(k(0.0))
    m = wt.Mechanism("one")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3), np.eye(3)))
    q = m.neutral()
    assert wt.compile(m.difference, m, inputs={"q0": (4,), "q1": (4,)}, dtype="float32")(q, q).tolist() == [
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("count", [2, 15, 16, 17, 33, 500])
def test_streamed_results_are_the_same_at_every_alignment(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whole lines past the caches: rows by slots, rows by the room, and a number."""
    factors = np.arange(1.0, 124.0)

    def function(x):
        return np.outer(factors, x), x[0] * factors[:7], x[0] + x[1]

    k = Kernel(trace(function, {"x": (3,)}), dtype="float32")
    x = np.random.default_rng(count).normal(size=(count, 3)).astype(np.float32)
    expected = k(x)
    np.testing.assert_array_equal(expected[0], factors.astype(np.float32)[:, None] * x[:, None])
    monkeypatch.setattr(general_call, "STREAMED", 0)
    for begin in (0, 1, 7, 15):
        memory = [np.full(19 + begin + result.size + 19, np.nan, np.float32) for result in expected]
        parts = [slice(19 + begin, 19 + begin + result.size) for result in expected]
        k(x, out=tuple(m[p].reshape(e.shape) for m, p, e in zip(memory, parts, expected, strict=True)))
        for place, part, result in zip(memory, parts, expected, strict=True):
            np.testing.assert_array_equal(place[part], result.ravel())
            place[part] = np.nan
            assert np.isnan(place).all(), "written outside of the results"


def test_long_programs_and_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    m = wt.examples.load("six-axis-arm")
    given = states(np.random.default_rng(5), m, 20)
    expected = wt.compile(wt.aba, m, dtype="float32")(*given)
    monkeypatch.setattr(build, "_LONGEST_STRAIGHT", 100)
    monkeypatch.setattr(build, "_maker", lambda: None)  # not what is on disk
    outlined = Kernel(wt.compile(wt.aba, m).program, dtype="float32")
    np.testing.assert_array_equal(outlined(*given), expected)
    np.testing.assert_array_equal(outlined(*(a[3] for a in given)), expected[3])

    def roots(x):
        return wt.repeat(5, lambda y: 0.5 * (y + x / y), x)

    k = wt.compile(roots, m, inputs={"x": (3,)}, dtype="float32")
    x = np.random.default_rng(6).uniform(1.0, 4.0, (20, 3)).astype(np.float32)
    np.testing.assert_allclose(k(x), np.sqrt(x), rtol=2 * EPS)
    np.testing.assert_array_equal(k(x[4]), k(x)[4])


def test_exported_c_is_of_floats(tmp_path: Path) -> None:
    k = wt.compile(wt.aba, wt.examples.load("six-axis-arm"), dtype="float32")
    text = k.source("c")
    assert "double v" not in text
    assert "sinf(" in text
    (tmp_path / "kernel.c").write_text(text)
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Werror"]
    command = ["cc", "-std=c99", "-c", *warnings, "-o", tmp_path / "kernel.o", tmp_path / "kernel.c"]
    subprocess.run(command, check=True)
    command = ["cc", "-std=c99", "-DABA_TEST_MAIN", "-o", tmp_path / "kernel", tmp_path / "kernel.c", "-lm"]
    subprocess.run(command, check=True)
    ran = subprocess.run([tmp_path / "kernel"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.count("\n") == 6


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
def test_rollouts(name: str) -> None:
    m = wt.examples.load(name)
    rng = np.random.default_rng(8)
    q0 = m.neutral() + (0.0 if m.loops else rng.normal(size=(20, m.nq)))
    tau = 0.2 * rng.normal(size=(20, 50, m.nv))
    exact = wt.rollout(m, q0, np.zeros(m.nv), tau, every=5)
    found = wt.rollout(m, q0, np.zeros(m.nv), tau, every=5, dtype="float32", threads=2)
    for a, b in zip(exact, found, strict=True):
        assert b.dtype == np.float32
        np.testing.assert_allclose(b, a, atol=300 * EPS * np.abs(a).max())
    alone = wt.rollout(m, q0 if m.loops else q0[3], np.zeros(m.nv), tau[3], every=5, dtype="float32")
    np.testing.assert_array_equal(alone[0], found[0][3])

    def control(t, q, qd):
        return -0.3 * qd + 0.1 * np.sin(t)

    by_function = [
        wt.rollout(m, q0, np.zeros(m.nv), control, steps=50, dtype=dtype)[1]
        for dtype in ("float64", "float32")
    ]
    a, b = by_function
    np.testing.assert_allclose(b, a, atol=300 * EPS * np.abs(a).max())


def test_rollouts_with_contact() -> None:
    m = wt.examples.load("bouncing-ball")
    start = m.neutral(), np.zeros(m.nv)
    forces = np.empty((60, *wt.contact.gaps(m, start[0]).shape, 3))
    exact = wt.rollout(m, *start, steps=600, every=10)
    found = wt.rollout(m, *start, steps=600, every=10, contact_forces=forces, dtype="float32")
    np.testing.assert_allclose(found[0], exact[0], atol=1e-4)
    assert np.isfinite(forces).all()


def test_kernels_of_closed_mechanisms() -> None:
    m = wt.examples.load("four-bar")
    k = m.kernel("forward_dynamics", dtype="float32")
    q = m.kernel("assemble", hold=["crank"])([[0.1, 0.0, 0.0], [2.0, 0.0, 0.0]])
    zeros = np.zeros(m.nv)
    exact, found = m.kernel("forward_dynamics")(q, zeros, zeros), k(q, zeros, zeros)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, atol=1e3 * EPS * np.abs(exact).max())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(k))(q, zeros, zeros), found)


def test_vectors_hold_twice_as_many_floats() -> None:
    k = wt.compile(wt.aba, wt.examples.load("double-pendulum"), dtype="float32")
    assert f"<{2 * host().width} x float>" in k.source("llvm")
