"""Forward dynamics of a floating base by articulated bodies."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, ArticulatedInertia, cross_force, cross_motion, factor_spd, solve_spd
from .per_body import per_body


def floating_aba(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Accelerations of a floating base and of the joints on it, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 9.4. Body 0 is the floating base, whose
    velocity v_0 is an input and whose acceleration solves I_0^A a_0 + p_0^A = 0 (9.17), the wrench
    tau[:6] on it being part of p_0^A. Gravity moves all bodies alike, so it is left out until the end.

    Args:
        m: A tree whose only root is carried by a Free joint; gears are ignored.
        q: (nq,) position of the base, m, its quaternion, and joint positions, rad or m.
        qd: (nv,) velocity of the base in its own axes, (rad/s, m/s), and joint velocities.
        tau: (nv,) wrench on the base in its own axes, (N m, N), and joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) spatial acceleration of the base in its own axes, (rad/s², m/s²), and joint accelerations.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.1, 0.1, 0.1)))
    >>> wt.dynamics.floating_aba(m, m.neutral(), np.zeros(6), [0, 0, 0, 4.0, 0, 0])
    array([ 0.  ,  0.  ,  0.  ,  2.  ,  0.  , -9.81])
    """
    n, lam = len(m), m.parents
    X, S, v, c, pA, U, D, u, a, qdd = per_body(n, 10)
    IA = [ArticulatedInertia.rigid(body.inertia) for body in m.bodies]

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        if i == 0:
            v[i] = qd[:6]
        else:
            v[i] = X[i] @ v[lam[i]] + vJ
            c[i] = cJ + cross_motion(v[i], vJ)
        pA[i] = cross_force(v[i], m.bodies[i].inertia @ v[i])
        if f_ext is not None:
            pA[i] = pA[i] - f_ext[i]

    for i in reversed(range(1, n)):
        U[i] = IA[i] @ S[i]
        D[i] = factor_spd(S[i].T @ U[i] + m.bodies[i].armature * np.eye(S[i].shape[1]))
        u[i] = tau[m.v_index[i]] - S[i].T @ pA[i]
        UDinv = D[i].solve(U[i].T).T
        Ia = IA[i].minus_outer(U[i], UDinv)
        pa = pA[i] + Ia @ c[i] + UDinv @ u[i]
        IA[lam[i]] = IA[lam[i]] + Ia.to_parent(X[i])
        pA[lam[i]] = pA[lam[i]] + X[i].T @ pa

    a[0] = solve_spd(IA[0].matrix(), tau[:6] - pA[0])
    for i in range(1, n):
        a_ = X[i] @ a[lam[i]] + c[i]  # the book's a'
        qdd[i] = D[i].solve(u[i] - U[i].T @ a_)
        a[i] = a_ + S[i] @ qdd[i]
    qdd[0] = a[0] + X[0] @ np.array([0.0, 0.0, 0.0, *m.gravity])
    return np.concatenate(qdd[:n])
