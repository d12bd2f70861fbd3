"""Forward dynamics of a floating base by the inertia matrix."""

import numpy as np

from ..model.jcalc import jcalc, jpos
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion
from .block_matrix import fill, finished, zeros
from .factor import expanded_parents, ltdl
from .per_body import per_body


def floating_crba(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Accelerations of a floating base and of the joints on it, O(n depth²); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 9.5 and eq 9.13:

        [I_0^c  F] [a_0]   [p_0^c]   [tau_0]
        [Fᵀ     H] [qdd] + [C    ] = [tau  ]

    which has the sparsity of a tree with a joint of six variables at its root and is solved by LᵀDL.

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
    >>> wt.dynamics.floating_crba(m, m.neutral(), np.zeros(6), [0, 0, 0, 4.0, 0, 0])
    array([ 0.  ,  0.  ,  0.  ,  2.  ,  0.  , -9.81])
    """
    lam = expanded_parents(m.parents, [body.joint.nv for body in m.bodies])
    return ltdl(floating_inertia(m, q), lam).solve(tau - floating_bias(m, q, qd, f_ext))


def floating_bias(m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None) -> Array:
    """(nv,) p_0^c and C of eq 9.13 (RBDA table 9.5, left)."""
    n, lam = len(m), m.parents
    X, S, v, a, f, C = per_body(n, 6)
    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        if i == 0:
            v[i] = qd[:6]
            a[i] = -(X[i] @ np.array([0.0, 0.0, 0.0, *m.gravity]))  # gravity in the base's coordinates
        else:
            v[i] = X[i] @ v[lam[i]] + vJ
            a[i] = X[i] @ a[lam[i]] + cJ + cross_motion(v[i], vJ)
        I = m.bodies[i].inertia
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]

    for i in reversed(range(1, n)):
        C[i] = S[i].T @ f[i]
        f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return np.concatenate([f[0], *C[1:n]])


def floating_inertia(m: Mechanism, q: Array) -> Array:
    """(nv, nv) the matrix of I_0^c, F and H of eq 9.13 (RBDA table 9.5, right)."""
    n, lam = len(m), m.parents
    X, S = per_body(n, 2)
    for i in range(1, n):
        X[i], S[i] = jpos(m, i, q)
    A = zeros(m.nv)
    Ic = [body.inertia for body in m.bodies]

    for i in reversed(range(1, n)):
        Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
        F = Ic[i] @ S[i]
        fill(A, m.v_index[i], m.v_index[i], S[i].T @ F + m.bodies[i].armature * np.eye(S[i].shape[1]))
        j = i
        while lam[j] != 0:
            F = X[j].T @ F
            j = lam[j]
            fill(A, m.v_index[j], m.v_index[i], S[j].T @ F)
        fill(A, m.v_index[0], m.v_index[i], X[j].T @ F)
    fill(A, m.v_index[0], m.v_index[0], Ic[0].matrix())
    return finished(A)
