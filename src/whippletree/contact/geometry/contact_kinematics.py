"""Gaps between shapes, contact frames, Jacobian and bias of contact velocities (RBDA §11.1, §11.3)."""

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.jacobian import jacobian
from ...dynamics.kinematics import body_accelerations, body_velocities, world_transforms
from ...model.mechanism import Mechanism
from ...spatial import Array, Placement, array, cross, skew
from .contact_pairs import contact_pairs
from .duals import moving, rates_of
from .touch import Pose, Touch, tangents


class ContactFrames(NamedTuple):
    """Where shapes may touch, and in which directions, one row a candidate; world coordinates.

    Attributes:
        gap: (nc,) distance along the normal, m; negative where they overlap.
        axes: (nc, 3, 3) rows n, t1, t2: the unit normal from b to a, and two tangents, right-handed; they
            turn with shape b as long as the normal does.
        point: (nc, 3) the contact point, m, midway between point_a and point_b, at which forces act.
        point_a, point_b: (nc, 3) the nearest points of either shape, m.
    """

    gap: Array
    axes: Array
    point: Array
    point_a: Array
    point_b: Array


def gaps(m: Mechanism, q: Array) -> Array:
    """Distances between the shapes that may touch, φ of RBDA §11.4.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nc,) along the normals, m, rows as in `candidates`; negative where shapes overlap.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> wt.contact.gaps(m, [0.35])
    array([0.25])
    """
    return _stacked([touch.gap for _, _, _, touch in _touches(m, _poses(m, q))], ())


def features(m: Mechanism, q: Array) -> Array:
    """(nc,) numbers for what the nearest points lie on: they change where one passes over an edge."""
    return _stacked([touch.feature for _, _, _, touch in _touches(m, _poses(m, q))], ())


def contact_frames(m: Mechanism, q: Array) -> ContactFrames:
    """Where shapes may touch: gaps, normals and tangents, points.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Translation(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("post", wt.Sphere(0.2))
    >>> m.add_contact("bounce", "skin", "post")
    >>> frames = wt.contact.contact_frames(m, [0.3, 0.0, 0.4])
    >>> frames.axes[0, 0], frames.point_b[0].round(12)
    (array([0.6, 0. , 0.8]), array([0.12, 0.  , 0.16]))
    """
    found = [(touch, _axes(touch, B)) for _, _, B, touch in _touches(m, _poses(m, q))]
    return ContactFrames(
        _stacked([touch.gap for touch, _ in found], ()),
        _stacked([axes for _, axes in found], (3, 3)),
        _stacked([_point(touch) for touch, _ in found], (3,)),
        _stacked([touch.point_a for touch, _ in found], (3,)),
        _stacked([touch.point_b for touch, _ in found], (3,)),
    )


def contact_jacobian(m: Mechanism, q: Array) -> Array:
    """The velocities of shapes against each other where they may touch: ζ = J qd.

    RBDA 11.24-11.27: row t = (J_a - J_b)ᵀ n with the spatial vector n = [C × n̂; n̂] through the contact
    point C, and likewise along the tangents.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nc, 3, nv): along n, t1 and t2 of `contact_frames`, a against b. The first is the rate of `gaps`.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("disc")
    >>> m.add_body("disc", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("rim", wt.Sphere(0.1), body="disc")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("roll", "rim", "floor")
    >>> wt.contact.contact_jacobian(m, [0, 0, 0.1, 1, 0, 0, 0])[0].round(12) + 0.0
    array([[ 0. ,  0. ,  0. ,  0. ,  0. ,  1. ],
           [ 0. , -0.1,  0. ,  1. ,  0. ,  0. ],
           [ 0.1,  0. ,  0. ,  0. ,  1. ,  0. ]])
    """
    carried: dict[int, Array] = {-1: np.zeros((6, m.nv))}
    rows = []
    for a, b, B, touch in _touches(m, _poses(m, q)):
        for body in {a, b} - carried.keys():
            carried[body] = jacobian(m, q, m.bodies[body].name, "world")
        point = _point(touch)
        wrenches = array([np.concatenate([cross(point, u), u]) for u in _axes(touch, B)])
        rows.append(wrenches @ (carried[a] - carried[b]))
    return _stacked(rows, (3, m.nv))


