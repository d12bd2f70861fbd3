"""Closed rings of hinges in general position, of any length, with or without a planar part."""

import numpy as np

import whippletree as wt

LINK = wt.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
GENERAL = wt.Placement((0.3, 0.1, -0.2), rpy=(0.4, 0.9, -0.3))
FLAT = wt.Placement((0.4, 0.1, 0.0), rpy=(0.0, 0.0, 0.3))


def ring(joints: int, planar: int = 0, base: wt.Joint | None = None) -> tuple[wt.Mechanism, np.ndarray]:
    """A ring and a position in which it is closed.

    Args:
        joints: How many hinges in general position, and one more that closes the ring.
        planar: How many further ones, all parallel to that which closes it, follow them.
        base: The joint of the body that carries the ring; on the ground if None.
    """
    m = wt.Mechanism("ring")
    start = parent = "ground"
    if base is not None:
        m.add_body("base", base, inertia=LINK)
        start = parent = "base"
    for i in range(joints + planar):
        m.add_body(f"h{i}", wt.Revolute("z"), parent, GENERAL if i <= joints else FLAT, LINK)
        parent = f"h{i}"
    rng = np.random.default_rng(joints)
    q = m.random(rng)
    q[-joints - planar :] = 0.2 + 0.3 * np.sin(1.0 + 2.4 * np.arange(joints + planar))
    poses = {body.name: T for body, T in zip(m.bodies, wt.forward_kinematics(m, q), strict=True)}
    poses["ground"] = np.eye(4)
    end = FLAT if planar else wt.Placement((0.2, 0.3, 0.1), rpy=(0.3, 0.5, 0.2))
    seen = np.linalg.inv(poses[start]) @ poses[parent] @ end.transform().inverse().homogeneous()
    U, _, V = np.linalg.svd(seen[:3, :3])  # rounding leaves a rotation that is orthogonal to 1e-15 only
    m.add_loop("closure", wt.Revolute("z"), start, parent, wt.Placement(seen[:3, 3], rotation=U @ V), end)
    return m, q
