"""Steps taken many at a time are the steps that are taken one by one; scripts do what they say."""

import gc
from itertools import product
from typing import Any
from weakref import ref

import numpy as np
import pytest
from scipy.integrate import DOP853, Radau

import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.run.lapack_calls import Factorized
from whippletree.kernels.run.script import (
    Again,
    Call,
    CallPython,
    Copy,
    Halt,
    Label,
    Next,
    Read,
    Script,
    Unless,
    Write,
)
from whippletree.kernels.trace.recording import trace
from whippletree.simulation import run_parts
from whippletree.simulation.acting import Acting
from whippletree.simulation.equations import Law, equations
from whippletree.simulation.integrators import INTEGRATORS, dop853, radau
from whippletree.simulation.integrators.dop853_numbers import A_MORE, E3, E5, A, B, C
from whippletree.simulation.spectrum import spectral_bound
from whippletree.simulation.strides import side_by_side
from whippletree.simulation.systems import Compiled


def one_by_one(monkeypatch, *arguments, **options):
    """The same run without strides."""
    with monkeypatch.context() as patch:
        patch.setattr(run_parts, "strides_of", lambda *_: None)
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


@pytest.mark.parametrize(
    ("name", "method"),
    [*product(STARTS, ["euler", "rk4", "DOP853"]), ("double-pendulum", "Radau"), ("four-bar", "Radau")],
)
def test_strides_are_the_steps_one_by_one(monkeypatch, name, method):
    m, q0, qd0 = STARTS[name]
    options: dict[str, Any] = {"duration": 0.7, "method": method, "sample": 0.03}
    chooses = method in ("DOP853", "Radau")
    if not chooses:
        options |= {"dt": 0.003}
    together = wt.simulate(m, q0, qd0, **options)
    apart = one_by_one(monkeypatch, m, q0, qd0, **options)
    np.testing.assert_array_equal(together.t, apart.t)
    # Lengths are chosen by another bound for their growth, and large gaps are closed on another way.
    atol = 1e-7 if chooses else 1e-9 if m.loops else 1e-12
    for what in ("q", "qd", "kinetic", "potential", "step", "tau"):
        if what != "step" or not chooses:
            np.testing.assert_allclose(getattr(together, what), getattr(apart, what), rtol=0, atol=atol)
    assert np.max(np.abs(together.constraint_error), initial=0.0) < 1e-14


def test_velocities_keep_loops_closed_after_coarse_steps():
    # Where a step leaves a large gap, constraints change on the way back, and velocities with them.
    m = wt.examples.load("four-bar")
    run = wt.simulate(m, duration=0.3, method="euler", dt=0.01)
    rates = [wt.constraint_jacobian(m, q) @ qd for q, qd in zip(run.q, run.qd, strict=True)]
    assert np.max(np.abs(run.qd)) > 1.0
    assert np.max(np.abs(rates)) < 2e-14


def test_a_step_of_order_8_is_that_of_scipy():
    def slope(t, y):
        return np.array([y[1], -np.sin(y[0]) + 0.1 * np.cos(3.0 * t) * y[2], 0.3 * y[0] - y[2] ** 2])

    t, y, h, rtol, atol = 0.4, np.array([0.7, -0.3, 0.5]), 0.35, 1e-4, 1e-6
    K = np.zeros((16, 3))
    K[0] = slope(t, y)
    for k in range(1, dop853.STAGES):
        K[k] = slope(t + C[k] * h, y + h * dop853.in_order(A[k]) @ K)
    after = y + h * dop853.in_order(B) @ K
    K[12] = slope(t + h, after)
    for k, weights in enumerate(A_MORE, start=13):
        K[k] = slope(dop853.stage_times(t, h)[k], y + h * dop853.in_order(weights) @ K)
    peer = DOP853(slope, t, y, 10.0, first_step=h, rtol=rtol, atol=atol)
    peer.step()
    assert peer.t == t + h
    np.testing.assert_allclose(after, peer.y, rtol=0, atol=1e-15)
    scale = atol + np.maximum(abs(y), abs(peer.y)) * rtol
    five, three = (np.sum((dop853.in_order(weights) @ K / scale) ** 2) for weights in (E5, E3))
    error = dop853.error_norm(five, three, len(y), h)
    np.testing.assert_allclose(error, peer._estimate_error_norm(K[:13], h, scale), rtol=1e-9)
    terms, inside = h * dop853.TERMS @ K, peer.dense_output()
    for x in (0.1, 0.45, 0.8):
        np.testing.assert_allclose(dop853.within(terms, y, x), inside(t + x * h), rtol=0, atol=1e-14)


