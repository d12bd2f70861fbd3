"""Shapes as geoms of MJCF, without mass: bodies have theirs already."""

import os
from typing import Any

import numpy as np
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # compiled, carries no types

from ...errors import with_article
from ...model.mechanism import GROUND, Geometry
from ...model.parts import PlacedShape
from ...shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from ...spatial import Placement
from ..refusals import Refusals, text

MESHES = (".stl", ".obj", ".msh")
"""Files that MuJoCo opens."""

SEEN, TOUCHED = ("0", "0"), ("1", "0")
"""contype and conaffinity: none of them lets two geoms touch that no <pair> names."""


class ShapeWriter:
    """Writes geoms, and their meshes as assets, each once."""

    def __init__(self, asset: Any, refused: Refusals) -> None:
        self._asset, self._refused = asset, refused
        self._meshes: dict[Mesh, str] = {}

    def looks(
        self, element: Any, visuals: tuple[Geometry, ...], collisions: tuple[Geometry, ...], body: str
    ) -> None:
        """Write what is seen and what can be touched of a body."""
        for parts, bits, what in ((visuals, SEEN, "visual"), (collisions, TOUCHED, "collision")):
            for part in parts:
                self._geom(element, part, bits, f"a {what} of {body!r}", body)

    def named(self, element: Any, shape: PlacedShape) -> None:
        """Write a shape with a name."""
        self._geom(element, shape, TOUCHED, f"shape {shape.name!r}", shape.body).set("name", shape.name)

    def _geom(self, element: Any, part: Any, bits: tuple[str, str], title: str, body: str) -> Any:
        geom = etree.SubElement(element, "geom", contype=bits[0], conaffinity=bits[1], mass="0")
        if isinstance(part.shape, Plane) and body != GROUND:
            self._refused.add(f"{title}, a plane that moves")
        said = self._mesh(part.shape, title) if isinstance(part.shape, Mesh) else _size(part.shape)
        if said is None:
            self._refused.add(f"{title}, {with_article(part.shape.kind)}")
            return geom
        for name, value in said.items():
            geom.set(name, value)
        at: Placement = part.placement
        geom.set("pos", text(at.position))
        geom.set("quat", text(at.quaternion))
        if part.color is not None:
            geom.set("rgba", text(part.color))
        return geom

    def _mesh(self, mesh: Mesh, title: str) -> dict[str, str]:
        if mesh not in self._meshes:
            name = f"mesh{len(self._meshes) + 1}"
            self._meshes[mesh] = name
            said = {"name": name, "scale": text(mesh.scale)}
            if mesh.file.lower().endswith(MESHES) and os.path.isfile(mesh.file):
                etree.SubElement(self._asset, "mesh", file=os.path.abspath(mesh.file), **said)
            elif mesh.vertices is not None and mesh.faces is not None:
                corners, faces = text(mesh.vertices.flat), " ".join(str(int(i)) for i in np.ravel(mesh.faces))
                etree.SubElement(self._asset, "mesh", vertex=corners, face=faces, **said)
            else:
                known = ", ".join(MESHES)
                self._refused.add(f"{title}, the mesh {mesh.file!r}, which is no file of {known}")
        return {"type": "mesh", "mesh": self._meshes[mesh]}


def _size(shape: Shape) -> dict[str, str] | None:
    if isinstance(shape, Box):
        return {"type": "box", "size": text(0.5 * np.array(shape.size))}
    if isinstance(shape, Sphere):
        return {"type": "sphere", "size": text([shape.radius])}
    if isinstance(shape, Cylinder | Capsule):
        return {"type": shape.kind, "size": text([shape.radius, 0.5 * shape.length])}
    if isinstance(shape, Ellipsoid):
        return {"type": "ellipsoid", "size": text(shape.saved()["size"])}
    return {"type": "plane", "size": "10 10 1"} if isinstance(shape, Plane) else None
