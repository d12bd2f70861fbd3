"""Gradients of rollouts, backward through time.

Source of truth: forward through the same steps, by the complex step and by forward differentiation.
"""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import closed
import randoms
import whippletree as wt
from complex_steps import STEP
from whippletree.adjoint.backward_step import compiled_steps
from whippletree.adjoint.implicit_step import is_implicit
from whippletree.adjoint.rollout_gradient import stepping_of
from whippletree.kernels.derive.derivatives import product_forward
from whippletree.kernels.trace.program import Program
from whippletree.model.positions import rate
from whippletree.simulation.contact_step import touching_of

LIMIT = 1e-9
STEPS, DT = 12, 0.01


def by_complex_step(step: Program, given: list[Any], changes: list[Any]) -> list[tuple[Any, Any]]:
    """The changes of the states after each step."""
    moved = [a + 1j * STEP * b for a, b in zip(given, changes, strict=True)]
    states, (q, qd, tau, *rest) = [], moved
    for k in range(STEPS):
        q, qd = step(q, qd, DT, float(k), tau[k], *rest)
        states.append((q.imag / STEP, qd.imag / STEP))
    return states


def by_forward_mode(step: Program, given: list[Any], changes: list[Any]) -> list[tuple[Any, Any]]:
    """The same by the rules of differentiation."""
    names = ["q", "qd", "tau", *(["parameters"] if len(given) > 3 else [])]
    change = product_forward(step, names, {}, {name: f"d_{name}" for name in names})
    states, (q, qd, tau, *rest), (d_q, d_qd, d_tau, *d_rest) = [], given, changes
    for k in range(STEPS):
        at = (q, qd, DT, float(k), tau[k], *rest)
        d_q, d_qd = change(*at, d_q, d_qd, d_tau[k], *d_rest)
        q, qd = step(*at)
        states.append((d_q, d_qd))
    return states


