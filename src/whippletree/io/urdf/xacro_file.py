"""xacro, the macros of ROS: expanded by the package `xacro` into URDF, which is read then."""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from ...errors import FileError
from ...joints import Joint
from ...model.mechanism import Mechanism
from ..file_source import Source
from ..findings import Problem
from ..mesh_paths import Meshes
from . import urdf_read

_ONE_AT_A_TIME = threading.Lock()
"""xacro keeps which file it reads in variables of its module."""

EXPANDED = "with its macros expanded"
"""Before a line of what is made of a file, as the command `xacro` prints it."""

_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")


def load(
    source: Source, root: Joint | None, packages: Iterable[Path], keep_zero_limits: bool = False
) -> Mechanism:
    """The mechanism that a file describes when its macros are expanded."""
    packages = list(packages)
    try:
        m = urdf_read.load(expanded(source, packages), root, packages, keep_zero_limits)
    except FileError as error:
        raise FileError(error.path, f"{_where(error.line)}{error.message}") from None
    m.warnings = [
        f"{EXPANDED}, {warning}" if warning.startswith("line ") else warning for warning in m.warnings
    ]
    return m


def problems(source: Source, packages: Iterable[Path]) -> list[Problem]:
    """All that is wrong with the expanded text, or the error for which it cannot be expanded."""
    packages = list(packages)
    try:
        found = urdf_read.problems(expanded(source, packages), packages)
    except FileError as error:
        found = [Problem(error.line, error.message, "error")]
    return [Problem(None, f"{_where(each.line)}{each.message}", each.severity) for each in found]


def _where(line: int | None) -> str:
    """A line of the expanded text, which no line of the file is."""
    return "" if line is None else f"{EXPANDED}, line {line}: "


def expanded(source: Source, packages: Iterable[Path], arguments: Mapping[str, str] | None = None) -> Source:
    """The text with its macros expanded, under the same name; lines are those of the result.

    $(find package) is looked for as the packages of meshes are. What stands in ${…} is evaluated by xacro, as
    Python with a few names and without access to attributes that begin with __.
    """
    try:
        xacro: Any = import_module("xacro")
    except ImportError:
        raise FileError(
            source.path,
            "has macros, which the package xacro expands: pip install 'whippletree[xacro]', or run "
            "`xacro robot.urdf.xacro -o robot.urdf` and load the result",
        ) from None
    if not source.path.is_file():
        raise FileError(source.path, "has macros, and they are expanded in files only: give a .xacro file")
    said = StringIO()
    missing: list[FileError] = []
    try:
        with _ONE_AT_A_TIME, _finding(source.path, packages, missing), redirect_stderr(said):
            document = xacro.process_file(str(source.path), mappings=dict(arguments or {}))
    except Exception as error:  # macros are programs, which fail in every way
        if missing:  # which xacro tells in its own words
            raise missing[0] from None
        told = " ".join(str(error).split()) or type(error).__name__
        raise FileError(source.path, f"xacro cannot expand it: {told}") from None
    if not document.getElementsByTagName("link"):
        raise FileError(
            source.path,
            "its macros expanded leave no <link>: load a file that calls them, as <xacro:name/>",
        )
    return Source(source.path, document.toprettyxml(indent=" ", encoding="utf-8"))


@contextmanager
def _finding(path: Path, packages: Iterable[Path], missing: list[FileError]) -> Iterator[None]:
    """Let $(find package) look where meshes are looked for; without ROS, xacro knows no place."""
    given = [Path(package).absolute() for package in packages]
    meshes = Meshes(path, given)
    inside: Any = import_module("xacro.substitution_args")
    before = inside._eval_find

    def find(package: str) -> str:
        homes = [home for home in meshes.candidates(f"package://{package}/") if home.is_dir()]
        homes += [home for home in (*given, *path.absolute().parents) if _package(home) == package]
        if not homes:
            message = (
                f"package {package!r} is not found: no folder at or above this file is called so, nor by its "
                "package.xml; give the one that holds it: packages=[…]"
            )
            missing.append(FileError(path, message))
            raise missing[-1]
        return str(homes[0])

    inside._eval_find = find
    try:
        yield
    finally:
        inside._eval_find = before


def _package(folder: Path) -> str:
    """The name of the ROS package in a folder, "" if there is none."""
    try:
        name = _NAME.search((folder / "package.xml").read_bytes())
    except OSError:
        return ""
    return "" if name is None else name[1].decode("utf-8", "replace")
