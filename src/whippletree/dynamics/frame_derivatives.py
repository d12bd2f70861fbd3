"""Derivatives of the pose, velocity and acceleration of a frame (Singh, Russell & Wensing 2022)."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, array, cross, cross_motion
from ..spatial.vectors import skew
from .jacobian import jacobian
from .kinematics import frame_pose
from .motion_changes import MotionChanges
from .per_body import per_body


def frame_pose_derivative(m: Mechanism, q: Array, frame: str) -> Array:
    """The derivative of `frame_pose` with respect to positions.

    A frame that moves by s in its own coordinates changes its pose T by T [s_ω×, s_v; 0, 0] (RBDA 2.18).
    `jacobian` has the s, six numbers for each direction instead of sixteen.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        frame: Name of a frame or body.

    Returns:
        (4, 4, nv) the change of the homogeneous matrix along each unit velocity of the joints.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.frame_pose_derivative(m, [0.0], "tip")[:3, 3, 0]
    array([-1.,  0.,  0.])
    """
    T = frame_pose(m, q, frame)
    columns = [
        np.concatenate([T[:, :3] @ skew(s[:3]), (T[:, :3] @ s[3:])[:, None]], axis=1)
        for s in jacobian(m, q, frame).T
    ]
    return np.stack(columns, axis=-1) if columns else np.zeros((4, 4, 0))


def frame_velocity_derivatives(m: Mechanism, q: Array, qd: Array, frame: str) -> tuple[Array, Array]:
    """The derivatives of `frame_velocity` with respect to positions and velocities, O(depth).

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        frame: Name of a frame or body.

    Returns:
        ∂v/∂q and ∂v/∂qd: (6, nv) each, in the frame's coordinates; ∂v/∂q along the unit velocities of the
        joints, as `wt.derivative` tells. The last one is the `jacobian`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by_q, by_qd = wt.frame_velocity_derivatives(m, [0.3, 0.5], [1.0, 2.0], "tip")
    >>> by_q[3:].round(3)
    array([[ 0.   ,  0.479],
           [ 0.   ,  0.   ],
           [ 0.   , -0.878]])
    """
    _, _, Psi, _, S, _ = _changes(m, q, qd, np.zeros(m.nv), frame)
    return Psi, S


def frame_acceleration_derivatives(
    m: Mechanism, q: Array, qd: Array, qdd: Array, frame: str
) -> tuple[Array, Array, Array]:
    """The derivatives of `frame_acceleration` with respect to positions, velocities and accelerations.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        frame: Name of a frame or body.

    Returns:
        ∂a/∂q, ∂a/∂qd, ∂a/∂qdd: (6, nv) each, of the classical acceleration [ω̇; r̈] in the frame's
        coordinates; ∂a/∂q along the unit velocities of the joints, as `wt.derivative` tells.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> by_q, by_qd, by_qdd = wt.frame_acceleration_derivatives(m, [0.3], [2.0], [0.0], "tip")
    >>> by_qd[:, 0]
    array([0., 0., 0., 0., 0., 4.])
    """
    v, _, Psi, A, S, B = _changes(m, q, qd, qdd, frame)
    by_q, by_qd = (_classical(v, by + cross_motion(dv, v), dv) for by, dv in ((A, Psi), (B, S)))
    return by_q, by_qd, S


def _changes(m: Mechanism, q: Array, qd: Array, qdd: Array, frame: str) -> tuple[Array, ...]:
    """v, a (6,) of a frame and Ψ̇, A, S, B (6, nv) of all joints, in the frame's coordinates."""
    place, zero = m.frame(frame), [np.zeros(6)]
    body = m.body_number(place.body)
    path = m.support(body)
    v, a = per_body(len(m), 2)
    changes: dict[int, MotionChanges] = {}
    for i in path:
        changes[i] = MotionChanges.of(m, i, q, qd, qdd, v[m.parents[i]], a[m.parents[i]])
        v[i], a[i] = changes[i].v, changes[i].a
    columns = [zero * m.nv for _ in range(4)]
    X = place.placement.transform()
    v_f, a_f = X @ v[body], X @ a[body]
    for i in reversed(path):
        of = changes[i]
        for rows, part in zip(columns, (of.Psi, of.A, of.S, of.B), strict=True):
            rows[m.v_index[i]] = list((X @ part).T)
        X = X @ of.X
    return v_f, a_f, *(array(rows).T if rows else np.zeros((6, 0)) for rows in columns)


def _classical(v: Array, da: Array, dv: Array) -> Array:
    """The change of [ω̇; r̈], given those of the spatial acceleration and of the velocity (RBDA 2.48)."""
    more = cross(dv[:3], v[3:]) + cross(v[:3], dv[3:])
    return da + np.concatenate([np.zeros(more.shape), more])
