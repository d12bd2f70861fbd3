"""Steps taken many at a time are the steps that are taken one by one; scripts do what they say."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import DOP853

import whippletree as wt
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.script import (
    Again,
    Call,
    CallPython,
    Copy,
    Halt,
    Label,
    Next,
    Script,
    Unless,
    Write,
)
from whippletree.kernels.trace.recording import trace
from whippletree.simulation import driver
from whippletree.simulation.integrators import dop853
from whippletree.simulation.integrators.dop853_numbers import A_MORE, A, B, C


def one_by_one(monkeypatch, *arguments, **options):
    """The same run without strides."""
    with monkeypatch.context() as patch:
        patch.setattr(driver, "strides_of", lambda *_: None)
        return wt.simulate(*arguments, **options)


def free_arm() -> wt.Mechanism:
    m = wt.Mechanism("floating", gravity=(0.3, -0.2, -9.81))
    m.add_body("base", wt.Free(), inertia=wt.Inertia(2.0, (0.1, -0.05, 0.02), np.diag([0.3, 0.2, 0.4])))
    m.add_body(
        "arm", wt.Revolute("y"), "base", wt.Placement((0.2, 0.1, 0.0)), wt.Inertia(0.7, (0.0, 0.1, 0.3))
    )
    return m


STARTS = {
    "double-pendulum": (wt.examples.load("double-pendulum"), [1.1, 0.4], [0.3, -0.8]),
    "four-bar": (wt.examples.load("four-bar"), None, None),
    "floating": (free_arm(), [0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.4], [0.5, -0.3, 0.7, 0.2, 0.1, -0.4, 0.9]),
}


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("method", ["euler", "rk4", "DOP853"])
def test_strides_are_the_steps_one_by_one(monkeypatch, name, method):
    m, q0, qd0 = STARTS[name]
    options: dict[str, Any] = {"duration": 0.7, "method": method, "sample": 0.03}
    if method != "DOP853":
        options |= {"dt": 0.003}
    together = wt.simulate(m, q0, qd0, **options)
    apart = one_by_one(monkeypatch, m, q0, qd0, **options)
    np.testing.assert_array_equal(together.t, apart.t)
    # Lengths are chosen by another bound for their growth, and large gaps are closed on another way.
    atol = 1e-7 if method == "DOP853" else 1e-9 if m.loops else 1e-12
    for what in ("q", "qd", "kinetic", "potential", "step", "tau"):
        if what != "step" or method != "DOP853":
            np.testing.assert_allclose(getattr(together, what), getattr(apart, what), rtol=0, atol=atol)
    assert np.max(np.abs(together.constraint_error), initial=0.0) < 1e-14


def test_a_step_of_order_8_is_that_of_scipy():
    def slope(t, y):
        return np.array([y[1], -np.sin(y[0]) + 0.1 * np.cos(3.0 * t) * y[2], 0.3 * y[0] - y[2] ** 2])

    t, y, h, rtol, atol = 0.4, np.array([0.7, -0.3, 0.5]), 0.35, 1e-4, 1e-6
    K = np.zeros((16, 3))
    K[0] = slope(t, y)
    for k in range(1, dop853.STAGES):
        K[k] = slope(t + C[k] * h, y + h * dop853.combined(A[k], K))
    after = y + h * dop853.combined(B, K)
    K[12] = slope(t + h, after)
    for k, weights in enumerate(A_MORE, start=13):
        K[k] = slope(dop853.stage_times(t, h)[k], y + h * dop853.combined(weights, K))
    peer = DOP853(slope, t, y, 10.0, first_step=h, rtol=rtol, atol=atol)
    peer.step()
    assert peer.t == t + h
    np.testing.assert_allclose(after, peer.y, rtol=0, atol=1e-15)
    scale = atol + np.maximum(abs(y), abs(peer.y)) * rtol
    error = dop853.error_norm(K, y, after, h, rtol, atol)
    np.testing.assert_allclose(error, peer._estimate_error_norm(K[:13], h, scale), rtol=1e-9)
    terms, inside = dop853.polynomial(K, y, after, h), peer.dense_output()
    for x in (0.1, 0.45, 0.8):
        np.testing.assert_allclose(dop853.within(terms, y, x), inside(t + x * h), rtol=0, atol=1e-14)


def test_the_first_length_is_that_of_scipy():
    def slope(t, y):
        return np.array([y[1] + t, -np.sin(y[0])])

    y = np.array([0.7, -0.3])
    found = dop853.first_length(slope, y, 10.0, 1e-8, 1e-10)
    np.testing.assert_allclose(found, DOP853(slope, 0.0, y, 10.0, rtol=1e-8, atol=1e-10).h_abs, rtol=1e-12)


def test_an_error_that_is_no_number_shortens_the_step():
    assert dop853.factor(np.nan, 0.0) == dop853.LEAST
    assert dop853.factor(0.0, 0.0) == dop853.MOST
    assert dop853.factor(1e-3, 1.0) == 1.0
    assert dop853.LEAST < dop853.factor(3.0, 0.0) < 1.0


def test_a_control_in_python_is_asked_within_strides(monkeypatch):
    m = wt.examples.load("double-pendulum")

    def control(t, q, qd):
        return [0.7 * np.sin(3.0 * t) - 0.2 * qd[0], -0.5 * q[1]]

    choices: list[dict[str, Any]] = [{"method": "rk4", "dt": 0.01}, {"rtol": 1e-10}]
    for options in choices:
        run = wt.simulate(m, [0.4, 0.2], duration=0.5, control=control, **options)
        other = one_by_one(monkeypatch, m, [0.4, 0.2], duration=0.5, control=control, **options)
        np.testing.assert_allclose(run.q[-1], other.q[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(run.tau[-1], other.tau[-1], rtol=0, atol=1e-9)


def test_a_control_that_is_a_kernel_is_called_by_machine_code(monkeypatch):
    m, q0, qd0 = STARTS["floating"]

    def control(t, q, qd):
        return 0.3 * np.sin(2.0 * t) - 0.2 * qd + 0.1 * q[6]

    kernel = wt.compile(control, m, inputs={"t": ()})
    run = wt.simulate(m, q0, qd0, duration=0.3, control=kernel, method="rk4", dt=0.01)
    other = one_by_one(monkeypatch, m, q0, qd0, duration=0.3, control=control, method="rk4", dt=0.01)
    np.testing.assert_allclose(run.q, other.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.tau, other.tau, rtol=0, atol=1e-12)


def test_an_error_of_a_control_is_raised_as_it_is():
    def control(t, q, qd):
        if t > 0.2:
            raise KeyError("sensor")
        return [0.0, 0.0]

    with pytest.raises(KeyError, match="sensor"):
        wt.simulate(wt.examples.load("double-pendulum"), duration=1.0, control=control)


def test_a_script_branches_calls_python_and_ends_where_it_is_told():
    less = Kernel(trace(lambda x: (x - 1.0, x - 2.5), {"x": ()}))
    x, after, above, heard, rows = np.array([9.0]), np.zeros(1), np.zeros(1), [], np.zeros((20, 1))
    script = Script(
        [
            Label("go"),
            Call(less, [x], [after, above]),
            Copy(after, x),
            Unless(above, "end"),
            CallPython(lambda: heard.append(float(x[0]))),
            Write(x, rows),
            Next(),
            Again("go"),
            Label("end"),
            Halt(),
        ]
    )
    assert script(2, 100) == 2  # no more rows
    assert script(20, 3) == 3  # no more rounds
    np.testing.assert_array_equal(rows[:3, 0], [6.0, 5.0, 4.0])
    assert script(20, 100) == 2  # the flag has fallen
    assert heard == [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]
    x[0] = np.nan
    assert script(20, 100) == 0  # what is not a number is not above zero
