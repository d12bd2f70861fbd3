"""Inverse dynamics by the recursive Newton-Euler algorithm in base coordinates."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion, identity
from .per_body import per_body


def rnea_base(m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """Joint forces that cause accelerations, in the ground's coordinates; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 5.7-5.11, the basic form of table 5.1:
    no vector changes its coordinates on the way along the tree; instead S_i and I_i are brought to
    the ground's. An independent road to what `rnea` finds, less accurate far from the origin.

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
    >>> wt.dynamics.rnea_base(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([7.867, 3.519])
    """
    n, lam = len(m), m.parents
    X, S, v, a, f, tau = per_body(n, 6)
    X[-1] = identity()
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        qd_i, qdd_i = qd[m.v_index[i]], qdd[m.v_index[i]]
        X_i, S_i, _, cJ = jcalc(m, i, q, qd)
        X[i] = X_i @ X[lam[i]]  # iX_0, from the ground's coordinates to the body's
        S[i] = X[i].inverse_motion(S_i)
        vJ = S[i] @ qd_i
        v[i] = v[lam[i]] + vJ
        # Ṡ qd = S̊ qd + v × S qd, S̊ being what the body sees (2.36).
        a[i] = a[lam[i]] + S[i] @ qdd_i + X[i].inverse_motion(cJ) + cross_motion(v[i], vJ)
        I = m.bodies[i].inertia.to_parent(X[i])
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])
        if f_ext is not None:
            f[i] = f[i] - X[i].T @ f_ext[i]

    for i in reversed(range(n)):
        tau[i] = S[i].T @ f[i] + m.bodies[i].armature * qdd[m.v_index[i]]
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + f[i]
    return np.concatenate([np.zeros(0), *tau[:n]])
