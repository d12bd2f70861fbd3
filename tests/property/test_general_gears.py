"""Gears between any number of joints, loop joints among them.

Source of truth: the same machine with another joint cut; the derivative of the error; powers that cancel.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cut_machines as machine
import whippletree as wt


def geared(seed=2):
    """A four-bar as a graph, and a flywheel that two of its joints drive, which may be cut."""
    g = machine.four_bar(np.random.default_rng(seed))
    g.add_body("flywheel", wt.Inertia(2.0, about_com=(0.2, 0.3, 0.25)))
    g.add_joint("f", wt.Revolute("y"), "ground", "flywheel", damping=0.1)
    g.add_gear("chain", driver=("c", "d"), driven="f", ratio=(1.7, -0.6), offset=0.25)
    return g


def start(m):
    q = wt.assemble(machine.unbounded(m), np.array([0.4 if name == "a" else 0.0 for name in m.joint_names]))
    return q, wt.project_velocity(m, q, np.full(m.nv, 0.8))


@pytest.mark.parametrize("turns", [0, 2])
def test_which_joint_is_cut_does_not_matter_to_a_gear(turns):
    g = geared()
    first = g.mechanism(cut=["a"])
    q, qd = start(first)
    names = first.joint_names
    q[names.index("c")] += 2.0 * np.pi * turns  # and the flywheel along with it
    q[names.index("b")] += 2.0 * np.pi * turns
    q[names.index("f")] += 1.7 * 2.0 * np.pi * turns
    x = machine.by_joint(first, q, qd)
    qdd = wt.forward_dynamics(first, q, qd, np.zeros(4))
    expected = dict(zip(names, qdd, strict=True))
    joints, _ = wt.reactions(first, q, qd, np.zeros(4))
    wrench, pivot = joints[names.index("f")], joints[names.index("d")]
    for cut in ("b", "c", "d"):
        m = g.mechanism(cut=[cut])
        state = machine.same_state(m, x)
        assert_allclose(wt.constraint_error(m, state[0]), 0.0, atol=2e-13)
        found = dict(zip(m.joint_names, wt.forward_dynamics(m, *state, np.zeros(4)), strict=True))
        for name in found.keys() & expected.keys():
            assert_allclose(found[name], expected[name], rtol=1e-10, err_msg=cut + name)
        joints, loops = wt.reactions(m, *state, np.zeros(4))
        assert_allclose(joints[m.joint_names.index("f")], wrench, atol=1e-9)
        if cut == "d":  # on the rocker from the ground, as in the other tree
            assert_allclose(loops[0, [1, 3, 5]], pivot[[1, 3, 5]], atol=1e-9)


def test_every_method_and_kernel_holds_a_gear_of_a_loop_joint():
    m = geared().mechanism(cut=["c"])
    q, qd = start(m)
    tau = np.array([0.3, -0.2, 0.5, 0.1])
    expected = wt.forward_dynamics(m, q, qd, tau, "kkt")
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, method), expected, rtol=1e-9, err_msg=method)
    k = wt.compile(wt.forward_dynamics, m)
    assert_allclose(k(q, qd, tau), expected, rtol=1e-9)
    assert_allclose(k(q, qd, np.zeros(4)), wt.forward_dynamics(m, q, qd, np.zeros(4)), rtol=1e-9)
    turned = q + 2.0 * np.pi * np.array([1, 3, 0, 0])
    error = wt.compile(wt.constraint_error, m)(turned)  # recorded in frames whose angles have other zeros
    assert_allclose(error, wt.constraint_error(m, turned), atol=1e-12)


def test_a_gear_s_jacobian_is_the_derivative_of_its_error():
    m = geared().mechanism(cut=["c"])
    q, qd = start(m)
    h = 1e-30
    step = wt.constraint_error(m, q + 1j * h * np.array([0.3, -0.5, 0.2, 0.7]))
    K = wt.constraint_jacobian(m, q)
    assert_allclose(np.imag(step) / h, K @ [0.3, -0.5, 0.2, 0.7], atol=1e-12)
    # K qdd = k: along a motion that keeps all closed the rate of K qd is zero.
    qdd = wt.forward_dynamics(m, q, qd, np.zeros(4))
    dt = 1e-5
    ahead, behind = (wt.constraint_jacobian(m, q + s * qd + 0.5 * s * s * qdd) for s in (dt, -dt))
    rate = (ahead @ (qd + dt * qdd) - behind @ (qd - dt * qdd)) / (2.0 * dt)
    assert_allclose(rate, 0.0, atol=1e-6)


def test_gears_are_saved_renamed_and_attached(tmp_path):
    m = geared().mechanism(cut=["c"])
    wt.save(m, tmp_path / "m.toml")
    assert 'driver = ["c", "d"]\n' in (tmp_path / "m.toml").read_text()
    assert wt.load(tmp_path / "m.toml") == m
    named = wt.rename(m, loops={"c": "pin"}, joints={"d": "pivot", "f": "axle"})
    assert (named.gears[0].driver, named.gears[0].driven) == (("pin", "pivot"), "axle")
    other = wt.attach(wt.examples.load("pendulum"), m, "ground", prefix="his ")
    assert other.gears[0].joints == ("his f", "his c", "his d")
    assert "chain: f = 1.7 · c + -0.6 · d + 0.25" in m.summary()


REFUSED = {
    "has 2 drivers and 1 ratios: give one ratio for each driver": (("a", "d"), "f", 1.0),
    "has 0 drivers and 0 ratios": ((), "f", ()),
    "names the driver 'a' twice: add its ratios up": (("a", "a"), "f", (1.0, 2.0)),
    "ratio is nan, must be finite": (("a", "d"), "f", (1.0, np.nan)),
    "gear 'g': ratio is (1.0, 2.0), expected a number": ("a", "f", (1.0, 2.0)),
    "'b' would drive itself through 'b'": (("a", "b"), "b", (1.0, 2.0)),
    "gear 'g': joint 'f' is driven by 'c' and 'd' already": (("a", "d"), "f", (1.0, 2.0)),
    "'d' would drive itself through 'f'": (("a", "f"), "d", (1.0, 2.0)),
    "has no joint named 'z'": (("a", "z"), "b", (1.0, 2.0)),
}


@pytest.mark.parametrize("words", REFUSED)
def test_gears_that_cannot_be_are_refused(words):
    m = geared().mechanism(cut=["c"])
    with pytest.raises(wt.ModelError) as told:
        m.add_gear("g", *REFUSED[words])
    assert words in str(told.value)


def test_states_that_a_gear_does_not_allow_are_refused():
    m = geared().mechanism(cut=["c"])
    q, qd = start(m)
    with pytest.raises(wt.InputError, match=r"q leaves gear 'chain' of 'four-bar' open by 0\.2"):
        wt.forward_dynamics(m, q + np.array([0.0, 0.0, 0.0, 0.2]), qd, np.zeros(4))
    planets = wt.examples.load("planetary-gear")
    with pytest.raises(wt.InputError, match=r"q has 0\.5 for joint 'carrier', which gear 'planets' holds"):
        wt.forward_dynamics(planets, 0.5 * np.eye(6)[2], np.zeros(6), np.zeros(6))
    with pytest.raises(
        wt.ModelError, match="'sun', which is to be locked, to 'carrier' and 'ring': lock all"
    ):
        wt.lock(planets, {"sun": 0.3})
    assert wt.lock(planets, planets_at(planets)).nv == 0


def planets_at(m):
    q = m.random(np.random.default_rng(3))
    return {name: q[k] for k, name in enumerate(m.joint_names)}


def test_every_ratio_of_a_gear_is_a_parameter_of_its_own():
    m = wt.examples.load("planetary-gear")
    names = ["planets.ratio.ring", "mesh2.ratio.sun"]
    planets, mesh = dict(m.gears[0].terms), dict(m.gears[2].terms)
    assert wt.parameter_values(m, names).tolist() == [planets["ring"], mesh["sun"]]
    other = m.copy()
    other.change("planets", ratio=(planets["sun"], 0.71))
    other.change("mesh2", ratio=(-1.2, mesh["carrier"]))
    k = wt.compile(wt.constraint_jacobian, m, parameters=names)
    np.testing.assert_array_equal(
        k(m.neutral(), np.array([0.71, -1.2])), wt.constraint_jacobian(other, other.neutral())
    )
