"""Recursive inverse dynamics in the frames of the links (Liu & Jain eq 72-85)."""

import numpy as np

from ...model.jcalc import jcalc
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross


def local_inverse_dynamics(
    m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None
) -> Array:
    """Joint forces that cause accelerations, O(n), by 3-vectors at centres of mass; no springs or loads.

    Liu & Jain §7, in its symbols: R_k and d_k place link k in
    its parent p, c_k is its centre of mass, ŵ and ŵd the relative angular velocity and acceleration in the
    parent's axes, w, wd and vd those of the link and of its centre of mass, in its own axes.

    Read with these corrections. In eq 79 the first factor of (·) × (ω_k × c_k) is ω_k, not its rate. In eq 80
    the relative terms need their hats. Eq 84 has the rate of the components of v_k, where eq 72 needs the
    acceleration: it lacks ω × (ω × s) and has ω × q̇ once instead of twice. Eq 79 is for joints
    that turn, eq 84 for those that slide; here they are one equation, with ḋ_k and d̈_k the motion of the
    link's origin in the parent, so that a joint may do both. The ground is the parent of the first link,
    with v̇ = -g (eq 85).

    Args:
        m: A tree of joints of every type; gears are ignored. Each body with a first moment has a mass.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) the same as `wt.rnea`, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.local_inverse_dynamics(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([7.867, 3.519])
    """
    n = len(m)
    zero = np.zeros(3)
    w, wd, vd, c, f, t = ([zero] * (n + 1) for _ in range(6))
    R, d = [np.eye(3)] * (n + 1), [zero] * (n + 1)
    S, Q = [np.zeros((6, 0))] * n, [zero] * n
    vd[-1] = -array(m.gravity)  # 85

    for k, p in enumerate(m.parents):  # pass 1: velocities and accelerations
        X, S[k], vJ, cJ = jcalc(m, k, q, qd)
        aJ = S[k] @ qdd[m.v_index[k]] + cJ
        R[k], d[k], c[k] = X.E.T, X.r, m.bodies[k].inertia.com
        w_hat, wd_hat = R[k] @ vJ[:3], R[k] @ aJ[:3]
        d_dot, d_ddot = R[k] @ vJ[3:], R[k] @ (aJ[3:] + cross(vJ[:3], vJ[3:]))
        arm = d[k] - c[p]
        w[k] = R[k].T @ (w[p] + w_hat)  # 78
        wd[k] = R[k].T @ (wd[p] + wd_hat + cross(w[p], w_hat))  # 80
        origin = vd[p] + cross(wd[p], arm) + cross(w[p], cross(w[p], arm))
        origin = origin + 2.0 * cross(w[p], d_dot) + d_ddot  # 84
        vd[k] = R[k].T @ origin + cross(w[k], cross(w[k], c[k])) + cross(wd[k], c[k])  # 79

    for k in range(n):  # what link k needs for itself: left-hand sides of 72 and 73
        mass, I_c = m.bodies[k].inertia.m, m.bodies[k].inertia.about_com
        f[k] = mass * vd[k]
        t[k] = I_c @ wd[k] + cross(w[k], I_c @ w[k]) + cross(c[k], f[k])
        if f_ext is not None:
            f[k], t[k] = f[k] - f_ext[k, 3:], t[k] - f_ext[k, :3]

    for k in reversed(range(n)):  # pass 2: forces and torques, at the origins of the links
        armature = m.bodies[k].armature * qdd[m.v_index[k]]
        Q[k] = S[k][:3].T @ t[k] + S[k][3:].T @ f[k] + armature
        p = m.parents[k]
        if p != -1:
            f[p] = f[p] + R[k] @ f[k]  # 72
            t[p] = t[p] + R[k] @ t[k] + cross(d[k], R[k] @ f[k])  # 73
    return np.concatenate([np.zeros(0), *Q])
