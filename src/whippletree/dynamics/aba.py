"""Forward dynamics by the articulated-body algorithm."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, ArticulatedInertia, cross_force, cross_motion, factor_spd
from .per_body import per_body


def aba(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations caused by joint and external forces, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1, in its symbols: IA and pA are the
    articulated-body inertia and bias force, U, D, u the terms of joint i, c the velocity-product
    acceleration. Body coordinates; gravity enters as the base acceleration -a_g.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.aba(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([  0.375, -11.424])
    """
    n, lam = len(m), m.parents
    X, S, v, c, pA, U, D, u, a, qdd = per_body(n, 10)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])
    IA = [ArticulatedInertia.rigid(body.inertia) for body in m.bodies]

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        pA[i] = cross_force(v[i], m.bodies[i].inertia @ v[i])
        if f_ext is not None:
            pA[i] = pA[i] - f_ext[i]

    for i in reversed(range(n)):
        U[i] = IA[i] @ S[i]
        D[i] = factor_spd(S[i].T @ U[i] + m.bodies[i].armature * np.eye(S[i].shape[1]))
        u[i] = tau[m.v_index[i]] - S[i].T @ pA[i]
        if lam[i] != -1:
            UDinv = D[i].solve(U[i].T).T
            Ia = IA[i].minus_outer(U[i], UDinv)
            pa = pA[i] + Ia @ c[i] + UDinv @ u[i]
            IA[lam[i]] = IA[lam[i]] + Ia.to_parent(X[i])
            pA[lam[i]] = pA[lam[i]] + X[i].T @ pa

    for i in range(n):
        a_ = X[i] @ a[lam[i]] + c[i]  # the book's a'
        qdd[i] = D[i].solve(u[i] - U[i].T @ a_)
        a[i] = a_ + S[i] @ qdd[i]
    return np.concatenate([np.zeros(0), *qdd[:n]])
