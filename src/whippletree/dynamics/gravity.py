"""Joint forces that hold a mechanism still against gravity."""

import numpy as np

from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array
from .per_body import per_body


def gravity_force(m: Mechanism, q: Array) -> Array:
    """Joint forces that hold the mechanism at rest against gravity, O(n) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 5.12-5.13: table 5.1 without velocities
    and joint accelerations. Every body has the base's acceleration -a_g, seen in its own coordinates.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv,) joint forces, N m or N, of the input's scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.gravity_force(m, [0.3, 0.5]).round(3)
    array([7.867, 3.519])
    """
    n, lam = len(m), m.parents
    X, S, a, f, tau = per_body(n, 5)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        X[i], S[i] = jpos(m, i, q)
        a[i] = X[i] @ a[lam[i]]
        f[i] = m.bodies[i].inertia @ a[i]

    for i in reversed(range(n)):
        tau[i] = S[i].T @ f[i]
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return np.concatenate([np.zeros(0), *tau[:n]])
