"""Kernels in JAX. Source of truth: the kernels themselves, and derivatives by another road."""

import ctypes

import numpy as np
import pytest

import whippletree as wt
from interop_use import run_example
from whippletree.interop import ffi_handler

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

NAMES = ("q", "qd", "tau")


@pytest.fixture(scope="module")
def arm():
    m = wt.examples.load("seven-axis-arm")
    return wt.compile(wt.aba, m), wt.derivative(wt.aba, m, wrt=NAMES)


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(5).normal(size=(3, 6, 7))


def test_value_jit_and_vmap_give_the_kernel_s_numbers(arm, states):
    k, _ = arm
    f = wt.interop.jax(k)
    q, qd, tau = states
    assert np.array_equal(f(q[0], tau=tau[0], qd=qd[0]), k(q[0], qd[0], tau[0]))
    assert np.array_equal(jax.jit(f)(q[0], qd[0], tau[0]), k(q[0], qd[0], tau[0]))
    assert np.array_equal(jax.vmap(f)(q, qd, tau), k(q, qd, tau))
    partly = jax.jit(jax.vmap(f, (None, 0, None)))(q[0], qd, tau[0])
    assert np.array_equal(partly, k(q[0], qd, tau[0]))
    twice = jax.vmap(jax.vmap(f, (None, 0, None)), (0, None, None))(q, qd, tau[0])
    assert np.array_equal(twice, k(q[:, None], qd, tau[0]))


def test_jacobians_forward_and_reverse(states):
    m = wt.examples.load("double-pendulum")
    k, derivative = wt.compile(wt.aba, m), wt.derivative(wt.aba, m, wrt=NAMES)
    x = states[:, 0, :2]
    expected = derivative(*x)
    for f in (wt.interop.jax(k), wt.interop.jax(k, derivative)):
        for jacobian in (jax.jacfwd, jax.jacrev):
            found = jax.jit(jacobian(f, (0, 1, 2)))(*x)
            for name, block in zip(NAMES, found, strict=True):
                largest = np.abs(expected[name]).max()
                np.testing.assert_allclose(block, expected[name], rtol=0, atol=1e-12 * largest)


def test_gradient_through_a_scan_of_1000_steps(arm, states):
    k, derivative = arm
    q, qd, tau = states[:, 0]
    f, h = wt.interop.jax(k, derivative), 1e-3

    def end(tau):
        def step(state, _):
            q, qd = state
            qd = qd + h * f(q, qd, tau)
            return (q + h * qd, qd), None

        (q_end, _), _ = jax.lax.scan(step, (q, qd), length=1000)
        return q_end @ np.arange(1.0, 8.0)

    value, gradient = jax.jit(jax.value_and_grad(end))(0.1 * tau)
    _, along = jax.jit(lambda tau, d: jax.jvp(end, (tau,), (d,)))(0.1 * tau, qd)
    np.testing.assert_allclose(gradient @ qd, along, rtol=1e-11)
    q_now, qd_now = q, qd
    for _ in range(1000):
        qd_now = qd_now + h * k(q_now, qd_now, 0.1 * tau)
        q_now = q_now + h * qd_now
    np.testing.assert_allclose(value, q_now @ np.arange(1.0, 8.0), rtol=1e-10)


def test_second_derivatives_and_several_results():
    m = wt.examples.load("double-pendulum")
    energy = wt.interop.jax(wt.compile(wt.energy, m))
    q, qd = np.array([0.3, 0.5]), np.array([1.2, -0.7])
    kinetic, potential = energy(q, qd)
    assert (kinetic, potential) == wt.compile(wt.energy, m)(q, qd)
    found = jax.jit(jax.hessian(lambda qd: energy(q, qd)[0]))(qd)
    np.testing.assert_allclose(found, wt.crba(m, q), rtol=1e-13)


def test_nested_arguments():
    def spring(m, q, gains):
        return {"force": -gains["k"] * q, "rate": gains["c"]}

    m = wt.examples.load("double-pendulum")
    f = wt.interop.jax(wt.compile(spring, m, inputs={"gains": {"k": (2,), "c": ()}}))
    gains = {"k": np.array([2.0, 3.0]), "c": 0.5}
    found = jax.jacobian(f, 1)(np.array([0.4, 0.7]), gains)["force"]
    np.testing.assert_array_equal(found["k"], np.diag([-0.4, -0.7]))
    np.testing.assert_array_equal(found["c"], [0.0, 0.0])


def test_code_that_needs_memory_of_its_own(monkeypatch):
    """As of long programs, whose parts leave their values there."""
    monkeypatch.setattr(ffi_handler.build, "_LONGEST_STRAIGHT", 100)
    m = wt.examples.load("six-axis-arm")
    k = wt.compile(wt.rnea, m)
    x = np.random.default_rng(3).normal(size=(3, 9, 6))
    found = jax.jit(jax.vmap(wt.interop.jax(k)))(*x)
    assert np.array_equal(found, k(*x))
    code = ffi_handler.handler(k.program).codes[0]
    table = (ctypes.c_int64 * len(ffi_handler.ENTRIES)).from_address(code.variable(ffi_handler.TABLE))
    assert min(table[2:4]) > 0


def test_bad_calls(arm):
    k, _ = arm
    f = wt.interop.jax(k)
    with pytest.raises(
        wt.InputError, match=r"qd has shape \(5, 7\), expected \(7,\): for many states, jax.vmap"
    ):
        f(np.zeros(7), np.zeros((5, 7)), np.zeros(7))
    with pytest.raises(
        wt.InputError, match=r"interop.jax takes a kernel, as of wt.compile\(wt.aba, m\), not"
    ):
        wt.interop.jax(wt.aba)  # type: ignore[arg-type]
    m = wt.examples.load("seven-axis-arm")
    with pytest.raises(
        wt.InputError, match=r"derivative gives arrays of shapes \(7, 7\), expected \(7, 7\), \("
    ):
        wt.interop.jax(k, wt.derivative(wt.aba, m))
    with pytest.raises(wt.InputError, match="derivative has the inputs q, qd, qdd, and aba has q, qd, tau"):
        wt.interop.jax(k, wt.derivative(wt.rnea, m))
    with pytest.raises(wt.InputError, match="derivative is function, expected a kernel"):
        wt.interop.jax(k, wt.aba_derivatives)  # type: ignore[arg-type]
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(
            wt.InputError, match=r"single precision.*jax.config.update\(\"jax_enable_x64\", True"
        ):
            wt.interop.jax(k)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_example():
    run_example(wt.interop.jax)
