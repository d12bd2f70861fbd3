"""Derivatives of kinetic and potential energy."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .gravity import gravity_force
from .motion_changes import MotionChanges
from .per_body import per_body


def kinetic_energy_derivatives(m: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """The derivatives of `kinetic_energy` with respect to positions and velocities, O(n).

    ½ Σ v·I v changes by the momentum h^c of the bodies that a joint carries times the change of their
    velocity, Ψ̇ of `MotionChanges` for its position and S for its velocity.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        ∂T/∂q (nv,), N m or N, along the unit velocities of the joints; and ∂T/∂qd = H qd (nv,), the joint
        momenta.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by_q, by_qd = wt.kinetic_energy_derivatives(m, [0.3, 0.5], [1.0, 2.0])
    >>> by_q.round(3), by_qd.round(3)
    (array([ 0.   , -0.719]), array([4.088, 1.439]))
    """
    n, lam, zero = len(m), m.parents, np.zeros(m.nv)
    X, S, v, a, Psi, h, by_q, by_qd = per_body(n, 8)
    for i in range(n):
        X[i], S[i], v[i], _, Psi[i], *_ = MotionChanges.of(m, i, q, qd, zero, v[lam[i]], a[lam[i]])
        h[i] = m.bodies[i].inertia @ v[i]
    for i in reversed(range(n)):
        by_q[i] = Psi[i].T @ h[i]
        by_qd[i] = S[i].T @ h[i] + m.bodies[i].armature * qd[m.v_index[i]]
        if lam[i] != -1:
            h[lam[i]] = h[lam[i]] + X[i].T @ h[i]
    none = np.zeros(0)
    return np.concatenate([none, *by_q[:n]]), np.concatenate([none, *by_qd[:n]])


def potential_energy_derivative(m: Mechanism, q: Array) -> Array:
    """The derivative of `potential_energy` with respect to positions: what holds against gravity. O(n).

    RBDA 5.12-5.13: forces that hold a mechanism still do the work that lifts it.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv,) N m or N, along the unit velocities of the joints; `gravity_force`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.potential_energy_derivative(m, [0.3, 0.5]).round(3)
    array([7.867, 3.519])
    """
    return gravity_force(m, q)
