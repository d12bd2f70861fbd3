"""Loop joints that are to keep their positions or velocities while others move to close loops."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...joints import Fixed
from ...model.mechanism import Mechanism
from ...model.values import listed
from ...spatial import Array, Placement
from ..equations.loop_joints import loop_joint_position, loop_joint_rates


def with_held_loops(m: Mechanism, q: Array, hold: Sequence[str]) -> tuple[Mechanism, list[str]]:
    """The mechanism with held loop joints fixed where they are at q, and the held joints of the tree."""
    joints, held = held_apart(m, hold)
    if not held:
        return m, joints
    loops = []
    for loop in m.loops:
        if loop.name in held:
            turned = Placement.of(loop.joint.transform(loop_joint_position(m, q, loop.name)))
            loop = replace(loop, joint=Fixed(), placement_p=loop.placement_p @ turned, rest=None)
        loops.append(loop)
    return m.with_parts(loops=loops), joints


def held_rates(m: Mechanism, q: Array, hold: Sequence[str]) -> tuple[Array, list[str]]:
    """W (n, nv) with the velocities W qd of the held loop joints, and the held joints of the tree."""
    joints, held = held_apart(m, hold)
    return np.concatenate([np.zeros((0, m.nv)), *(loop_joint_rates(m, q, loop) for loop in held)]), joints


def held_apart(m: Mechanism, hold: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of joints of the tree, or of none, and those of loop joints."""
    names = listed(hold, "hold", "joint names", m.joint_names)
    return [name for name in names if not m.has("loop", name)], [n for n in names if m.has("loop", n)]
