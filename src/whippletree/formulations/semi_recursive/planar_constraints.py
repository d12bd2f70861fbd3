"""Reference-point coordinates of a planar mechanism, and what its joints ask of them (Yu et al. §2.1)."""

from typing import Any, NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, array
from ...spatial.rotation import angle_about
from .reference_frames import reference_frames

I_TILDE = np.array([[0.0, -1.0], [1.0, 0.0]])
"""Ĩ (3): a turn by a right angle."""


class PlanarJoint(NamedTuple):
    """A revolute or prismatic joint between two bodies of the plane.

    Attributes:
        parent: Number of the body before, -1 for the ground.
        slides: Whether it is prismatic.
        at_parent: (2,) P or Q from the parent's reference point, in the parent's axes, m.
        at_child: (2,) P or S from the child's reference point, in the child's axes, m.
        h: (2,) its direction, in the parent's axes.
        theta_c: Angle between the two bodies' axes at z = 0, rad.
    """

    parent: int
    slides: bool
    at_parent: Array
    at_child: Array
    h: Array
    theta_c: float


def planar_coordinates(m: Mechanism, q: Array, points: Array | None = None) -> Array:
    """q(z): reference points and angles of all bodies, from joint coordinates.

    Yu et al., eq 1, 10, 15 and 19.

    Args:
        m: A mechanism in the x-y plane, of revolute and prismatic joints.
        q: (nq,) joint positions, rad or m; z of the paper.
        points: (nb, 3) reference points in body coordinates, m; the bodies' origins if None.

    Returns:
        (nb, 3) for each body R_i, x and y, m, and θ_i, rad, which counts full turns.

    >>> import whippletree as wt
    >>> m = wt.examples.load("quick-return-rocker")
    >>> wt.formulations.semi_recursive.planar_coordinates(m, m.neutral())[:2]
    array([[ 0.  , -0.36,  0.  ],
           [ 0.16,  0.12,  0.  ]])
    """
    coordinates = []
    for frame, joint, body, index in zip(
        reference_frames(m, q, points), planar_joints(m, points), m.bodies, m.q_index, strict=True
    ):
        axis = body.joint.on_axis()
        turn = 0.0 if joint.slides or axis is None else axis.axis[2] * q[index][0]
        before = 0.0 if joint.parent == -1 else coordinates[joint.parent][2]
        coordinates.append([frame.R[0], frame.R[1], before + joint.theta_c + turn])
    return array(coordinates) if coordinates else np.zeros((0, 3))


def planar_constraints(m: Mechanism, coordinates: Array, points: Array | None = None) -> Array:
    """C(q): how far reference-point coordinates are from what the joints of the tree allow.

    Yu et al., eq 2. A revolute joint has the two rows R_i + u_i^P - R_p - u_p^P; a prismatic one has
    θ_i - θ_p - θ_c and (Ĩ h_p)ᵀ (R_p + u^Q - R_i - u^S), h_p being fixed in the body before, p.

    Args:
        m, points: As in `planar_coordinates`; loops are left open.
        coordinates: (nb, 3) R_i and θ_i of each body, m and rad.

    Returns:
        (2 nb,) two rows a joint, m and rad.

    >>> import numpy as np, whippletree as wt
    >>> sr, m = wt.formulations.semi_recursive, wt.examples.load("quick-return-rocker")
    >>> q = sr.planar_coordinates(m, [0.3, 0.1, -0.4, 0.2, 0.5])
    >>> bool(np.max(np.abs(sr.planar_constraints(m, q))) < 1e-15)
    True
    """
    C = [np.zeros(0)]
    for i, joint in enumerate(planar_joints(m, points)):
        R_p, theta_p, u_p, h = _side(coordinates, joint.parent, joint)
        R, theta, u = coordinates[i][:2], coordinates[i][2], turned(coordinates[i][2], joint.at_child)
        if joint.slides:
            C.append(array([theta - theta_p - joint.theta_c, (I_TILDE @ h) @ (R_p + u_p - R - u)]))
        else:
            C.append(R + u - R_p - u_p)
    return np.concatenate(C)


