"""Forward dynamics by divide and conquer."""

from collections.abc import Sequence

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, Inertia, cross_force, cross_motion, factor_spd
from .halving import degrees, halve
from .handles import ArticulatedBody, Assembly, Link, assemble
from .joint_forces import joint_forces
from .per_body import per_body


def divide_and_conquer(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations by halving the tree again and again and assembling the halves; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §7.5, eq 7.57-7.63. A part of the tree is cut
    at the body that leaves no piece with more than half of its bodies; pieces of equal depth depend
    on nothing in common, so that with a processor for each body a tree of bounded branching takes
    O(log n) steps. One after the other they cost O(n) along a chain, as `aba` does, only more.

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
    >>> wt.dynamics.divide_and_conquer(m, [0.3], [2.0], [0.25])
    array([0.5])
    """
    n, lam = len(m), m.parents
    X, v, c, p, T_a, a, qdd = per_body(n, 7)
    links: list[Link] = []
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])

    for i in range(n):
        X[i], S, vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        p[i] = cross_force(v[i], m.bodies[i].inertia @ v[i])
        if f_ext is not None:
            p[i] = p[i] - f_ext[i]
        T_a[i], N, K = joint_forces(m, i, q, S)
        links.append(Link(lam[i], i, X[i].T @ N, N, K, c[i]))

    for i in reversed(range(n)):  # active joint forces act as pairs of external ones
        active = T_a[i] @ tau[m.v_index[i]]
        p[i] = p[i] - active
        p[lam[i]] = p[lam[i]] + X[i].T @ active

    # Last comes the ground, which no force moves, so that -1 finds it.
    bodies = [_rigid(i, m.bodies[i].inertia, p[i]) for i in range(n)]
    bodies.append(ArticulatedBody({(-1, -1): np.zeros((6, 6))}, {-1: a[-1]}))
    whole = _conquer(list(range(-1, n)), lam, bodies, links, degrees(lam))

    stack: list[tuple[ArticulatedBody, dict[int, Array]]] = [(whole, {i: np.zeros(6) for i in whole.b})]
    while stack:
        part, f = stack.pop()
        if isinstance(part, Assembly):
            on_p, on_s = part.take_apart(f)
            stack += [(part.predecessor, on_p), (part.successor, on_s)]
        else:
            [(i, force)] = f.items()
            a[i] = part.Phi[i, i] @ force + part.b[i]

    for i in range(n):
        qdd[i] = T_a[i].T @ (a[i] - X[i] @ a[lam[i]] - c[i])
    return np.concatenate([np.zeros(0), *qdd[:n]])


def _rigid(i: int, inertia: Inertia, p: Array) -> ArticulatedBody:
    """A rigid body as its own handle (RBDA 2.72-2.74)."""
    I = factor_spd(inertia.matrix())
    return ArticulatedBody({(i, i): I.solve(np.eye(6))}, {i: -I.solve(p)})


def _conquer(
    part: list[int],
    lam: Sequence[int],
    bodies: list[ArticulatedBody],
    links: list[Link],
    open_joints: list[int],
) -> ArticulatedBody:
    """The articulated body that the joints within a part of the tree make of its bodies.

    `open_joints` counts for each body the joints that are still to be assembled; a body with none
    left is a handle no more.
    """
    centre, pieces = halve(part, lam)
    whole = bodies[centre]
    for piece in pieces:
        other = _conquer(piece, lam, bodies, links, open_joints)
        outward = piece[0] > centre  # parents have the lower numbers
        joint = piece[0] if outward else centre
        open_joints[joint] -= 1
        open_joints[lam[joint]] -= 1
        keep = {i for i in (*whole.b, *other.b) if open_joints[i]}
        predecessor, successor = (whole, other) if outward else (other, whole)
        whole = assemble(predecessor, successor, links[joint], keep)
    return whole
