"""Derivatives of inverse dynamics, by one recursion."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force
from ..spatial.moving_inertia import MovingInertia
from .block_matrix import finished, put, zeros
from .motion_changes import MotionChanges
from .per_body import per_body


def rnea_derivatives(
    m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None
) -> tuple[Array, Array, Array]:
    """The derivatives of `rnea` with respect to positions, velocities and accelerations, O(n depth).

    Singh, Russell & Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
    algebra (2022), in body coordinates and for every joint. `MotionChanges` tells how motions change with
    joint i, by Ψ̇ and A, or S and B; all bodies that it carries together then take the forces I^c A + 2B^c Ψ̇,
    or I^c B + 2B^c S, where 2B^c is their `MovingInertia`. Joint j below i feels them as they are, and as the
    bodies, and f with them, are moved by S; of a joint further out they are those of its own bodies.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None. It stays as it is
            in these coordinates, and moves along with the body.

    Returns:
        ∂tau/∂q, ∂tau/∂qd, ∂tau/∂qdd: (nv, nv) each, rows by tau, columns by velocities: ∂tau/∂q is along the
        unit velocities of the joints, as `wt.derivative` tells. The last one is H, as `crba` gives it.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by_q, by_qd, by_qdd = wt.rnea_derivatives(m, [0.3, 0.5], [1.0, 2.0], [0.0, 0.0])
    >>> by_q.round(3)
    array([[17.475, -0.093],
           [ 3.417,  3.856]])
    >>> by_qd.round(3)
    array([[-0.959, -1.438],
           [ 0.479,  0.   ]])
    """
    n, lam, at = len(m), m.parents, m.v_index
    X, S, v, a, f, Psi, A, B = per_body(n, 8)
    Bc: list[MovingInertia] = []
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        X[i], S[i], v[i], a[i], Psi[i], A[i], B[i] = MotionChanges.of(m, i, q, qd, qdd, v[lam[i]], a[lam[i]])
        I = m.bodies[i].inertia
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]
        Bc.append(MovingInertia.of(I, v[i]))

    by_q, by_qd, H = zeros(m.nv), zeros(m.nv), zeros(m.nv)
    Ic = [body.inertia for body in m.bodies]
    for i in reversed(range(n)):
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
            Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
            Bc[lam[i]] = Bc[lam[i]] + Bc[i].to_parent(X[i])
        G, P = Ic[i] @ S[i], Bc[i].transpose_times(S[i])
        rotor = m.bodies[i].armature * np.eye(S[i].shape[1])
        turned = m.bodies[i].joint.motion_subspace_work(q[m.q_index[i]], f[i])
        put(by_q, at[i], at[i], G.T @ A[i] + P.T @ Psi[i] + turned)
        put(by_qd, at[i], at[i], G.T @ B[i] + P.T @ S[i])
        put(H, at[i], at[i], S[i].T @ G + rotor)
        # Forces of the bodies that joint i carries, as i moves: f moves along with them.
        F_q = Ic[i] @ A[i] + Bc[i] @ Psi[i] + cross_force(S[i], f[i])
        F_qd = Ic[i] @ B[i] + Bc[i] @ S[i]
        j = i
        while lam[j] != -1:
            F_q, F_qd, G, P = (X[j].T @ F for F in (F_q, F_qd, G, P))
            j = lam[j]
            put(by_q, at[j], at[i], S[j].T @ F_q)
            put(by_q, at[i], at[j], G.T @ A[j] + P.T @ Psi[j])
            put(by_qd, at[j], at[i], S[j].T @ F_qd)
            put(by_qd, at[i], at[j], G.T @ B[j] + P.T @ S[j])
            put(H, at[j], at[i], S[j].T @ G)
            put(H, at[i], at[j], G.T @ S[j])
    return finished(by_q), finished(by_qd), finished(H)
