"""Kernels in CasADi. Source of truth: the kernels, `wt.derivative`, and a motion that was asked for."""

import shutil

import numpy as np
import pytest

import whippletree as wt
from interop_use import run_example

casadi = pytest.importorskip("casadi")

COMPILERS = [None, *(["cc"] if shutil.which("cc") else [])]
NAMES = ("q", "qd", "tau")


@pytest.fixture(scope="module")
def pendulum():
    return wt.examples.load("double-pendulum")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("given", [False, True])
def test_value_jacobians_and_hessian(pendulum, compiler, given):
    k, derivative = wt.compile(wt.aba, pendulum), wt.derivative(wt.aba, pendulum, wrt=NAMES)
    f = wt.interop.casadi(k, derivative=derivative if given else None, compiler=compiler)
    x = np.random.default_rng(4).normal(size=(3, 2))
    assert f.name_in() == list(NAMES)
    np.testing.assert_allclose(f(*x).full()[:, 0], k(*x), rtol=1e-14)
    symbols = [casadi.MX.sym(name, 2) for name in NAMES]
    jacobian = casadi.Function("jacobian", symbols, [casadi.jacobian(f(*symbols), s) for s in symbols])
    for block, expected in zip(jacobian(*x), derivative(*x).values(), strict=True):
        np.testing.assert_allclose(block.full(), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    weighted = casadi.dot(f(*symbols), casadi.DM([2.0, -3.0]))
    hessian = casadi.Function("hessian", symbols, [casadi.hessian(weighted, symbols[0])[0]])(*x).full()
    by_us = wt.hvp(wt.aba, pendulum)
    for column, d in zip(hessian.T, np.eye(2), strict=True):
        found = by_us(*x, np.array([2.0, -3.0]), d)["q"]
        np.testing.assert_allclose(column, found, rtol=0, atol=1e-12 * np.abs(hessian).max())


@pytest.mark.parametrize("compiler", COMPILERS)
def test_matrices_and_their_zeros(pendulum, compiler):
    def turned(m, q, A):
        return A @ wt.crba(m, q), q[:1]

    k = wt.compile(turned, pendulum, inputs={"A": (3, 2)})
    f = wt.interop.casadi(k, orders=1, compiler=compiler)
    q, A = np.array([0.3, 0.8]), np.arange(1.0, 7.0).reshape(3, 2)
    found, expected = f(q, A), k(q, A)
    np.testing.assert_allclose(found[0].full(), expected[0], rtol=1e-14)
    assert found[1] == q[0]
    x = casadi.MX.sym("x", 2)
    jacobian = casadi.Function("jacobian", [x], [casadi.jacobian(f(x, A)[0], x)])
    by_us = wt.derivative(wt.crba, pendulum)(q)["q"]
    expected = np.einsum("ij,jkl->kil", A, by_us).reshape(6, 2)  # columns one below the other
    np.testing.assert_allclose(jacobian(q).full(), expected, rtol=1e-13)
    assert jacobian.sparsity_out(0).nnz() == 6  # the inertia matrix does not depend on the first angle
    assert casadi.jacobian(f(x, A)[1], x).nnz() == 1


def test_a_swing_up_by_ipopt_with_exact_derivatives():
    m = wt.examples.load("pendulum")
    f = wt.interop.casadi(wt.compile(wt.aba, m))
    steps, h = 24, 0.1
    opti = casadi.Opti()
    q, qd, tau = opti.variable(steps + 1), opti.variable(steps + 1), opti.variable(steps)
    for n in range(steps):
        opti.subject_to(qd[n + 1] == qd[n] + h * f(q[n], qd[n], tau[n]))
        opti.subject_to(q[n + 1] == q[n] + h * qd[n + 1])
    opti.subject_to([q[0] == 0.0, qd[0] == 0.0, q[steps] == np.pi, qd[steps] == 0.0])
    opti.subject_to(opti.bounded(-2.5, tau, 2.5))
    opti.minimize(casadi.sumsqr(tau))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = opti.solve()
    assert found.stats()["success"]
    assert np.abs(found.value(tau)).max() <= 2.5 + 1e-6
    k, state = wt.compile(wt.aba, m), np.zeros(2)
    for torque in found.value(tau):
        state[1] += h * k(state[:1], state[1:], np.array([torque]))[0]
        state[0] += h * state[1]
    np.testing.assert_allclose(state, [np.pi, 0.0], atol=1e-5)


def test_bad_calls(pendulum, tmp_path):
    k = wt.compile(wt.aba, pendulum)
    with pytest.raises(wt.InputError, match="orders is 3, expected 1 or 2"):
        wt.interop.casadi(k, orders=3)
    with pytest.raises(wt.InputError, match=r"interop\.casadi takes a kernel"):
        wt.interop.casadi(wt.aba)  # type: ignore[arg-type]
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(wt.InputError, match="could not compile the exported C: no such luck"):
        wt.interop.casadi(k, compiler=str(broken))
    with pytest.raises(wt.InputError, match=r"out has shape \(2, 2, 2\), and CasADi knows matrices"):
        wt.interop.casadi(wt.compile(lambda m, q: wt.crba(m, q)[:, :, None] * q, pendulum))


def test_example():
    run_example(wt.interop.casadi)
