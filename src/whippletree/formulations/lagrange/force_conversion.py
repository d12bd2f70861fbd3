"""Cartesian forces and torques to generalized forces (Liu & Jain §6.2, eq 48, 67-69)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross
from .link_jacobians import link_frames, link_jacobians
from .local_jacobians import link_connectivity, parent_rotations


def generalized_force(m: Mechanism, q: Array, f_links: Array, tau_links: Array) -> Array:
    """Q = J_vᵀ f + J_ωᵀ τ of forces at the centres of mass and torques about them (Liu & Jain eq 48).

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        f_links: (nb, 3) forces in world axes, N.
        tau_links: (nb, 3) torques τ about the centres of mass in world axes, N m; the moment of a
            force elsewhere is part of it, see `torques_about_centers`.

    Returns:
        (nv,) N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> f, t = [[0, 0, 0], [3.0, 0, 0]], [[0, 0, 0], [0, 2.0, 0]]
    >>> wt.formulations.lagrange.generalized_force(m, [0.0, 0.0], f, t)
    array([-2.5,  0.5])
    """
    Q = np.zeros(m.nv)
    for J, f, t in zip(link_jacobians(m, q), f_links, tau_links, strict=True):
        Q = Q + J[:3].T @ f + J[3:].T @ t
    return Q


def generalized_force_at_points(
    m: Mechanism, q: Array, points: Array, f_links: Array, body_torques: Array
) -> Array:
    """Q = J'_vᵀ f + J_ωᵀ τ' of forces at given points of the links (Liu & Jain eq 67).

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        points: (nb, 3) where the forces act, r, in the world, m.
        f_links: (nb, 3) forces in world axes, N.
        body_torques: (nb, 3) torques τ' in world axes, N m, which do not have the moments of the forces.

    Returns:
        (nv,) N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> tip, f, t = [[0, 0, -1.0]], [[3.0, 0, 0]], [[0, 2.0, 0]]
    >>> wt.formulations.lagrange.generalized_force_at_points(m, [0.0], tip, f, t)
    array([-1.])
    """
    Q = np.zeros(m.nv)
    for J, f, t in zip(point_jacobians(m, q, points), f_links, body_torques, strict=True):
        Q = Q + J[:3].T @ f + J[3:].T @ t
    return Q


def generalized_force_of_joint_torques(
    m: Mechanism, q: Array, points: Array, f_links: Array, joint_torques: Array
) -> Array:
    """Q = J'_vᵀ f + Ĵ_ωᵀ τ̂ of forces at given points and torques between links (Liu & Jain eq 69).

    Args:
        m, q, points, f_links: As in `generalized_force_at_points`.
        joint_torques: (nb, 3) τ̂ of each joint, in the axes of the parent: on the link, and the opposite on
            the parent, N m.

    Returns:
        (nv,) N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> zero, torques = [[0, 0, 0], [0, 0, 0]], [[0, 5.0, 0], [0, 2.0, 0]]
    >>> wt.formulations.lagrange.generalized_force_of_joint_torques(m, [0.3, 0.5], zero, zero, torques)
    array([5., 2.])
    """
    return generalized_force_at_points(m, q, points, f_links, body_torques(m, q, joint_torques))


def body_torques(m: Mechanism, q: Array, joint_torques: Array) -> Array:
    """τ' = Dᵀ R τ̂: what torques in the joints do to each link (Liu & Jain eq 68).

    Args:
        m, q, joint_torques: As in `generalized_force_of_joint_torques`.

    Returns:
        (nb, 3) in world axes, N m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.body_torques(m, [0.3, 0.5], [[0, 5.0, 0], [0, 2.0, 0]])
    array([[0., 3., 0.],
           [0., 2., 0.]])
    """
    stacked = link_connectivity(m).T @ (parent_rotations(m, q) @ np.ravel(joint_torques))
    return stacked.reshape(len(m), 3)


def joint_torques_of_bodies(m: Mechanism, q: Array, body_torques: Array) -> Array:
    """τ̂ = Rᵀ D⁻ᵀ τ': the torques in the joints that do the same to each link; eq 68 the other way.

    Each joint carries what acts on its link and on all links behind it.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        body_torques: (nb, 3) torques τ' in world axes, N m.

    Returns:
        (nb, 3) in the axes of the parents, N m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.joint_torques_of_bodies(m, [0.0, 0.5], [[0, 3.0, 0], [0, 2.0, 0]])
    array([[0., 5., 0.],
           [0., 2., 0.]])
    """
    total = list(body_torques)
    for k in reversed(range(len(m))):
        if m.parents[k] != -1:
            total[m.parents[k]] = total[m.parents[k]] + total[k]
    stacked = np.concatenate([np.zeros(0), *total])
    return (parent_rotations(m, q).T @ stacked).reshape(len(m), 3)


def torques_about_centers(
    m: Mechanism, q: Array, points: Array, f_links: Array, body_torques: Array
) -> Array:
    """τ = τ' + (r - x) × f: the moments of the forces put into the torques (Liu & Jain, note to eq 67).

    With -f in place of f it leads back.

    Args:
        m, q, points, f_links, body_torques: As in `generalized_force_at_points`.

    Returns:
        (nb, 3) about the centres of mass in world axes, N m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> tip, f, t = [[0, 0, -1.0]], [[3.0, 0, 0]], [[0, 2.0, 0]]
    >>> wt.formulations.lagrange.torques_about_centers(m, [0.0], tip, f, t)
    array([[0. , 0.5, 0. ]])
    """
    links = link_frames(m, q)
    torques = [
        t + cross(r - links[k].x, f)
        for k, (r, f, t) in enumerate(zip(points, f_links, body_torques, strict=True))
    ]
    return array(torques) if torques else np.zeros((0, 3))


def point_jacobians(m: Mechanism, q: Array, points: Array) -> list[Array]:
    """J'_k of every link, (6, nv): the velocity of a point r of it, given in the world, and ω (eq 67)."""
    links = link_frames(m, q)
    return [
        np.concatenate([J[:3] - cross(points[k] - links[k].x, J[3:]), J[3:]])
        for k, J in enumerate(link_jacobians(m, q))
    ]


def forces_at_centers(m: Mechanism, q: Array, f_ext: Array) -> tuple[Array, Array]:
    """f and τ (nb, 3) of wrenches in body coordinates, (moment about the origin, force)."""
    forces, torques = [], []
    for link, body, wrench in zip(link_frames(m, q)[:-1], m.bodies, f_ext, strict=True):
        forces.append(link.R @ wrench[3:])
        torques.append(link.R @ (wrench[:3] - cross(body.inertia.com, wrench[3:])))
    return (array(forces), array(torques)) if forces else (np.zeros((0, 3)), np.zeros((0, 3)))
