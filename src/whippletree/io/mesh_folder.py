"""What a mesh file may read beside itself: materials and textures of its own folder, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

from trimesh.resolvers import Resolver


class MeshFolder(Resolver):
    """Hands the files of one folder, and of folders in it, to the readers of trimesh.

    A robot is often somebody else's. Its meshes name further files, and "../../.ssh/id_rsa" or a link that
    leads there would be read, and shown in the browser, as a texture or as numbers of a surface. Versions of
    trimesh before 5 look wherever they are told.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def get(self, key: str) -> bytes:
        """The content of a file.

        Raises:
            OSError: There is none of this name, or it lies outside the folder.
        """
        path = (self._folder / key.strip()).resolve()
        if not path.is_relative_to(self._folder):
            raise PermissionError(f"{key!r} is outside the mesh's folder, and is not read")
        return path.read_bytes()

    def keys(self) -> Iterator[str]:
        """The names that there are."""
        return (str(path.relative_to(self._folder)) for path in self._folder.rglob("*") if path.is_file())

    def namespaced(self, namespace: str) -> "MeshFolder":
        """The same for a folder in this one."""
        inner = (self._folder / namespace).resolve()
        if not inner.is_relative_to(self._folder):
            raise PermissionError(f"{namespace!r} is outside the mesh's folder, and is not read")
        return MeshFolder(inner)

    def write(self, name: str, data: object) -> None:
        """Nothing is written beside a mesh."""
        raise PermissionError(f"{name!r} is not written: meshes are only read")
