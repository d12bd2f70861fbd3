"""Centre of mass, momentum, and the centroidal momentum matrix (RBDA §2.12, exercise 9.3)."""

from typing import Any

import numpy as np

from ..errors import SingularError
from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array, array, cross
from .kinematics import world_transforms


def total_mass(m: Mechanism) -> Any:
    """Mass of all bodies, kg.

    >>> import whippletree as wt
    >>> float(wt.total_mass(wt.examples.load("double-pendulum")))
    2.0
    """
    return sum((body.inertia.m for body in m.bodies), start=0.0)


def center_of_mass(m: Mechanism, q: Array) -> Array:
    """Centre of mass of the whole mechanism, in the world.

    Args:
        m: The mechanism; its mass must not be zero.
        q: (nq,) joint positions, rad or m.

    Returns:
        (3,) world coordinates, m.

    >>> import whippletree as wt
    >>> wt.center_of_mass(wt.examples.load("double-pendulum"), [0.0, 0.0])
    array([ 0.,  0., -1.])
    """
    mass = total_mass(m)
    if isinstance(mass, float) and mass == 0.0:
        raise SingularError(f"{m.name!r} has no mass, and so no centre of mass")
    moment = np.zeros(3)
    for body, X in zip(m.bodies, world_transforms(m, q)[:-1], strict=True):
        moment = moment + X.E.T @ body.inertia.h + body.inertia.m * X.r
    return moment / mass


def momentum(m: Mechanism, q: Array, qd: Array) -> Array:
    """Momentum of the whole mechanism, h = Σ I v (RBDA 2.61).

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (6,) angular momentum about the world's origin, kg m²/s, and linear momentum, kg m/s, in the
        world's axes.

    >>> import whippletree as wt
    >>> wt.momentum(wt.examples.load("pendulum"), [0.0], [2.0])[3:]
    array([-1.,  0.,  0.])
    """
    return momentum_matrix(m, q) @ qd


def momentum_matrix(m: Mechanism, q: Array) -> Array:
    """A with h = A qd, h being the momentum about the world's origin. O(n).

    Column by column the momentum of a subtree that moves as one rigid body, as in the
    composite-rigid-body algorithm (RBDA table 6.2).

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        (6, nv), angular rows first, in the world's axes.

    >>> import whippletree as wt
    >>> wt.momentum_matrix(wt.examples.load("double-pendulum"), [0.0, 0.0])[3]
    array([-2. , -0.5])
    """
    X0 = world_transforms(m, q)
    columns = [np.zeros(6)] * m.nv
    Ic = [body.inertia for body in m.bodies]
    for i in reversed(range(len(m))):
        X, S = jpos(m, i, q)
        columns[m.v_index[i]] = list((X0[i].T @ (Ic[i] @ S)).T)
        if m.parents[i] != -1:
            Ic[m.parents[i]] = Ic[m.parents[i]] + Ic[i].to_parent(X)
    return array(columns).T if columns else np.zeros((6, 0))


def centroidal_momentum_matrix(m: Mechanism, q: Array) -> Array:
    """A_G with h_G = A_G qd, h_G being the momentum about the centre of mass.

    Args:
        m: The mechanism; its mass must not be zero.
        q: (nq,) joint positions, rad or m.

    Returns:
        (6, nv), angular rows first, in the world's axes.

    >>> import whippletree as wt
    >>> wt.centroidal_momentum_matrix(wt.examples.load("pendulum"), [0.0])[1].round(4)
    array([0.0833])
    """
    A = momentum_matrix(m, q)
    return np.concatenate([A[:3] - cross(center_of_mass(m, q), A[3:]), A[3:]])