def planar_constraint_jacobian(m: Mechanism, coordinates: Array, points: Array | None = None) -> Array:
    """C_q: the derivative of `planar_constraints` by the coordinates.

    Yu et al., eq 5 and A.1, in whose third row u^P stands for u^Q.

    Args:
        m, coordinates, points: As in `planar_constraints`.

    Returns:
        (2 nb, 3 nb).

    >>> import numpy as np, whippletree as wt
    >>> sr, m, z = wt.formulations.semi_recursive, wt.examples.load("quick-return-rocker"), np.arange(5) / 5
    >>> C_q = sr.planar_constraint_jacobian(m, sr.planar_coordinates(m, z))
    >>> V = sr.velocity_transformation(m, z)[sr.planar_rows(m)]
    >>> C_q.shape, bool(np.allclose(C_q @ V, 0.0, rtol=0, atol=1e-15))
    ((10, 15), True)
    """
    rows = []
    for i, joint in enumerate(planar_joints(m, points)):
        R_p, _, u_p, h = _side(coordinates, joint.parent, joint)
        R, u = coordinates[i][:2], turned(coordinates[i][2], joint.at_child)
        if joint.slides:
            parent = [[0.0, 0.0, -1.0], [*(-h @ I_TILDE), -h @ (R_p - R - u)]]
            child = [[0.0, 0.0, 1.0], [*(h @ I_TILDE), -h @ u]]
        else:
            parent = [[-1.0, 0.0, -(I_TILDE @ u_p)[0]], [0.0, -1.0, -(I_TILDE @ u_p)[1]]]
            child = [[1.0, 0.0, (I_TILDE @ u)[0]], [0.0, 1.0, (I_TILDE @ u)[1]]]
        for of_parent, of_child in zip(parent, child, strict=True):
            row = [0.0] * (3 * len(m))
            if joint.parent != -1:
                row[3 * joint.parent : 3 * joint.parent + 3] = of_parent
            row[3 * i : 3 * i + 3] = of_child
            rows.append(row)
    return array(rows) if rows else np.zeros((0, 0))


def planar_joints(m: Mechanism, points: Array | None) -> list[PlanarJoint]:
    """The joints of the tree, for given reference points (nb, 3)."""
    joints = []
    for i, (body, parent) in enumerate(zip(m.bodies, m.parents, strict=True)):
        axis = body.joint.on_axis()
        place = body.placement
        own, before = (np.zeros(3) if points is None or k == -1 else points[k] for k in (i, parent))
        h = place.rotation @ np.array((0.0, 0.0, 0.0) if axis is None else axis.axis)
        angle = angle_about(np.array([0.0, 0.0, 1.0]), place.rotation)
        slides = axis is not None and axis.screw_pitch == np.inf
        joints.append(PlanarJoint(parent, slides, (place.position - before)[:2], -own[:2], h[:2], angle))
    return joints


def only_pins_and_slides(m: Mechanism) -> str | None:
    """Which joint is neither revolute nor prismatic, or has its z axis along -z of the world; or None."""
    for body in m.bodies:
        axis = body.joint.on_axis()
        if axis is None or axis.screw_pitch not in (0.0, np.inf):
            return (
                f"joint {body.joint_name!r} of {m.name!r} is {body.joint!r}; planar constraints are those "
                "of revolute and prismatic joints: spatial_constraints takes any joint"
            )
        if body.placement.rotation[2, 2] < 0.0:
            return (
                f"joint {body.joint_name!r} of {m.name!r} has its z axis along -z of the body before: turn "
                "its placement round, as angles of the plane are counted about z"
            )
    return None


def _side(coordinates: Array, parent: int, joint: PlanarJoint) -> tuple[Array, Any, Array, Array]:
    """R_p, θ_p, u_p and h of the body before, in world axes."""
    if parent == -1:
        return np.zeros(2), 0.0, joint.at_parent, joint.h
    theta = coordinates[parent][2]
    return coordinates[parent][:2], theta, turned(theta, joint.at_parent), turned(theta, joint.h)


def turned(theta: Any, u: Array) -> Array:
    """A(θ) u."""
    return np.cos(theta) * u + np.sin(theta) * (I_TILDE @ u)
