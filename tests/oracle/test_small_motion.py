"""Equilibria, linear models and modes against closed forms and against the mechanism's own motion."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt


def chain(count: int, stiffness: float, mass: float, damping: float = 0.0) -> wt.Mechanism:
    """Sliders on one rail, each on the one before by a spring of its joint, the last one free."""
    m = wt.Mechanism("chain", gravity=(0.0, 0.0, 0.0))
    for k in range(count):
        parent = f"b{k - 1}" if k else "ground"
        m.add_body(
            f"b{k}", wt.Prismatic("x"), parent, inertia=wt.Inertia(mass), stiffness=stiffness, damping=damping
        )
    return m


def test_a_chain_of_springs_has_its_frequencies():
    """ω_k = 2 √(c/m) sin((2k - 1) π / (2 (2n + 1))) of n masses, the first one fixed to the wall."""
    n, stiffness, mass = 5, 70.0, 1.3
    m = chain(n, stiffness, mass)
    found = wt.modes(m, m.neutral())
    k = np.arange(1, n + 1)
    exact = 2.0 * np.sqrt(stiffness / mass) * np.sin((2 * k - 1) * np.pi / (2 * (2 * n + 1)))
    assert_allclose(2.0 * np.pi * found.frequency, exact, rtol=1e-12)
    assert_allclose(found.damping, 0.0, atol=1e-12)
    # A mass moves by all springs before it: sin((2k - 1) j π / (2n + 1)).
    places = np.cumsum(found.shapes, axis=1)
    wave = np.sin(np.outer(2 * k - 1, np.arange(1, n + 1)) * np.pi / (2 * n + 1))
    for place, sine in zip(places, wave, strict=True):
        assert_allclose(place / place[0], sine / sine[0], rtol=0, atol=1e-10)


def test_damping_is_that_of_the_oscillator():
    m = chain(1, 70.0, 1.3, damping=2.0)
    found = wt.modes(m, m.neutral())
    root = np.sqrt(70.0 / 1.3)
    assert_allclose(found.damping, [2.0 / (2.0 * 1.3 * root)], rtol=1e-12)
    assert_allclose(np.abs(found.eigenvalues), [root], rtol=1e-12)
    slow = wt.modes(chain(1, 70.0, 1.3, damping=40.0), m.neutral())
    roots = np.roots([1.3, 40.0, 70.0])
    assert_allclose(np.sort(np.real(slow.eigenvalues)), np.sort(roots), rtol=1e-11)
    assert np.all(slow.frequency == 0.0)
    assert_allclose(slow.damping, 1.0)


def test_a_toggle_press_rests_and_swings_as_it_does_when_it_moves():
    m = wt.examples.load("toggle-press")
    begin = wt.examples.start("toggle-press").q
    assert begin is not None
    assert_allclose(wt.constraint_error(m, begin), 0.0, atol=1e-15)
    found = wt.equilibrium(m, m.neutral())
    assert found.stable
    assert_allclose(wt.constraint_error(m, found.q), 0.0, atol=1e-13)
    assert_allclose(wt.forward_dynamics(m, found.q, np.zeros(3), np.zeros(3)), 0.0, atol=1e-8)
    assert_allclose(
        wt.constraint_forces(m, found.q, np.zeros(3), np.zeros(3)), found.constraint_forces, rtol=0, atol=1e-7
    )
    modes = wt.modes(m, found.q)
    assert len(modes) == 1
    assert_allclose(np.abs(modes.eigenvalues[0]) ** 2, found.squares[0], rtol=1e-9)
    # Let go next to it: the eigenvalue is that of the run, over one swing.
    period = 1.0 / modes.frequency[0]
    q0 = wt.project_position(m, found.q + 1e-5 * np.real(modes.shapes[0]))
    run = wt.simulate(m, q0, duration=period, rtol=1e-11, atol=1e-14, sample=period)
    ratio = (run.q[-1] - found.q)[0] / (q0 - found.q)[0]
    decay = modes.eigenvalues[0].real * period
    assert_allclose(ratio, np.exp(decay), rtol=0, atol=2e-3 * abs(decay) + 1e-4)
    swing = modes.motion(0, amplitude=0.05, count=8)
    assert_allclose(m.kernel("constraint_error")(swing), 0.0, atol=1e-12)


@pytest.mark.parametrize("guess", [[0.0, 0.0, 1.5, 1.5], [0.0, -0.5, 1.5, 1.5], [0.0, 0.2, 1.2, 1.2]])
def test_a_governor_hangs_on_its_stiff_springs_whatever_the_guess(guess):
    """Springs of 8e5 N/m carry a sleeve of 3 kg; arms hang down, and the shaft may turn as it likes."""
    m = wt.examples.load("flyball-governor")
    hanging = wt.equilibrium(m, guess)
    assert_allclose(hanging.q[1:], [-3.0 * 9.81 / 1.6e6, np.pi / 2.0, np.pi / 2.0], rtol=0, atol=1e-9)
    assert (hanging.stable, hanging.unstable, hanging.kind) == (False, False, "indifferent")
    standing = wt.equilibrium(m, m.neutral())
    assert_allclose(standing.q[1:], [1.0 - 3.0 * 9.81 / 1.6e6, -np.pi / 2.0, -np.pi / 2.0], rtol=0, atol=1e-9)
    assert (standing.stable, standing.unstable, standing.kind) == (False, True, "unstable")


def test_equilibria_tell_whether_they_are_stable():
    m = wt.examples.load("double-pendulum")
    hanging, standing = (wt.equilibrium(m, np.array(guess)) for guess in ([0.2, -0.1], [3.0, 0.1]))
    assert_allclose(hanging.q, [0.0, 0.0], atol=1e-9)
    assert hanging.stable
    assert_allclose(standing.q, [np.pi, 0.0], atol=1e-9)
    assert not standing.stable
    assert standing.unstable
    assert "unstable: upper 3.1416, lower" in repr(standing)
    assert np.all(standing.squares < 0.0)
    held = wt.equilibrium(m, np.array([0.7, 0.3]), hold=["upper"])
    assert_allclose(held.q, [0.7, -0.7], atol=1e-9)
    driven = wt.equilibrium(m, np.array([0.2, -0.2]), tau=np.array([4.0, 0.0]))
    assert_allclose(wt.gravity_force(m, driven.q), [4.0, 0.0], atol=1e-8)


def test_what_falls_has_no_equilibrium():
    m = wt.Mechanism("stone")
    m.add_body("stone", wt.Prismatic("z"), inertia=wt.Inertia(2.0))
    with pytest.raises(
        wt.SolverError, match=r"'stone' has no equilibrium .* 19.6 N or N m stay on joint 'stone'"
    ):
        wt.equilibrium(m, np.zeros(1))
    with pytest.raises(
        wt.InputError, match=r"q is no equilibrium of 'stone': joint 'stone' accelerates by -9.81"
    ):
        wt.modes(m, np.zeros(1))


@pytest.mark.parametrize("moving", [False, True])
def test_a_linear_model_is_the_derivative_of_the_motion(moving):
    """A four-bar with springs: δÿ by differences along closed, admissible neighbours."""
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=3.0, damping=0.4)
    q = wt.assemble(m, np.array([0.4, 0.0, 0.0]), hold=["crank"])
    qd = wt.project_velocity(m, q, np.array([1.3, 0.0, 0.0]), hold=["crank"]) if moving else np.zeros(3)
    tau = np.array([0.3, 0.0, -0.2])
    model = wt.linearize(m, q, qd, tau, inputs=["crank", "rocker"], outputs=["rocker"])
    (name,) = model.coordinates
    j = m.joint_names.index(name)

    def accelerated(y: float, yd: float, u: np.ndarray) -> Any:
        guess, speed = q.copy(), qd.copy()
        guess[j] += y
        near = wt.project_position(m, guess, hold=[name])
        speed[j] += yd
        return wt.forward_dynamics(m, near, wt.project_velocity(m, near, speed, hold=[name]), tau + u)[j]

    h = 1e-5
    zero = np.zeros(3)
    by_y = (accelerated(h, 0.0, zero) - accelerated(-h, 0.0, zero)) / (2.0 * h)
    by_yd = (accelerated(0.0, h, zero) - accelerated(0.0, -h, zero)) / (2.0 * h)
    assert_allclose(model.A, [[0.0, 1.0], [by_y, by_yd]], rtol=1e-6, atol=1e-6)
    by_u = [
        (accelerated(0.0, 0.0, h * unit) - accelerated(0.0, 0.0, -h * unit)) / (2.0 * h) for unit in np.eye(3)
    ]
    assert_allclose(model.B, [[0.0, 0.0], [by_u[0], by_u[2]]], rtol=1e-6, atol=1e-9)
    assert_allclose(model.C, [[model.G[2, 0], 0.0]])
    space = model.state_space()
    assert space.B.shape == (2, 2)
    assert_allclose(
        np.sort_complex(np.linalg.eigvals(space.A)), np.sort_complex(model.eigenvalues), rtol=1e-10
    )
    seen = wt.linearize(m, q, qd, tau, outputs=lambda q, qd: np.array([q[2], qd[2]]))
    assert_allclose(seen.C[0], model.C[0], rtol=1e-12)
    assert_allclose(seen.C[1, 1], model.G[2, 0], rtol=1e-12)


def test_turning_bodies_are_linearized_at_rest_alone():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, (0, 0, -0.3), (0.02, 0.03, 0.01)))
    found = wt.modes(m, m.neutral())
    about = np.array([0.02, 0.03]) + 0.09
    # Two swings, and a turn about the vertical that nothing holds.
    frequencies = np.sort(np.sqrt(9.81 * 0.3 / about)) / (2.0 * np.pi)
    assert_allclose(found.frequency[:2], frequencies, rtol=1e-9)
    assert_allclose(found.eigenvalues[2:], 0.0, atol=1e-6)
    with pytest.raises(
        wt.ModelError, match="joint 'ball' of 'ball' moves, and its velocities are not the rates"
    ):
        wt.linearize(m, m.neutral(), np.array([0.1, 0.0, 0.0]))
    with pytest.raises(wt.InputError, match=r"mode is 9, expected 0 … 3"):
        found.motion(9)


def test_where_newton_is_stuck_it_falls():
    """A stiff rocker: between the guess and its rest, forces have a least that is not zero."""
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=60.0)
    found = wt.equilibrium(m, m.neutral())
    assert found.stable
    assert_allclose(wt.forward_dynamics(m, found.q, np.zeros(3), np.zeros(3)), 0.0, atol=1e-6)


def test_root_loci_follow_roots_through_where_they_meet():
    """m ẍ + d ẋ + c x = 0: two roots that swing meet at d = 2 √(c m), and part on the real axis."""
    m = wt.Mechanism("oscillator", gravity=(0.0, 0.0, 0.0))
    m.add_body("mass", wt.Prismatic("x"), inertia=wt.Inertia(2.5), stiffness=40.0)
    values = np.linspace(0.0, 30.0, 31)
    locus = wt.root_locus(m, np.array([0.0]), "mass.damping", values)
    root = np.sqrt(values.astype(complex) ** 2 - 4.0 * 40.0 * 2.5)
    exact = np.sort_complex(np.stack([(-values + root) / 5.0, (-values - root) / 5.0], axis=1))
    assert_allclose(np.sort_complex(locus.eigenvalues), exact, rtol=0, atol=1e-12)
    assert np.max(np.abs(np.diff(locus.eigenvalues, axis=0))) < 1.5  # and no column jumps to another root
    assert locus.stable.all()


def test_root_loci_of_loops_are_those_of_their_linear_models():
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=60.0, damping=0.1)
    values = np.array([60.0, 90.0])
    locus = wt.root_locus(m, m.neutral(), "rocker.stiffness", values)
    m.change("rocker", stiffness=90.0)
    rest = wt.equilibrium(m, m.neutral())
    assert_allclose(locus.q[1], rest.q, rtol=0, atol=1e-9)
    roots = wt.linearize(m, rest.q).eigenvalues
    assert_allclose(np.sort_complex(locus.eigenvalues[1]), np.sort_complex(roots), rtol=0, atol=1e-7)
    with pytest.raises(wt.InputError, match=r"values is \[\], expected numbers \(n,\)"):
        wt.root_locus(m, m.neutral(), "rocker.stiffness", [])  # pyright: ignore[reportArgumentType]
    with pytest.raises(wt.InputError, match=r"has no parameter 'rocker.weight'"):
        wt.root_locus(m, m.neutral(), "rocker.weight", values)


@pytest.mark.parametrize("cut", ["pin", None])
def test_dry_friction_at_rest_is_told(cut):
    """Its smooth law is as steep there as a damper of friction / 1e-4; where it slides, it is nearly flat."""
    m = wt.examples.load("four-bar")
    m.change(cut or "rocker", friction=0.03)
    q, name = wt.equilibrium(m, m.neutral()).q, cut or "rocker"
    words = (
        rf"joint '{name}' of 'four-bar' has dry friction of 0.03 N m and moves by 0 rad/s: .* damper of 300 N"
    )
    for tried in (wt.linearize, wt.modes):
        with pytest.warns(wt.DryFrictionWarning, match=words):
            found = tried(m, q)
        assert np.min(np.real(found.eigenvalues)) < -100.0
    with pytest.warns(wt.DryFrictionWarning, match=words):
        wt.root_locus(m, q, "crank.damping", np.array([0.1]))
    bare, qd = m.copy(), wt.project_velocity(m, q, np.array([1.0, 0.0, 0.0]))
    bare.change(name, friction=0.0)
    sliding, smooth = (wt.linearize(machine, q, qd).A for machine in (m, bare))  # without a word
    assert_allclose(sliding[:, 1], smooth[:, 1], rtol=0, atol=1e-6)
    with pytest.warns(wt.DryFrictionWarning, match=r"moves by 0.0002"):
        wt.linearize(m, q, 2e-4 / np.abs(wt.loop_joint_velocity(m, q, qd, "pin") if cut else qd[2]) * qd)
