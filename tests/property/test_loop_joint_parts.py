"""Springs, dampers, friction, stops, rotors and motors of loop joints are those of any joint.

Source of truth: the same machine with another joint cut, in which they belong to the tree; differences of
energies; and the forces of the tree's own law, carried over by `loop_joint_force`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from cut_machines import JOINTS, by_joint, closed_state, four_bar, same_state, unbounded
from whippletree.dynamics.force_laws.joint_law import joint_force
from whippletree.dynamics.passive import passive_powers
from whippletree.loops.closing.projections import project_position


@pytest.mark.parametrize("turns", [0, 3])
def test_a_planar_linkage_moves_alike_whichever_joint_is_cut(turns):
    g = four_bar(np.random.default_rng(3))
    first = g.mechanism(cut=["d"])
    q, qd = closed_state(first)
    q[0] += 2.0 * np.pi * turns  # the crank; the coupler turns back against it
    q[1] -= 2.0 * np.pi * turns
    x = by_joint(first, q, qd)
    tau = {"a": 0.7, "b": -0.4}  # of joints that no cut takes away
    found = {}
    for cut in ("d", "c"):
        m = g.mechanism(cut=[cut])
        qc, qdc = same_state(m, x)
        assert_allclose(wt.constraint_error(m, qc), 0.0, atol=1e-13)
        place, rate = by_joint(m, qc, qdc)[cut]
        assert_allclose(np.concatenate([place, rate]), np.concatenate(x[cut]), atol=1e-12)
        qdd = wt.forward_dynamics(m, qc, qdc, np.array([tau.get(name, 0.0) for name in m.joint_names]))
        found[cut] = dict(zip(m.joint_names, qdd, strict=True)), sum(wt.energy(m, qc, qdc))
    for name in ("a", "b"):
        assert_allclose(found["c"][0][name], found["d"][0][name], rtol=1e-10)
    assert_allclose(found["c"][1], found["d"][1], rtol=1e-12)


@pytest.mark.parametrize("cut", JOINTS)
def test_inverse_dynamics_and_reactions_do_not_depend_on_the_cut(cut):
    g = four_bar(np.random.default_rng(4))
    first = g.mechanism(cut=["c"])
    q, qd = closed_state(first)
    tau = np.array([0.7, 0.0, 0.0])
    qdd = wt.forward_dynamics(first, q, qd, tau)
    m = g.mechanism(cut=[cut])
    qc, qdc = same_state(m, by_joint(first, q, qd))
    motor = {"a": tau[0]}
    given = np.array([motor.get(name, 0.0) for name in m.joint_names])
    if cut == "a":
        given = wt.loop_joint_force(m, qc, "a", tau[:1])
    accelerations = wt.forward_dynamics(m, qc, qdc, given)
    shared = [name for name in ("a", "b", "d") if name != cut]
    for name in shared:
        own = accelerations[m.v_index[m.joint_number(name)]]
        assert_allclose(own, qdd[first.v_index[first.joint_number(name)]], rtol=1e-10)
    lost, brought = passive_powers(m, qc, qdc)
    assert_allclose(lost, passive_powers(first, q, qd)[0], rtol=1e-12)
    assert brought == 0.0
    forces = wt.inverse_dynamics(m, qc, qdc, accelerations, actuated=["a"])
    assert_allclose(forces, given, atol=1e-10)
    assert_allclose(wt.motor_forces(m, qc, qdc, accelerations, actuated=["a"])["a"], tau[:1], atol=1e-10)


def test_what_a_loop_joint_transmits_is_what_it_transmits_in_a_tree():
    g = four_bar(np.random.default_rng(5))
    cut, kept = g.mechanism(cut=["c"]), g.mechanism(cut=["b"])
    q, qd = closed_state(cut)
    x = by_joint(cut, q, qd)
    qk, qdk = same_state(kept, x)
    loops = wt.reactions(cut, q, qd, np.zeros(3))[1]
    joints = wt.reactions(kept, qk, qdk, np.zeros(3))[0]
    body = kept.bodies[kept.joint_number("c")]
    # In the one tree the rocker is carried by d; in the other the coupler by c, backwards: its wrench is the
    # opposite, seen from the other side of the joint.
    X = body.joint.transform(x["c"][0])
    # In the plane: a planar loop leaves all other components open.
    opposite = -(X.T @ joints[kept.joint_number("c")])
    assert_allclose(loops[0, [1, 3, 5]], opposite[[1, 3, 5]], atol=1e-9)


KINDS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "helical")


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_a_loop_joint_are_gradients_of_its_energy(kind):
    rng = np.random.default_rng(len(kind))
    m = wt.Mechanism("random", gravity=(0, 0, 0))
    for name in ("p", "s"):
        m.add_body(name, wt.Free(), placement=randoms.placement(rng), inertia=randoms.inertia(rng))
    joint = randoms.joint(rng, kind)
    own = {"stiffness": 3.0, "rest": tuple(joint.random(rng)), "damping": 0.4, "friction": 0.3}
    if joint.has_rates:
        own["limits"] = wt.Limits(-0.05, 0.05, stiffness=20.0)
    m.add_loop("l", joint, "p", "s", randoms.placement(rng), randoms.placement(rng), **own)
    q = project_position(m, wt.assemble(m, m.random(rng)))
    motions = np.linalg.svd(wt.constraint_jacobian(m, q))[2][6 - joint.nv :]  # that keep the loop closed
    qd = motions.T @ rng.normal(size=len(motions))
    tau, f = wt.passive_forces(m, q, np.zeros(m.nv))
    assert f is not None
    power = sum(f_i @ v for f_i, v in zip(f, wt.body_velocities(m, q, qd), strict=True))
    h = 1e-6
    ahead, behind = (wt.elastic_energy(m, m.integrate(q, sign * h * qd)) for sign in (1.0, -1.0))
    assert_allclose(tau, 0.0)
    assert_allclose(power, -(ahead - behind) / (2.0 * h), rtol=2e-7, atol=1e-7)
    x, v = wt.loop_joint_position(m, q, "l"), wt.loop_joint_velocity(m, q, qd, "l")
    u = joint_force(m.loops[0], x, v)
    bare = m.copy()
    bare.change("l", stiffness=0.0, damping=0.0, friction=0.0, limits=wt.Limits())
    expected = wt.forward_dynamics(bare, q, qd, wt.loop_joint_force(bare, q, "l", u), "kkt")
    assert_allclose(wt.forward_dynamics(m, q, qd, np.zeros(m.nv), "kkt"), expected, rtol=1e-10, atol=1e-10)


def test_kernels_and_runs_feel_loop_joints():
    g = four_bar(np.random.default_rng(6), friction=0.0)
    cut, kept = g.mechanism(cut=["c"]), g.mechanism(cut=["b"])
    q, qd = closed_state(cut)
    other = same_state(kept, by_joint(cut, q, qd))
    kernel = wt.compile(wt.forward_dynamics, cut)
    assert_allclose(kernel(q, qd, np.zeros(3)), wt.forward_dynamics(cut, q, qd, np.zeros(3)), rtol=1e-10)
    runs = [
        wt.simulate(m, *state, duration=0.04, rtol=1e-10, atol=1e-10)
        for m, state in ((cut, (q, qd)), (kept, other))
    ]
    assert_allclose(runs[0].q[-1][0], runs[1].q[-1][0], atol=1e-8)


def test_energies_reactions_and_places_of_rest_agree_with_another_cut():
    g = four_bar(np.random.default_rng(6))
    cut, kept = g.mechanism(cut=["c"]), g.mechanism(cut=["b"])
    q, qd = closed_state(cut)
    other = same_state(kept, by_joint(cut, q, qd))
    assert_allclose(wt.compile(wt.energy, cut)(q, qd), wt.energy(kept, *other), rtol=1e-12)
    transmitted = wt.compile(wt.reactions, cut, at=q)(q, qd, np.zeros(3))
    for found, expected in zip(transmitted, wt.reactions(cut, q, qd, np.zeros(3)), strict=True):
        assert_allclose(found, expected, atol=1e-10)
    rest = [wt.equilibrium(unbounded(m), start).q for m, start in ((cut, q), (kept, other[0]))]
    assert_allclose(rest[0][0], rest[1][0], atol=1e-9)
    assert "damping 0.3, friction 0.2, stiffness 4, limits -0.4 … 0.3" in cut.summary()


def test_a_spring_goes_on_over_turns_of_a_loop_joint():
    """A wheel whose bearing is the loop joint: after three turns its spring pulls six π further."""
    m = wt.Mechanism("wheel")
    solid = wt.Inertia(2.0, (0.01, 0.0, 0.02), about_com=(0.1, 0.2, 0.3))
    m.add_body("wheel", wt.Planar("z"), inertia=solid)
    m.add_loop("axle", wt.Revolute("z"), "ground", "wheel", stiffness=2.0, rest=(0.5,))
    for turns in (0, 3, -2):
        q = np.array([0.3 + 2.0 * np.pi * turns, 0.0, 0.0])
        assert_allclose(wt.loop_joint_position(m, q, "axle"), q[:1], atol=1e-14)
        f = wt.passive_forces(m, q, np.zeros(3))[1]
        assert f is not None
        assert_allclose(f[0, 2], -2.0 * (q[0] - 0.5), rtol=1e-13)


def test_no_state_tells_turns_of_a_spatial_loop():
    m = wt.Mechanism("spatial")
    solid = wt.Inertia(2.0, about_com=(0.1, 0.2, 0.3))
    m.add_body("ball", wt.Spherical(), inertia=solid)
    m.add_loop("axle", wt.Revolute("z"), "ground", "ball")
    half = 0.5 * 4.0
    q = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
    assert_allclose(wt.loop_joint_position(m, q, "axle"), 4.0 - 2.0 * np.pi)


def test_a_rotor_turns_alike_whether_its_joint_is_cut_or_not():
    g = four_bar(np.random.default_rng(7), armature=0.3)
    plain = g.mechanism(cut=["c"])
    assert (plain.joint_names[-1], plain.loops[0].name) == ("c", "c.closure")
    q, qd = closed_state(plain)
    qdd = wt.forward_dynamics(plain, q, qd, np.zeros(4))
    x = by_joint(plain, q, qd)
    for cut in ("a", "b", "d"):
        m = g.mechanism(cut=[cut])
        state = same_state(m, x)
        found = wt.forward_dynamics(m, *state, np.zeros(4))
        own = [found[m.v_index[m.joint_number(name)].start] for name in plain.joint_names]
        assert_allclose(own, qdd, rtol=1e-9)


def test_a_loop_joint_is_held():
    m = unbounded(four_bar(np.random.default_rng(8)).mechanism(cut=["c"]))
    rng = np.random.default_rng(9)
    guess = wt.assemble(m, np.array([0.4, 0.0, 0.0])) + 0.02 * rng.normal(size=3)
    place = wt.loop_joint_position(m, guess, "c")
    for closed in (wt.assemble(m, guess, hold=["c"]), wt.project_position(m, guess, hold=["c"])):
        assert_allclose(wt.constraint_error(m, closed), 0.0, atol=1e-14)
        assert_allclose(wt.loop_joint_position(m, closed, "c"), place, atol=1e-13)
    qd, qdd = rng.normal(size=(2, 3))
    found = wt.project_velocity(m, closed, qd, hold=["c"])
    assert_allclose(wt.constraint_jacobian(m, closed) @ found, 0.0, atol=1e-13)
    rate = wt.loop_joint_velocity(m, closed, qd, "c")
    assert_allclose(wt.loop_joint_velocity(m, closed, found, "c"), rate, rtol=1e-12)
    moved = wt.project_acceleration(m, closed, found, qdd, hold=["c"])
    bias = wt.constraint_bias(m, closed, found)
    assert_allclose(wt.constraint_jacobian(m, closed) @ moved, bias, atol=1e-12)
    change = wt.loop_joint_velocity(m, closed, moved - qdd, "c")
    assert_allclose(change, 0.0, atol=1e-12)


def test_motors_say_that_they_are_there():
    g = four_bar(np.random.default_rng(8))
    g.change("c", actuated=True, limits=wt.Limits(effort=12.0))
    m = g.mechanism(cut=["c"])
    assert (m.actuated, m.loops[0].limits.effort) == (["c"], 12.0)
    assert g.mechanism().actuated == ["c"]
    assert g.mechanism().loops[0].name != "c"
    q, qd = closed_state(m)
    qdd = wt.forward_dynamics(m, q, qd, wt.loop_joint_force(m, q, "c", np.array([2.5])))
    assert_allclose(wt.motor_forces(m, q, qd, qdd)["c"], [2.5], rtol=1e-10)
    f_ext = wt.loop_joint_wrenches(m, q, "c", np.array([2.5]))
    assert_allclose(wt.forward_dynamics(m, q, qd, np.zeros(3), f_ext=f_ext), qdd, rtol=1e-10)
    kept = g.mechanism(cut=["b"])
    state = same_state(kept, by_joint(m, q, qd))
    tau = np.array([2.5 if name == "c" else 0.0 for name in kept.joint_names])
    u = np.array([2.5])
    driven = wt.rollout(
        m, q, qd, lambda t, q, qd: wt.loop_joint_force(m, q, "c", u), steps=10, dt=1e-3, method="rk4"
    )
    # Where the force acts, reactions are those of the tree that has the motor.
    found, other = wt.reactions(m, q, qd, np.zeros(3), f_ext)[0], wt.reactions(kept, *state, tau)[0]
    plane = [3, 5]  # a planar loop leaves all other components open
    pivot = m.joint_number("d"), kept.joint_number("d")
    assert_allclose(found[pivot[0]][plane], other[pivot[1]][plane], atol=1e-9)
    expected = wt.rollout(kept, *state, np.tile(tau, (10, 1)), dt=1e-3, method="rk4")
    assert_allclose(driven[0][-1][0], expected[0][-1][0], atol=1e-12)
    assert wt.actuation(m, q, ["c"]).kind == "properly"
    assert wt.actuation(m, q, ["c", "a"]).kind == "redundantly"
    with pytest.raises(wt.SolverError, match="by forces on no joint alone"):
        wt.motor_forces(m, q, qd, qdd, actuated=[])


def test_what_a_loop_joint_cannot_have_is_refused():
    m = wt.examples.load("four-bar")
    with pytest.raises(wt.ModelError, match=r"loop 'pin': damping is -1\.0, must be 0 or more and finite"):
        m.change("pin", damping=-1.0)
    with pytest.raises(wt.ModelError, match=r"joint 'pin' of 'four-bar': rest is \(1.0, 2.0\): give"):
        m.change("pin", rest=(1.0, 2.0))
    with pytest.raises(
        wt.ModelError, match="joint 'pin' of 'four-bar': lower limit 1 is above upper limit 0"
    ):
        m.change("pin", limits=wt.Limits(1.0, 0.0))
    with pytest.raises(wt.ModelError, match="loop 'pin' has no property 'armature'"):
        m.change("pin", armature=1.0)
    with pytest.raises(wt.ModelError, match="loop 'pin': actuated is 1, expected True or False"):
        m.change("pin", actuated=1)
    with pytest.raises(wt.ModelError, match="a Planar z joint carries no spring"):
        m.add_loop("slab", wt.Planar(), "ground", "coupler", stiffness=1.0)


def test_friction_of_a_loop_joint_holds_in_steps_of_euler():
    g = four_bar(np.random.default_rng(6), stiffness=0.0, limits=wt.Limits(), friction=3.0, damping=0.3)
    cut, kept = g.mechanism(cut=["c"]), g.mechanism(cut=["b"])
    q, qd = closed_state(cut)
    other = same_state(kept, by_joint(cut, q, qd))
    found = [wt.rollout(m, *state, steps=60, dt=1e-3) for m, state in ((cut, (q, qd)), (kept, other))]
    assert abs(q[0] - found[0][0][-1][0]) > 0.002  # it has moved,
    assert np.max(np.abs(found[0][1][-1])) < 1e-8  # and sticks
    assert_allclose(found[0][0][-1][0], found[1][0][-1][0], atol=1e-5)


def test_what_a_loop_joint_damps_is_a_parameter():
    m = wt.examples.load("four-bar")
    m.change("pin", damping=0.4, stiffness=3.0, friction=0.05)
    names = ["pin.damping", "pin.stiffness", "pin.friction"]
    np.testing.assert_array_equal(wt.parameter_values(m, names), [0.4, 3.0, 0.05])
    other = m.copy()
    other.change("pin", damping=0.7, stiffness=2.0, friction=0.08)
    q, qd = wt.assemble(m, m.neutral()), np.array([1.0, 0.3, -0.4])
    k = wt.compile(wt.passive_forces, m, parameters=names)
    at_bodies, expected = k(q, qd, np.array([0.7, 2.0, 0.08]))[1], wt.passive_forces(other, q, qd)[1]
    assert expected is not None
    np.testing.assert_allclose(at_bodies, expected, rtol=1e-12, atol=1e-14)
