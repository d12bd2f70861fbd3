"""Hybrid dynamics by the inertia matrix."""

from collections.abc import Sequence

import numpy as np

from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array
from .block_matrix import fill, finished, zeros
from .factor import expanded_parents, ltl
from .hybrid import by_joint, forward_joints, merged, nothing
from .inertia_product import inertia_product
from .per_body import per_body
from .rnea import rnea


def hybrid_crba(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    qdd: Array,
    prescribed: Sequence[str],
    f_ext: Array | None = None,
) -> tuple[Array, Array]:
    """Forces of prescribed joints, and accelerations of all others; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §9.1, in four steps: C' by eq 9.3, H11 by table
    9.1, H11 qdd1 = tau1 - C1', and tau = C' + ID_δ of qdd1 (table 6.1).

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N; those of prescribed joints are ignored.
        qdd: (nv,) joint accelerations, rad/s² or m/s²; only those of prescribed joints are used.
        prescribed: Names of the joints whose accelerations are given.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        tau, qdd: (nv,) each, complete, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> tau, qdd = wt.dynamics.hybrid_crba(m, [0.0, 0.2], [0.0, 0.0], [0.0, 0.0], [2.0, 0.0], ["cart"])
    >>> tau.round(3), qdd.round(3)
    (array([4.992, 0.   ]), array([2.   , 0.017]))
    """
    fd = forward_joints(m, prescribed)
    given, sought = by_joint(m, tau), nothing(m)
    qdd2 = merged(m, fd, nothing(m), by_joint(m, qdd))
    C = rnea(m, q, qd, qdd2, f_ext)  # the book's C'

    columns = [k for i, index in enumerate(m.v_index) if fd[i] for k in range(index.start, index.stop)]
    sizes = [body.joint.nv if fd[i] else 0 for i, body in enumerate(m.bodies)]
    H11 = forward_inertia(m, q, fd)
    qdd1 = ltl(H11, expanded_parents(m.parents, sizes)).solve((tau - C)[columns])

    start = 0
    for i, size in enumerate(sizes):
        if fd[i]:
            sought[i] = qdd1[start : start + size]
        start += size
    change = merged(m, fd, sought, nothing(m))
    found = by_joint(m, C + inertia_product(m, q, change))
    return merged(m, fd, given, found), qdd2 + change


def forward_inertia(m: Mechanism, q: Array, fd: Sequence[bool]) -> Array:
    """(n1, n1) H11, the part of H that belongs to the joints of fd (RBDA table 9.1)."""
    n, lam = len(m), m.parents
    X, S = per_body(n, 2)
    # ν(fd), the bodies that some joint of fd carries (9.5), and where each such joint's columns start.
    carried = [False] * (n + 1)
    index = [slice(0, 0)] * n
    stop = 0
    for i in range(n):
        X[i], S[i] = jpos(m, i, q)
        carried[i] = fd[i] or carried[lam[i]]
        if fd[i]:
            index[i] = slice(stop, stop + S[i].shape[1])
            stop = index[i].stop
    H = zeros(stop)
    Ic = [body.inertia for body in m.bodies]

    for i in reversed(range(n)):
        if carried[lam[i]]:
            Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
        if fd[i]:
            F = Ic[i] @ S[i]
            fill(H, index[i], index[i], S[i].T @ F + m.bodies[i].armature * np.eye(S[i].shape[1]))
            j = i
            while carried[lam[j]]:
                F = X[j].T @ F
                j = lam[j]
                if fd[j]:
                    fill(H, index[j], index[i], S[j].T @ F)
    return finished(H)
