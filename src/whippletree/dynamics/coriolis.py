"""Joint forces that the velocities alone call for."""

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, cross_force, cross_motion
from .per_body import per_body


def coriolis_force(m: Mechanism, q: Array, qd: Array) -> Array:
    """Coriolis and centrifugal joint forces: C(q, qd) without gravity, O(n) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1 with qdd = 0 and a_0 = 0. They are
    homogeneous of second degree in the velocities.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nv,) joint forces, N m or N, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.coriolis_force(m, [0.3, 0.5], [1.0, 2.0]).round(3)
    array([-1.918,  0.24 ])
    """
    n, lam = len(m), m.parents
    X, S, v, a, f, tau = per_body(n, 6)

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        a[i] = X[i] @ a[lam[i]] + cJ + cross_motion(v[i], vJ)
        I = m.bodies[i].inertia
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])

    for i in reversed(range(n)):
        tau[i] = S[i].T @ f[i]
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return np.concatenate([np.zeros(0), *tau[:n]])
