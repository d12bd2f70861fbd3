"""Forward dynamics on trees of unusual shape and size, and what each method refuses.

Source of truth: the articulated-body algorithm, inverse dynamics, and the wording that was promised.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.model.requirements import invertible_inertias

BOX = wt.Inertia(2.0, (0.1, -0.2, 0.3), (0.3, 0.4, 0.5))


def chain(n):
    """Links of half a metre with joints of alternating axes, slightly bent."""
    rng = np.random.default_rng(4)
    m = wt.Mechanism("chain")
    inertia = wt.Inertia(0.5, (0.2, 0.02, -0.03), (0.01, 0.02, 0.025))
    for i in range(n):
        m.add_body(
            f"b{i}",
            wt.Revolute("xyz"[i % 3]),
            f"b{i - 1}" if i else "ground",
            wt.Placement((0.5, 0, 0), rpy=rng.normal(size=3) * 0.1) if i else None,
            inertia,
        )
    return m, 0.02 * rng.normal(size=n), 0.01 * rng.normal(size=n)


def test_chain_of_two_thousand_bodies():
    m, q, qd = chain(2000)
    qdd = 0.1 * np.random.default_rng(5).normal(size=2000)
    tau = wt.rnea(m, q, qd, qdd)
    found = wt.aba(m, q, qd, tau)
    # Accelerations of a chain this long are ill-conditioned; the forces they need are not.
    assert_allclose(wt.rnea(m, q, qd, found), tau, rtol=0, atol=1e-13 * np.max(np.abs(tau)))
    assert_allclose(found, qdd, rtol=0, atol=5e-6)


def test_divide_and_conquer_takes_two_thousand_bodies():
    m, q, qd = chain(2000)
    tau = np.random.default_rng(6).normal(size=2000)
    by_aba, by_halves = (wt.forward_dynamics(m, q, qd, tau, x) for x in ("aba", "divide-and-conquer"))
    assert_allclose(by_halves, by_aba, rtol=0, atol=1e-12 * np.max(np.abs(by_aba)))


@pytest.mark.parametrize("hub", ["ground", "b0"])
def test_divide_and_conquer_takes_a_star(hub):
    rng = np.random.default_rng(7)
    m = wt.Mechanism("star")
    for i in range(300):
        parent = "ground" if i == 0 else hub
        m.add_body(f"b{i}", wt.Revolute("y"), parent, randoms.placement(rng), BOX)
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    assert_allclose(
        wt.dynamics.divide_and_conquer(m, q, qd, tau), wt.aba(m, q, qd, tau), rtol=1e-9, atol=1e-9
    )


def test_a_mechanism_without_bodies_or_freedoms():
    empty = wt.Mechanism("empty")
    welded = wt.Mechanism("welded")
    welded.add_body("a", wt.Fixed(), inertia=BOX)
    welded.add_body("b", wt.Fixed(), "a", inertia=BOX)
    none = np.zeros(0)
    for m in (empty, welded):
        for method in wt.methods(m):
            assert wt.forward_dynamics(m, none, none, none, method).shape == (0,)
        for function in (wt.rnea, wt.dynamics.rnea_base):
            assert function(m, none, none, none).shape == (0,)
        assert wt.gravity_force(m, none).shape == wt.coriolis_force(m, none, none).shape == (0,)
        assert wt.dynamics.inertia_product(m, none, none).shape == (0,)
        assert wt.inverse_inertia(m, none).shape == (0, 0)
        assert wt.gear_matrix(m).shape == (0, 0)
        assert wt.gear_positions(m, none).shape == (0,)
        for method in ("aba", "crba"):
            tau, qdd = wt.hybrid_dynamics(m, none, none, none, none, [], method)
            assert tau.shape == qdd.shape == (0,)
        assert wt.dynamics.simplify_inertias(m).bodies == tuple(
            wt.Body(b.name, b.joint, b.parent, b.placement, wt.Inertia.zero(), b.joint_name) for b in m.bodies
        )


def test_methods_that_invert_inertias_refuse_thin_rods():
    rods = wt.examples.load("double-pendulum")
    assert not {"aba-variant-1", "aba-variant-2", "divide-and-conquer"} & {*wt.methods(rods)}
    q = np.array([0.1, 0.2])
    message = (
        r"body 'upper' of 'double-pendulum' has mass 1 kg and principal moments \(0, 0.08333, "
        r"0.08333\) kg m², an inertia that cannot be inverted"
    )
    for function in (wt.dynamics.aba_variant_1, wt.dynamics.aba_variant_2, wt.dynamics.divide_and_conquer):
        with pytest.raises(wt.ModelError, match=message):
            function(rods, q, q, q)
    with pytest.raises(
        wt.ModelError, match=f"method 'divide-and-conquer' does not apply: {message}.*: crba, aba"
    ):
        wt.forward_dynamics(rods, q, q, q, method="divide-and-conquer")
    massless = wt.Mechanism("massless")
    massless.add_body("link", wt.Revolute("x"))
    fault = invertible_inertias(massless)
    assert fault is not None
    assert "'link' of 'massless' has mass 0 kg" in fault


def test_unknown_method_is_refused_with_the_list():
    m = wt.examples.load("pendulum")
    one = np.array([0.1])
    with pytest.raises(wt.InputError, match="method is 'rnea': give one of auto, crba, aba"):
        wt.forward_dynamics(m, one, one, one, method="rnea")
    with pytest.raises(wt.InputError, match="method is 'lu': give one of auto, aba, crba"):
        wt.hybrid_dynamics(m, one, one, one, one, [], method="lu")


def test_prescribed_joints_are_names():
    m = wt.examples.load("cart-pole")
    two = np.array([0.1, 0.2])
    for function in (wt.hybrid_dynamics, wt.dynamics.hybrid_aba, wt.dynamics.hybrid_crba):
        with pytest.raises(wt.InputError, match="prescribed is 'cart', expected a list of joint names"):
            function(m, two, two, two, two, "cart")
        with pytest.raises(wt.ModelError, match="'cart-pole' has no joint named 'wheel'; known: cart, pole"):
            function(m, two, two, two, two, ["wheel"])


def floating(joint=None, armature=0.0):
    m = wt.Mechanism("robot")
    m.add_body("trunk", joint or wt.Free(), inertia=BOX, armature=armature)
    m.add_body("leg", wt.Revolute("y"), "trunk", inertia=BOX)
    return m


@pytest.mark.parametrize(
    ("m", "message"),
    [
        (wt.Mechanism("empty"), "'empty' has no bodies: a floating base needs one"),
        (floating(wt.Planar()), r"first body of 'robot', 'trunk', is carried by Planar.*, expected Free\(\)"),
        (
            floating(wt.Reversed(wt.Free())),
            r"'trunk', is carried by Reversed\(of=Free\(\)\), expected Free\(\)",
        ),
        (floating(armature=0.5), "joint 'trunk' of 'robot' has an armature of 0.5, expected 0"),
    ],
)
def test_floating_base_is_a_free_body(m, message):
    q, v = m.neutral(), np.zeros(m.nv)
    for function in (wt.dynamics.floating_aba, wt.dynamics.floating_crba):
        with pytest.raises(wt.ModelError, match=f"{function.__name__}: .*{message}"):
            function(m, q, v, v)
    with pytest.raises(wt.ModelError, match=f"floating_inverse_dynamics: .*{message}"):
        wt.dynamics.floating_inverse_dynamics(m, q, v, v[6:])


def test_floating_base_is_the_only_root():
    m = floating()
    m.add_body("post", wt.Revolute("x"), inertia=BOX)
    v = np.zeros(m.nv)
    with pytest.raises(
        wt.ModelError, match=r"'robot' has 2 bodies on the ground \(trunk, post\), expected 1"
    ):
        wt.dynamics.floating_aba(m, m.neutral(), v, v)
    m = floating()
    with pytest.raises(
        wt.InputError, match=r"qdd_joints has shape \(7,\), expected \(1,\): .*'robot' behind its base"
    ):
        wt.dynamics.floating_inverse_dynamics(m, m.neutral(), np.zeros(7), np.zeros(7))


def test_a_joint_that_moves_nothing_is_named():
    m = wt.Mechanism("arm")
    m.add_body("link", wt.Revolute("z"), inertia=BOX)
    m.add_body("tool", wt.Revolute("x"), "link")
    two = np.array([0.1, 0.2])
    for call in (
        lambda: wt.forward_dynamics(m, two, two, two),
        lambda: wt.forward_dynamics(m, two, two, two, method="crba"),
        lambda: wt.inverse_inertia(m, two),
        lambda: wt.dynamics.hybrid_crba(m, two, two, two, two, ["link"]),
        lambda: wt.dynamics.hybrid_aba(m, two, two, two, two, ["link"]),
    ):
        with pytest.raises(wt.SingularError, match="joint 'tool' of 'arm' moves no inertia"):
            call()
