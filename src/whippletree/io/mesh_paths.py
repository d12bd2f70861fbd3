"""Where the mesh files are that a robot description names."""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from .findings import Findings

PACKAGE_SCHEMES = ("package://", "model://")


class Meshes:
    """Finds mesh files; counts those it does not find and tells them in the end.

    package://name/rest is looked up as directory/name/rest, for every given directory, then for the
    description's own directory and all above it; a given directory may also be the package itself.
    A path without a scheme is relative to the description's directory.
    """

    def __init__(self, description: Path, packages: Iterable[Path]) -> None:
        self._home = description.absolute().parent
        self._given = [package.absolute() for package in packages]
        # A search walks over many directories, and the same few packages come hundreds of times.
        self._package_homes: dict[str, list[Path]] = {}
        self._lost_packages: dict[str, list[tuple[int, str]]] = {}
        self._lost_files: dict[str, list[int]] = {}

    def find(self, name: str, line: int) -> str:
        """The path of a mesh file; `name` itself, remembered for `report`, if there is none."""
        package, candidates = self._candidates(name)
        for candidate in candidates:
            if os.path.isfile(candidate):  # which is False, not an error, for a name that no file can have
                return str(candidate)
        if package is not None and not candidates:
            self._lost_packages.setdefault(package, []).append((line, name))
        else:
            self._lost_files.setdefault(name, []).append(line)
        return name

    def candidates(self, name: str) -> list[Path]:
        """The paths that a name may stand for, whether there is a file or not."""
        return self._candidates(name)[1]

    def _candidates(self, name: str) -> tuple[str | None, list[Path]]:
        """The package a name belongs to, if any, and the paths it may stand for."""
        for scheme in PACKAGE_SCHEMES:
            if name.startswith(scheme):
                package, _, rest = name.removeprefix(scheme).lstrip("/").partition("/")
                return package, [home / rest for home in self._homes(package)]
        path = unquote(name.removeprefix("file://")) if name.startswith("file://") else name
        return None, [self._home / path]

    def _homes(self, package: str) -> list[Path]:
        if package not in self._package_homes:
            beside = [directory / package for directory in (*self._given, self._home, *self._home.parents)]
            itself = [directory for directory in self._given if directory.name == package]
            homes = [home for home in (*itself, *beside) if package and os.path.isdir(home)]
            self._package_homes[package] = homes
        return self._package_homes[package]

    def report(self, findings: Findings) -> None:
        """Tell which packages and files were not found."""
        for package, lost in self._lost_packages.items():
            line, name = lost[0]
            count = "1 mesh" if len(lost) == 1 else f"{len(lost)} meshes"
            findings.not_carried(
                line,
                f"package {package!r} ({count}, the first {name})",
                "not found near this file, the paths stay as they are; give the directory that holds the "
                "package: packages=[…]",
            )
        for name, lines in self._lost_files.items():
            for line in lines:
                findings.not_carried(line, f"mesh {name}", "no such file; the path stays as it is")
