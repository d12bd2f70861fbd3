"""Forces where shapes touch, as forces on the bodies."""

from typing import Any

import numpy as np

from ...dynamics.kinematics import world_transforms
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross
from .contact_kinematics import contact_frames
from .contact_pairs import candidates


def contact_wrenches(m: Mechanism, q: Array, forces: Array) -> Array:
    """Forces at the contact points as forces on the bodies: what `f_ext` takes (RBDA 11.1).

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.
        forces: (nc, 3) on a, and the opposite on b, along n, t1 and t2 of `contact_frames`, N.

    Returns:
        (nb, 6) moments, N m, and forces, N, in body coordinates.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> wt.contact.contact_wrenches(m, [0, 0, 0.1, 1, 0, 0, 0], np.array([[5.0, 2.0, 0.0]])).round(12) + 0.0
    array([[ 0. , -0.2,  0. ,  2. ,  0. ,  5. ]])
    """
    frames = contact_frames(m, q)
    total: list[Any] = [np.zeros(6)] * len(m)
    poses = world_transforms(m, q)
    for i, row in enumerate(candidates(m)):
        force = frames.axes[i].T @ forces[i]
        for side, sign in ((row.a, 1.0), (row.b, -1.0)):
            if side.body >= 0:
                X = poses[side.body]
                own = sign * (X.E @ force)
                moment = cross(X.E @ (frames.point[i] - X.r), own)
                total[side.body] = total[side.body] + np.concatenate([moment, own])
    return array(total) if total else np.zeros((0, 6))
