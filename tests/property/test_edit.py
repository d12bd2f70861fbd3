"""A changed mechanism moves as the original does, on random trees of every joint type."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import randoms
import whippletree as wt
from poses import body_velocity, pose
from whippletree.spatial.rotation import to_quaternion

SEEDS = st.integers(0, 2**32 - 1)
TREES = st.lists(st.sampled_from(sorted(randoms.JOINTS)), min_size=2, max_size=7)


def furnished(rng: np.random.Generator, joints: list[str]) -> wt.Mechanism:
    """A random tree whose every body has a frame and two shapes."""
    m = wt.Mechanism("random", gravity=rng.normal(size=3) * 5.0)
    for i, body in enumerate(randoms.tree(rng, joints).bodies):
        shapes = [wt.Geometry(wt.Sphere(0.1), randoms.placement(rng)) for _ in range(2)]
        m.add_body(
            body.name,
            body.joint,
            body.parent,
            body.placement,
            body.inertia,
            f"j_{body.name}",
            # A rotor on the joint that is cut by `reroot` goes with it and would be missed.
            armature=body.armature if i else 0.0,
            damping=0.3,
            friction=0.2,
            limits=wt.Limits(-3.0, 3.0, 4.0, 5.0),
            visuals=(shapes[0],),
            collisions=(shapes[1],),
        )
        m.add_frame(f"f_{body.name}", body.name, randoms.placement(rng))
    m.add_frame("f_ground", "ground", randoms.placement(rng))
    names = ["ground", *(body.name for body in m.bodies)]
    for k in range(3):
        a, b = rng.choice(names, size=2, replace=False)
        points, numbers = rng.normal(size=(2, 3)), rng.uniform(1.0, 9.0, size=3)
        m.add_spring(f"s{k}", str(a), points[0], str(b), points[1], *numbers)
    for k, reference in enumerate(("body", "aligned", "world")):
        frame = f"f_{m.bodies[k % len(m)].name}"
        m.add_force(f"p{k}", frame, *rng.normal(size=(2, 3)), reference=reference)
    m.change(
        "ground",
        visuals=(wt.Geometry(wt.Box((1.0, 2.0, 3.0)), randoms.placement(rng)),),
        collisions=(wt.Geometry(wt.Sphere(0.7), randoms.placement(rng)),),
    )
    for name in ("ground", m.bodies[-1].name):
        m.add_shape(f"shape_{name}", wt.Sphere(0.3), name, randoms.placement(rng))
    m.warnings.append("left out: a sensor")
    return m


def close_loops(rng: np.random.Generator, m: wt.Mechanism, q: np.ndarray) -> None:
    """Add three loop joints between any two bodies, each closed at the position q."""
    names = ["ground", *(body.name for body in m.bodies)]
    for k, kind in enumerate(("revolute", "universal", "spherical")):
        p, s = (str(name) for name in rng.choice(names, size=2, replace=False))
        joint, at_p = randoms.joint(rng, kind), randoms.placement(rng)
        across = joint.transform(joint.random(rng)).homogeneous()
        T = np.linalg.inv(pose(m, q, s)) @ pose(m, q, p) @ at_p.transform().homogeneous() @ across
        at_s = wt.Placement(T[:3, 3], quaternion=to_quaternion(T[:3, :3]))
        m.add_loop(f"l{k}", joint, p, s, at_p, at_s)


def shape_poses(m: wt.Mechanism, q: np.ndarray) -> list[np.ndarray]:
    """Where every shape is in the ground, in an order that does not depend on the bodies."""
    found = [
        pose(m, q, name) @ shape.placement.transform().homogeneous()
        for name, shapes in [
            *((body.name, [*body.visuals, *body.collisions]) for body in m.bodies),
            ("ground", m.ground_visuals + m.ground_collisions),
            *((shape.body, [shape]) for shape in m.shapes),
        ]
        for shape in shapes
    ]
    return sorted(found, key=lambda T: tuple(T[:3, 3].round(9)))


def inverse(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Joint forces of a motion, the springs between points pulling."""
    return wt.rnea(m, q, qd, qdd, wt.passive_forces(m, q, qd)[1])


