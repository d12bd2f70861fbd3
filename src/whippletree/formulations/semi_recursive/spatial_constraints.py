"""Reference-point coordinates in space, and what joints of any type ask of them.

Every body by itself, with six freedoms, and every joint of the tree a constraint between two of them: that
is a mechanism of free bodies in which all joints close loops. So C and C_q are the library's loop
constraints.
"""

import numpy as np

from ...errors import InputError, ModelError
from ...joints import Free
from ...joints.base import quaternion_fault
from ...loops.equations.constraints import constraint_error, constraint_jacobian
from ...model.mechanism import Mechanism
from ...spatial import Array, array, skew
from ...spatial.rotation import from_quaternion, to_quaternion
from .reference_frames import reference_frames


def spatial_coordinates(m: Mechanism, q: Array, points: Array | None = None) -> Array:
    """Reference points and orientations of all bodies, from joint coordinates.

    Args:
        m: A mechanism.
        q: (nq,) joint positions, rad or m.
        points: (nb, 3) reference points in body coordinates, m; the bodies' origins if None.

    Returns:
        (nb, 7) for each body R_i, m, and the unit quaternion w, x, y, z of its axes.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.semi_recursive.spatial_coordinates(m, [0.0, 0.0])[1]
    array([ 0.,  0., -1.,  1.,  0.,  0.,  0.])
    """
    rows = [np.concatenate([frame.R, to_quaternion(frame.A)]) for frame in reference_frames(m, q, points)]
    return array(rows) if rows else np.zeros((0, 7))


def spatial_constraints(m: Mechanism, poses: Array, points: Array | None = None) -> Array:
    """C(q): how far bodies in given poses are from what the joints of the tree allow.

    Args:
        m: A mechanism; its loops are left open.
        poses: (nb, 7) reference point, m, and unit quaternion w, x, y, z of each body.
        points: As in `spatial_coordinates`.

    Returns:
        (nc,) 6 - nv rows a joint, along the forces it can transmit, m and rad; zero where joints hold.

    >>> import numpy as np, whippletree as wt
    >>> sr, m = wt.formulations.semi_recursive, wt.examples.load("double-pendulum")
    >>> C = sr.spatial_constraints(m, sr.spatial_coordinates(m, [0.3, 0.5]))
    >>> C.shape, bool(np.max(np.abs(C)) < 1e-15)
    ((10,), True)
    """
    return constraint_error(taken_apart(m), _free_positions(m, poses, points))


def spatial_constraint_jacobian(m: Mechanism, poses: Array, points: Array | None = None) -> Array:
    """C_q of Ċ = C_q q̇, q̇ being the velocities (Ṙ_i, ω_i) in world axes, not rates of quaternions.

    Args:
        m, poses, points: As in `spatial_constraints`.

    Returns:
        (nc, 6 nb), for C = 0.

    >>> import numpy as np, whippletree as wt
    >>> sr, m, z = wt.formulations.semi_recursive, wt.examples.load("six-axis-arm"), np.arange(6) / 6
    >>> C_q = sr.spatial_constraint_jacobian(m, sr.spatial_coordinates(m, z))
    >>> C_q.shape, bool(np.allclose(C_q @ sr.velocity_transformation(m, z), 0.0, rtol=0, atol=1e-14))
    ((30, 36), True)
    """
    K = constraint_jacobian(taken_apart(m), _free_positions(m, poses, points))
    blocks = [np.zeros((len(K), 0))]
    for i, pose in enumerate(poses):
        A = from_quaternion(pose[3:])
        away = np.zeros(3) if points is None else A @ points[i]
        # The free joint's velocity: ω and the velocity Ṙ - ω × (R - r) of the origin, in body axes.
        to_free = np.block([[np.zeros((3, 3)), A.T], [A.T, A.T @ skew(away)]])
        blocks.append(K[:, 6 * i : 6 * i + 6] @ to_free)
    return np.concatenate(blocks, axis=1)


def taken_apart(m: Mechanism) -> Mechanism:
    """The bodies of m, all free, with the joints of its tree as loop joints between them."""
    apart = Mechanism(m.name, m.gravity)
    for body in m.bodies:
        apart.add_body(body.name, Free())
    for body in m.bodies:
        if body.joint.nv < 6:
            apart.add_loop(f"joint {body.joint_name}", body.joint, body.parent, body.name, body.placement)
    return apart


def joints_that_close(m: Mechanism) -> str | None:
    """Which joint cannot be a constraint between two bodies, and why, or None."""
    for body in m.bodies:
        joint = body.joint
        try:
            joint.position_at(joint.transform(joint.neutral()))
            joint.constraint_subspace(joint.neutral())
        except ModelError as error:
            return f"joint {body.joint_name!r} of {m.name!r}: {error}"
    return None


def _free_positions(m: Mechanism, poses: Array, points: Array | None) -> Array:
    """(7 nb,) positions of free joints: the bodies' origins, and their quaternions."""
    positions = [np.zeros(0)]
    for i, pose in enumerate(poses):
        R, p = pose[:3], pose[3:]
        fault = quaternion_fault(p) if poses.dtype.kind == "f" else None
        if fault is not None:
            raise InputError(f"poses[{i}], of body {m.bodies[i].name!r}: {fault}")
        positions += [R if points is None else R - from_quaternion(p) @ points[i], p]
    return np.concatenate(positions)