def test_the_first_length_is_that_of_scipy():
    def slope(t, y):
        return np.array([y[1] + t, -np.sin(y[0])])

    y = np.array([0.7, -0.3])
    found = dop853.first_length(slope, y, slope(0.0, y), 10.0, 1e-8, 1e-10)
    np.testing.assert_allclose(found, DOP853(slope, 0.0, y, 10.0, rtol=1e-8, atol=1e-10).h_abs, rtol=1e-12)


def test_an_error_that_is_no_number_shortens_the_step():
    assert dop853.factor(np.nan, 0.0) == dop853.factor(1e30, 0.0) == 0.2
    assert dop853.factor(0.0, 0.0) == dop853.factor(1e-30, 0.0) == 10.0
    assert dop853.factor(1e-3, 1.0) == 1.0
    np.testing.assert_allclose(dop853.factor(0.5, 0.0), 0.77 * 2.0**0.125, rtol=1e-15)
    np.testing.assert_allclose(dop853.factor(3.0, 0.0), 0.77 / 3.0**0.125, rtol=1e-15)


def test_few_steps_are_rejected():
    asked, m = 0, wt.examples.load("double-pendulum")

    def control(t, q, qd):
        nonlocal asked
        asked += 1
        return [0.0, 0.0]

    run = wt.simulate(m, [2.0, 1.5], duration=5.0, control=control, rtol=1e-10, atol=1e-12)
    # Twelve for a step, and one for its record. With a safety of 0.9 every fourth step was rejected.
    assert asked < (13 + 0.2 * 11) * (len(run.t) - 1)


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


def test_a_script_copies_all_numbers_and_no_more():
    for n in (1, 2, 7, 8, 9, 16, 29):
        given, room, rows = np.arange(1.0, 3 * n + 1).reshape(3, n), np.zeros(n + 1), np.zeros((4, n))
        script = Script([Label("go"), Read(given, room[:n]), Write(room[:n], rows), Next(), Again("go")])
        assert script(3, 3) == 3
        np.testing.assert_array_equal(rows, [*given, np.zeros(n)])
        assert room[n] == 0.0


def test_a_run_within_a_run_has_a_script_of_its_own():
    m = wt.examples.load("double-pendulum")
    alone = wt.simulate(
        m, [0.4, 0.2], duration=0.2, method="rk4", dt=0.01, control=lambda t, q, qd: [0.0, 0.1]
    )

    def control(t, q, qd):
        inner = wt.simulate(
            m, [0.4, 0.2], duration=0.2, method="rk4", dt=0.01, control=lambda t, q, qd: [0.0, 0.1]
        )
        np.testing.assert_array_equal(inner.q, alone.q)
        return [0.0, 0.1]

    around = wt.simulate(m, [0.4, 0.2], duration=0.03, method="rk4", dt=0.01, control=control)
    np.testing.assert_array_equal(around.q, alone.q[:4])


def test_scripts_that_are_kept_do_not_keep_what_acted():
    m = wt.examples.load("double-pendulum")

    class Control:
        def __call__(self, t, q, qd):
            return [0.1 * t, 0.0]

    control = Control()
    wt.simulate(m, [0.4, 0.2], duration=0.1, control=control)
    gone = ref(control)
    del control
    gc.collect()
    assert gone() is None


