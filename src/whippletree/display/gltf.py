"""Mesh files as binary glTF, which browsers draw."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError
from ..io.mesh_files import scene_of
from .solids import Color

if TYPE_CHECKING:
    from trimesh import Trimesh

CREASE = np.radians(35.0)
"""Edges between faces that are turned against each other by less look smooth."""

FINE = 60_000
"""Faces above which a mesh without normals is fine enough to look smooth as it is."""


METAL, ROUGH = 0.1, 0.6
"""How surfaces shine; files seldom say, and what glTF takes instead is polished steel."""


def glb(path: str, color: Color, opacity: float = 1.0) -> bytes:
    """A mesh file as binary glTF in metres; the colour is for parts that have none of their own.

    Raises:
        FileError: The file does not exist, or is not a mesh; see `scene_of`.
    """
    scene: Any = scene_of(path)
    try:
        for name, part in list(scene.geometry.items()):
            scene.geometry[name] = _finished(part, color, opacity)
        return bytes(scene.export(file_type="glb"))
    except Exception as error:  # the readers of a dozen formats raise whatever they like
        raise FileError(path, f"this mesh cannot be read: {error or type(error).__name__}") from None


def _finished(part: "Trimesh", color: Color, opacity: float) -> "Trimesh":
    """A part with a dull surface in its own colour or the one given, and with normals."""
    from trimesh.graph import smooth_shade
    from trimesh.visual import ColorVisuals, TextureVisuals
    from trimesh.visual.material import PBRMaterial

    look: Any = part.visual
    if isinstance(look, TextureVisuals):
        own = look.material if isinstance(look.material, PBRMaterial) else look.material.to_pbr()
        own.metallicFactor, own.roughnessFactor = METAL, ROUGH
        look.material = own
        return part
    if isinstance(look, ColorVisuals) and look.defined:
        return part
    if "vertex_normals" not in part._cache and len(part.faces) <= FINE:
        part = smooth_shade(part, angle=CREASE)
    dull = PBRMaterial(
        baseColorFactor=(*color, round(255 * opacity)),
        metallicFactor=METAL,
        roughnessFactor=ROUGH,
        doubleSided=True,
        alphaMode="BLEND" if opacity < 1.0 else "OPAQUE",
    )
    part.visual = TextureVisuals(material=dull)
    _ = part.vertex_normals  # computed now, so that they are written
    return part
