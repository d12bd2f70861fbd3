"""Coriolis forces from M(q) alone (Liu & Jain eq 14-17)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross
from .link_equations import link_moments
from .link_jacobians import link_jacobian_rates, link_jacobians


def mass_matrix_gradient(m: Mechanism, q: Array) -> Array:
    """∂M/∂q_j for every coordinate, in closed form, O(n⁴).

    With M = Σ_k J_kᵀ M_ck J_k, its derivative needs those of J_k and of I_ck. Where velocities are the
    rates of the coordinates, dJ/dt = Σ_j (∂J/∂q_j) qd_j, so that ∂J/∂q_j is the rate of J at unit speed
    of q_j alone; and ∂I_c/∂q_j = [j_j] I_c - I_c [j_j] by eq 38, j_j being the j-th column of J_ω.

    Neither a complex step nor the derivative of a record: the first takes real numbers only, the second
    symbols only. A closed form holds for numbers, complex steps and symbols alike, and it compiles.

    Args:
        m: A tree whose joint velocities are the rates of their coordinates; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv, nv, nv), entry [j] being ∂M/∂q_j.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.mass_matrix_gradient(m, [0.3, 0.5])[1, 0].round(3)
    array([-0.479, -0.24 ])
    """
    J, moments = link_jacobians(m, q), link_moments(m, q)
    gradient = []
    for j, unit in enumerate(np.eye(m.nv)):
        dJ = link_jacobian_rates(m, q, unit)
        half = np.zeros((m.nv, m.nv))
        for k, body in enumerate(m.bodies):
            turned = cross(J[k, 3:, j], moments[k] @ J[k, 3:])  # [j_j] I_c J_ω
            half = half + body.inertia.m * (dJ[k, :3].T @ J[k, :3])
            half = half + dJ[k, 3:].T @ moments[k] @ J[k, 3:] + J[k, 3:].T @ turned
        gradient.append(half + half.T)
    return array(gradient) if gradient else np.zeros((0, 0, 0))


def coriolis_from_mass_matrix(m: Mechanism, q: Array, qd: Array) -> Array:
    """C of M qdd + C = Q by Lagrange's equation, from how M changes with q and from nothing else.

    Liu & Jain eq 17: C = Ṁ qd - ½ (∂M/∂q qd)ᵀ qd, where
    Ṁ = Σ_j (∂M/∂q_j) qd_j, and column j of ∂M/∂q qd is (∂M/∂q_j) qd: the two differ.

    Args:
        m: A tree whose joint velocities are the rates of their coordinates; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nv,) the same as `wt.coriolis_force`, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.coriolis_from_mass_matrix(m, [0.3, 0.5], [1.0, 2.0]).round(3)
    array([-1.918,  0.24 ])
    """
    dM = mass_matrix_gradient(m, q)
    M_dot = np.zeros((m.nv, m.nv))
    for j in range(m.nv):
        M_dot = M_dot + dM[j] * qd[j]
    columns = [dM[j] @ qd for j in range(m.nv)]
    return M_dot @ qd - 0.5 * array([column @ qd for column in columns]) if columns else np.zeros(0)
