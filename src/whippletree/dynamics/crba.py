"""Joint-space inertia matrix by the composite-rigid-body algorithm."""

import numpy as np

from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array
from .block_matrix import fill, finished, zeros
from .per_body import per_body


def crba(m: Mechanism, q: Array) -> Array:
    """Joint-space inertia matrix H of tau = H qdd + C, O(n depth) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.2: Ic is the inertia of the subtree
    of body i moving as one rigid body, F the force that makes it accelerate by one column of S.
    Only the blocks between a joint and those that support it differ from zero.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv, nv) symmetric, positive definite; kg m², kg m or kg, of the input's scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.crba(m, [0.3, 0.5]).round(3)
    array([[2.544, 0.772],
           [0.772, 0.333]])
    """
    n, lam = len(m), m.parents
    H = zeros(m.nv)
    X, S = per_body(n, 2)
    for i in range(n):
        X[i], S[i] = jpos(m, i, q)
    Ic = [body.inertia for body in m.bodies]

    for i in reversed(range(n)):
        if lam[i] != -1:
            Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
        F = Ic[i] @ S[i]
        fill(H, m.v_index[i], m.v_index[i], S[i].T @ F + m.bodies[i].armature * np.eye(S[i].shape[1]))
        j = i
        while lam[j] != -1:
            F = X[j].T @ F
            j = lam[j]
            fill(H, m.v_index[j], m.v_index[i], S[j].T @ F)
    return finished(H)