def energies(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray) -> tuple[float, float]:
    """Kinetic energy and, up to a constant, potential energy."""
    potential = 0.0
    for body in m.bodies:
        h = np.array([*body.inertia.h, body.inertia.m])
        potential -= np.array(m.gravity) @ (pose(m, q, body.name) @ h)[:3]
    return float(qd @ wt.crba(m, q) @ qd) / 2, float(potential)


def entries(m: wt.Mechanism, joints: list[str], index: Sequence[slice]) -> np.ndarray:
    """Numbers of the entries of a vector of m that belong to these joints."""
    numbers = np.arange(m.nq)
    return np.concatenate([np.zeros(0, int), *(numbers[index[m.joint_number(name)]] for name in joints)])


def loop_rows(m: wt.Mechanism, loops: set[str]) -> np.ndarray:
    """Numbers of the rows of the loop constraints that belong to these loops."""
    owner = [loop.name for loop in m.loops for _ in range(6 - loop.joint.nv)]
    return np.array([k for k, name in enumerate(owner) if name in loops], dtype=int)


@settings(max_examples=100, deadline=None)
@given(SEEDS, TREES)
def test_locked_joints_are_joints_at_rest(seed: int, joints: list[str]) -> None:
    rng = np.random.default_rng(seed)
    m = furnished(rng, joints)
    q, qd = randoms.state(rng, m)
    close_loops(rng, m, q)
    before = copy.deepcopy(m)
    qdd = rng.normal(size=m.nv)
    held = [name for name in m.joint_names if rng.uniform() < 0.5]
    reduced = wt.lock(m, {name: q[m.q_index[m.joint_number(name)]] for name in held})
    assert m == before
    assert m.warnings == before.warnings
    springs, loops = {s.name for s in reduced.springs}, {loop.name for loop in reduced.loops}
    gone = [f"loop {loop.name!r}" for loop in m.loops if loop.name not in loops]
    gone += [f"spring {spring.name!r}" for spring in m.springs if spring.name not in springs]
    dropped = [f"{what} is left out: both of its ends are on one body now" for what in gone]
    assert reduced.warnings == m.warnings + dropped

    left = [name for name in m.joint_names if name not in held]
    at, moving = entries(m, left, m.q_index), entries(m, left, m.v_index)
    assert (reduced.nq, reduced.nv) == (len(at), len(moving))
    still = np.setdiff1d(np.arange(m.nv), moving)
    qd[still], qdd[still] = 0.0, 0.0
    tau, tau2 = inverse(m, q, qd, qdd)[moving], inverse(reduced, q[at], qd[moving], qdd[moving])
    np.testing.assert_allclose(tau2, tau, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(
        energies(reduced, q[at], qd[moving]), energies(m, q, qd), rtol=1e-11, atol=1e-10
    )

    rows = loop_rows(m, loops)
    K, K2 = wt.constraint_jacobian(m, q)[rows], wt.constraint_jacobian(reduced, q[at])
    np.testing.assert_allclose(K2, K[:, moving], rtol=0, atol=1e-11)
    # Elsewhere the loops are open, and both as far.
    step = np.zeros(m.nv)
    step[moving] = 0.2 * rng.normal(size=len(moving))
    q2 = m.integrate(q, step)
    error, error2 = wt.constraint_error(m, q2)[rows], wt.constraint_error(reduced, q2[at])
    np.testing.assert_allclose(error2, error, rtol=0, atol=1e-11)

    for name in [f.name for f in m.frames] + [b.name for b in m.bodies]:
        np.testing.assert_allclose(pose(reduced, q[at], name), pose(m, q, name), rtol=0, atol=1e-12)
    np.testing.assert_allclose(shape_poses(reduced, q[at]), shape_poses(m, q), rtol=0, atol=1e-9)
    for name in left:
        old, new = (x.bodies[x.joint_number(name)] for x in (m, reduced))
        assert (new.joint, new.limits, new.armature) == (old.joint, old.limits, old.armature)
        assert (new.damping, new.friction) == (old.damping, old.friction)
    for body in reduced.bodies:
        if body.joint_name in held:
            assert body.parent == "ground"
            assert isinstance(body.joint, wt.Fixed)
            assert (body.limits, body.armature, body.damping, body.friction) == (wt.Limits(), 0, 0, 0)
            assert (body.stiffness, body.rest) == (0, None)


@settings(max_examples=10, deadline=None)
@given(SEEDS, TREES)
def test_a_change_of_nothing_changes_nothing(seed: int, joints: list[str]) -> None:
    m = furnished(np.random.default_rng(seed), joints)
    assert wt.lock(m, {}) == m
    assert wt.rename(m) == m
    assert wt.add_payload(m, "b0", wt.Inertia.zero()) == m
    assert wt.attach(m, wt.Mechanism("nothing"), "b0") == m


@settings(max_examples=100, deadline=None)
@given(SEEDS, TREES)
def test_rerooted_mechanism_has_the_same_motion(seed: int, joints: list[str]) -> None:
    """The tree floats, so that a Free joint at another body leaves its motion as it was."""
    rng = np.random.default_rng(seed)
    m = furnished(rng, ["free", *joints])
    q, qd = randoms.state(rng, m)
    close_loops(rng, m, m.integrate(q, 0.2 * rng.normal(size=m.nv)))
    before = copy.deepcopy(m)
    root = str(rng.choice([body.name for i, body in enumerate(m.bodies) if 0 in m.support(i)]))
    other = wt.reroot(m, root)
    assert m == before
    assert other.bodies[0].name == root
    assert sorted(other.joint_names) == sorted(["root", *m.joint_names[1:]])

    number = m.body_number(root)
    base = pose(m, q, root)
    quaternion = wt.Placement(rotation=base[:3, :3]).quaternion
    names = other.joint_names[1:]
    at, moving = entries(m, names, m.q_index), entries(m, names, m.v_index)
    q2 = np.concatenate([base[:3, 3], quaternion, q[at]])
    qd2 = np.concatenate([body_velocity(m, q, qd, number), qd[moving]])

    for frame in m.frames:
        np.testing.assert_allclose(pose(other, q2, frame.name), pose(m, q, frame.name), rtol=0, atol=1e-11)
    np.testing.assert_allclose(shape_poses(other, q2), shape_poses(m, q), rtol=0, atol=1e-9)
    np.testing.assert_allclose(energies(other, q2, qd2), energies(m, q, qd), rtol=1e-10, atol=1e-10)
    errors = [wt.constraint_error(m, q), wt.constraint_error(other, q2)]
    np.testing.assert_allclose(errors[1], errors[0], rtol=0, atol=1e-9)
    rates = [wt.constraint_jacobian(m, q) @ qd, wt.constraint_jacobian(other, q2) @ qd2]
    np.testing.assert_allclose(rates[1], rates[0], rtol=1e-9, atol=1e-9)

    # Any forces at the joints, and none on the floating root of either.
    tau = np.zeros(m.nv)
    tau[moving] = rng.normal(size=len(moving))
    tau[:6] = 0.0
    tau2 = np.concatenate([np.zeros(6), tau[moving]])
    qdd = wt.aba(m, q, qd, tau, wt.passive_forces(m, q, qd)[1])
    qdd2 = wt.aba(other, q2, qd2, tau2, wt.passive_forces(other, q2, qd2)[1])
    scale = 1e-9 * (1.0 + np.max(np.abs(qdd), initial=0.0))
    np.testing.assert_allclose(qdd2[6:], qdd[moving], rtol=0, atol=scale)
    for name in names:
        old, new = (x.bodies[x.joint_number(name)] for x in (m, other))
        assert (new.limits, new.armature, new.damping) == (old.limits, old.armature, old.damping)


@settings(max_examples=15, deadline=None)
@given(SEEDS, TREES)
def test_rerooting_back_restores_the_mechanism(seed: int, joints: list[str]) -> None:
    rng = np.random.default_rng(seed)
    m = furnished(rng, ["free", *joints])
    root = str(rng.choice([body.name for i, body in enumerate(m.bodies) if 0 in m.support(i)]))
    there = wt.reroot(m, root)
    back = wt.reroot(there, "b0", m.bodies[0].joint, m.bodies[0].placement, joint_name="j_b0")
    assert sorted(body.name for body in back.bodies) == sorted(body.name for body in m.bodies)
    for body in m.bodies[1:]:
        again = back.bodies[back.body_number(body.name)]
        assert (again.joint, again.joint_name, again.parent) == (body.joint, body.joint_name, body.parent)
        # Each body is back in its own frame; only the first, a root now and then, may be in another.
        np.testing.assert_allclose(again.inertia.matrix(), body.inertia.matrix(), rtol=0, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(SEEDS, TREES, TREES)
def test_attached_mechanism_is_one_built_whole(seed: int, first: list[str], second: list[str]) -> None:
    rng = np.random.default_rng(seed)
    m, other = furnished(rng, first), furnished(rng, second)
    q_m, q_other = m.random(rng), other.random(rng)
    for one, q_one in ((m, q_m), (other, q_other)):
        close_loops(rng, one, one.integrate(q_one, 0.2 * rng.normal(size=one.nv)))
    befores = copy.deepcopy((m, other))
    seat = str(rng.choice(["ground", "f_ground", *(f"f_{body.name}" for body in m.bodies)]))
    where = randoms.placement(rng)
    both = wt.attach(m, other, seat, where, prefix="x_")
    assert (m, other) == befores
    assert [body.name for body in both.bodies[: len(m)]] == [body.name for body in m.bodies]
    assert both.warnings == m.warnings + other.warnings
    assert (both.name, both.gravity) == (m.name, m.gravity)

    expected = copy.deepcopy(m)
    frame = m.frame(seat)
    for body in other.bodies:
        on_ground = body.parent == "ground"
        expected.add_body(
            f"x_{body.name}",
            body.joint,
            frame.body if on_ground else f"x_{body.parent}",
            frame.placement @ where @ body.placement if on_ground else body.placement,
            body.inertia,
            f"x_{body.joint_name}",
            armature=body.armature,
        )

    def end(body: str, point: tuple[float, float, float]) -> tuple[str, np.ndarray]:
        if body != "ground":
            return f"x_{body}", np.array(point)
        return frame.body, (frame.placement @ where).transform().homogeneous()[:3] @ np.array([*point, 1.0])

    for s in other.springs:
        ends = (*end(s.body_a, s.point_a), *end(s.body_b, s.point_b))
        expected.add_spring(f"x_{s.name}", *ends, s.stiffness, s.damping, s.length)
    for force in other.forces:
        place = other.frame(force.frame)
        if place.name not in {old.frame for old in other.forces[: other.forces.index(force)]}:
            expected.add_frame(f"x_{place.name}", f"x_{place.body}", place.placement)
        parts = (force.force, force.torque, force.reference)
        expected.add_force(f"x_{force.name}", f"x_{place.name}", *parts)
    q, qd, qdd = np.concatenate([q_m, q_other]), rng.normal(size=both.nv), rng.normal(size=both.nv)
    tau = inverse(expected, q, qd, qdd)
    scale = 1e-12 * (1.0 + np.max(np.abs(tau), initial=0.0))
    np.testing.assert_allclose(inverse(both, q, qd, qdd), tau, rtol=0, atol=scale)

    def seated(T: np.ndarray) -> np.ndarray:
        return pose(both, q, seat) @ where.transform().homogeneous() @ T

    errors = np.concatenate([wt.constraint_error(m, q_m), wt.constraint_error(other, q_other)])
    np.testing.assert_allclose(wt.constraint_error(both, q), errors, rtol=0, atol=1e-9)
    shapes = shape_poses(m, q_m) + [seated(T) for T in shape_poses(other, q_other)]
    shapes = sorted(shapes, key=lambda T: tuple(T[:3, 3].round(9)))
    np.testing.assert_allclose(shape_poses(both, q), shapes, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        pose(both, q, "x_f_ground"),
        pose(both, q, seat) @ (where @ other.frame("f_ground").placement).transform().homogeneous(),
        rtol=0,
        atol=1e-12,
    )


@settings(max_examples=20, deadline=None)
@given(SEEDS, TREES)
def test_payload_is_a_body_locked_there(seed: int, joints: list[str]) -> None:
    rng = np.random.default_rng(seed)
    m = furnished(rng, joints)
    before = copy.deepcopy(m)
    load, seat = randoms.inertia(rng), m.frame(f"f_b{rng.integers(len(m))}")
    loaded = wt.add_payload(m, seat.name, load)
    assert m == before
    expected = copy.deepcopy(m)
    expected.add_body("load", wt.Fixed(), seat.body, seat.placement, load)
    q, qd = randoms.state(rng, m)
    qdd = rng.normal(size=m.nv)
    tau = wt.rnea(expected, q, qd, qdd)
    scale = 1e-12 * (1.0 + np.max(np.abs(tau), initial=0.0))
    np.testing.assert_allclose(wt.rnea(loaded, q, qd, qdd), tau, rtol=0, atol=scale)


def geared() -> wt.Mechanism:
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", driver="upper", driven="lower", ratio=-0.5, offset=0.25)
    m.add_spring("rope", "ground", (0, 1, 0), "lower", (0.5, 0, 0), stiffness=3.0)
    m.add_force("pull", "tip", (1.0, 2.0, 3.0))
    m.add_force("turn", "lower", torque=(0.1, 0.2, 0.3), reference="aligned")
    return m


def pushed() -> wt.Mechanism:
    m = wt.examples.load("double-pendulum")
    m.add_force("push", "upper", (1.0, 2.0, 3.0))
    return m


def looped() -> wt.Mechanism:
    """A double pendulum on a floating base, its lower rod held to the base at the neutral position."""
    base = wt.Mechanism("double-pendulum")
    base.add_body("base", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=1.0))
    m = wt.attach(base, wt.examples.load("double-pendulum"), "base")
    m.add_loop("pin", wt.Spherical(), "base", "lower", placement_p=wt.Placement((0, 0, -1)))
    return m


def test_a_loop_within_one_body_is_left_out() -> None:
    made = wt.lock(looped(), {"upper": 0.0, "lower": 0.7})
    assert made.loops == ()
    assert made.warnings == ["loop 'pin' is left out: both of its ends are on one body now"]


def test_rename_changes_every_mention() -> None:
    m = geared()
    m.add_loop("pin", wt.Spherical(), "ground", "lower", placement_p=wt.Placement((0, 0, -2)))
    m.warnings.append("left out: a sensor")
    before = copy.deepcopy(m)
    other = wt.rename(
        m,
        name="arm",
        bodies={"upper": "lower", "lower": "upper"},
        joints={"upper": "shoulder", "lower": "elbow"},
        frames={"tip": "hand"},
        gears={"belt": "chain"},
        springs={"rope": "cord"},
        forces={"pull": "push"},
        loops={"pin": "bolt"},
    )
    assert m == before
    assert (other.name, other.parents, other.warnings) == ("arm", (-1, 0), ["left out: a sensor"])
    assert [(b.name, b.parent, b.joint_name) for b in other.bodies] == [
        ("lower", "ground", "shoulder"),
        ("upper", "lower", "elbow"),
    ]
    assert other.frames == (wt.Frame("hand", "upper", m.frames[0].placement),)
    assert other.gears == (wt.Gear("chain", "shoulder", "elbow", -0.5, 0.25),)
    assert other.springs == (wt.Spring("cord", "ground", (0, 1, 0), "upper", (0.5, 0, 0), 3.0),)
    assert other.forces == (
        wt.Force("push", "hand", (1.0, 2.0, 3.0)),
        wt.Force("turn", "upper", torque=(0.1, 0.2, 0.3), reference="aligned"),
    )
    at = wt.Placement((0, 0, -2))
    assert other.loops == (wt.Loop("bolt", wt.Spherical(), "ground", "upper", placement_p=at),)


def test_gears_go_with_their_joints() -> None:
    m = geared()
    held = wt.lock(m, {"upper": 0.5, "lower": 0.0})
    assert held.gears == ()
    assert held.warnings == ["gear 'belt' is left out: joint 'upper' is locked"]
    both = wt.attach(m, geared(), "tip", prefix="x_")
    assert both.gears == (m.gears[0], wt.Gear("x_belt", "x_upper", "x_lower", -0.5, 0.25))
    free = wt.Mechanism("free")
    free.add_body("base", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=1.0))
    both = wt.attach(free, m, "base")
    assert wt.reroot(both, "lower").gears == m.gears