def test_states_side_by_side_are_stepped_as_one_by_one():
    m, rng = wt.examples.load("double-pendulum"), np.random.default_rng(5)

    def control(t, q, qd):
        return [0.3 - 0.2 * qd[0], 0.1 * q[1]]

    system = Compiled(equations(m, False, Law(METHODS["aba"])), Acting(m, control, None))
    states, rk4 = rng.normal(size=(70, 4)), INTEGRATORS["rk4"]  # more than a script takes at once
    found = side_by_side.steps(system, rk4, states, 0.02)
    np.testing.assert_allclose(found, [rk4.step(system, 0.0, y, 0.02) for y in states], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(side_by_side.slopes(system, states), [system.slope(0.0, y) for y in states])


def test_no_eigenvalue_is_above_the_bound():
    rng = np.random.default_rng(3)
    for n in (1, 2, 7):
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1))
        largest = np.max(np.abs(np.linalg.eigvals(A)))
        assert largest <= spectral_bound(A) * (1.0 + 1e-12)
        assert spectral_bound(A) < n**0.125 * 1.2 * largest
    assert spectral_bound(np.zeros((2, 2))) == 0.0
    assert spectral_bound(np.array([[np.nan]])) == np.inf


def stiff_pendulum() -> wt.Mechanism:
    m = wt.examples.load("double-pendulum")
    m.change("upper", damping=3000.0)
    m.change("lower", damping=2.0)
    return m


