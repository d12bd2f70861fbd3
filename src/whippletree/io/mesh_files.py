"""Mesh files: the surfaces in them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, InputError

if TYPE_CHECKING:
    from trimesh import Scene


def scene_of(path: str) -> "Scene":
    """The surfaces in a mesh file, in metres.

    COLLADA files say their unit of length; the axis they call up is not heeded, as URDF readers do. Other
    formats are in metres. Materials and textures are read from the mesh's own folder alone.

    Raises:
        FileError: The file does not exist, or is not a mesh.
    """
    try:
        import trimesh
        from trimesh.units import unit_conversion
    except ImportError:
        raise InputError("mesh files need the library trimesh: pip install 'whippletree[view]'") from None
    from .mesh_folder import MeshFolder

    if not Path(path).is_file():
        raise FileError(path, "no such mesh file")
    try:
        scene: Any = trimesh.load_scene(path, resolver=MeshFolder(Path(path).parent))
        if scene.is_empty:
            raise ValueError("nothing in it")
        if Path(path).suffix.lower() == ".dae" and scene.units not in (None, "meters"):
            scene.apply_scale(unit_conversion(scene.units, "meters"))
        for name, part in list(scene.geometry.items()):
            if not isinstance(part, trimesh.Trimesh):  # lines and points have no surface
                scene.delete_geometry(name)
        if scene.is_empty:
            raise ValueError("no surface in it")
        return scene
    except Exception as error:  # the readers of a dozen formats raise whatever they like
        raise FileError(path, f"this mesh cannot be read: {error or type(error).__name__}") from None
