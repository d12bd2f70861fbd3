"""Kinetic and potential energy (RBDA 2.67)."""

from typing import Any

from ..model.mechanism import Mechanism
from ..spatial import Array, array
from .elastic import elastic_energy
from .kinematics import body_velocities, world_transforms


def kinetic_energy(m: Mechanism, q: Array, qd: Array) -> Any:
    """½ Σ v·I v over the bodies, and ½ armature qd² of the rotors.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        Scalar, J.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> float(wt.kinetic_energy(m, [0.0], [3.0]))
    1.5
    """
    total = 0.0
    for i, v in enumerate(body_velocities(m, q, qd)):
        qd_i = qd[m.v_index[i]]
        total = total + v @ (m.bodies[i].inertia @ v) + m.bodies[i].armature * (qd_i @ qd_i)
    return 0.5 * total


def potential_energy(m: Mechanism, q: Array) -> Any:
    """-Σ m g·c over the bodies, of gravity alone: springs have theirs in `elastic_energy`.

    It is zero for a mass at the height of the world's origin.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        Scalar, J.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> float(wt.potential_energy(m, [0.0]))
    -4.905
    """
    total = 0.0
    g = array(m.gravity)
    for body, X in zip(m.bodies, world_transforms(m, q)[:-1], strict=True):
        # m c in the world: the body's first moment turned, and its mass at the body's origin.
        total = total - g @ (X.E.T @ body.inertia.h + body.inertia.m * X.r)
    return total


def energy(m: Mechanism, q: Array, qd: Array) -> tuple[Any, Any]:
    """Kinetic and potential energy, that of gravity, springs and stops.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (kinetic, potential), J; see `kinetic_energy`, and `potential_energy` and `elastic_energy`, whose sum
        the second is.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> [float(part) for part in wt.energy(m, [0.0], [3.0])]
    [1.5, -4.905]
    """
    return kinetic_energy(m, q, qd), potential_energy(m, q) + elastic_energy(m, q)
