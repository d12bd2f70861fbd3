"""Inverse dynamics of a floating base."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion, solve_spd
from .per_body import per_body


def floating_inverse_dynamics(
    m: Mechanism, q: Array, qd: Array, qdd_joints: Array, f_ext: Array | None = None
) -> tuple[Array, Array]:
    """Acceleration that joint motions impart to a floating base, and their forces; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 9.6 and eq 9.18-9.25. a^r is the
    acceleration relative to the base; its recursion runs over a^r, where the table prints a.

    Args:
        m: A tree whose only root is carried by a Free joint; gears are ignored.
        q: (nq,) position of the base, m, its quaternion, and joint positions, rad or m.
        qd: (nv,) velocity of the base in its own axes, (rad/s, m/s), and joint velocities.
        qdd_joints: (nv - 6,) accelerations of the joints behind the base, rad/s² or m/s².
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        a_0: (6,) spatial acceleration of the base in its own axes, (rad/s², m/s²), gravity included.
        tau_joints: (nv - 6,) joint forces, N m or N.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.1, 0.1, 0.1)))
    >>> wt.dynamics.floating_inverse_dynamics(m, m.neutral(), np.zeros(6), [])
    (array([ 0.  ,  0.  ,  0.  ,  0.  ,  0.  , -9.81]), array([], dtype=float64))
    """
    n, lam = len(m), m.parents
    X, S, v, a, p, tau = per_body(n, 6)
    qdd = np.concatenate([np.zeros(6), qdd_joints])

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        if i == 0:
            v[i] = qd[:6]
            a[i] = -(X[i] @ np.array([0.0, 0.0, 0.0, *m.gravity]))  # gravity in the base's coordinates
        else:
            v[i] = X[i] @ v[lam[i]] + vJ
            a[i] = X[i] @ a[lam[i]] + cJ + cross_motion(v[i], vJ) + S[i] @ qdd[m.v_index[i]]
        I = m.bodies[i].inertia
        p[i] = I @ a[i] + cross_force(v[i], I @ v[i])
        if f_ext is not None:
            p[i] = p[i] - f_ext[i]
    Ic = [body.inertia for body in m.bodies]

    for i in reversed(range(1, n)):
        Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
        p[lam[i]] = p[lam[i]] + X[i].T @ p[i]

    a_0 = solve_spd(Ic[0].matrix(), -p[0])
    seen = [a_0] * n  # a_0 in the coordinates of each body
    for i in range(1, n):
        seen[i] = X[i] @ seen[lam[i]]
        tau[i] = S[i].T @ (Ic[i] @ seen[i] + p[i]) + m.bodies[i].armature * qdd[m.v_index[i]]
    return a_0, np.concatenate([np.zeros(0), *tau[1:n]])
