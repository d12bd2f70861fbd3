"""Forward dynamics by articulated-body inverse inertias."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion, factor_spd
from .joint_forces import joint_forces
from .per_body import per_body


def aba_variant_1(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations by articulated bodies in inverse inertias Φ, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.2, variant 1: the handle of a subtree
    obeys a = Φ f + b, and a joint enters by its constraint forces T rather than by its motions S.
    Handle 1 is the parent with the children it has got so far, handle 2 the body to be attached to
    it; the ground is a handle that no force moves, Φ = 0.

    Args:
        m: A tree whose bodies have invertible inertias; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("wheel")
    >>> m.add_body("wheel", wt.Revolute("z"), inertia=wt.Inertia(2.0, about_com=(0.3, 0.3, 0.5)))
    >>> wt.dynamics.aba_variant_1(m, [0.3], [2.0], [0.25])
    array([0.5])
    """
    n, lam = len(m), m.parents
    X, v, c, Phi, b, J, N1, Y, z, Phi1_N1, f, a, qdd = per_body(n, 13)
    Phi[-1] = np.zeros((6, 6))
    b[-1] = a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        X[i], S, vJ, cJ = jcalc(m, i, q, qd)
        J[i] = joint_forces(m, i, q, S)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        I = m.bodies[i].inertia
        p = cross_force(v[i], I @ v[i])
        if f_ext is not None:
            p = p - f_ext[i]
        Phi[i] = factor_spd(I.matrix()).solve(np.eye(6))  # 2.72-2.74
        b[i] = -(Phi[i] @ p)

    for i in reversed(range(n)):
        T_a, N, K = J[i]
        active = T_a @ tau[m.v_index[i]]
        N1[i] = X[i].T @ N
        Phi1, b1 = Phi[lam[i]], b[lam[i]] - Phi[lam[i]] @ (X[i].T @ active)
        Phi1_N1[i] = Phi1 @ N1[i]
        Y[i] = factor_spd(N1[i].T @ Phi1_N1[i] + N.T @ Phi[i] @ N + K)
        z[i] = N1[i].T @ b1 + N.T @ (c[i] - b[i] - Phi[i] @ active)
        Phi[lam[i]] = Phi1 - Phi1_N1[i] @ Y[i].solve(Phi1_N1[i].T)
        b[lam[i]] = b1 - Phi1_N1[i] @ Y[i].solve(z[i])

    # f is the force on a handle. Children leave their parent in the reverse of the order they came.
    for i in range(n):
        T_a, N, _ = J[i]
        f[i] = T_a @ tau[m.v_index[i]] + N @ Y[i].solve(z[i] + Phi1_N1[i].T @ f[lam[i]])
        f[lam[i]] = f[lam[i]] - X[i].T @ f[i]
        a[i] = Phi[i] @ f[i] + b[i]
        qdd[i] = T_a.T @ (a[i] - X[i] @ a[lam[i]] - c[i])
    return np.concatenate([np.zeros(0), *qdd[:n]])
