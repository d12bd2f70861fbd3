"""Where the bodies are and how they move (RBDA examples 4.3-4.4, §2.11)."""

from typing import Any

import numpy as np

from ..model.jcalc import jcalc, jpos
from ..model.mechanism import Mechanism
from ..spatial import Array, Transform, array, classical_acceleration, cross_motion, identity
from .per_body import per_body


def world_transforms(m: Mechanism, q: Array) -> list[Transform]:
    """Transform from world to body coordinates, for each body; the last one, -1, is the ground's."""
    X: list[Any] = [identity()] * (len(m) + 1)
    for i, parent in enumerate(m.parents):
        X[i] = jpos(m, i, q)[0] @ X[parent] if parent != -1 else jpos(m, i, q)[0]
    return X


def frame_transform(m: Mechanism, q: Array, frame: str) -> Transform:
    """Transform from world coordinates to those of a frame or body, O(depth)."""
    place = m.frame(frame)
    X = place.placement.transform()
    for i in reversed(m.support(m.body_number(place.body))):
        X = X @ jpos(m, i, q)[0]
    return X


def forward_kinematics(m: Mechanism, q: Array) -> Array:
    """Poses of all bodies in the world.

    RBDA example 4.3.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nb, 4, 4) homogeneous matrices from body to world coordinates: rotation and origin, m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.forward_kinematics(m, [0.5, 0.0])[1, :3, 3].round(3)
    array([-0.479,  0.   , -0.878])
    """
    poses = [X.homogeneous() for X in world_transforms(m, q)[:-1]]
    return array(poses) if poses else np.zeros((0, 4, 4))


def frame_pose(m: Mechanism, q: Array, frame: str) -> Array:
    """Pose of a frame, or of a body, in the world.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        frame: Name of a frame or body.

    Returns:
        (4, 4) homogeneous matrix from frame to world coordinates.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.frame_pose(m, [0.0], "tip")[:3, 3]
    array([ 0.,  0., -1.])
    """
    return frame_transform(m, q, frame).homogeneous()


def body_velocities(m: Mechanism, q: Array, qd: Array) -> Array:
    """Spatial velocities of all bodies (RBDA example 4.4, eq 5.14).

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nb, 6) in body coordinates, (rad/s, m/s).

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.body_velocities(m, [0.0, 0.0], [2.0, 1.0])[1]
    array([ 0.,  3.,  0., -2.,  0.,  0.])
    """
    v, _ = _motion(m, q, qd, np.zeros(m.nv))
    return _stack(v)


def body_accelerations(m: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """Spatial accelerations of all bodies (RBDA 5.15, without the offset for gravity).

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².

    Returns:
        (nb, 6) in body coordinates, (rad/s², m/s²). They are spatial: the linear part is not the
        acceleration of a point. `frame_acceleration` gives that one.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.body_accelerations(m, [0.3], [2.0], [5.0])[0]
    array([0., 5., 0., 0., 0., 0.])
    """
    _, a = _motion(m, q, qd, qdd)
    return _stack(a)


def frame_velocity(m: Mechanism, q: Array, qd: Array, frame: str) -> Array:
    """Velocity of a frame or body, in its own axes and at its own origin.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        frame: Name of a frame or body.

    Returns:
        (6,) in the frame's coordinates, (rad/s, m/s). In world axes it is `jacobian(…, "aligned") @ qd`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.frame_velocity(m, [0.3], [2.0], "tip")
    array([ 0.,  2.,  0., -2.,  0.,  0.])
    >>> (wt.jacobian(m, [0.3], "tip", "aligned") @ [2.0]).round(3)
    array([ 0.   ,  2.   ,  0.   , -1.911,  0.   ,  0.591])
    """
    place = m.frame(frame)
    v, _ = _motion(m, q, qd, np.zeros(m.nv))
    return place.placement.transform() @ v[m.body_number(place.body)]


def frame_acceleration(m: Mechanism, q: Array, qd: Array, qdd: Array, frame: str) -> Array:
    """Angular acceleration of a frame or body and the acceleration of its origin.

    RBDA 2.48: the classical acceleration [ω̇; r̈], without gravity. The spatial one has r̈ - ω × ṙ.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        frame: Name of a frame or body.

    Returns:
        (6,) in the frame's coordinates, (rad/s², m/s²).

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.frame_acceleration(m, [0.3], [2.0], [0.0], "tip")
    array([0., 0., 0., 0., 0., 4.])
    """
    place = m.frame(frame)
    X, i = place.placement.transform(), m.body_number(place.body)
    v, a = _motion(m, q, qd, qdd)
    return classical_acceleration(X @ a[i], X @ v[i])


def _motion(m: Mechanism, q: Array, qd: Array, qdd: Array) -> tuple[list[Array], list[Array]]:
    """Velocities and spatial accelerations of all bodies, in body coordinates; the ground's is last."""
    v, a = per_body(len(m), 2)
    for i, parent in enumerate(m.parents):
        X, S, vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X @ v[parent] + vJ
        a[i] = X @ a[parent] + S @ qdd[m.v_index[i]] + cJ + cross_motion(v[i], vJ)
    return v, a


def _stack(vectors: list[Array]) -> Array:
    """(nb, 6) from a slot per body and one for the ground."""
    return array(vectors[:-1]) if len(vectors) > 1 else np.zeros((0, 6))
