"""Cartesian to generalized velocities and back (Liu & Jain §6.1, eq 58-66)."""

from typing import NamedTuple

import numpy as np

from ...model.jcalc import jpos
from ...model.mechanism import Mechanism
from ...spatial import Array, cross
from .link_jacobians import link_frames, link_jacobians
from .pseudo_inverse import pseudo_solve


class VelocityFit(NamedTuple):
    """Joint velocities that come close to given velocities of the links.

    Attributes:
        qd: (nv,) joint velocities, rad/s or m/s; where the rank is short, the least of all that fit as well.
        residual_v: (nb, 3) v - J_v qd, m/s: what the joints cannot do.
        residual_w: (nb, 3) ω - J_ω qd, rad/s.
        rank: How many joint velocities those of the links determine: nv, less in a singular position.
    """

    qd: Array
    residual_v: Array
    residual_w: Array
    rank: int

    @property
    def residual(self) -> float:
        """The largest entry of either residual; zero, but for rounding, if the velocity can be reached."""
        return float(np.max(np.abs([self.residual_v, self.residual_w]), initial=0.0))


def cartesian_velocities(m: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """v and ω of all links (Liu & Jain eq 58).

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        v (nb, 3) of the centres of mass, m/s, and ω (nb, 3), rad/s, in world axes.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> v, w = wt.formulations.lagrange.cartesian_velocities(m, [0.0, 0.0], [2.0, 1.0])
    >>> v[1], w[1]
    (array([-3.5,  0. ,  0. ]), array([0., 3., 0.]))
    """
    V = link_jacobians(m, q) @ qd
    return V[:, :3], V[:, 3:]


def generalized_velocities(m: Mechanism, q: Array, v_links: Array, w_links: Array) -> VelocityFit:
    """Joint velocities from those of all links, by least squares over all of them at once, O(n³).

    Liu & Jain eq 60-61: qd = J⁺ V, J⁺ by singular values so
    that singular positions have an answer too; those below 1e-9 of the largest one count as zero. Metres
    and radians weigh alike.

    The rank is found from values, so that it is not recorded by `wt.compile`.

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        v_links: (nb, 3) velocities of the centres of mass in world axes, m/s.
        w_links: (nb, 3) angular velocities in world axes, rad/s.

    Returns:
        qd with the residual, v included, and the rank.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> v, w = [[-1, 0, 0], [-3.5, 0, 0]], [[0, 2, 0], [0, 3, 0]]
    >>> fit = wt.formulations.lagrange.generalized_velocities(m, [0.0, 0.0], v, w)
    >>> fit.qd.round(12), fit.rank, fit.residual < 1e-12
    (array([2., 1.]), 2, True)
    """
    J = link_jacobians(m, q).reshape(-1, m.nv)
    V = np.concatenate([v_links, w_links], axis=1).ravel()
    qd, rank = pseudo_solve(J, V)
    return _fit(m, q, qd, v_links, w_links, rank)


def generalized_velocities_by_link(m: Mechanism, q: Array, v_links: Array, w_links: Array) -> VelocityFit:
    """Joint velocities from those of all links, each joint from its own two links alone, O(n).

    Liu & Jain eq 62-66: qd_k = Ĵ_ωk⁺ ω̂_k with the relative
    angular velocity ω̂. What slides takes the relative velocity of the joint's origin, from which the
    parent's own share is taken first; the tutorial's qd_k = J_vk⁺ v_k leaves it in.

    Velocities that the joints can reach give the same answer as `generalized_velocities`. For others the two
    differ: this one is no least-squares fit over all links, since D is not orthogonal. A velocity may agree
    in every ω and still be out of reach in v, so that the residual has both.

    Args:
        m, q, v_links, w_links: As in `generalized_velocities`.

    Returns:
        qd with the residual, v included; the rank is the sum over the joints.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> v, w = [[-1, 0, 0], [-3.5, 0, 0.7]], [[0, 2, 0], [0, 3, 0]]  # the lower rod's 0.7 tears it off
    >>> fit = wt.formulations.lagrange.generalized_velocities_by_link(m, [0.0, 0.0], v, w)
    >>> fit.qd.round(12), fit.residual_w.any(), fit.residual_v[1].round(12)
    (array([2., 1.]), np.False_, array([0. , 0. , 0.7]))
    """
    links = link_frames(m, q)
    qd, rank = [], 0
    for k, p in enumerate(m.parents):
        _, S = jpos(m, k, q)
        R, o, x, _, _ = links[k]
        v_p, w_p = (v_links[p], w_links[p]) if p != -1 else (np.zeros(3), np.zeros(3))
        angular = w_links[k] - w_p  # 62
        linear = v_links[k] - cross(w_links[k], x - o) - (v_p + cross(w_p, o - links[p].x))
        relative = np.concatenate([R.T @ angular, R.T @ linear])
        qd_k, rank_k = pseudo_solve(S, relative)  # 66
        qd.append(qd_k)
        rank += rank_k
    return _fit(m, q, np.concatenate([np.zeros(0), *qd]), v_links, w_links, rank)


def _fit(m: Mechanism, q: Array, qd: Array, v_links: Array, w_links: Array, rank: int) -> VelocityFit:
    v, w = cartesian_velocities(m, q, qd)
    return VelocityFit(qd, v_links - v, w_links - w, rank)
