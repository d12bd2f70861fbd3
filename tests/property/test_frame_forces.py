"""Forces on frames: as parts of a mechanism, from functions, and what they do."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

import randoms
import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.model.force import REFERENCES
from whippletree.simulation.equations import Law, acceleration


def framed(seed: int) -> tuple[wt.Mechanism, np.random.Generator]:
    """A random tree with two frames on one body and one on another."""
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, list(rng.permutation(sorted(randoms.JOINTS))[:5]))
    for frame, body in (("one", "b4"), ("two", "b4"), ("three", "b2")):
        m.add_frame(frame, body, randoms.placement(rng))
    return m, rng


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("seed", range(4))
def test_a_force_on_a_frame_acts_through_its_jacobian(reference, seed):
    m, rng = framed(seed)
    q, qd = randoms.state(rng, m)
    qdd = rng.normal(size=m.nv)
    wrenches = {name: rng.normal(size=6) for name in ("one", "two", "three", "b1")}
    expected = sum(wt.jacobian(m, q, name, reference).T @ wrench for name, wrench in wrenches.items())
    f_ext = wt.frame_forces(m, q, wrenches, reference)
    tau = wt.rnea(m, q, qd, qdd) - wt.rnea(m, q, qd, qdd, f_ext)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-12 * (1 + np.max(np.abs(expected))))
    np.testing.assert_allclose(
        wt.compile(wt.frame_forces, m, wrenches=wrenches, reference=reference)(q), f_ext, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(3))
def test_forces_of_a_mechanism_are_forces_on_its_frames(seed):
    m, rng = framed(seed)
    q, qd = randoms.state(rng, m)
    before = wt.passive_forces(m, q, qd)
    assert before[1] is None
    expected = np.zeros((len(m), 6))
    for k, (frame, reference) in enumerate(zip(("one", "b3", "three"), REFERENCES, strict=True)):
        force, torque = rng.normal(size=(2, 3))
        m.add_force(f"f{k}", frame, force, torque, reference)  # pyright: ignore[reportArgumentType]
        expected += wt.frame_forces(m, q, {frame: [*torque, *force]}, reference)  # pyright: ignore[reportArgumentType]
    tau, f_ext = wt.passive_forces(m, q, qd)
    assert f_ext is not None
    np.testing.assert_array_equal(tau, before[0])
    np.testing.assert_allclose(f_ext, expected, rtol=0, atol=1e-13)
    m.add_spring("s", "ground", (1, 2, 3), "b4", (0.1, 0.2, 0.3), 10.0, 1.0, 0.5)
    alone = wt.Mechanism("alone")
    for body in m.bodies:
        alone.append(body)
    for spring in m.springs:
        alone.add(spring)
    pull = wt.passive_forces(alone, q, qd)[1]
    both = wt.passive_forces(m, q, qd)[1]
    assert pull is not None
    assert both is not None
    np.testing.assert_allclose(both, expected + pull, rtol=0, atol=1e-12)


def brick() -> wt.Mechanism:
    m = wt.Mechanism("brick", gravity=(0, 0, 0))
    m.add_body("brick", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.3, 0.4, 0.5)))
    m.add_frame("nozzle", "brick", wt.Placement((0.0, -0.7, 0.0), rpy=(0.0, 0.0, np.pi / 2)))
    return m


def test_a_thruster_turns_along_with_its_body():
    """Across the arm of a brick that turns about z: torque 0.7 · 3, in circles."""
    m = brick()
    m.add_force("thrust", "nozzle", force=(0.0, -3.0, 0.0))  # along the brick's x
    run = wt.simulate(m, duration=2.0, rtol=1e-11, atol=1e-13, sample=0.01)
    spin = 0.7 * 3.0 / 0.5
    np.testing.assert_allclose(run.qd[:, 2], spin * run.t, rtol=0, atol=1e-9)
    world = wt.compile(lambda q, qd: wt.dynamics.body_to_reference(m, q, "brick", qd, "aligned"), m)(
        run.q, run.qd
    )
    angle = 0.5 * spin * run.t**2
    for column, part in ((3, np.cos(angle)), (4, np.sin(angle))):
        velocity = np.array([simpson(part[: k + 1], x=run.t[: k + 1]) for k in range(0, len(run), 20)])
        np.testing.assert_allclose(world[::20, column], 3.0 / 2.0 * velocity, rtol=0, atol=2e-6)


def test_a_weight_keeps_its_direction():
    """Hung on a frame, with the reference "aligned": as if the gravity acted there."""
    m = wt.examples.load("double-pendulum")
    m.add_force("weight", "tip", (0.0, 0.0, -0.8 * 9.81), reference="aligned")
    heavy = wt.add_payload(wt.examples.load("double-pendulum"), "tip", wt.Inertia(0.8))
    rng = np.random.default_rng(0)
    for q in rng.normal(size=(4, 2)):
        tau, f_ext = wt.passive_forces(m, q, np.zeros(2))
        got = wt.rnea(m, q, np.zeros(2), np.zeros(2), f_ext) - tau
        np.testing.assert_allclose(got, wt.gravity_force(heavy, q), rtol=0, atol=1e-12)


def test_functions_may_name_frames():
    m = brick()
    push = {"nozzle": [0.1, 0.2, -0.3, 1.0, -2.0, 3.0], "brick": [0.0, 0.0, 0.4, 0.0, 0.5, 0.0]}
    by_name = wt.simulate(m, duration=0.5, external=lambda t, q, qd: push)
    by_body = wt.simulate(m, duration=0.5, external=lambda t, q, qd: wt.frame_forces(m, q, push))
    for k, (frame, wrench) in enumerate(push.items()):
        m.add_force(f"f{k}", frame, wrench[3:], wrench[:3])
    as_parts = wt.simulate(m, duration=0.5)
    for other in (by_body, as_parts):
        np.testing.assert_allclose(by_name.q[-1], other.q[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(by_name.external_power, other.external_power, rtol=0, atol=1e-11)
    with pytest.raises(wt.InputError, match=r"external on 'nozzle' gives an array of shape \(3,\) at t = 0"):
        wt.simulate(m, external=lambda t, q, qd: {"nozzle": [1.0, 2.0, 3.0]})
    with pytest.raises(wt.ModelError, match="no frame or body named 'nose'"):
        wt.simulate(m, external=lambda t, q, qd: {"nose": np.zeros(6)})
    with pytest.raises(wt.InputError, match=r"external on 'nozzle' gives \[.*nan.*\] at t = 0"):
        wt.simulate(m, external=lambda t, q, qd: {"nozzle": [np.nan, 0, 0, 0, 0, 0]})


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_rollouts_have_the_forces_too(method):
    m = wt.examples.load("cart-pole")
    m.add_force("wind", "tip", (0.7, 0.1, -0.4), (0.0, 0.2, 0.0), "aligned")
    m.add_force("jet", "pole", (0.3, 0.0, 0.6))
    q, _ = wt.rollout(m, [0.1, 0.4], [0.3, -0.2], steps=50, dt=0.01, method=method)
    run = wt.simulate(m, [0.1, 0.4], [0.3, -0.2], 0.5, method=method, dt=0.01)
    np.testing.assert_allclose(q, run.q[1:], rtol=0, atol=1e-13)
    calm = wt.rollout(wt.examples.load("cart-pole"), [0.1, 0.4], [0.3, -0.2], steps=50, dt=0.01)[0]
    assert np.max(np.abs(calm - q)) > 1e-2
    # The same parts under other names move alike, and other numbers do not.
    again = wt.rename(m, bodies={"pole": "mast"}, frames={"tip": "top"}, forces={"jet": "rocket"})
    assert (
        wt.rollout(again, [0.1, 0.4], [0.3, -0.2], steps=50, dt=0.01, method=method)[0].tobytes()
        == q.tobytes()
    )


def busy(loop: bool) -> wt.Mechanism:
    """Everything that gives, takes or stores energy."""
    m = wt.examples.load("four-bar") if loop else wt.examples.load("double-pendulum")
    made = wt.Mechanism("busy", m.gravity)
    for body in m.bodies:
        limits = wt.Limits(-0.3, 0.4, effort=0.6, stiffness=30.0, dissipation=0.2)
        made.add_body(
            body.name,
            body.joint,
            body.parent,
            body.placement,
            body.inertia,
            limits=limits,
            damping=0.05,
            friction=0.03,
            stiffness=0.4,
        )
    for closing in m.loops:
        made.add(closing)
    last = made.bodies[1].name
    made.add_frame("pin", last, wt.Placement((0.1, 0.05, -0.2), rpy=(0.2, 0.3, 0.4)))
    made.add_spring("s", "ground", (0.3, -0.4, 0.5), last, (0.1, 0.2, 0.1), 12.0, 0.8, 0.3)
    made.add_force("f", "pin", (0.4, -0.3, 0.6), (0.05, 0.02, -0.04))
    made.add_force("g", "pin", (0.2, 0.5, -0.1), reference="aligned")
    return made


@pytest.mark.parametrize("loop", [False, True])
def test_energy_changes_by_what_is_recorded(loop):
    """The rate of all energy, by a complex step along the motion, is that of all powers together."""
    m = busy(loop)
    q0 = m.neutral() if loop else np.array([0.9, -0.5])

    def external(t, q, qd):
        return {"pin": np.sin(t + np.arange(6.0))}

    run = wt.simulate(
        m,
        q0,
        duration=1.0,
        control=lambda t, q, qd: 0.5 * np.cos(3.0 * t + np.arange(m.nv)) + 0.4,
        external=external,
        sample=0.1,
    )
    assert np.max(np.abs(run.tau)) == 0.6
    for part in (run.elastic, run.lost_power):
        assert np.max(part) > 1e-2
    assert np.all(run.lost_power >= 0.0)
    assert np.max(np.abs(run.external_power)) > 0.1
    law = Law(METHODS["lambda-first" if loop else "aba"]).at(m, q0)
    h = 1e-30
    for k, (t, q, qd, tau) in enumerate(zip(run.t, run.q, run.qd, run.tau, strict=True)):
        f_ext = wt.frame_forces(m, q, external(t, q, qd))
        qdd = acceleration(m, q, qd, tau, f_ext, law=law)
        moved = q + 1j * h * m.rate(q, qd), qd + 1j * h * qdd
        rate = sum(wt.energy(m, *moved)).imag / h
        power = run.power[k] + run.external_power[k] - run.lost_power[k]
        assert rate == pytest.approx(power, abs=1e-9 * (1.0 + abs(power)))
    potential = wt.compile(wt.potential_energy, m)(run.q)
    np.testing.assert_allclose(run.potential - run.elastic, potential, rtol=0, atol=1e-12)


def test_recorded_forces_are_played_back():
    m = wt.examples.load("cart-pole")
    given: Any = {"q0": [0.1, 0.4], "qd0": [0.3, -0.2], "duration": 0.5}
    first = wt.simulate(
        m, **given, control=lambda t, q, qd: [np.sin(9 * t) - q[0], -0.1 * qd[1]], method="euler"
    )
    again = wt.simulate(m, **given, control=wt.Recorded(first.t, first.tau, "hold"), method="euler")
    assert again.q.tobytes() == first.q.tobytes()
    smooth = wt.simulate(m, **given, control=lambda t, q, qd: [np.sin(9 * t), 0.0], rtol=1e-10, sample=1e-3)
    again = wt.simulate(m, **given, control=wt.Recorded(smooth.t, smooth.tau), rtol=1e-10)
    np.testing.assert_allclose(again.q[-1], smooth.q[-1], rtol=0, atol=1e-5)
    control = wt.Recorded([1.0, 2.0], [[3.0, 4.0], [5.0, 9.0]])
    for t, expected in ((0.0, [3, 4]), (1.0, [3, 4]), (1.5, [4, 6.5]), (2.0, [5, 9]), (7.0, [5, 9])):
        np.testing.assert_allclose(control(t, None, None), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 1.0], [[1.0]]), r"t has shape \(2,\) and tau \(1, 1\), expected \(n,\) and \(n, nv\)"),
        (([0.0, 1.0, 0.5], np.zeros((3, 2))), r"t\[2\] is 0\.5, before t\[1\] = 1"),
        (([0.0, 1.0], [[1.0], [np.nan]]), r"tau\[1, 0\] is nan: every entry must be finite"),
        (([0.0, 1.0], "ab"), "tau is not an array of numbers: 'ab'"),
        (([0.0], [[1.0]], "cubic"), "between is 'cubic'; known: linear, hold"),
    ],
)
def test_recordings_that_are_none_are_refused(arguments, message):
    with pytest.raises(wt.InputError, match=message):
        wt.Recorded(*arguments)


def test_impossible_forces_are_refused():
    m = brick()
    m.add_frame("dock", "ground")
    m.add_force("f", "nozzle", (1, 2, 3))
    wrong: list[tuple[Any, str]] = [
        (("f", "nozzle"), "has a force named 'f' already"),
        (("g", "dock"), "force 'g': 'dock' is on the ground, name a frame on a body"),
        (("g", "ground"), "'ground' is on the ground"),
        (("g", "nose"), "has no frame or body named 'nose'"),
        (("g", "nozzle", (1, 2)), r"force 'g': force is \(1, 2\): give three numbers, in N"),
        (("g", "nozzle", (1, 2, np.inf)), r"force is \(1, 2, inf\): give three finite numbers, in N"),
        (("g", "nozzle", (1, 2, 3), "abc"), "force 'g': torque is 'abc': give three numbers, in N m"),
        (
            ("g", "nozzle", (1, 2, 3), (0, 0, 0), "local"),
            "reference is 'local', expected one of 'body', 'world'",
        ),
        (("", "nozzle"), "force name is ''"),
    ]
    for arguments, message in wrong:
        with pytest.raises(wt.ModelError, match=message):
            m.add_force(*arguments)
    assert len(m.forces) == 1
    with pytest.raises(wt.InputError, match=r"the force on 'nozzle' has shape \(5,\), expected \(6,\)"):
        wt.frame_forces(m, m.neutral(), {"nozzle": np.zeros(5)})
    with pytest.raises(wt.InputError, match="reference is 'local'"):
        wt.frame_forces(m, m.neutral(), {"nozzle": np.zeros(6)}, "local")  # pyright: ignore[reportArgumentType]


def test_recorded_forces_may_jump():
    control = wt.Recorded([0.0, 1.0, 1.0, 2.0], [[0.0], [1.0], [5.0], [7.0]])
    assert control(0.5, [0.0], [0.0]) == [0.5]
    assert control(1.0, [0.0], [0.0]) == [5.0]
    assert control(1.5, [0.0], [0.0]) == [6.0]
