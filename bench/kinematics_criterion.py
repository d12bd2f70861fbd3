"""What `bench/inverse_kinematics.py` and its peers share: the criterion, the starts, the limits."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import numpy as np

import whippletree as wt

TOLERANCE = 1e-6
"""m and rad."""

STARTS = 100
"""How often to begin, at most."""

Solver = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Takes targets (n, 4, 4) and starts (n, nq), gives positions (n, nq)."""


def limits(m: wt.Mechanism) -> np.ndarray:
    """(2, nq) of a robot whose joints have one coordinate each."""
    return np.array([(body.limits.lower, body.limits.upper) for body in m.bodies]).T


def links_and_joints(path: Path, tip: str) -> list[str]:
    """Of a URDF file, from the root to a link: link, joint, link, … to the tip."""
    above: dict[str, tuple[str, str]] = {}
    for joint in ElementTree.parse(path).getroot().findall("joint"):
        parent, child = (part.attrib["link"] for part in (*joint.findall("parent"), *joint.findall("child")))
        above[child] = (parent, joint.attrib["name"])
    found = [tip]
    while found[0] in above:
        found = [*above[found[0]], *found]
    return found
