"""Forward dynamics by articulated-body inertias and constraint forces."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, ArticulatedInertia, cross_force, cross_motion, factor_spd
from .joint_forces import joint_forces
from .per_body import per_body


def aba_variant_2(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations by articulated bodies with constraint forces T, O(n); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.2, variant 2: the inertia that reaches
    the parent through a joint is T (Tᵀ I⁻¹ T)⁻¹ Tᵀ, what the constraint forces transmit.

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
    >>> wt.dynamics.aba_variant_2(m, [0.3], [2.0], [0.25])
    array([0.5])
    """
    n, lam = len(m), m.parents
    X, v, c, J, pA, I2, Y, z, a, qdd = per_body(n, 10)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])
    IA = [ArticulatedInertia.rigid(body.inertia) for body in m.bodies]

    for i in range(n):
        X[i], S, vJ, cJ = jcalc(m, i, q, qd)
        J[i] = joint_forces(m, i, q, S)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        pA[i] = cross_force(v[i], m.bodies[i].inertia @ v[i])
        if f_ext is not None:
            pA[i] = pA[i] - f_ext[i]

    for i in reversed(range(n)):
        T_a, N, K = J[i]
        active = T_a @ tau[m.v_index[i]]
        I2[i] = factor_spd(IA[i].matrix())
        Y[i] = factor_spd(N.T @ I2[i].solve(N) + K)
        z[i] = N.T @ (c[i] - I2[i].solve(active - pA[i]))
        if lam[i] != -1:
            Ia = ArticulatedInertia.from_matrix(N @ Y[i].solve(N.T))
            pa = active + N @ Y[i].solve(z[i])
            IA[lam[i]] = IA[lam[i]] + Ia.to_parent(X[i])
            pA[lam[i]] = pA[lam[i]] + X[i].T @ pa

    for i in range(n):
        T_a, N, _ = J[i]
        a1 = X[i] @ a[lam[i]]
        f2 = T_a @ tau[m.v_index[i]] + N @ Y[i].solve(z[i] + N.T @ a1)
        a[i] = I2[i].solve(f2 - pA[i])
        qdd[i] = T_a.T @ (a[i] - a1 - c[i])
    return np.concatenate([np.zeros(0), *qdd[:n]])