def test_reroot_at_the_root_swaps_its_joint() -> None:
    m = wt.examples.load("quadruped")
    where = wt.Placement((0, 0, 0.5))
    made = wt.reroot(m, "trunk", wt.Fixed(), where, joint_name="stand")
    assert made.bodies[1:] == m.bodies[1:]
    assert (made.bodies[0].joint, made.bodies[0].joint_name) == (wt.Fixed(), "stand")
    assert made.bodies[0].placement == where
    assert (made.nv, made.warnings) == (12, [])


def test_reroot_names_the_bodies_whose_frames_moved() -> None:
    assert wt.reroot(wt.examples.load("quadruped"), "hind_left_thigh").warnings == [
        "set on the ground at 'hind_left_thigh': "
        "'trunk', 'hind_left_hip' have their frames at other joints now"
    ]


def test_trees_beside_the_rerooted_one_stay() -> None:
    m = wt.attach(wt.examples.load("cart-pole"), wt.examples.load("quadruped"), "ground")
    made = wt.reroot(m, "front_left_hip")
    assert [body.name for body in made.bodies[:4]] == ["front_left_hip", "trunk", "cart", "pole"]
    assert tuple(m.bodies[m.body_number(name)] for name in ("cart", "pole")) == made.bodies[2:4]


Change = Callable[[], wt.Mechanism]
SPHERICAL = wt.examples.load("spinning-top")
DOUBLE = wt.examples.load("double-pendulum")

