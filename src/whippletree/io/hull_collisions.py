"""Collision meshes of robots as convex hulls, which can touch."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..contact.geometry.convex_hull import CONVEX, convex_hull
from ..errors import InputError
from ..model.mechanism import GROUND, Mechanism
from ..model.parts import Geometry
from ..model.values import expect
from ..shapes import Mesh
from ..spatial import Array
from .mesh_files import scene_of

FEWEST = 4
"""Corners of a body that has a volume."""


def hull_collisions(m: Mechanism, corners: int | None = None) -> Mechanism:
    """A copy of a mechanism whose collision meshes are convex hulls, with the corners of their files.

    Files name meshes and do not hold them: contact needs their corners. A plane touches the hull of a mesh
    and nothing else, so that for ground that is flat the hull is the mesh. Where it is not convex, what other
    shapes touch is the hull, which fills its hollows: `warnings` tells which meshes these are, and by how
    much. Needs trimesh: pip install whippletree[view].

    Args:
        m: The mechanism, as from a URDF file.
        corners: So many a mesh at most, 4 or more: each is a candidate for a contact, and hulls of fine
            meshes have hundreds. Those are kept that lie farthest out of the others; `warnings` tells how far
            the hull lies within the whole one. All by default.

    Raises:
        FileError: A mesh file is missing, or is none.
        InputError: `corners` is no such number.
        ModelError: A mesh encloses no volume.

    >>> import tempfile
    >>> import whippletree as wt
    >>> m = wt.Mechanism("foot")
    >>> m.add_body("foot", wt.Free(), inertia=wt.Inertia.box((1, 1, 1), mass=2.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/sole.obj", "w") as file:
    ...         _ = file.write("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nv 0 0 1\\n")
    ...         _ = file.write("f 1 3 2\\nf 1 2 4\\nf 2 3 4\\nf 1 4 3\\n")
    ...     m.add_shape("sole", wt.Mesh(f"{folder}/sole.obj"), body="foot")
    ...     m = wt.hull_collisions(m)
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("stand", "sole", "floor")
    >>> wt.contact.gaps(m, [0, 0, 0.3, 1, 0, 0, 0])
    array([0.3, 0.3, 0.3, 1.3])
    """
    expect("hull_collisions", "m", m, Mechanism, "a Mechanism")
    if corners is not None and (type(corners) is not int or corners < FEWEST):
        raise InputError(f"corners is {corners!r}, expected a whole number, {FEWEST} or more, or None: all")
    made, told, hulls = m.copy(), dict[str, None](), dict[Mesh, Mesh]()

    def hulled(shape: Any) -> Any:
        if not isinstance(shape, Mesh) or shape.vertices is not None:
            return shape
        if shape not in hulls:
            hulls[shape], faults = _hull(shape, corners)
            told.update(dict.fromkeys(faults))
        return hulls[shape]

    def all_hulled(solids: Iterable[Geometry]) -> tuple[Geometry, ...]:
        return tuple(replace(solid, shape=hulled(solid.shape)) for solid in solids)

    for body in m.bodies:
        made.change(body.name, collisions=all_hulled(body.collisions))
    made.change(GROUND, collisions=all_hulled(m.ground_collisions))
    for shape in m.shapes:
        made.change(shape.name, shape=hulled(shape.shape))
    made.warnings.extend(told)
    return made


def _hull(mesh: Mesh, corners: int | None) -> tuple[Mesh, list[str]]:
    """The hull of a mesh file, and what is to be told about it."""
    from scipy.spatial import ConvexHull  # on use: it takes longer to import than all the rest

    surface: Any = scene_of(mesh.file).to_mesh()
    whole = convex_hull(replace(mesh, vertices=surface.vertices, faces=None))
    assert whole.vertices is not None
    told, volume = [], ConvexHull(whole.vertices).volume
    if not surface.is_watertight:
        told.append(f"mesh {mesh.file!r} has holes: whether it is convex is not known, its hull touches")
    elif abs(surface.volume) < (1.0 - CONVEX) * volume:
        told.append(
            f"mesh {mesh.file!r} is not convex: its hull touches in its place, which has {volume:.4g} m³, "
            f"where it has {abs(surface.volume):.4g} m³"
        )
    if corners is None or len(whole.vertices) <= corners:
        return whole, told
    kept, within = farthest_out(whole.vertices, corners)
    told.append(
        f"mesh {mesh.file!r} touches with {corners} of the {len(whole.vertices)} corners of its hull, up to "
        f"{within:.3g} m within it"
    )
    return convex_hull(replace(mesh, vertices=whole.vertices[kept], faces=None)), told


def farthest_out(points: Array, count: int) -> tuple[list[int], float]:
    """Which of the corners (n, 3) of a hull to keep, and how far out of these the others lie, m.

    Four that span a volume first, then one by one the farthest out of the hull of those before.

    >>> cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    >>> [len(farthest_out(cube, count)[0]) for count in (4, 6)], farthest_out(cube, 8)[1]
    ([4, 6], 0.0)
    """
    from scipy.spatial import ConvexHull  # on use: it takes longer to import than all the rest

    kept = [int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    for _ in range(FEWEST - 1):
        spanned = np.linalg.qr((points[kept[1:]] - points[kept[0]]).T)[0] if kept[1:] else np.zeros((3, 0))
        away = points - points[kept[0]]
        kept.append(int(np.argmax(np.linalg.norm(away - away @ spanned @ spanned.T, axis=1))))
    while True:
        planes = ConvexHull(points[kept]).equations
        out = np.max(points @ planes[:, :3].T + planes[:, 3], axis=1)
        out[kept] = 0.0
        farthest = int(np.argmax(out))
        if len(kept) >= count or out[farthest] <= 0.0:
            return kept, max(0.0, float(out[farthest]))
        kept.append(farthest)