def test_stiff_steps_are_those_of_scipy(monkeypatch):
    m = stiff_pendulum()
    options: dict[str, Any] = {"duration": 2.0, "method": "Radau"}
    run = wt.simulate(m, [0.4, 0.2], [0.0, 0.3], **options)
    peer = one_by_one(monkeypatch, m, [0.4, 0.2], [0.0, 0.3], **options)
    np.testing.assert_allclose(run.t[:4], peer.t[:4], rtol=1e-9)
    np.testing.assert_allclose(run.q[1], peer.q[1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.qd[1], peer.qd[1], rtol=0, atol=1e-13)
    assert abs(len(run) - len(peer)) < 0.1 * len(peer)
    np.testing.assert_allclose(run.q[-1], peer.q[-1], rtol=0, atol=1e-7)


def test_a_stiff_step_of_given_length_is_that_of_scipy():
    def slope(t, y):
        return np.array([y[1], -900.0 * y[1] - 30.0 * np.sin(y[0]) + np.cos(3.0 * t)])

    def derivative(t, y):
        return np.array([[0.0, 1.0], [-30.0 * np.cos(y[0]), -900.0]])

    t, y, h, rtol, atol = 0.4, np.array([0.7, -0.0211]), 0.01, 1e-3, 1e-5
    f, J, tolerances = slope(t, y), derivative(t, y), np.array([rtol, atol, radau.newton_tolerance(rtol)])
    z, w = radau.guessed(np.zeros((3, 2)), y, 0.0, y, h)
    count, before, rate, done, converged = 0.0, 0.0, 0.0, 0.0, 0.0
    while not done:
        times, states = radau.stages(t, h, y, z)
        F = np.array([slope(*stage) for stage in zip(times, states, strict=True)])
        one, pair = radau.right_sides(F, w, h)
        one = np.linalg.solve(radau.GAMMA / h * np.eye(2) - J, one)
        both = np.linalg.solve((radau.ALPHA + 1j * radau.BETA) / h * np.eye(2) - J, pair @ [1.0, 1j])
        pair = np.stack([both.real, both.imag], axis=1)
        w, z, count, before, rate, done, converged = radau.updated(w, one, pair, y, tolerances, count, before)
    assert converged
    after, _, side = radau.error_side(z, f, y, h)
    error = radau.error_size(np.linalg.solve(radau.GAMMA / h * np.eye(2) - J, side), y, after, tolerances)[0]
    assert error < 1.0
    peer = Radau(slope, t, y, 10.0, first_step=h, rtol=rtol, atol=atol, jac=derivative)
    peer.step()
    assert peer.t == t + h
    np.testing.assert_allclose(after, peer.y, rtol=0, atol=1e-15)
    np.testing.assert_allclose(error, float(peer.error_norm_old or 0.0), rtol=1e-9)
    terms, inside = radau.terms_through(z), peer.dense_output()
    for x in (0.1, 0.45, 0.8):
        np.testing.assert_allclose(radau.within(terms, y, x), inside(t + x * h), rtol=0, atol=1e-14)
    assert 0.0 < rate < 0.1


def test_newton_steps_that_lead_nowhere_end():
    y, tolerances, far = np.array([1.0]), np.array([1e-6, 1e-8, 1e-3]), np.array([[1.0, 1.0]])
    w = np.zeros((3, 1))
    for before, size in ((1e3, 1e-3), (0.0, np.nan)):  # larger than the last one; not a number
        *_, done, converged = radau.updated(w, size * far[0, :1], size * far, y, tolerances, 1.0, before)
        assert (done, converged) == (1.0, 0.0)
    *_, done, converged = radau.updated(w, np.zeros(1), 0.0 * far, y, tolerances, 0.0, 0.0)
    assert (done, converged) == (1.0, 1.0)


def test_a_script_calls_lapack():
    rng, right = np.random.default_rng(1), np.array([0.3, -0.7, 1.1])
    for kind in (float, complex):
        A = rng.normal(size=(3, 3)) + (1j * rng.normal(size=(3, 3)) if kind is complex else 0.0)
        system, x = Factorized(A.copy()), right.astype(kind)
        Script([system.factor(), system.solve(x), Halt()])(1, 1)
        np.testing.assert_allclose(A @ x, right, rtol=0, atol=1e-14)
        if kind is float:
            many = np.array([right, 2.0 * right - 1.0])
            Script([system.solve(many), Halt()])(1, 1)
            np.testing.assert_allclose(A @ many.T, np.array([right, 2.0 * right - 1.0]).T, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["rk4", "DOP853", "Radau", "RK45"])
def test_a_control_that_is_held_is_asked_once_a_sample(monkeypatch, method):
    m, asked = wt.examples.load("double-pendulum"), []

    def control(t, q, qd):
        asked.append(t)
        return [np.sin(3.0 * t) - 0.5 * qd[0], -0.7 * q[1]]

    options: dict[str, Any] = {"duration": 0.5, "method": method, "control": control, "control_dt": 0.02}
    if method == "rk4":
        options |= {"dt": 0.005}
    run = wt.simulate(m, [0.4, 0.2], **options)
    np.testing.assert_allclose(asked, 0.02 * np.arange(26), rtol=0, atol=1e-12)
    apart = one_by_one(monkeypatch, m, [0.4, 0.2], **options)
    np.testing.assert_allclose(run.q[-1], apart.q[-1], rtol=0, atol=1e-10)
    # The same from one sample to the next, by hand.
    q, qd = np.array([0.4, 0.2]), np.zeros(2)
    for k in range(25):
        tau = control(0.02 * k, q, qd)
        part = wt.simulate(m, q, qd, duration=0.02, control=lambda t, q, qd, tau=tau: tau, rtol=1e-11)
        q, qd = part.q[-1], part.qd[-1]
    np.testing.assert_allclose(run.q[-1], q, rtol=0, atol=1e-7)
    # States at samples have the forces that begin there.
    at = [int(np.argmin(abs(run.t - t))) for t in 0.02 * np.arange(1, 25)]
    for k in at:
        np.testing.assert_allclose(run.tau[k], control(run.t[k], run.q[k], run.qd[k]), rtol=0, atol=1e-9)


def test_a_held_control_goes_on_behind_an_event():
    m, asked = wt.examples.load("double-pendulum"), []

    def control(t, q, qd):
        asked.append(t)
        return [-0.5 * qd[0], -0.3 * qd[1]]

    kick = wt.Event(lambda t, q, qd: q[0] - 0.1, "kick", action=lambda t, q, qd: (q, -0.8 * qd))
    run = wt.simulate(m, [0.4, 0.2], duration=2.0, control=control, control_dt=0.1, events=[kick])
    assert len(run.events) > 0
    assert set(np.round(np.array(asked) / 0.1, 9)) == set(range(21))
    assert np.all(np.diff(run.energy[run.t > run.events[-1].t]) < 1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control_dt": 0.1}, "control_dt is 0.1 s, but there is no control"),
        ({"control_dt": -0.1, "control": lambda t, q, qd: [0.0, 0.0]}, "control_dt is -0.1, expected"),
        (
            {"control_dt": 0.015, "dt": 0.01, "method": "rk4", "control": lambda t, q, qd: [0.0, 0.0]},
            "control_dt is 0.015 s, no multiple of the step dt = 0.01 s",
        ),
        (
            {"control_dt": 0.1, "control": lambda t, q, qd: [0.0, 0.0], "drive": {"upper": 1.0}},
            "drive and control_dt are given",
        ),
    ],
)
def test_times_between_samples_are_checked(options, message):
    with pytest.raises(wt.InputError, match=message):
        wt.simulate(wt.examples.load("double-pendulum"), **options)


