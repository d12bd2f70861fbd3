"""Driven machines by `simulate` and `hybrid_dynamics`, against `kinematics` and closed forms."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.simulation.driven_acting import DriveCourses


def wound(t):
    return 0.3 * t + 0.2 * np.sin(2.0 * t)


def test_a_driven_four_bar_moves_as_its_kinematics_say():
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=2.0, damping=0.1)
    m.change("crank", limits=wt.Limits(effort=0.1))  # which does not hold a driver back
    run = wt.simulate(m, duration=0.3, drive={"crank": wound}, sample=0.1)
    motion = wt.kinematics(m, {"crank": wound}, run.t)
    assert_allclose(run.q, motion.q, rtol=0, atol=1e-14)
    assert_allclose(run.qd, motion.qd, rtol=0, atol=1e-14)
    assert_allclose(run.qdd, motion.qdd, rtol=0, atol=1e-11)
    assert_allclose(run.tau, motion.tau, rtol=0, atol=1e-12)


def test_a_cart_is_driven_and_its_pole_swings():
    m = wt.examples.load("cart-pole")
    run = wt.simulate(
        m, [0.0, 0.4], [0.0, 0.0], duration=0.4, drive={"cart": wound}, sample=0.2, rtol=1e-10, atol=1e-12
    )
    assert_allclose(run.q[:, 0], wound(run.t), rtol=0, atol=1e-15)
    rate, second = 0.3 + 0.4 * np.cos(2.0 * run.t), -0.8 * np.sin(2.0 * run.t)
    assert_allclose(run.qd[:, 0], rate, rtol=0, atol=1e-15)
    tau, qdd = wt.hybrid_dynamics(m, run.q[1], run.qd[1], np.zeros(2), np.array([second[1], 0.0]), ["cart"])
    assert_allclose(run.qdd[1], qdd, rtol=0, atol=1e-11)
    assert_allclose(run.tau[1], [tau[0], 0.0], rtol=0, atol=1e-11)


def test_a_driven_loop_joint_and_a_control_act_together(tmp_path):
    m = wt.examples.load("quick-return-rocker")
    given: Any = {"duration": 0.1, "sample": 0.05}
    run = wt.simulate(m, drive={"pivot": 2.0}, **given)
    motion = wt.kinematics(m, {"pivot": 2.0}, run.t)
    assert_allclose(run.q, motion.q, rtol=0, atol=1e-14)
    helped = wt.simulate(m, drive={"pivot": 2.0}, control=lambda t, q, qd: [1.0, 0, 0, 0, 0], **given)
    assert_allclose(helped.q, motion.q, rtol=0, atol=1e-14)
    assert_allclose(np.sum(helped.tau * helped.qd, axis=1), motion.power, rtol=0, atol=1e-10)
    # The rocker's hinge transmits the control's moment, the pivot that of its driver, the others none.
    held = helped.reactions()
    assert_allclose(held.of("rocker")[:, 2], 1.0, rtol=0, atol=1e-9)
    assert np.all(np.abs(held.of("pivot")[:, 2]) > 0.1)
    for name in ("crank", "link"):
        assert_allclose(held.of(name)[:, 2], 0.0, rtol=0, atol=1e-9)
    helped.save(tmp_path / "run.npz")
    with pytest.raises(wt.InputError, match="'pivot' was driven in this run, and a file does not hold"):
        wt.load_trajectory(tmp_path / "run.npz").reactions()


def test_hybrid_dynamics_of_loops_and_gears():
    m = wt.examples.load("four-bar")
    motion = wt.kinematics(m, {"crank": wound}, [0.0, 0.7])
    tau, qdd = wt.hybrid_dynamics(
        m, motion.q[1], motion.qd[1], np.zeros(3), np.array([motion.qdd[1, 0], 0.0, 0.0]), ["crank"]
    )
    assert_allclose(qdd, motion.qdd[1], rtol=0, atol=1e-11)
    assert_allclose(tau, motion.tau[1], rtol=0, atol=1e-11)
    with pytest.raises(
        wt.InputError, match=r"joint '\w+' cannot accelerate by .* leave it .* Prescribe fewer"
    ):
        wt.hybrid_dynamics(
            m, motion.q[1], motion.qd[1], np.zeros(3), np.array([5.0, 0.0, 5.0]), ["crank", "rocker"]
        )


def test_wrong_drivers_of_a_run_are_refused():
    m = wt.examples.load("four-bar")
    with pytest.raises(wt.InputError, match="driver 'rocker' of 'four-bar' is one too many"):
        wt.simulate(m, duration=0.1, drive={"crank": 1.0, "rocker": 1.0})
    with pytest.raises(wt.InputError, match=r"q0 has 0.5 for joint 'crank', whose driver begins at 0"):
        wt.simulate(m, [0.5, 0.0, 0.0], duration=0.1, drive={"crank": wound})
    with pytest.raises(wt.InputError, match=r"drive is \{\}, expected motions by joint"):
        wt.simulate(m, duration=0.1, drive={})
    with pytest.raises(wt.InputError, match=r"joint 'pin' is at .* where its driver begins at 0.9: give q0"):
        wt.simulate(m, duration=0.1, drive={"pin": lambda t: 0.9 + t})
    with pytest.raises(wt.SolverError, match=r"where the drivers begin, at t = 0 s: 'four-bar' cannot be"):
        wt.simulate(m, duration=0.1, drive={"rocker": lambda t: 1.5 + t})
    with pytest.raises(wt.InputError, match="drive is given and contacts act"):
        wt.simulate(wt.examples.load("bouncing-ball"), duration=0.1, drive={"ball": 1.0})


@pytest.mark.parametrize("name", ["crank-slider", "jansen-leg"])
def test_machines_run_as_their_kinematics_say(name):
    """Which stand against closed forms; the power of the drivers is what the energy changes by."""
    m = wt.examples.load(name)
    m.add_driver("crank", "t + 0.2 * sin(t)")
    run = wt.simulate(m, duration=0.3, sample=0.1, method="rk4", dt=0.02)
    motion = wt.kinematics(m, t=run.t)
    assert_allclose(run.q, motion.q, rtol=0, atol=1e-12)
    assert_allclose(run.qd, motion.qd, rtol=0, atol=1e-11)
    scale = 1.0 + np.max(np.abs(motion.tau))
    assert_allclose(run.tau, motion.tau, rtol=0, atol=1e-9 * scale)
    power = np.sum(run.tau * run.qd, axis=1)
    assert_allclose(power, motion.power, rtol=0, atol=1e-9 * scale)


def test_the_power_of_a_driver_over_a_turn_is_the_rate_of_energy():
    """Of a run: energy as a Fourier series over a turn, differentiated."""
    m = wt.examples.load("crank-slider")
    m.add_driver("crank", "t + 0.2 * sin(t)")
    count = 128
    run = wt.simulate(m, duration=2.0 * np.pi, method="rk4", dt=2.0 * np.pi / count)
    energy = run.energy[:-1]
    rate = np.fft.irfft(np.fft.rfft(energy) * 1j * np.arange(count // 2 + 1), count)
    power = np.sum(run.tau * run.qd, axis=1)[:-1]
    assert_allclose(power, rate, rtol=0, atol=1e-8 * np.max(np.abs(power)))


def test_hybrid_dynamics_prescribes_what_is_driven():
    m = wt.examples.load("cart-pole")
    m.add_driver("shaker", "sin(t)", joint="cart")
    q, qd, qdd = np.array([0.1, 0.3]), np.array([0.2, -0.4]), np.array([1.5, 0.0])
    found = wt.hybrid_dynamics(m, q, qd, np.zeros(2), qdd)
    for one, other in zip(found, wt.hybrid_dynamics(m, q, qd, np.zeros(2), qdd, ["cart"]), strict=True):
        assert_allclose(one, other, rtol=0, atol=1e-14)
    m = wt.examples.load("four-bar")
    with pytest.raises(wt.InputError, match="'four-bar' has no drivers: give prescribed"):
        wt.hybrid_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3), np.zeros(3))
    m.add_driver("pin", 1.0)
    with pytest.raises(wt.InputError, match="driver 'pin' drives no joint of the tree: give prescribed"):
        wt.hybrid_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_what_a_table_raises_within_a_run_is_heard(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Long tables are asked in Python, from machine code: there an interrupt must not be lost."""
    asked, count = DriveCourses.asked, [0]

    def interrupted(self: DriveCourses, t: float) -> Any:
        count[0] += 1
        if count[0] == 20:
            raise KeyboardInterrupt
        return asked(self, t)

    monkeypatch.setattr(DriveCourses, "asked", interrupted)
    t = np.linspace(0.0, 2.0, 900)
    drive = {"cart": wt.MotionTable(t, 0.2 * np.sin(t))}
    given: Any = {"method": method, **({} if method == "DOP853" else {"dt": 0.01})}
    with pytest.raises(KeyboardInterrupt):
        wt.simulate(wt.examples.load("cart-pole"), [0.0, 0.4], None, 1.0, drive=drive, **given)
    assert count[0] == 20
