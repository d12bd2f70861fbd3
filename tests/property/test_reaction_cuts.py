"""What joints transmit does not depend on where loops are cut, also where rigid bodies leave it open.

Source of truth: the same bodies and joints with another spanning tree, and, for what is left open,
in the null space of all bodies' balances.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from cut_machines import by_joint, same_state
from overconstrained import bennett, parallelogram, sarrus
from whippletree.api.reaction_history import reactions_along

Named = dict[str, np.ndarray]
"""Wrenches (6,) by the name of a joint."""


def graph_of(m: wt.Mechanism) -> wt.Graph:
    """The bodies and joints of a mechanism, of which none is cut yet."""
    g = wt.Graph(m.name, gravity=m.gravity)
    for body in m.bodies:
        g.add_body(body.name, body.inertia)
    for body in m.bodies:
        g.add_joint(body.joint_name, body.joint, body.parent, body.name, body.placement, wt.Placement())
    for loop in m.loops:
        g.add_joint(
            loop.name, loop.joint, loop.predecessor, loop.successor, loop.placement_p, loop.placement_s
        )
    return g


def every_cut(g: wt.Graph, count: int) -> Iterator[wt.Mechanism]:
    for names in itertools.combinations(g.joints, count):
        try:
            yield g.mechanism(cut=names)
        except wt.ModelError:
            continue  # these joints do not open all loops, or cut a body off


def wrenches(g: wt.Graph, m: wt.Mechanism, q: np.ndarray, joints: np.ndarray, loops: np.ndarray) -> Named:
    """On the successor of every joint, about the world's origin, in world axes."""
    found, poses = Named(), wt.forward_kinematics(m, q)
    for body, pose, own in zip(m.bodies, poses, joints, strict=True):
        sign = 1.0 if g.joints[body.joint_name].successor == body.name else -1.0
        found[body.joint_name] = sign * carried(pose, own)
    for loop, own in zip(m.loops, loops, strict=True):
        s = m.body_number(loop.successor)
        pose = np.eye(4) if s < 0 else poses[s]
        found[loop.name] = carried(pose @ matrix(loop.placement_s), own)
    return found


def carried(pose: np.ndarray, w: np.ndarray) -> np.ndarray:
    moment, force = pose[:3, :3] @ w[:3], pose[:3, :3] @ w[3:]
    return np.concatenate([moment + np.cross(pose[:3, 3], force), force])


CUTS = {"bennett": 4, "sarrus": 6, "two links": 4, "three links": 12, "geared links": 4, "gantry": 7}
"""In how many ways each can be cut."""


def machine(name: str) -> tuple[wt.Graph, wt.Mechanism, np.ndarray]:
    """A graph, a mechanism of it and a position of that with closed loops."""
    if name == "gantry":
        g = gantry()
        m = g.mechanism(cut=["c", "rail"])
        return g, m, wt.assemble(m, np.full(m.nq, 0.6), hold=["a"])
    m, q = bennett()
    if name == "sarrus":
        m = sarrus()
    elif name != "bennett":
        m = parallelogram(3 if name == "three links" else 2)
    g, q = graph_of(m), q if name == "bennett" else m.neutral()
    if name == "geared links":
        g.add_gear("belt", driver="link0", driven="link1", ratio=1.0)
    cut = g.mechanism(cut=[loop.name for loop in m.loops])
    return g, cut, same_state(cut, by_joint(m, q, np.zeros(m.nv)))[0]


def gantry() -> wt.Graph:
    """A slider-crank whose slider runs on two rails, with springs, dampers and friction in its joints."""
    rng = np.random.default_rng(5)
    g = wt.Graph("gantry", gravity=(0.4, -9.0, 1.3))
    for name in ("crank", "rod", "slider"):
        g.add_body(name, randoms.inertia(rng))
    own = {"damping": 0.3, "friction": 0.2, "stiffness": 4.0, "rest": (0.1,)}
    g.add_joint("a", wt.Revolute("z"), "ground", "crank", **own)
    g.add_joint("b", wt.Revolute("z"), "crank", "rod", wt.Placement((0.3, 0.0, 0.1)), **own)
    g.add_joint("c", wt.Revolute("z"), "rod", "slider", wt.Placement((0.8, 0.0, 0.0)), **own)
    g.add_joint("slide", wt.Prismatic("x"), "ground", "slider", wt.Placement((0.2, 0.0, 0.1)), **own)
    rail = wt.Placement((0.1, 0.4, 0.5)), wt.Placement((-0.2, 0.4, 0.4))
    g.add_joint("rail", wt.Cylindrical("x"), "ground", "slider", *rail, damping=0.2)
    return g


