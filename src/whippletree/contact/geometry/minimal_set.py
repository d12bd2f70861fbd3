"""Minimal sets of contacts: without those that others make superfluous (RBDA §11.6)."""

from collections.abc import Sequence

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, cross
from .contact_kinematics import contact_frames
from .contact_pairs import candidates

DEPENDENT = 1e-9
"""A unit vector within this distance of a combination of others depends on them."""


def minimal_contacts(m: Mechanism, q: Array, rows: Sequence[int], tolerance: float = DEPENDENT) -> list[int]:
    """Those of the given contacts that suffice: the others hold back nothing that these do not.

    RBDA §11.6: a contact is superfluous if its spatial normal n = [C × n̂; n̂] is a sum of positive multiples
    of those of other contacts between the same two bodies. For a polygon on a plane the corners of its hull
    are left, for an edge its two ends. It is so without friction; with friction the same normal forces can
    be borne, and tangential ones as well, where all contacts have one friction coefficient and one plane.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.
        rows: Rows of `candidates` that touch.
        tolerance: Distance of a unit vector from the combination of others below which it depends on them.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("tin")
    >>> m.add_body("tin", wt.Free(), inertia=wt.Inertia.cylinder(0.3, 1.0, mass=2.0))
    >>> m.add_shape("rim", wt.Cylinder(0.3, 1.0), body="tin")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("rest", "rim", "floor")
    >>> wt.contact.minimal_contacts(m, np.array([0, 0, 0.5, 1, 0, 0, 0]), [0, 1, 2, 3])
    [1, 2, 3]
    """
    frames, sides = contact_frames(m, q), candidates(m)
    groups: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        groups.setdefault((sides[row].a.body, sides[row].b.body), []).append(row)
    kept = []
    for group in groups.values():
        points, normals = frames.point[group], frames.axes[group, 0]
        levers = points - points.mean(axis=0)
        size = float(np.max(np.linalg.norm(levers, axis=1))) or 1.0
        turns = [cross(lever / size, n) for lever, n in zip(levers, normals, strict=True)]
        vectors = np.concatenate([np.array(turns), normals], axis=1)
        kept += [group[k] for k in positively_independent(vectors, tolerance)]
    return sorted(kept)


def positively_independent(vectors: Array, tolerance: float = DEPENDENT) -> list[int]:
    """Which of the rows (n, k) remain when those that are nonnegative combinations of others have gone.

    Rows go one by one, the first ones first, so that of equal ones the last is left.

    >>> positively_independent(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    [1, 2]
    """
    from scipy.optimize import nnls  # on use: it takes longer to import than all the rest

    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    left = list(range(len(units)))
    for row in range(len(units)):
        others = [other for other in left if other != row]
        if others and nnls(units[others].T, units[row])[1] <= tolerance:
            left = others
    return left
