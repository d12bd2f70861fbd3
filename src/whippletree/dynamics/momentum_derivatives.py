"""Derivatives of the centre of mass and of the momentum about it (Singh, Russell & Wensing 2022)."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, array, cross, cross_force
from .kinematics import world_transforms
from .momentum import center_of_mass, momentum_matrix, total_mass
from .motion_changes import MotionChanges
from .per_body import per_body


def center_of_mass_derivative(m: Mechanism, q: Array) -> Array:
    """The derivative of `center_of_mass` with respect to positions; times qd it is its velocity. O(n).

    The momentum of a mechanism is its mass times the velocity of its centre of mass (RBDA §2.12).

    Args:
        m: The mechanism; its mass must not be zero.
        q: (nq,) joint positions, rad or m.

    Returns:
        (3, nv) in the world's axes, along the unit velocities of the joints.

    >>> import whippletree as wt
    >>> wt.center_of_mass_derivative(wt.examples.load("double-pendulum"), [0.0, 0.0])[0]
    array([-1.  , -0.25])
    """
    return momentum_matrix(m, q)[3:] / total_mass(m)


def centroidal_momentum_derivatives(m: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """The derivatives of the momentum about the centre of mass with respect to positions and velocities.

    h = Σ I v. If joint i moves along s, the bodies that it carries move along, and change their velocities by
    Ψ̇ of `MotionChanges`: h changes by s ×* h^c + I^c Ψ̇, of their momentum and inertia together. O(n).

    Args:
        m: The mechanism; its mass must not be zero.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        ∂h/∂q and ∂h/∂qd: (6, nv) each, angular rows first, in the world's axes; ∂h/∂q along the unit
        velocities of the joints. The last one is the `centroidal_momentum_matrix`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by_q, by_qd = wt.centroidal_momentum_derivatives(m, [0.3, 0.5], [1.0, 2.0])
    >>> by_q[1].round(3)
    array([ 0.  , -0.24])
    """
    n, lam, zero = len(m), m.parents, np.zeros(m.nv)
    X, S, v, a, Psi, h = per_body(n, 6)
    for i in range(n):
        X[i], S[i], v[i], _, Psi[i], *_ = MotionChanges.of(m, i, q, qd, zero, v[lam[i]], a[lam[i]])
        h[i] = m.bodies[i].inertia @ v[i]
    X0 = world_transforms(m, q)
    by_q, by_qd = [np.zeros(6)] * m.nv, [np.zeros(6)] * m.nv
    Ic = [body.inertia for body in m.bodies]
    for i in reversed(range(n)):
        by_q[m.v_index[i]] = list((X0[i].T @ (cross_force(S[i], h[i]) + Ic[i] @ Psi[i])).T)
        by_qd[m.v_index[i]] = list((X0[i].T @ (Ic[i] @ S[i])).T)
        if lam[i] != -1:
            h[lam[i]] = h[lam[i]] + X[i].T @ h[i]
            Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
    dq, dqd = (array(columns).T if columns else np.zeros((6, 0)) for columns in (by_q, by_qd))
    c, dc, p = center_of_mass(m, q), dqd[3:] / total_mass(m), dqd[3:] @ qd
    moment_q = dq[:3] - cross(dc, p) - cross(c, dq[3:])  # about the centre of mass, which moves
    return np.concatenate([moment_q, dq[3:]]), np.concatenate([dqd[:3] - cross(c, dqd[3:]), dqd[3:]])
