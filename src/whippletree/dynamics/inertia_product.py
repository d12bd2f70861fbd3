"""The joint-space inertia matrix times a vector, without the matrix."""

import numpy as np

from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array
from .per_body import per_body


def inertia_product(m: Mechanism, q: Array, x: Array) -> Array:
    """H x: the joint forces that change the joint accelerations by x, O(n) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.1, the function ID_δ of eq 6.4: all
    that depends on velocities, gravity and external forces cancels.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        x: (nv,) change of the joint accelerations, rad/s² or m/s².

    Returns:
        (nv,) change of the joint forces, N m or N, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.dynamics.inertia_product(m, [0.3, 0.5], [1.0, 0.0]).round(3)
    array([2.544, 0.772])
    """
    n, lam = len(m), m.parents
    X, S, a, f, tau = per_body(n, 5)

    for i in range(n):
        X[i], S[i] = jpos(m, i, q)
        a[i] = X[i] @ a[lam[i]] + S[i] @ x[m.v_index[i]]
        f[i] = m.bodies[i].inertia @ a[i]

    for i in reversed(range(n)):
        tau[i] = S[i].T @ f[i] + m.bodies[i].armature * x[m.v_index[i]]
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return np.concatenate([np.zeros(0), *tau[:n]])
