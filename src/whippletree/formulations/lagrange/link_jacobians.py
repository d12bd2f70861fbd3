"""Jacobians of all links and their rates (Liu & Jain eq 49-51, 57-58)."""

from typing import Any, NamedTuple

import numpy as np

from ...model.jcalc import jpos
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross


class LinkFrame(NamedTuple):
    """Where a link is and how its own joint moves it, in world axes.

    Attributes:
        R: (3, 3) R_k⁰, from the link's coordinates to the world's.
        o: (3,) origin of the link's frame, m.
        x: (3,) centre of mass, m.
        j: (3, n(k)) R_p⁰ Ĵ_ωk: angular velocity that the link's own joint adds.
        u: (3, n(k)) velocity that it adds to the origin; zero for a joint that only turns.
    """

    R: Array
    o: Array
    x: Array
    j: Array
    u: Array


WORLD = LinkFrame(np.eye(3), np.zeros(3), np.zeros(3), np.zeros((3, 0)), np.zeros((3, 0)))


def link_frames(m: Mechanism, q: Array) -> list[LinkFrame]:
    """Every link, and the world as the last one, which is reached as -1."""
    links = [WORLD] * (len(m) + 1)
    for k, p in enumerate(m.parents):
        X, S = jpos(m, k, q)
        R = links[p].R @ X.E.T  # R_k⁰ = R_p⁰ R_k
        o = links[p].o + links[p].R @ X.r
        J_hat = X.E.T @ S[:3]  # 49, in the parent's axes
        links[k] = LinkFrame(R, o, o + R @ m.bodies[k].inertia.com, links[p].R @ J_hat, R @ S[3:])
    return links


def link_jacobians(m: Mechanism, q: Array) -> Array:
    """J_k of every link: the velocity of its centre of mass and its angular velocity are J_k qd.

    Liu & Jain eq 50-51 and 57-58. The tutorial's joints
    turn; one that also slides adds the velocity u_l of its own. With l a link on the path to link k,

        (J_ωk)_l = R_p⁰ Ĵ_ωl = j_l          (J_vk)_l = u_l + j_l × (x_k - o_l)

    and zero for all others.

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nb, 6, nv) in world axes, the three **linear** rows first, as the tutorial has them.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.link_jacobians(m, [0.0, 0.0])[1]  # v_x and ω_y of the lower rod
    array([[-1.5, -0.5],
           [ 0. ,  0. ],
           [ 0. ,  0. ],
           [ 0. ,  0. ],
           [ 1. ,  1. ],
           [ 0. ,  0. ]])
    """
    links = link_frames(m, q)
    J = []
    for k in range(len(m)):
        columns: list[Any] = [np.zeros(6)] * m.nv
        for l in m.support(k):
            _, o, _, j, u = links[l]
            block = np.concatenate([u + cross(j, links[k].x - o), j])
            columns[m.v_index[l]] = list(block.T)
        J.append(array(columns).T if columns else np.zeros((6, 0)))
    return array(J) if J else np.zeros((0, 6, m.nv))


def link_jacobian_rates(m: Mechanism, q: Array, qd: Array) -> Array:
    """dJ_k/dt of every link along the velocity qd, which is Σ_j (∂J_k/∂q_j) qd_j (Liu & Jain, below eq 45).

    A vector fixed in link l turns with ω_l, and S̊ is how the joint's axes move within the link:

        dj_l/dt = ω_l × j_l + R_l⁰ S̊_ω        du_l/dt = ω_l × u_l + R_l⁰ S̊_v
        d(J_vk)_l/dt = du_l/dt + dj_l/dt × (x_k - o_l) + j_l × (v_k - do_l/dt)

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nb, 6, nv) as `link_jacobians`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.formulations.lagrange.link_jacobian_rates(m, [0.0], [2.0])[0, :, 0]
    array([0., 0., 1., 0., 0., 0.])
    """
    links = link_frames(m, q)
    n = len(m)
    w, od = ([np.zeros(3)] * (n + 1) for _ in range(2))
    jd: list[Any] = [None] * n
    ud: list[Any] = [None] * n
    for k, p in enumerate(m.parents):
        R, o, _, j, u = links[k]
        qd_k = qd[m.v_index[k]]
        w[k] = w[p] + j @ qd_k  # 50
        od[k] = od[p] + cross(w[p], o - links[p].o) + u @ qd_k
        rate = m.bodies[k].joint.motion_subspace_rate(q[m.q_index[k]], qd_k)
        jd[k] = cross(w[k], j) + R @ rate[:3]
        ud[k] = cross(w[k], u) + R @ rate[3:]
    Jd = []
    for k in range(n):
        v_k = od[k] + cross(w[k], links[k].x - links[k].o)
        columns: list[Any] = [np.zeros(6)] * m.nv
        for l in m.support(k):
            arm, arm_rate = links[k].x - links[l].o, v_k - od[l]
            linear = ud[l] + cross(jd[l], arm) + cross(links[l].j, arm_rate)
            columns[m.v_index[l]] = list(np.concatenate([linear, jd[l]]).T)
        Jd.append(array(columns).T if columns else np.zeros((6, 0)))
    return array(Jd) if Jd else np.zeros((0, 6, m.nv))
