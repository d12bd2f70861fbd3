"""Inverse dynamics by 3-D vectors: the original recursive Newton-Euler algorithm."""

from typing import Any

import numpy as np

from ..model.jcalc import jcalc
from ..model.mechanism import Mechanism
from ..spatial import Array, Inertia, array, cross
from ..spatial.rotate import symmetric
from .per_body import per_body


def newton_euler(m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None) -> Array:
    """Joint forces that cause accelerations, O(n), linear velocities never formed; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.2, extended from revolute joints to
    all. w and wd are angular velocity and acceleration, a the classical acceleration of the body
    frame's origin. The point x of a body accelerates by a + Ω x with Ω = ẇ× + w× w×, so that with
    mass M, first moment h = ∫ x dm and second moment J = ∫ x xᵀ dm

        force = ∫ (a + Ω x) dm = M a + Ω h
        moment = ∫ x × (a + Ω x) dm = h × a + the axial vector of Ω J

    It is the same answer as `rnea` gives by spatial vectors, for fewer operations.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint forces, N m or N, of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.dynamics.newton_euler(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([7.867, 3.519])
    """
    n, lam = len(m), m.parents
    X, S, f, tau = per_body(n, 4)
    w, wd, a = ([np.zeros(3)] * (n + 1) for _ in range(3))
    Omega = [np.zeros((3, 3))] * (n + 1)
    a[-1] = -np.array(m.gravity)

    for i in range(n):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        aJ = S[i] @ qdd[m.v_index[i]] + cJ
        w_lam = X[i].rotate(w[lam[i]])
        w[i] = w_lam + vJ[:3]
        wd[i] = X[i].rotate(wd[lam[i]]) + aJ[:3] + cross(w_lam, vJ[:3])
        # A sliding joint adds its own motion and, turning with both bodies, the Coriolis part.
        a[i] = X[i].rotate(a[lam[i]] + Omega[lam[i]] @ X[i].r) + aJ[3:] + cross(w_lam + w[i], vJ[3:])
        Omega[i] = _field(w[i], wd[i])
        f[i] = _inertial_force(m.bodies[i].inertia, a[i], Omega[i])
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]

    for i in reversed(range(n)):
        tau[i] = S[i].T @ f[i] + m.bodies[i].armature * qdd[m.v_index[i]]
        if lam[i] != -1:
            f[lam[i]] = f[lam[i]] + X[i].T @ f[i]
    return np.concatenate([np.zeros(0), *tau[:n]])


def newton_euler_bias(m: Mechanism, q: Array, qd: Array, f_ext: Array | None = None) -> Array:
    """(nv,) `bias_force` by the same road: the joint forces at which nothing accelerates."""
    return newton_euler(m, q, qd, np.zeros(m.nv), f_ext)


def _field(w: Array, wd: Array) -> Array:
    """(3, 3) Ω = ẇ× + w× w×, the gradient of the acceleration over the body. 6m + 9a."""
    (x, y, z), (xd, yd, zd) = w, wd
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return array(
        [
            [-(yy + zz), xy - zd, xz + yd],
            [xy + zd, -(xx + zz), yz - xd],
            [xz - yd, yz + xd, -(xx + yy)],
        ]
    )


def _inertial_force(inertia: Inertia, a: Array, Omega: Array) -> Array:
    """(6,) moment and force of all parts of a body that accelerate by a + Ω x. 33m + 30a."""
    M, h, I = inertia.m, inertia.h, symmetric(inertia.I)
    # The diagonal of J = ½ tr(I) 1 - I, of which two entries are equal in size where one of I is zero.
    J = [0.5 * (I[i - 2, i - 2] + I[i - 1, i - 1] - I[i, i]) for i in range(3)]
    moment: list[Any] = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        # (Ω J)[j, i] - (Ω J)[i, j], the diagonal of J first.
        twist = Omega[j, i] * J[i] - Omega[i, j] * J[j]
        shear = (Omega[i, i] - Omega[j, j]) * I[i, j] - Omega[j, k] * I[k, i] + Omega[i, k] * I[k, j]
        moment.append(twist + shear)
    return np.concatenate([array(moment) + cross(h, a), M * a + Omega @ h])
