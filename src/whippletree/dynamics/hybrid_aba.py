"""Hybrid dynamics by articulated bodies."""

from collections.abc import Sequence

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, ArticulatedInertia, cross_force, cross_motion, factor_spd
from .hybrid import by_joint, forward_joints, merged
from .per_body import per_body


def hybrid_aba(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    qdd: Array,
    prescribed: Sequence[str],
    f_ext: Array | None = None,
) -> tuple[Array, Array]:
    """Forces of prescribed joints, and accelerations of all others, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), tables 9.2-9.3: the articulated-body algorithm
    of table 7.1, where a prescribed joint passes its body's articulated inertia on as it is and adds
    S qdd to the acceleration that is known beforehand.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N; those of prescribed joints are ignored.
        qdd: (nv,) joint accelerations, rad/s² or m/s²; only those of prescribed joints are used.
        prescribed: Names of the joints whose accelerations are given.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        tau, qdd: (nv,) each, complete, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> tau, qdd = wt.dynamics.hybrid_aba(m, [0.0, 0.2], [0.0, 0.0], [0.0, 0.0], [2.0, 0.0], ["cart"])
    >>> tau.round(3), qdd.round(3)
    (array([4.992, 0.   ]), array([2.   , 0.017]))
    """
    n, lam = len(m), m.parents
    fd = forward_joints(m, prescribed)
    given_tau, given_qdd = by_joint(m, tau), by_joint(m, qdd)
    X, S, v, c, pA, U, D, u, a, found_tau, found_qdd = per_body(n, 11)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])
    IA = [ArticulatedInertia.rigid(body.inertia) for body in m.bodies]

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        if not fd[i]:
            c[i] = c[i] + S[i] @ given_qdd[i]
        pA[i] = cross_force(v[i], m.bodies[i].inertia @ v[i])
        if f_ext is not None:
            pA[i] = pA[i] - f_ext[i]

    for i in reversed(range(n)):
        Ia, pa = IA[i], pA[i]
        if fd[i]:
            U[i] = IA[i] @ S[i]
            D[i] = factor_spd(S[i].T @ U[i] + m.bodies[i].armature * np.eye(S[i].shape[1]))
            u[i] = given_tau[i] - S[i].T @ pA[i]
            UDinv = D[i].solve(U[i].T).T
            Ia = Ia.minus_outer(U[i], UDinv)
            pa = pa + UDinv @ u[i]
        if lam[i] != -1:
            IA[lam[i]] = IA[lam[i]] + Ia.to_parent(X[i])
            pA[lam[i]] = pA[lam[i]] + X[i].T @ (pa + Ia @ c[i])

    for i in range(n):
        a[i] = X[i] @ a[lam[i]] + c[i]
        if fd[i]:
            found_qdd[i] = D[i].solve(u[i] - U[i].T @ a[i])
            a[i] = a[i] + S[i] @ found_qdd[i]
        else:
            found_tau[i] = S[i].T @ (IA[i] @ a[i] + pA[i]) + m.bodies[i].armature * given_qdd[i]
    return merged(m, fd, given_tau, found_tau), merged(m, fd, found_qdd, given_qdd)
