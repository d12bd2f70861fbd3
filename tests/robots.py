"""Real robots for tests: every URDF file of the package example-robot-data."""

from importlib.metadata import files
from pathlib import Path

REFUSED = {
    "ur_description/urdf/ur3.urdf": (6, "<robot> has no <link>"),
    "alex_description/urdf/alex_psyonic_hands.urdf": (
        1037,
        "joint 'Left_index_q2' mimics 'index_q1', but there is no joint of this name",
    ),
}
"""Files that are at fault themselves: the line and what is wrong there.

ur3.urdf is the expansion of a macro file that defines a robot and never makes one; Pinocchio
refuses it too. In alex_psyonic_hands.urdf eight fingers mimic joints that are not there, the prefix
Left_ or Right_ is missing in the reference; Pinocchio reads no mimicry unless asked.
"""

WITHOUT_INERTIA = {
    "romeo_description/urdf/romeo.urdf": "RThumb3",
    "romeo_description/urdf/romeo_laas_small.urdf": "r_gripper_joint",
}
"""Robots with joints that move links without any inertia, and the joint forward dynamics names."""

ILL_CONDITIONED = ("icub_description/robots/icub.urdf",)
"""A robot whose neck moves next to no inertia: H has a condition number of 1e7 to 1e11."""


def _home() -> Path:
    for entry in files("example-robot-data") or []:
        path = Path(str(entry.locate()))
        for above in path.parents:
            if above.name == "robots" and above.parent.name == "example-robot-data":
                return above
    raise FileNotFoundError("example-robot-data is not installed, or holds no robots")


HOME = _home()
"""The directory with all robots."""

NAMES = sorted(str(path.relative_to(HOME).as_posix()) for path in HOME.rglob("*.urdf"))
"""Every URDF file, relative to HOME."""

LOADABLE = [name for name in NAMES if name not in REFUSED]