def check(
    m: wt.Mechanism,
    q0: np.ndarray,
    qd0: np.ndarray,
    directions: tuple[np.ndarray, np.ndarray],
    method: str = "euler",
    every: int = 1,
    parameters: tuple[str, ...] = (),
    control: Any = None,
    truth: Any = by_complex_step,
) -> None:
    rng = np.random.default_rng(3)
    d_q, d_qd = directions
    tau, d_tau = rng.normal(size=(2, STEPS, m.nv))
    by_q = rng.normal(size=(STEPS // every, m.nq))
    by_qd = rng.normal(size=(STEPS // every, m.nv))
    d_parameters = rng.normal(size=len(parameters))
    given = control if control is not None else tau
    options = {"dt": DT, "every": every, "method": method}
    found = wt.rollout_gradient(
        m, q0, qd0, given, by_q=by_q, by_qd=by_qd, parameters=parameters, steps=STEPS, **options
    )
    by = found.q0 @ d_q + found.qd0 @ d_qd + np.sum(found.tau * d_tau) + found.parameters @ d_parameters

    step = compiled_steps(m, stepping_of(m, [q0, qd0], method), control, parameters).forward.program
    own = tau if control is None else np.zeros_like(tau)
    values, changes = [q0, qd0, own], [rate(m, q0, d_q), d_qd, d_tau]
    if parameters:
        values, changes = [*values, wt.parameter_values(m, parameters)], [*changes, d_parameters]
    states = truth(step, values, changes)[every - 1 :: every]
    expected = sum(a @ q + b @ qd for a, b, (q, qd) in zip(by_q, by_qd, states, strict=True))
    assert by == pytest.approx(expected, rel=LIMIT)


@pytest.fixture(scope="module")
def m() -> wt.Mechanism:
    rng = np.random.default_rng(1)
    m = randoms.tree(rng, ["revolute", "spherical"], branching=0.0)
    m.change("b0", damping=0.4, stiffness=3.0, rest=(0.2,))
    return m


@pytest.mark.parametrize(("method", "every"), [("euler", 3), ("rk4", 1)])
def test_starts_forces_and_parameters(m, method, every):
    rng = np.random.default_rng(2)
    names = ("b0.mass", "b1.com.y", "gravity.z")
    q0, qd0 = randoms.state(rng, m)
    d_q, d_qd = rng.normal(size=(2, m.nv))
    check(m, q0, qd0, (d_q, d_qd), method, every, names)


def test_accelerations_as_an_implicit_function():
    """Springs between points bring forces on bodies, a limit of effort cuts forces off."""
    rng = np.random.default_rng(9)
    m = randoms.tree(rng, ["revolute", "spherical"], branching=0.0)
    m.change("b0", stiffness=3.0, rest=(0.2,), limits=wt.Limits(effort=0.4))
    m.add_spring("s", "ground", rng.normal(size=3), "b1", rng.normal(size=3), 80.0, 1.5, 0.4)
    q0, qd0 = randoms.state(rng, m)
    assert is_implicit(stepping_of(m, [q0, qd0], "euler"))
    d_q, d_qd = rng.normal(size=(2, m.nv))
    check(m, q0, qd0, (d_q, d_qd), "euler", 2, ("b0.mass", "b1.com.y", "b1.position.x"))


def test_a_controller():
    m = wt.examples.load("double-pendulum")
    rng = np.random.default_rng(4)

    def control(t, q, qd):
        return np.array([np.sin(3.0 * t) - 2.0 * q[0], -0.5 * qd[1]])

    q0, qd0, d_q, d_qd = rng.normal(size=(4, 2))
    check(m, q0, qd0, (d_q, d_qd), control=control)


def test_a_closed_loop():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    rng = np.random.default_rng(5)
    qd = closed.velocity(rng, m, q)
    check(m, q, qd, (closed.velocity(rng, m, q), closed.velocity(rng, m, q)), truth=by_forward_mode)


def test_memory_is_bounded_and_changes_nothing(monkeypatch):
    m = wt.examples.load("double-pendulum")
    rng = np.random.default_rng(6)
    q0, qd0 = rng.normal(size=(2, 70, 2))
    tau, by_q = rng.normal(size=(2, 70, 30, 2))
    options = {"by_q": by_q, "parameters": ["lower.mass"]}
    whole = wt.rollout_gradient(m, q0, qd0, tau, **options)
    module = import_module("whippletree.adjoint.rollout_gradient")
    monkeypatch.setattr(module, "MEMORY", 32 * 64 * 7)  # 7 steps of 64 trajectories
    for threads in (1, 2):
        pieces = wt.rollout_gradient(m, q0, qd0, tau, **options, threads=threads)
        for a, b in zip(whole, pieces, strict=True):
            assert np.array_equal(a, b)
    one = wt.rollout_gradient(m, q0[5], qd0[5], tau[5], by_q=by_q[5], parameters=["lower.mass"])
    for a, b in zip(whole, one, strict=True):
        assert np.array_equal(a[5], b)


def test_trajectories_are_those_of_a_rollout(m):
    """The gradient of the last position's first coordinate along the start agrees with a difference."""
    rng = np.random.default_rng(8)
    q0, qd0 = randoms.state(rng, m)
    by_qd = np.zeros((40, m.nv))
    by_qd[-1, 0] = 1.0
    found = wt.rollout_gradient(m, q0, qd0, steps=40, by_qd=by_qd)
    d, h = rng.normal(size=m.nv), 1e-6
    ends = [wt.rollout(m, q0, qd0 + sign * h * d, steps=40)[1][-1, 0] for sign in (1, -1)]
    assert found.qd0 @ d == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7)


def test_leading_axes_broadcast():
    m = wt.examples.load("pendulum")
    rng = np.random.default_rng(7)
    by_qd = rng.normal(size=(3, 2, 5, 1))
    found = wt.rollout_gradient(m, rng.normal(size=(2, 1)), [0.1], [0.3], by_qd=by_qd, steps=5)
    assert [part.shape for part in found] == [(3, 2, 1), (3, 2, 1), (3, 2, 5, 1), (3, 2, 0)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "^by_q and by_qd are None: nothing depends on the trajectories"),
        ({"by_q": np.zeros((4, 1))}, r"^by_q has shape \(4, 1\), expected \(..., 5, 1\)$"),
        ({"by_q": np.zeros((5, 1)), "method": "midpoint"}, "^method is 'midpoint'; known: euler, rk4, rk6$"),
        ({"by_q": np.zeros((5, 1)), "every": 6}, "^every is 6, more than the 5 steps"),
        ({"by_q": np.zeros((5, 1)), "steps": 4}, "^the number of steps is told as 4, 5: make them agree$"),
        ({"by_q": np.zeros((5, 1)), "tau": [0.1]}, "^the number of steps is not told: give steps$"),
        ({"by_q": np.zeros((5, 1)), "tau": np.zeros((5, 2))}, r"^tau has shape \(5, 2\), expected"),
        ({"by_q": np.zeros((5, 1)), "q0": [0.1, 0.2]}, r"^q0 has shape \(2,\), expected \(..., 1\) for"),
        (
            {"by_q": np.zeros((2, 5, 1)), "q0": np.zeros((3, 1))},
            r"^leading axes do not fit each other: q0 \(3,\), by_q \(2,\): lengths must be equal or 1$",
        ),
        ({"by_q": np.zeros((5, 1)), "m": None}, "^m is NoneType, expected a Mechanism$"),
    ],
)
def test_what_does_not_fit_is_told(options, told):
    given: dict[str, Any] = {"m": wt.examples.load("pendulum"), "q0": [0.1], "qd0": [0.2]}
    with pytest.raises(wt.InputError, match=told):
        wt.rollout_gradient(**(given | {"tau": np.zeros((5, 1))} | options))


def block(**properties: Any) -> wt.Mechanism:
    """A body on two balls that slides down a slope; q is its turn, height and way."""
    m = wt.Mechanism("block", gravity=(1.1, 0.0, -9.7))
    m.add_body("block", wt.Planar("y"), inertia=wt.Inertia(1.3, (0.02, 0.0, 0.05), (0.05, 0.06, 0.07)))
    m.add_shape("floor", wt.Plane())
    for name, x in (("left", -0.4), ("right", 0.3)):
        m.add_shape(name, wt.Sphere(0.1), "block", wt.Placement((x, 0.0, 0.0)))
        m.add_contact(f"{name} on floor", name, "floor", friction=0.4, **properties)
    return m


@pytest.mark.parametrize("kind", ["rigid", "compliant"])
def test_contacts(kind):
    m = block(**({"stiffness": 4e3, "damping": 60.0} if kind == "compliant" else {}))
    rng = np.random.default_rng(11)
    q0, qd0 = np.array([0.0, 0.1 - (0.0 if kind == "rigid" else 2e-3), 0.7]), np.array([0.01, -0.02, 0.6])
    tau, d_tau, by_q, by_qd = rng.normal(size=(4, STEPS, 3))
    d_q, d_qd = rng.normal(size=(2, 3))
    names = ("block.mass", "gravity.z")
    d_parameters = rng.normal(size=2)
    options = {"dt": 1e-3, "contacts": kind, "by_q": by_q, "by_qd": by_qd, "parameters": names}
    found = wt.rollout_gradient(m, q0, qd0, tau, **options)
    by = found.q0 @ d_q + found.qd0 @ d_qd + np.sum(found.tau * d_tau) + found.parameters @ d_parameters

    touching = touching_of(m, kind, "euler", residual=False)
    assert touching is not None
    step = compiled_steps(m, stepping_of(m, [q0, qd0], "euler", touching), None, names).forward.program
    wrt = ["q", "qd", "touch", "tau", "parameters"]
    change = product_forward(step, wrt, {}, {name: f"d_{name}" for name in wrt})
    x, d_x, expected = [q0, qd0, touching.start(m)], [d_q, d_qd, np.zeros(touching.size(m))], 0.0
    for k in range(STEPS):
        at = (*x, 1e-3, float(k), tau[k], wt.parameter_values(m, names))
        d_x = change(*at, *d_x, d_tau[k], d_parameters)
        x = step(*at)
        expected += by_q[k] @ d_x[0] + by_qd[k] @ d_x[1]
    assert np.all(touching.forces(m, x[2], 1e-3)[:, 0] > 0.5)  # both points bear
    assert by == pytest.approx(expected, rel=LIMIT)


@pytest.mark.filterwarnings("error")
def test_without_a_jump_nothing_is_told():
    m = block(stiffness=4e3, damping=60.0)
    contacts = wt.contact.Compliant(wt.contact.HuntCrossley(0.3))
    wt.rollout_gradient(
        m, [0.0, 0.104, 0.7], np.zeros(3), steps=40, by_qd=np.ones((40, 3)), contacts=contacts
    )


def test_impacts_are_told():
    m = block(restitution=0.5)
    q0, qd0 = np.tile([0.0, 0.104, 0.7], (3, 1)), np.zeros((3, 3))
    q0[0, 1] = 0.5  # far above
    told = r"^rollout_gradient: .*floor.* begins to bear, with a jump, in trajectory 1 at t = 0.029 s \(2 tra"
    with pytest.warns(wt.GradientWarning, match=told):
        wt.rollout_gradient(m, q0, qd0, steps=40, by_qd=np.ones((40, 3)))


@pytest.mark.filterwarnings("ignore::whippletree.GradientWarning")
@pytest.mark.parametrize(("law", "last"), [("HuntCrossley", 4e-3), ("KelvinVoigt", None)])
def test_a_bounce_has_the_motions_own_derivative_unless_it_begins_with_a_jump(law, last):
    """Against the difference of two simulations, whose steps end where something touches."""
    m = wt.Mechanism("ball", gravity=(0.0, 0.0, -9.7))
    m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia(1.3, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01)))
    m.add_shape("floor", wt.Plane())
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_contact("ball on floor", "skin", "floor", stiffness=3e3, damping=12.0)
    contacts = wt.contact.Compliant(getattr(wt.contact, law)())
    height, apart, duration = 0.17, 1e-5, 0.3

    def end(z: float) -> float:
        return wt.simulate(m, [z], [0.0], duration, contacts=contacts, rtol=1e-11, atol=1e-12).q[-1, 0]

    motion = (end(height + apart) - end(height - apart)) / (2.0 * apart)

    def error(steps: int) -> float:
        by_q = np.zeros((steps, 1))
        by_q[-1] = 1.0
        options = {"dt": duration / steps, "steps": steps, "contacts": contacts}
        return abs(wt.rollout_gradient(m, [height], [0.0], by_q=by_q, **options).q0[0] - motion)

    errors = [error(steps) for steps in (500, 8_000)]
    if last is None:
        assert min(errors) > 0.7
    else:
        assert errors[0] > 5.0 * errors[1]
        assert errors[1] < last
