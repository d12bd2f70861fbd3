"""Joint calculations for one body of a mechanism (RBDA §4.4)."""

from ..spatial import Array, Transform
from .mechanism import Mechanism


def jcalc(m: Mechanism, i: int, q: Array, qd: Array) -> tuple[Transform, Array, Array, Array]:
    """X_i from parent to body coordinates, S_i, v_J and c_J of the joint that carries body i.

    q and qd are those of the whole mechanism.
    """
    joint, q_i, qd_i = m.bodies[i].joint, q[m.q_index[i]], qd[m.v_index[i]]
    S = joint.motion_subspace(q_i)
    return joint.transform(q_i) @ m.X_T[i], S, S @ qd_i, joint.bias(q_i, qd_i)


def jpos(m: Mechanism, i: int, q: Array) -> tuple[Transform, Array]:
    """X_i and S_i alone, for what depends on positions only."""
    joint, q_i = m.bodies[i].joint, q[m.q_index[i]]
    return joint.transform(q_i) @ m.X_T[i], joint.motion_subspace(q_i)
