"""What is measured; the robots that figures are published for, from the package example-robot-data."""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..io import load
from ..joints import Free
from ..model.mechanism import Mechanism

ROBOTS: dict[str, tuple[str, bool]] = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "panda": ("panda_description/urdf/panda.urdf", False),
    "talos_left_arm": ("talos_data/robots/talos_left_arm.urdf", False),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "talos": ("talos_data/robots/talos_full_v2.urdf", True),
    "icub": ("icub_description/robots/icub.urdf", True),
}
"""File below the package's folder of robots, and whether the base floats."""


class Robot(NamedTuple):
    """A mechanism to measure.

    Attributes:
        name: What it is called in tables.
        m: The mechanism.
        urdf: Its file for libraries that read URDF, or None if it has none.
        floating: Whether they are to let its root move freely.
    """

    name: str
    m: Mechanism
    urdf: Path | None = None
    floating: bool = False


def published() -> list[Robot]:
    """The robots that figures are published for; InputError if the package is not installed."""
    found = []
    for name, (_, floating) in ROBOTS.items():
        path = robot_file(name)
        found.append(Robot(name, load(path, Free() if floating else None), path, floating))
    return found


def robot_file(name: str) -> Path:
    """Where a robot's file is installed; InputError if the package is not."""
    relative, _ = ROBOTS[name]
    try:
        entries = files("example-robot-data") or []
    except PackageNotFoundError:
        raise InputError(
            "the published robots come with the package example-robot-data: pip install example-robot-data, "
            "or name your own files"
        ) from None
    for entry in entries:
        if str(entry).endswith(relative):
            return Path(str(entry.locate()))
    raise InputError(f"this version of example-robot-data has no {relative}")