@pytest.mark.parametrize("name", CUTS)
def test_reactions_and_which_are_unique_are_the_same_for_every_cut(name: str) -> None:
    g, m, q = machine(name)
    qd = wt.project_velocity(m, q, np.linspace(0.5, 1.5, m.nv))
    state = by_joint(m, q, qd)
    seen: Named = {}
    masks: dict[str, np.ndarray] = {}
    cuts = 0
    for other in every_cut(g, len(m.loops)):
        at, rate = same_state(other, state)
        assert_allclose(wt.constraint_error(other, at), 0.0, atol=1e-12)
        zero = np.zeros(other.nv)
        qdd = wt.forward_dynamics(other, at, rate, zero, "kkt")
        found = wrenches(g, other, at, *wt.reactions(other, at, rate, zero))
        scale = max(np.abs(w).max() for w in found.values())
        for joint, w in found.items():
            assert_allclose(w, seen.setdefault(joint, w), rtol=0, atol=1e-10 * scale, err_msg=joint)
        if cuts in (0, 3):  # each compiles
            along = reactions_along(other, at[None], rate[None], qdd[None], zero[None])
            for joint, w in wrenches(g, other, at, along.joints[0], along.loops[0]).items():
                assert_allclose(w, seen[joint], rtol=0, atol=1e-10 * scale, err_msg=joint)
                mask = along.unique(joint, "world")[0]
                if g.joints[joint].joint.nv == 1 and joint != "slide":  # others count from another point
                    assert mask.tolist() == masks.setdefault(joint, mask).tolist(), joint
        cuts += 1
    assert cuts == CUTS[name]
    assert not all(mask.all() for mask in masks.values())
    if name != "geared links":
        assert_least(g, m, q, seen)


def assert_least(g: wt.Graph, m: wt.Mechanism, q: np.ndarray, found: Named) -> None:
    """No self-stress makes Σ |f|² + |n|²/ℓ² less: by the null space of the balances of all bodies."""
    poses = {body.name: pose for body, pose in zip(m.bodies, wt.forward_kinematics(m, q), strict=True)}
    origin = {name: m.frame(f"{name}.origin").placement for name in poses}
    poses = {name: pose @ matrix(origin[name]) for name, pose in poses.items()} | {"ground": np.eye(4)}
    names, points = list(poses)[:-1], {name: list[np.ndarray]() for name in poses}
    columns, blocks, middles = [], [], []
    for joint in g.joints.values():
        p, s = (poses[b] @ matrix(place) for b, place in (
            (joint.predecessor, joint.placement_p), (joint.successor, joint.placement_s)
        ))  # fmt: skip
        points[joint.predecessor].append(p[:3, 3])
        points[joint.successor].append(s[:3, 3])
        middles.append(0.5 * (p[:3, 3] + s[:3, 3]))
        T = joint.joint.constraint_subspace(joint.joint.neutral())  # the same all along its motion
        blocks.append(np.array([carried(s, w) for w in T.T]).T)
        sides = [np.zeros((6, T.shape[1])) for _ in names]
        for body, sign in ((joint.predecessor, -1.0), (joint.successor, 1.0)):
            if body != "ground":
                sides[names.index(body)] = sign * blocks[-1]
        columns.append(np.concatenate(sides))
    balance = np.concatenate(columns, axis=1)
    free = np.linalg.svd(balance)[2][np.linalg.matrix_rank(balance, tol=1e-9) :]
    assert len(free) == wt.mobility(m, q).constraints - wt.mobility(m, q).rank > 0
    apart = [point - np.mean(of, axis=0) for name, of in points.items() if name != "ground" for point in of]
    size = np.sqrt(np.mean(np.sum(np.square(apart), axis=1)))
    for stress in free:
        product, first = 0.0, 0
        for name, block, middle in zip(g.joints, blocks, middles, strict=True):
            part = block @ stress[first : first + block.shape[1]]
            first += block.shape[1]
            (n, f), (n1, f1) = ((w[:3] - np.cross(middle, w[3:]), w[3:]) for w in (part, found[name]))
            product += f @ f1 + n @ n1 / size**2
        assert abs(product) < 1e-10 * max(np.abs(w).max() for w in found.values())


def matrix(place: wt.Placement) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = place.rotation, place.position
    return found


def test_drivers_of_joints_that_are_cut_change_nothing_about_it() -> None:
    g, m, q = machine("gantry")
    t = np.linspace(0.0, 0.2, 2)
    start, seen = by_joint(m, q, np.zeros(m.nv)), Named()
    for cut in (["c", "rail"], ["slide", "b"]):
        other = g.mechanism(cut=cut)
        motion = wt.kinematics(other, {"slide": -0.4}, t, same_state(other, start)[0])
        held = motion.reactions()
        found = wrenches(g, other, motion.q[1], held.joints[1], held.loops[1])
        for joint, w in found.items():
            assert_allclose(w, seen.setdefault(joint, w), rtol=0, atol=1e-9, err_msg=joint)
    assert abs(seen["slide"][3]) > 1.0
