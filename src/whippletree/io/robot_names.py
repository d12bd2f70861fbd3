"""Robots by name, from packages that hold descriptions of many: "robot_descriptions:panda"."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..errors import FileError
from ..model.fields import meant

DESCRIPTIONS, EXAMPLES = "robot_descriptions", "example-robot-data"


class Located(NamedTuple):
    """The file of a robot, the folders of its packages, and what its macros are given."""

    path: Path
    packages: list[Path]
    arguments: Mapping[str, str]


def located(name: str) -> Located | None:
    """Where the robot of a name is; None if it is no such name, but that of a file.

    Raises:
        FileError: The package is not installed, has no such robot, or would have to fetch it.
    """
    package, colon, robot = name.partition(":")
    if not colon or package not in (DESCRIPTIONS, EXAMPLES):
        return None
    if not robot.isidentifier():
        raise FileError(name, f"names no robot: give one, as '{package}:panda'")
    return _described(name, robot) if package == DESCRIPTIONS else _example(name, robot)


def _described(name: str, robot: str) -> Located:
    """A robot of robot_descriptions, as far as it is in that package's cache: nothing is downloaded here."""
    try:
        known: dict[str, Any] = import_module("robot_descriptions._descriptions").DESCRIPTIONS
        cache: Any = import_module("robot_descriptions._cache")
    except ImportError:
        raise FileError(
            name, "needs the package robot_descriptions: pip install robot_descriptions"
        ) from None
    module = robot if robot in known else f"{robot}_description"
    if module not in known:
        near = meant(module, list(known))
        raise FileError(name, f"robot_descriptions has no robot {robot!r}{near}")
    try:
        with _offline(cache):
            found = import_module(f"robot_descriptions.{module}")
    except _NotHereError as missing:
        raise FileError(
            name,
            f"is not on this machine yet: robot_descriptions fetches it into {missing} when you run "
            f"`python -m robot_descriptions pull {module}`",
        ) from None
    for kind in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        if hasattr(found, kind):
            packages = [
                Path(found.PACKAGE_PATH),
                Path(found.PACKAGE_PATH).parent,
                Path(found.REPOSITORY_PATH),
            ]
            return Located(Path(getattr(found, kind)), packages, getattr(found, "XACRO_ARGS", {}))
    raise FileError(name, f"robot_descriptions.{module} names no file")


class _NotHereError(Exception):
    """A repository that would have to be cloned; says where to."""


@contextmanager
def _offline(cache: Any) -> Iterator[None]:
    """Let robot_descriptions find what it has cloned before, and clone nothing: reading opens no network."""

    def there(repo_url: str, target_dir: str, commit: str | None = None) -> Any:
        if not Path(target_dir).is_dir():
            raise _NotHereError(target_dir)
        return SimpleNamespace(working_dir=target_dir)

    before = cache.clone_to_directory
    cache.clone_to_directory = there
    try:
        yield
    finally:
        cache.clone_to_directory = before


def _example(name: str, robot: str) -> Located:
    """A URDF file of example-robot-data, by its name without suffix."""
    from importlib.metadata import PackageNotFoundError, files  # takes longer than all else here

    try:
        entries = files(EXAMPLES) or []
    except PackageNotFoundError:
        raise FileError(name, f"needs the package {EXAMPLES}: pip install {EXAMPLES}") from None
    found: dict[str, Path] = {}
    for entry in entries:
        if entry.suffix == ".urdf" and EXAMPLES in entry.parts:
            found.setdefault(entry.stem, Path(str(entry.locate())))
    if robot not in found:
        near = meant(robot, list(found)) or f"; known: {', '.join(sorted(found))}"
        raise FileError(name, f"{EXAMPLES} has no robot {robot!r}{near}")
    return Located(found[robot], [], {})
