"""Bodies as lines between the places where they are joined."""

import numpy as np

from ..errors import InputError
from ..model.mechanism import GROUND, Mechanism
from ..spatial import Array

FLAT = 1e-6
"""m: what is closer than this is in one place, or in one plane."""


def strokes(m: Mechanism, poses: Array) -> list[tuple[int, Array]]:
    """For every line its body, and (frames, 2, 3) where its ends are in the world.

    Args:
        m: The mechanism.
        poses: (frames, nb, 4, 4) of all bodies, in each picture.

    Raises:
        InputError: There is no body to be drawn.
    """
    found = []
    for i, body in enumerate(m.bodies):
        ends = [child.placement.position for child in m.bodies if child.parent == body.name]
        ends += [frame.placement.position for frame in m.frames if frame.body == body.name]
        ends += [loop.placement_p.position for loop in m.loops if loop.predecessor == body.name]
        ends += [loop.placement_s.position for loop in m.loops if loop.successor == body.name]
        ends = [end for end in ends if np.linalg.norm(end) > FLAT]
        for end in ends or [body.inertia.com]:
            tip = poses[:, i, :3, :3] @ end + poses[:, i, :3, 3]
            found.append((i, np.stack([poses[:, i, :3, 3], tip], axis=1)))
        slid = body.parent == GROUND and body.joint.nv < 6  # what flies is tied to nothing
        if slid and np.linalg.norm(poses[0, i, :3, 3] - body.placement.position) > FLAT:
            root = np.broadcast_to(body.placement.position, (len(poses), 3))
            found.append((i, np.stack([root, poses[:, i, :3, 3]], axis=1)))
    if not found:
        raise InputError(f"{m.name!r} has no body to be drawn")
    return found
