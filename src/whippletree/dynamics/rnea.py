"""Inverse dynamics by the recursive Newton-Euler algorithm."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion
from .per_body import per_body


def joint_wrenches(
    m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None
) -> tuple[list[Array], list[Array]]:
    """Forces through the joints and their motion subspaces: the recursion of RBDA table 5.1.

    X takes motion vectors from parent to body, v and a are body velocities and accelerations, f the
    force through the joint, all in body coordinates; gravity enters as the base acceleration -a_g.
    """
    n, lam = len(m), m.parents
    X, S, v, a, f = per_body(n, 5)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        a[i] = X[i] @ a[lam[i]] + S[i] @ qdd[m.v_index[i]] + cJ + cross_motion(v[i], vJ)
        I = m.bodies[i].inertia
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]

    for i in reversed(range(n)):
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return f[:n], S[:n]


def rnea(m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """Joint forces that cause given accelerations, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1, body coordinates.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint forces, N m or N, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.rnea(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([7.867, 3.519])
    """
    f, S = joint_wrenches(m, q, qd, qdd, f_ext)
    tau = [
        S[i].T @ f[i] + m.bodies[i].armature * qdd[m.v_index[i]] for i in range(len(m))
    ]  # 9.28: a rotor's inertia acts on its own joint only
    return np.concatenate([np.zeros(0), *tau])


def joint_reactions(m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """Force and moment each joint transmits from the parent to the body; no springs or loads.

    RBDA table 5.1, f_i; the part along the joint's motion is the joint force tau.

    Args:
        m, q, qd, qdd, f_ext: As in `rnea`.

    Returns:
        (nb, 6) wrench on each body in its own coordinates, (N m, N).

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.joint_reactions(m, [0.0], [0.0], [0.0])[0].round(3)
    array([0.  , 0.  , 0.  , 0.  , 0.  , 9.81])
    """
    f, _ = joint_wrenches(m, q, qd, qdd, f_ext)
    return np.array(f) if f else np.zeros((0, 6))


def bias_force(m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None) -> Array:
    """C(q, qd): the joint forces that go with zero acceleration (RBDA 6.2); no springs or loads.

    Args:
        m, q, qd, f_ext: As in `rnea`.

    Returns:
        (nv,) joint forces, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.bias_force(m, [np.pi / 2], [0.0]).round(3)
    array([4.905])
    """
    return rnea(m, q, qd, np.zeros(m.nv), f_ext)
