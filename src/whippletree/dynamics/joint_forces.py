"""The forces a joint can transmit, seen from the side of its constraints (RBDA §3.5)."""

from typing import NamedTuple

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, factor_spd


class JointForces(NamedTuple):
    """What a joint transmits, f = T_a τ + N λ, and what it demands, Nᵀ (a_s - a_p - c) = -K λ.

    Attributes:
        T_a: (6, nv) active force subspace, T_aᵀ S = 1.
        N: (6, 6) constraint forces T and beside them the force of the rotor, in body coordinates.
        K: (6, 6) diagonal, 0 for a constraint and 1 for a rotor.
    """

    T_a: Array
    N: Array
    K: Array


def joint_forces(m: Mechanism, i: int, q: Array, S: Array) -> JointForces:
    """The force subspaces of the joint that carries body i (RBDA 3.34-3.38), T_a = S (SᵀS)⁻¹.

    A rotor of inertia A takes -A qdd from the active force (9.28). With qdd = T_aᵀ (a_s - a_p - c) and
    λ = -√A qdd this is one more column √A T_a of force and one more equation √A qdd = -λ: a
    constraint that yields. It fades out with A, so that no joint needs to be told apart.
    """
    body = m.bodies[i]
    T = body.joint.constraint_subspace(q[m.q_index[i]])
    T_a = factor_spd(S.T @ S).solve(S.T).T
    N = np.concatenate([T, np.sqrt(body.armature) * T_a], axis=1)
    K = np.diag([0.0] * T.shape[1] + [1.0] * T_a.shape[1])
    return JointForces(T_a, N, K)
