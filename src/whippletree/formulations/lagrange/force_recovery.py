"""Generalized forces to Cartesian forces and torques (Liu & Jain §6.2, eq 69-71)."""

from typing import NamedTuple

import numpy as np

from ...model.jcalc import jpos
from ...model.mechanism import Mechanism
from ...spatial import Array
from .force_conversion import point_jacobians
from .link_jacobians import link_frames, link_jacobians
from .local_jacobians import link_connectivity, parent_rotations
from .pseudo_inverse import pseudo_solve


class ForceFit(NamedTuple):
    """Forces and torques on links that do the work of generalized forces.

    Attributes:
        f: (nb, 3) forces in world axes, N.
        torques: (nb, 3) N m; about which point and in which axes, the function says.
        residual: (nv,) what of Q they do not give, N m or N; zero where the rank is nv.
        rank: How many of the nv entries of Q they can give.
    """

    f: Array
    torques: Array
    residual: Array
    rank: int


def cartesian_forces(m: Mechanism, q: Array, tau: Array) -> ForceFit:
    """Forces at the centres of mass and torques about them that do the work of Q (Liu & Jain eq 70).

    There are six unknowns a link and nv equations in all, so that many sets of forces do it. This is the
    one of least norm, newtons and newton metres weighing alike: the pseudo-inverse of (J_vᵀ J_ωᵀ). Eq
    70 prints J_v with a prime; points are not known in this case, so it is J_v at the centres of mass.

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        tau: (nv,) generalized forces Q, N m or N.

    Returns:
        f and τ about the centres of mass, both in world axes; residual and rank.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> fit = wt.formulations.lagrange.cartesian_forces(m, [0.3, 0.5], [5.0, 2.0])
    >>> wt.formulations.lagrange.generalized_force(m, [0.3, 0.5], fit.f, fit.torques).round(12)
    array([5., 2.])
    """
    points = np.array([link.x for link in link_frames(m, q)[:-1]]).reshape(-1, 3)
    J = np.array(point_jacobians(m, q, points)).reshape(len(m), 6, m.nv)
    return _least(m, tau, J[:, :3], J[:, 3:])


def forces_and_joint_torques(m: Mechanism, q: Array, points: Array, tau: Array) -> ForceFit:
    """Forces at given points and joint torques that do the work of Q, of least norm (Liu & Jain eq 69).

    Args:
        m, q, tau: As in `cartesian_forces`.
        points: (nb, 3) where the forces act, in the world, m.

    Returns:
        f in world axes and τ̂ in the axes of the parents; residual and rank.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> points = [[0.1, 0, -0.4], [0.2, 0, -1.5]]
    >>> fit = wt.formulations.lagrange.forces_and_joint_torques(m, [0.3, 0.5], points, [5.0, 2.0])
    >>> bool(abs(fit.residual).max() < 1e-12), fit.rank
    (True, 2)
    """
    J_v = np.array(point_jacobians(m, q, points)).reshape(len(m), 6, m.nv)[:, :3]
    J_w = link_jacobians(m, q)[:, 3:].reshape(-1, m.nv)
    J_hat = parent_rotations(m, q).T @ link_connectivity(m) @ J_w  # 65
    return _least(m, tau, J_v, J_hat)


def joint_torques(m: Mechanism, q: Array, tau: Array) -> ForceFit:
    """Torques in the joints alone that do the work of Q, link by link (Liu & Jain eq 71).

    τ̂_k = (Ĵ_ωkᵀ)⁺ Q_k, the least of all: torques across the axes of a joint do no work. Sliding joints
    cannot be moved by torques, so that their share of Q is the residual.

    Args:
        m, q, tau: As in `cartesian_forces`.

    Returns:
        f = 0 and τ̂ in the axes of the parents; residual and rank.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> fit = wt.formulations.lagrange.joint_torques(m, [0.2, 0.5], [5.0, 2.0])
    >>> fit.torques[1], fit.residual, fit.rank
    (array([0., 2., 0.]), array([5., 0.]), 1)
    """
    torques, residual, rank = np.zeros((len(m), 3)), np.zeros(m.nv), 0
    for k, index in enumerate(m.v_index):
        J_hat = _local(m, k, q)
        torques[k], rank_k = pseudo_solve(J_hat.T, tau[index])
        residual[index] = tau[index] - J_hat.T @ torques[k]
        rank += rank_k
    return ForceFit(np.zeros((len(m), 3)), torques, residual, rank)


def _local(m: Mechanism, k: int, q: Array) -> Array:
    """(3, n(k)) Ĵ_ωk."""
    X, S = jpos(m, k, q)
    return X.E.T @ S[:3]


def _least(m: Mechanism, tau: Array, J_force: Array, J_torque: Array) -> ForceFit:
    """The least f and torques (nb, 3) with J_forceᵀ f + J_torqueᵀ torques = Q, Jacobians of 3 nb rows."""
    n = len(m)
    J = np.concatenate([J_force.reshape(3 * n, m.nv), J_torque.reshape(3 * n, m.nv)])
    x, rank = pseudo_solve(J.T, tau)
    return ForceFit(x[: 3 * n].reshape(n, 3), x[3 * n :].reshape(n, 3), tau - J.T @ x, rank)
