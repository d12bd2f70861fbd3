"""M(q) and C(q, qd) as sums over links (Liu & Jain eq 45-48, 59)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross
from .link_jacobians import link_frames, link_jacobian_rates, link_jacobians


def link_moments(m: Mechanism, q: Array) -> list[Array]:
    """I_c = R I_0 Rᵀ of every link, (3, 3) about its centre of mass in world axes (Liu & Jain eq 21)."""
    return [
        link.R @ body.inertia.about_com @ link.R.T
        for link, body in zip(link_frames(m, q)[:-1], m.bodies, strict=True)
    ]


def lagrange_mass_matrix(m: Mechanism, q: Array) -> Array:
    """M of M qdd + C = Q from the Jacobians of the links, O(n³).

    Liu & Jain eq 45 and 59: M = Σ_k J_kᵀ M_ck J_k with
    M_c = diag(m 1₃, I_c) of eq 27. Armatures stand on the diagonal.

    Args:
        m: A tree of joints of every type; gears are ignored. Each body with a first moment has a mass.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv, nv), the same as `wt.crba`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.lagrange_mass_matrix(m, [0.3, 0.5]).round(3)
    array([[2.544, 0.772],
           [0.772, 0.333]])
    """
    M = armatures(m)
    for body, I_c, J in zip(m.bodies, link_moments(m, q), link_jacobians(m, q), strict=True):
        J_v, J_w = J[:3], J[3:]
        M = M + body.inertia.m * (J_v.T @ J_v) + J_w.T @ I_c @ J_w
    return M


def armatures(m: Mechanism) -> Array:
    """(nv, nv) what the rotors add to M, a constant diagonal."""
    entries = [body.armature for body in m.bodies for _ in range(body.joint.nv)]
    return np.diag(array(entries)) if entries else np.zeros((0, 0))


def lagrange_coriolis(m: Mechanism, q: Array, qd: Array) -> Array:
    """C of M qdd + C = Q from the Jacobians of the links and their rates, O(n²). Gravity is not in it.

    Liu & Jain eq 45 and 59:

        C = Σ_k (J_kᵀ M_ck dJ_k/dt + J_kᵀ [ω̃_k] M_ck J_k) qd

    evaluated from the right. Eq 46 derives it from Newton and Euler, so it also holds where qd is not dq/dt.

    Args:
        m: As in `lagrange_mass_matrix`.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nv,) the same as `wt.coriolis_force`, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.lagrange_coriolis(m, [0.3, 0.5], [1.0, 2.0]).round(3)
    array([-1.918,  0.24 ])
    """
    C = np.zeros(m.nv)
    J, Jd, moments = link_jacobians(m, q), link_jacobian_rates(m, q, qd), link_moments(m, q)
    for k, body in enumerate(m.bodies):
        w, bias = J[k, 3:] @ qd, Jd[k] @ qd
        I_c = moments[k]
        C = C + J[k, :3].T @ (body.inertia.m * bias[:3])
        C = C + J[k, 3:].T @ (I_c @ bias[3:] + cross(w, I_c @ w))
    return C


def lagrange_gravity(m: Mechanism, q: Array) -> Array:
    """Generalized force of gravity, Q = Σ_k J_vkᵀ m_k g (Liu & Jain eq 48).

    Args:
        m: As in `lagrange_mass_matrix`.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv,) what gravity does, N m or N: the opposite of `wt.gravity_force`, which holds against it.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.lagrange_gravity(m, [0.3, 0.5]).round(3)
    array([-7.867, -3.519])
    """
    g = array(m.gravity)
    Q = np.zeros(m.nv)
    for body, J in zip(m.bodies, link_jacobians(m, q), strict=True):
        Q = Q + J[:3].T @ (body.inertia.m * g)
    return Q
