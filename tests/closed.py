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