def test_a_held_control_is_refused_where_shapes_touch():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    m.add_shape("skin", wt.Sphere(0.1), body="ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor")
    with pytest.raises(wt.InputError, match="control_dt is given and contacts act"):
        wt.simulate(m, [0.6], control=lambda t, q, qd: [0.0], control_dt=0.1)


@pytest.mark.parametrize("method", [{"method": "rk4", "dt": 0.01}, {"rtol": 1e-9}], ids=["rk4", "DOP853"])
def test_a_held_control_acts_beside_forces_from_outside(method: Any):
    """Forces on the bodies are asked for at every evaluation, and leave what is held as it is."""
    m = wt.examples.load("double-pendulum")
    held: Any = {"control": lambda t, q, qd: [0.7 * np.cos(3.0 * t), -0.5], "control_dt": 0.05}
    alone = wt.simulate(m, [1.0, 0.5], duration=0.5, **held, **method)
    beside = wt.simulate(
        m, [1.0, 0.5], duration=0.5, external=lambda t, q, qd: np.zeros((2, 6)), **held, **method
    )
    np.testing.assert_allclose(beside.q[-1], alone.q[-1], rtol=0, atol=1e-12)
    assert np.max(np.abs(wt.simulate(m, [1.0, 0.5], duration=0.5, **method).q[-1] - alone.q[-1])) > 1e-3


def test_a_script_forgets_what_acted_in_the_run_before():
    """Of the same kind, as functions in Python go; one had a control beside its forces."""
    m = wt.examples.load("double-pendulum")

    def outside(t: float, q: Any, qd: Any) -> dict[str, list[float]]:
        return {m.bodies[1].name: [0.0, 0.0, 0.0, 0.1, 0.0, 0.0]}

    options: Any = {"duration": 0.2, "method": "rk4", "dt": 0.01, "external": outside}
    first = wt.simulate(m, [1.0, 0.5], **options)
    pushed = wt.simulate(m, [1.0, 0.5], control=lambda t, q, qd: [3.0, -2.0], **options)
    assert np.max(np.abs(pushed.q[-1] - first.q[-1])) > 1e-3
    np.testing.assert_array_equal(wt.simulate(m, [1.0, 0.5], **options).q, first.q)


@pytest.mark.filterwarnings("ignore::whippletree.StepLengthWarning")
@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_control_is_not_asked_about_what_is_no_number(method):
    seen = []

    def pushes(t, q, qd):
        seen.append((q.copy(), qd.copy()))
        return 1e6 * qd  # its energy is accounted for, and within some steps beyond all numbers

    m = wt.examples.load("double-pendulum")
    with pytest.raises(wt.SimulationError):
        wt.simulate(m, [0.1, 0.2], [0.3, 0.4], 1.0, pushes, method, progress=False)
    assert len(seen) > 10
    assert all(np.all(np.isfinite(part)) for state in seen for part in state)