NOT_A_MECHANISM: Any = "arm.urdf"
BARE: Any = (0, 0, 1)

MESSAGES: list[tuple[Change, type[Exception], str]] = [
    (
        lambda: wt.lock(NOT_A_MECHANISM, {}),
        wt.InputError,
        "lock: m is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.lock(DOUBLE, BARE),
        wt.InputError,
        'lock: positions is (0, 0, 1), expected a dictionary such as {"elbow": 0.5}',
    ),
    (
        lambda: wt.reroot(NOT_A_MECHANISM, "upper"),
        wt.InputError,
        "reroot: m is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.reroot(DOUBLE, "lower", BARE),
        wt.ModelError,
        "body 'lower': joint is (0, 0, 1), expected a joint such as Revolute('z')",
    ),
    (
        lambda: wt.reroot(DOUBLE, "lower", placement=BARE),
        wt.ModelError,
        "body 'lower': placement is (0, 0, 1), expected a Placement such as Placement((0, 0, 1))",
    ),
    (
        lambda: wt.attach(NOT_A_MECHANISM, DOUBLE, "tip"),
        wt.InputError,
        "attach: m is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.attach(DOUBLE, NOT_A_MECHANISM, "tip"),
        wt.InputError,
        "attach: other is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.attach(DOUBLE, SPHERICAL, "tip", BARE),
        wt.InputError,
        "attach: placement is (0, 0, 1), expected a Placement",
    ),
    (
        lambda: wt.add_payload(NOT_A_MECHANISM, "tip", wt.Inertia(1.0)),
        wt.InputError,
        "add_payload: m is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.add_payload(DOUBLE, "tip", BARE),
        wt.InputError,
        "add_payload: inertia is (0, 0, 1), expected an Inertia",
    ),
    (
        lambda: wt.rename(NOT_A_MECHANISM, name="x"),
        wt.InputError,
        "rename: m is 'arm.urdf', expected a Mechanism",
    ),
    (
        lambda: wt.lock(DOUBLE, {"elbow": 0.1}),
        wt.ModelError,
        "'double-pendulum' has no joint named 'elbow'; known: upper, lower",
    ),
    (
        lambda: wt.lock(DOUBLE, {"lower": [0.1, 0.2]}),
        wt.InputError,
        "position of joint 'lower' has shape (2,), expected (1,): "
        "one entry per coordinate of the joint (nq = 1)",
    ),
    (
        lambda: wt.lock(SPHERICAL, {"top": 0.1}),
        wt.InputError,
        "position of joint 'top' has shape (), expected (4,): one entry per coordinate of the joint (nq = 4)",
    ),
    (
        lambda: wt.lock(DOUBLE, {"lower": float("nan")}),
        wt.InputError,
        "position of joint 'lower'[0] is nan: every entry must be finite",
    ),
    (
        lambda: wt.lock(DOUBLE, {"lower": 1j}),
        wt.InputError,
        "position of joint 'lower' is [1j]: a joint is locked at plain numbers",
    ),
    (
        lambda: wt.lock(SPHERICAL, {"top": [1.0, 1.0, 0.0, 0.0]}),
        wt.InputError,
        "position of joint 'top': quaternion (w, x, y, z) has norm 1.41421, "
        "expected 1: normalize it, w first",
    ),
    (
        lambda: wt.lock(geared(), {"lower": 0.5}),
        wt.ModelError,
        "gear 'belt' couples 'lower', which is to be locked, to 'upper': lock both "
        "(lower = -0.5 · upper + 0.25)",
    ),
    (
        lambda: wt.lock(geared(), {"upper": 0.5}),
        wt.ModelError,
        "gear 'belt' couples 'upper', which is to be locked, to 'lower': lock both "
        "(lower = -0.5 · upper + 0.25)",
    ),
    (
        lambda: wt.lock(geared(), {"upper": 0.5, "lower": 0.1}),
        wt.ModelError,
        "gear 'belt' holds 'lower' at 0 while 'upper' is at 0.5: it cannot be locked at 0.1",
    ),
    (
        lambda: wt.reroot(DOUBLE, "rod"),
        wt.ModelError,
        "'double-pendulum' has no body named 'rod'; known: ground, upper, lower",
    ),
    (
        lambda: wt.reroot(DOUBLE, "ground"),
        wt.ModelError,
        "'double-pendulum' cannot be set on the ground at the ground: name one of its bodies",
    ),
    (
        lambda: wt.reroot(geared(), "lower"),
        wt.ModelError,
        "joint 'upper' holds 'upper' to the ground and would go, but gear 'belt' needs it",
    ),
    (
        lambda: wt.reroot(DOUBLE, "lower", joint_name="lower"),
        wt.ModelError,
        "'double-pendulum' has a joint named 'lower' already: choose another name",
    ),
    (
        lambda: wt.attach(DOUBLE, wt.examples.load("pendulum"), "hand"),
        wt.ModelError,
        "'double-pendulum' has no frame or body named 'hand'; known: ground, upper, lower, tip",
    ),
    (
        lambda: wt.attach(DOUBLE, wt.examples.load("pendulum"), "tip"),
        wt.ModelError,
        "'double-pendulum' and 'pendulum' both have a body, frame or shape named 'tip': "
        "attach with a prefix, as prefix='second_'",
    ),
    (
        lambda: wt.attach(
            DOUBLE, wt.rename(DOUBLE, bodies={"upper": "a", "lower": "b"}, frames={"tip": "c"}), "tip"
        ),
        wt.ModelError,
        "'double-pendulum' and 'double-pendulum' both have a joint named 'upper': "
        "attach with a prefix, as prefix='second_'",
    ),
    (
        lambda: wt.add_payload(DOUBLE, "ground", wt.Inertia(1.0)),
        wt.ModelError,
        "payload at 'ground' of 'double-pendulum': this frame is on the ground, name one on a body",
    ),
    (
        lambda: wt.add_payload(DOUBLE, "tip", wt.Inertia(-1.0)),
        wt.ModelError,
        "payload at 'tip' of 'double-pendulum': mass is -1 kg, must not be negative",
    ),
    (
        lambda: wt.rename(DOUBLE, bodies={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no body named 'rod'; known: upper, lower",
    ),
    (
        lambda: wt.rename(DOUBLE, joints={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no joint named 'rod'; known: upper, lower",
    ),
    (
        lambda: wt.rename(DOUBLE, frames={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no frame named 'rod'; known: tip",
    ),
    (
        lambda: wt.rename(DOUBLE, gears={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no gear named 'rod'; known: none",
    ),
    (
        lambda: wt.lock(looped(), {"upper": 0.5, "lower": 0.5}),
        wt.ModelError,
        "loop 'pin' would stay open by 0.495 m, both of its ends being on 'base': "
        "lock its joints at positions that close it, as those from wt.assemble",
    ),
    (
        lambda: wt.attach(
            looped(),
            wt.rename(
                looped(),
                bodies={"base": "a", "upper": "b", "lower": "c"},
                joints={"base": "a", "upper": "b", "lower": "c"},
                frames={"tip": "d"},
            ),
            "tip",
        ),
        wt.ModelError,
        "'double-pendulum' and 'double-pendulum' both have a joint named 'pin': "
        "attach with a prefix, as prefix='second_'",
    ),
    (
        lambda: wt.rename(DOUBLE, loops={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no loop named 'rod'; known: none",
    ),
    (
        lambda: wt.rename(DOUBLE, springs={"rod": "x"}),
        wt.ModelError,
        "'double-pendulum' has no spring named 'rod'; known: none",
    ),
    (
        lambda: wt.reroot(pushed(), "lower"),
        wt.ModelError,
        "force 'push' is at the frame of body 'upper', which would move to another joint: put it on a "
        "frame of its own, by add_frame",
    ),
    (
        lambda: wt.attach(
            geared(),
            wt.rename(
                geared(),
                bodies={"upper": "a", "lower": "b"},
                joints={"upper": "a", "lower": "b"},
                frames={"tip": "c"},
                gears={"belt": "d"},
                springs={"rope": "e"},
            ),
            "tip",
        ),
        wt.ModelError,
        "'double-pendulum' and 'double-pendulum' both have a force named 'pull': "
        "attach with a prefix, as prefix='second_'",
    ),
    (
        lambda: wt.attach(
            geared(),
            wt.rename(
                geared(),
                bodies={"upper": "a", "lower": "b"},
                joints={"upper": "a", "lower": "b"},
                frames={"tip": "c"},
                gears={"belt": "d"},
            ),
            "tip",
        ),
        wt.ModelError,
        "'double-pendulum' and 'double-pendulum' both have a spring named 'rope': "
        "attach with a prefix, as prefix='second_'",
    ),
    (
        lambda: wt.rename(DOUBLE, bodies={"upper": "lower"}),
        wt.ModelError,
        "'double-pendulum' has a body named 'lower' already: choose another name",
    ),
    (
        lambda: wt.rename(DOUBLE, bodies={"upper": "ground"}),
        wt.ModelError,
        "'double-pendulum' has a body named 'ground' already: choose another name",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), MESSAGES, ids=[message for _, _, message in MESSAGES])
def test_changes_that_cannot_be_are_refused(call: Change, kind: type[Exception], message: str) -> None:
    before: Any = copy.deepcopy((DOUBLE, SPHERICAL))
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == message
    assert before == (DOUBLE, SPHERICAL)
