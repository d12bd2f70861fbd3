"""A mechanism as a tree of nodes: absolute velocities are spatial velocities in world coordinates."""

import numpy as np

from ...dynamics.kinematics import world_transforms
from ...model.jcalc import jpos
from ...model.mechanism import Mechanism
from ...spatial import Array, Transform, crf, cross_force, cross_motion, factor_spd, known
from .nodes import Node, NodeConstraint, NodeMotion, velocity


def tree_nodes(m: Mechanism, q: Array) -> list[Node]:
    """The nodes of a mechanism at a position, one for each body.

    Deepak & Ghosal, eq 4 and 6, with ẏ the spatial velocity in world coordinates, about the world's origin,
    (rad/s, m/s). There B = 1, H = S, M = I. A joint with an armature has a rotor that turns with q̇: its
    velocities stand below those of the body, ẏ = [v; q̇], and its inertia below I.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> node = wt.formulations.special_coordinates.tree_nodes(m, [0.3, 0.5])[1]
    >>> node.name, node.parent, node.H.T.round(3)
    ('lower', 0, array([[ 0.   ,  1.   ,  0.   ,  0.955,  0.   , -0.296]]))
    """
    X = world_transforms(m, q)
    return [_node(m, i, q, X[i]) for i in range(len(m))]


def tree_constraints(m: Mechanism, q: Array) -> list[NodeConstraint]:
    """The constraints of a mechanism's joints at a position, in the coordinates of `tree_nodes`.

    Deepak & Ghosal, eq 1 and 58: G = Tᵀ, Q = -Tᵀ and G_d = T_aᵀ, with T and T_a bases of the constraint and
    active forces (RBDA 3.34-3.38). A rotor adds the rows q̇ - T_aᵀ (v_k - v_j) = 0.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.special_coordinates.tree_constraints(m, [0.3, 0.5])[1].G.shape
    (5, 6)
    """
    X = world_transforms(m, q)
    return [_constraint(m, i, q, X[i]) for i in range(len(m))]


def tree_motion(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> list[NodeMotion]:
    """Velocities, forces and rates of all nodes, in the coordinates of `tree_nodes`.

    Deepak & Ghosal, eq 4-6: f = f_ext + I a_g - v ×* I v, with the force T_a τ of the joint on the body and
    its opposite on the parent. A body's inertia and its joint's S move with it, İ = v×* I - I v×.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.formulations.special_coordinates.tree_motion(m, [0.0], [2.0], [0.0])[0].f.round(3)
    array([  0.  ,   0.  ,   0.  ,   0.  ,   0.  , -11.81])
    """
    X, zero = world_transforms(m, q), np.zeros(6)
    ydot, motions = [zero] * (len(m) + 1), []
    gravity = np.array([0.0, 0.0, 0.0, *m.gravity])
    pull: list[Array] = [zero] * (len(m) + 1)
    for i, body in enumerate(m.bodies):
        node, parent, q_i, qd_i = _node(m, i, q, X[i]), m.parents[i], q[m.q_index[i]], qd[m.v_index[i]]
        rest = np.zeros(len(node.M) - 6)
        motion = NodeMotion(
            f=zero,
            ydot_j=ydot[parent],
            qdot=qd_i,
            c=np.concatenate([zero if c is None else c[i], rest]),
            cdot=np.concatenate([zero if cdot is None else cdot[i], rest]),
            Mdot=np.zeros(node.M.shape),
            Bdot=np.zeros(node.B.shape),
            Hdot=np.zeros(node.H.shape),
        )
        ydot[i] = velocity(node, motion)
        v, I, S = ydot[i][:6], node.M[:6, :6], node.H[:6]
        Sdot = X[i].inverse_motion(body.joint.motion_subspace_rate(q_i, qd_i)) + cross_motion(v, S)
        f = I @ gravity - cross_force(v, I @ v)
        turned = crf(v) @ I
        if f_ext is not None:
            f = f + X[i].T @ f_ext[i]
        active = X[i].T @ (_active(jpos(m, i, q)[1]) @ tau[m.v_index[i]])
        pull[i], pull[parent] = pull[i] + f + active, pull[parent] - active
        motions.append(
            motion._replace(
                Mdot=_beside(turned + turned.T, np.zeros((len(rest), len(rest)))),
                Hdot=np.concatenate([Sdot, np.zeros((len(rest), S.shape[1]))]),
            )
        )
    return [
        motion._replace(f=np.concatenate([on, np.zeros(len(motion.c) - 6)]))
        for motion, on in zip(motions, pull[:-1], strict=True)
    ]


def _node(m: Mechanism, i: int, q: Array, X: Transform) -> Node:
    body, parent = m.bodies[i], m.parents[i]
    S = X.inverse_motion(jpos(m, i, q)[1])
    rotors, above = _rotors(m, i), _rotors(m, parent)
    M = _beside(body.inertia.to_parent(X).matrix(), body.armature * np.eye(rotors))
    B = _beside(np.eye(6), np.zeros((rotors, above)))
    return Node(body.name, parent, M, B, np.concatenate([S, np.eye(S.shape[1])[:rotors]]))


def _constraint(m: Mechanism, i: int, q: Array, X: Transform) -> NodeConstraint:
    T = X.T @ m.bodies[i].joint.constraint_subspace(q[m.q_index[i]])
    T_a = X.T @ _active(jpos(m, i, q)[1])
    rotors, above = _rotors(m, i), _rotors(m, m.parents[i])
    G, G_d = T.T, T_a.T
    measured = G_d[:rotors]
    Q = np.concatenate([-G, measured])
    return NodeConstraint(
        G=np.block([[G, np.zeros((len(G), rotors))], [-measured, np.eye(rotors)]]),
        Q=np.concatenate([Q, np.zeros((len(Q), above))], axis=1),
        G_d=np.concatenate([G_d, np.zeros((len(G_d), rotors))], axis=1),
    )


def _rotors(m: Mechanism, i: int) -> int:
    """How many velocities the rotor of joint i has: those of the joint, none without an armature."""
    return 0 if i == -1 or known(0.0 + m.bodies[i].armature) == 0.0 else m.bodies[i].joint.nv


def _active(S: Array) -> Array:
    """(6, nv) T_a = S (SᵀS)⁻¹, forces with T_aᵀ S = 1 (RBDA 3.38)."""
    return factor_spd(S.T @ S).solve(S.T).T


def _beside(A: Array, D: Array) -> Array:
    """[[A, 0], [0, D]]."""
    return np.block([[A, np.zeros((A.shape[0], D.shape[1]))], [np.zeros((D.shape[0], A.shape[1])), D]])
