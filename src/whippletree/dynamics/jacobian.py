"""Jacobians of frames and their rates (RBDA 2.18, 2.57, 4.6)."""

import numpy as np

from ..model.force import Reference
from ..model.jcalc import jcalc, jpos
from ..model.mechanism import Mechanism
from ..spatial import Array, Transform, array, cross_motion, rot
from .kinematics import frame_transform


def jacobian(m: Mechanism, q: Array, frame: str, reference: Reference = "body") -> Array:
    """J with v = J qd, v being the velocity of a frame or body. O(depth).

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 4.6: one column for each joint variable
    between the ground and the frame, zeros elsewhere.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        frame: Name of a frame or body.
        reference: "body", "world" or "aligned": the coordinates of v.

    Returns:
        (6, nv), angular rows first.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.jacobian(m, [0.0, 0.0], "tip", "aligned")[3]
    array([-2., -1.])
    """
    place = m.frame(frame)
    columns = [np.zeros(6)] * m.nv
    X = place.placement.transform()
    for i in reversed(m.support(m.body_number(place.body))):
        X_i, S = jpos(m, i, q)
        columns[m.v_index[i]] = list((X @ S).T)
        X = X @ X_i
    J = array(columns).T if columns else np.zeros((6, 0))
    return J if reference == "body" else reference_transform(X, reference).inverse_motion(J)


def jacobian_rate(m: Mechanism, q: Array, qd: Array, frame: str, reference: Reference = "body") -> Array:
    """dJ/dt of `jacobian` along the velocity qd. O(depth).

    By RBDA 2.45, a column fX_j S_j changes at the rate fX_j S̊_j + (v_j - v_f) × fX_j S_j, all in the
    frame's coordinates. For "body" and "world", J qdd + (dJ/dt) qd is the frame's spatial
    acceleration; for "aligned" it is the classical one.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        frame: Name of a frame or body.
        reference: "body", "world" or "aligned", as for `jacobian`.

    Returns:
        (6, nv), angular rows first.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.jacobian_rate(m, [0.0], [2.0], "tip", "aligned")[:, 0]
    array([0., 0., 0., 0., 0., 2.])
    """
    place = m.frame(frame)
    path = m.support(m.body_number(place.body))
    J, Jd = [np.zeros(6)] * m.nv, [np.zeros(6)] * m.nv
    X = place.placement.transform()
    behind = np.zeros(6)  # v_f - v_j in the frame's coordinates
    for i in reversed(path):
        X_i, S, vJ, _ = jcalc(m, i, q, qd)
        joint, q_i, qd_i = m.bodies[i].joint, q[m.q_index[i]], qd[m.v_index[i]]
        column = X @ S
        J[m.v_index[i]] = list(column.T)
        rate = X @ joint.motion_subspace_rate(q_i, qd_i) - cross_motion(behind, column)
        Jd[m.v_index[i]] = list(rate.T)
        behind = behind + X @ vJ
        X = X @ X_i
    J, Jd = (array(columns).T if columns else np.zeros((6, 0)) for columns in (J, Jd))
    if reference == "body":
        return Jd
    # `behind` has reached the ground: it is v_f itself, of which "aligned" keeps the turning only.
    v = behind if reference == "world" else np.concatenate([behind[:3], np.zeros(3)])
    return reference_transform(X, reference).inverse_motion(Jd + cross_motion(v, J))


def body_to_reference(m: Mechanism, q: Array, frame: str, v: Array, reference: Reference) -> Array:
    """A motion vector (6,) of a frame from the frame's own coordinates to those of a reference.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> v = wt.frame_velocity(m, [0.5], [1.0], "tip")
    >>> wt.dynamics.body_to_reference(m, [0.5], "tip", v, "aligned").round(3)[3:]
    array([-0.878,  0.   ,  0.479])
    """
    if reference == "body":
        return v
    return reference_transform(frame_transform(m, q, frame), reference).inverse_motion(v)


def reference_transform(X: Transform, reference: Reference) -> Transform:
    """The part of a world-to-frame transform that leads from the reference to the frame."""
    if reference == "world":
        return X
    return rot(X.E)  # "aligned"