def contact_velocity(m: Mechanism, q: Array, qd: Array) -> Array:
    """ζ = J qd of `contact_jacobian`, without the matrix: O(n).

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nc, 3) of a against b, along n, t1 and t2, m/s. The first is the rate of the gap.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> wt.contact.contact_velocity(m, [0.35], [-2.0])
    array([[-2.,  0.,  0.]])
    """
    poses, (w, v) = _poses(m, q), _world_velocities(m, q, qd)
    rows = []
    for a, b, B, touch in _touches(m, poses):
        rows.append(_axes(touch, B) @ _slip(_point(touch), poses, w, v, a, b))
    return _stacked(rows, (3,))


def contact_bias(m: Mechanism, q: Array, qd: Array) -> Array:
    """What changes contact velocities without joint accelerations: dζ/dt = J qdd + bias, J̇ qd of RBDA 11.29.

    It holds the curvature of both surfaces, by which normal and contact point move (ṅ of RBDA 11.3, which is
    not zero even for a ball on a plane), and the joints' own velocity products. Along the normal it is the
    second derivative of the gap in a motion without joint accelerations.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        (nc, 3) along n, t1 and t2, m/s².

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Translation(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("post", wt.Sphere(0.2))
    >>> m.add_contact("bounce", "skin", "post")
    >>> wt.contact.contact_bias(m, [0.3, 0.0, 0.0], [0.0, 0.6, 0.0])[0, 0].round(12)  # v² / distance
    np.float64(1.2)
    """
    (w, v), accelerations = _world_velocities(m, q, qd), body_accelerations(m, q, qd, np.zeros(m.nv))
    poses = _poses(m, q)
    moving_poses = [poses[-1]] * len(poses)
    moving_w, moving_v = ([np.zeros(3)] * len(poses) for _ in range(2))
    for i, (R, p) in enumerate(poses[:-1]):
        turn, linear = R @ accelerations[i, :3], R @ accelerations[i, 3:] + cross(w[i], v[i])
        moving_poses[i] = Pose(moving(R, skew(w[i]) @ R), moving(p, v[i]))
        moving_w[i], moving_v[i] = moving(w[i], turn), moving(v[i], linear)
    rows = []
    for a, b, B, touch in _touches(m, moving_poses):
        slip = _slip(_point(touch), moving_poses, moving_w, moving_v, a, b)
        rows.append(rates_of(_axes(touch, B) @ slip))
    return _stacked(rows, (3,))


def _poses(m: Mechanism, q: Array) -> list[Pose]:
    """Of every body, and of the ground as the last."""
    return [Pose(X.E.T, X.r) for X in world_transforms(m, q)]


def _world_velocities(m: Mechanism, q: Array, qd: Array) -> tuple[list[Array], list[Array]]:
    """Of every body, and of the ground as the last: angular velocity, and velocity of its origin."""
    rotations = [pose.R for pose in _poses(m, q)[:-1]]
    both = list(zip(rotations, body_velocities(m, q, qd), strict=True))
    still = [np.zeros(3)]
    return [R @ v[:3] for R, v in both] + still, [R @ v[3:] for R, v in both] + still


def _touches(m: Mechanism, poses: list[Pose]) -> list[tuple[int, int, Pose, Touch]]:
    """The bodies a and b, the pose of shape b, and the geometry of each candidate."""
    found = []
    for _, a, b, function in contact_pairs(m):
        A, B = (_placed(poses[side.body], side.placement) for side in (a, b))
        found += [(a.body, b.body, B, touch) for touch in function(a.shape, A, b.shape, B)]
    return found


def _placed(pose: Pose, placement: Placement) -> Pose:
    return Pose(pose.R @ placement.rotation, pose.p + pose.R @ placement.position)


def _axes(touch: Touch, B: Pose) -> Array:
    return array([touch.normal, *tangents(touch.normal, B.R)])


def _point(touch: Touch) -> Array:
    return 0.5 * (touch.point_a + touch.point_b)


def _slip(point: Array, poses: list[Pose], w: list[Array], v: list[Array], a: int, b: int) -> Array:
    """The velocity of body a against body b at a point (3,) of the world."""
    return v[a] + cross(w[a], point - poses[a].p) - v[b] - cross(w[b], point - poses[b].p)


def _stacked(rows: list[Any], shape: tuple[int, ...]) -> Array:
    return array(rows) if rows else np.zeros((0, *shape))
