"""Forces, energy and momentum as linear functions of the inertial parameters (Atkeson, An & Hollerbach 1986).

A body's inertia is linear in ten numbers: mass, first moment m c and the rotational inertia about the origin
of its frame. So is all that inertias cause. A column of a regressor is what a body of one unit of one of
them, and nothing else, would cause.
"""

from typing import Any

import numpy as np

from ..dynamics.force_laws.joint_law import SLIP_SPEED
from ..dynamics.kinematics import body_velocities, world_transforms
from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, Inertia, Transform, array, cross_force, cross_motion
from .body_parameters import INERTIAL, OF_JOINT

UNITS = [Inertia.from_parts(u[0], u[1:4], u[4:]) for u in np.eye(len(INERTIAL))]
"""Bodies of one unit of each parameter."""


def regressor(m: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """Y with tau = Y π: joint forces that cause accelerations, against inertia and the friction of joints.

    Atkeson, An & Hollerbach, Int. J. Robotics Research 5(3), 1986, in spatial notation: body i takes the
    force I a + v ×* I v (RBDA 5.14), which all joints that carry it feel. With π of `regressor_values` it is
    `rnea` and what damping and friction of the joints take; springs, stops and loads are not in it.

    Args:
        m: A tree; loops and gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².

    Returns:
        (nv, 13 nb): for each body, as `regressor_names` tells, ten inertial parameters, armature, damping and
        friction of its joint.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> Y = wt.regressor(m, [0.3, 0.5], [1.0, 2.0], [0.4, 0.7])
    >>> (Y @ wt.regressor_values(m) - wt.rnea(m, [0.3, 0.5], [1.0, 2.0], [0.4, 0.7])).round(12)
    array([0., 0.])
    """
    g = np.concatenate([np.zeros(3), array(m.gravity)])
    v, a = [np.zeros(6)] * (len(m) + 1), [np.zeros(6)] * len(m) + [-g]
    X: list[Transform] = []
    S: list[Array] = []
    Y = np.zeros((m.nv, len(m), len(INERTIAL) + len(OF_JOINT)), dtype=object)
    for i in range(len(m)):
        X_i, S_i, vJ, cJ = jcalc(m, i, q, qd)
        index, above = m.v_index[i], m.parents[i]
        v[i] = X_i @ v[above] + vJ
        a[i] = X_i @ a[above] + S_i @ qdd[index] + cJ + cross_motion(v[i], vJ)
        X.append(X_i)
        S.append(S_i)
        F = array([unit @ a[i] + cross_force(v[i], unit @ v[i]) for unit in UNITS]).T
        j = i
        while j != -1:
            Y[m.v_index[j], i, : len(UNITS)] = S[j].T @ F
            F = X[j].T @ F
            j = m.parents[j]
        slip = qd[index] / np.sqrt(qd[index] * qd[index] + SLIP_SPEED * SLIP_SPEED)
        Y[index, i, len(UNITS) :] = array([qdd[index], qd[index], slip]).T
    return array(Y.reshape(m.nv, -1).tolist()).reshape(m.nv, -1)


def energy_regressor(m: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """Rows y with y · π the kinetic energy, and the potential energy of gravity.

    Args:
        m: A mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        Two rows (13 nb,), for parameters as in `regressor`; energies in J.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> kinetic, potential = wt.energy_regressor(m, [0.3, 0.5], [1.0, 2.0])
    >>> [round(float(row @ wt.regressor_values(m)), 6) for row in (kinetic, potential)]
    [3.483041, -17.475123]
    """
    g = array(m.gravity)
    kinetic: list[Any] = []
    potential: list[Any] = []
    for i, (v, X) in enumerate(zip(body_velocities(m, q, qd), world_transforms(m, q)[:-1], strict=True)):
        qd_i = qd[m.v_index[i]]
        kinetic += [0.5 * (v @ (unit @ v)) for unit in UNITS]
        kinetic += [0.5 * (qd_i @ qd_i), 0.0, 0.0]
        potential += [-(g @ X.r), *(-(X.E @ g)), *[0.0] * 9]
    return array(kinetic), array(potential)


def momentum_regressor(m: Mechanism, q: Array, qd: Array) -> Array:
    """Y with h = Y π, the momentum of the whole mechanism about the world's origin.

    Args:
        m: A mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (6, 13 nb), for parameters as in `regressor`; angular rows first, in the world's axes.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> (wt.momentum_regressor(m, [0.0], [2.0]) @ wt.regressor_values(m))[3:]
    array([-1.,  0.,  0.])
    """
    rows: list[Array] = []
    for v, X in zip(body_velocities(m, q, qd), world_transforms(m, q)[:-1], strict=True):
        rows += [*(X.T @ array([unit @ v for unit in UNITS]).T).T, *[np.zeros(6)] * len(OF_JOINT)]
    return array(rows).T if rows else np.zeros((6, 0))
