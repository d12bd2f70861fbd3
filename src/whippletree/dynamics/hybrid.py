"""Which joints' accelerations are prescribed, for hybrid dynamics (RBDA §9.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..model.values import joint_numbers
from ..spatial import Array


def forward_joints(m: Mechanism, prescribed: Sequence[str]) -> list[bool]:
    """Whether each joint is in the set fd: its force is given and its acceleration sought."""
    given = joint_numbers(m, prescribed, "prescribed")
    return [i not in given for i in range(len(m))]


def prescribed_held(m: Mechanism, arguments: Mapping[str, Any]) -> list[int]:
    """Numbers of the bodies whose joints move as prescribed, for the door."""
    return [i for i, sought in enumerate(forward_joints(m, arguments["prescribed"])) if not sought]


def merged(m: Mechanism, fd: Sequence[bool], forward: Sequence[Any], inverse: Sequence[Any]) -> Array:
    """(nv,) a vector with the entries of `forward` at the joints of fd and those of `inverse` at the others.

    Both hold a part for each joint.
    """
    parts = [forward[i] if fd[i] else inverse[i] for i in range(len(m))]
    return np.concatenate([np.zeros(0), *parts])


def by_joint(m: Mechanism, x: Array) -> list[Array]:
    """The parts of a vector (nv,) that belong to each joint."""
    return [x[index] for index in m.v_index]


def nothing(m: Mechanism) -> list[Array]:
    """Zeros for each joint."""
    return [np.zeros(body.joint.nv) for body in m.bodies]
