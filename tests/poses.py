"""Where frames are, composed joint by joint: a reference for tests."""

import numpy as np

import whippletree as wt


def pose(m: wt.Mechanism, q: np.ndarray, name: str) -> np.ndarray:
    """(4, 4) pose in the ground of a frame or body at the position q (nq,)."""
    frame = m.frame(name)
    X = frame.placement.transform()
    i = m.body_number(frame.body)
    while i != -1:
        X = X @ m.bodies[i].joint.transform(q[m.q_index[i]]) @ m.X_T[i]
        i = m.parents[i]
    return X.homogeneous()


def body_velocity(m: wt.Mechanism, q: np.ndarray, qd: np.ndarray, i: int) -> np.ndarray:
    """(6,) velocity of body i in its own coordinates."""
    v = np.zeros(6)
    for j in m.support(i):
        joint, q_j = m.bodies[j].joint, q[m.q_index[j]]
        v = joint.transform(q_j) @ (m.X_T[j] @ v) + joint.motion_subspace(q_j) @ qd[m.v_index[j]]
    return v
