"""What counts as large in a loop: lengths against its own, angles against a radian."""

from typing import Any

import numpy as np

from ...joints import Joint
from ...model.loop import Loop
from ...model.mechanism import Mechanism
from ...spatial import Array, array
from ...spatial.scalar import known
from .relations import branch, loop_ends


def loop_size(m: Mechanism, loop: Loop) -> float:
    """The longest of a loop's links, m, as far as placements tell; if they tell nothing, of all placements.

    A link leads from one joint of the loop to the next. That of the loop's base is the way between the two
    joints on it, wherever on the base they are.
    """
    base, p, s = loop_ends(m, loop)
    on_base, lengths = [], []
    for end, placement in ((p, loop.placement_p), (s, loop.placement_s)):
        way = branch(m, base, end)
        points = [placement.position, *(m.bodies[i].placement.position for i in way)]
        on_base.append(points.pop())
        lengths += [float(np.linalg.norm(point)) for point in points]
    lengths.append(float(np.linalg.norm(on_base[0] - on_base[1])))
    return max(lengths) or _mechanism_size(m)


def _mechanism_size(m: Mechanism) -> float:
    """The longest way, m, from a joint to another; 1 if all are in one place."""
    joints = [body.placement.position for body in m.bodies]
    ends = [at.position for loop in m.loops for at in (loop.placement_p, loop.placement_s)]
    return max(float(np.linalg.norm(point)) for point in [*joints, *ends]) or 1.0


def link_size(m: Mechanism) -> Any:
    """m, how far joints are from the middle of the joints of their body, on the average over all loops.

    The root of a mean square, over bodies that move; 1 if all are in one place. It is the same whichever
    joints are cut: the frames of a joint have their places on two bodies, whether it is cut or not.
    """
    ends = [loop_ends(m, loop) for loop in m.loops]
    inside = {i for base, p, s in ends for end in (p, s) for i in branch(m, base, end)}
    places: dict[int, list[Array]] = {i: [np.zeros(3)] for i in inside}
    for i in inside:
        places.setdefault(m.parents[i], []).append(array(m.bodies[i].placement.position))
    for loop in m.loops:
        for body, place in ((loop.predecessor, loop.placement_p), (loop.successor, loop.placement_s)):
            places.setdefault(m.body_number(body), []).append(array(place.position))
    total, count = 0.0, 0
    for body, points in places.items():
        if body != -1:
            middle = sum(points) / len(points)
            total = sum(((point - middle) @ (point - middle) for point in points), total)
            count += len(points)
    return 1.0 if not count or known(total) == 0.0 else np.sqrt(total / count)


def row_sizes(m: Mechanism) -> Array:
    """(nc,) for each row of K, k and δ what counts as 1 in it: a radian, its loop's size, or a mixture."""
    sizes = [np.ones(0)]
    for loop in m.loops:
        joint = loop.joint.plain()
        T = np.asarray(joint.constraint_subspace(joint.neutral()), dtype=float)
        turn, shift = np.linalg.norm(T[:3], axis=0), np.linalg.norm(T[3:], axis=0)
        sizes.append(turn + loop_size(m, loop) * shift)
    return np.concatenate([*sizes, np.ones(len(m.gears))])


def column_sizes(m: Mechanism) -> Array:
    """(nv,) for each velocity what counts as 1 in it: a radian, or the size of the largest loop."""
    size = max((loop_size(m, loop) for loop in m.loops), default=1.0)
    return np.array(
        [size if unit == "m" else 1.0 for body in m.bodies for unit in _velocity_units(body.joint)]
    )


def joint_sizes(m: Mechanism, loop: Loop) -> Array:
    """(nv of its joint,) for each velocity of a loop joint what counts as 1 in it."""
    size = loop_size(m, loop)
    return np.array([size if unit == "m" else 1.0 for unit in _velocity_units(loop.joint)])


def in_sizes(m: Mechanism, K: Array) -> Array:
    """K (..., nc, nv) without units, lengths by the size of the loops: its rank is that of any other size."""
    return K * column_sizes(m) / row_sizes(m)[:, None]


def _velocity_units(joint: Joint) -> list[str]:
    """The unit of each column of S, which for some joints is not the order of `units`."""
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    return ["rad" if np.any(column[:3]) else "m" for column in S.T]
