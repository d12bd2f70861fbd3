"""Random mechanisms with closed loops: any tree joints, any loop joints, closed in a random position."""

import numpy as np

import randoms
import whippletree as wt

LOOP_JOINTS = [name for name in randoms.JOINTS if name != "free"]
"""Joint types that constrain something."""

Closed = tuple[wt.Mechanism, np.ndarray]


def body_name(i: int) -> str:
    return "ground" if i == -1 else f"b{i}"


def pose(m: wt.Mechanism, q: np.ndarray, i: int) -> wt.Placement:
    if i == -1:
        return wt.Placement()
    T = wt.forward_kinematics(m, q)[i]
    U, _, V = np.linalg.svd(T[:3, :3])  # rounding leaves a rotation that is orthogonal to 1e-15 only
    return wt.Placement(T[:3, 3], rotation=U @ V)


def close(rng: randoms.Rng, m: wt.Mechanism, q: np.ndarray, name: str, kind: str, p: int, s: int) -> None:
    """Add a loop joint between two bodies that is closed at q."""
    joint = randoms.joint(rng, kind)
    placement_p = randoms.placement(rng)
    at_p = pose(m, q, p) @ placement_p @ wt.Placement.of(joint.transform(joint.random(rng)))
    m.add_loop(name, joint, body_name(p), body_name(s), placement_p, pose(m, q, s).inverse() @ at_p)


def mechanism(rng: randoms.Rng, joints: list[str], loops: list[str]) -> Closed:
    """A random tree with loops between random bodies, and a position in which all are closed."""
    m = randoms.tree(rng, joints)
    q = m.random(rng)
    for number, kind in enumerate(loops):
        p, s = rng.choice(len(joints) + 1, 2, replace=False) - 1
        close(rng, m, q, f"loop{number}", kind, int(p), int(s))
    return m, q


def velocity(rng: randoms.Rng, m: wt.Mechanism, q: np.ndarray) -> np.ndarray:
    """A random velocity that keeps all loops closed."""
    K = wt.constraint_jacobian(m, q)
    _, values, V = np.linalg.svd(K)
    rank = int(np.sum(values > 1e-9 * max([1.0, *values])))
    return V[rank:].T @ rng.normal(size=m.nv - rank)


def massless_coupler() -> wt.Mechanism:
    """A four-bar whose coupler has no inertia; its neutral position is closed."""
    m = wt.Mechanism("massless-coupler")
    rod = wt.Inertia.rod
    m.add_body("crank", wt.Revolute("y"), inertia=rod((0, 0, 0), (0.3, 0, 0), mass=1.1))
    m.add_body("coupler", wt.Revolute("y"), parent="crank", placement=wt.Placement((0.3, 0, 0)))
    rocker = wt.Placement((0.8, 0, 0))
    m.add_body("rocker", wt.Revolute("y"), placement=rocker, inertia=rod((0, 0, 0), (0.1, 0, 0.6), mass=2.3))
    m.add_loop(
        "pin",
        wt.Revolute("y"),
        "coupler",
        "rocker",
        wt.Placement((0.6, 0, 0.6)),
        wt.Placement((0.1, 0, 0.6)),
    )
    return m


def scotch_yoke() -> wt.Mechanism:
    """A crank whose pin slides, by a block without inertia, in the slot of a yoke."""
    m = wt.Mechanism("scotch-yoke")
    crank = wt.Inertia(1.3, com=(0.1, 0, 0.02), about_com=(0.01, 0.02, 0.015))
    m.add_body("crank", wt.Revolute("y"), placement=wt.Placement(rpy=(0, -0.7, 0)), inertia=crank)
    m.add_body(
        "block", wt.Revolute("y"), parent="crank", placement=wt.Placement((0.2, 0, 0), rpy=(0, 0.7, 0))
    )
    m.add_body("yoke", wt.Prismatic("x"), placement=wt.Placement((0.15, 0, 0)), inertia=wt.Inertia(2.1))
    m.add_loop("slot", wt.Prismatic("z"), "yoke", "block")
    return m
