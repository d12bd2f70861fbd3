"""Loops opened by phantom bodies (Critchley & Anderson §3, fig. 2): which body hangs on which.

A phantom is a massless copy of the body a loop starts from, hung behind the loop's last joint, so that loops
become chains and the mechanism a tree. Every loop is then one chain, from its base 0_i outward to its phantom
n_i. A walk through bodies and joints, tree and loop joints alike, that goes on as deep as it can finds such a
tree: every joint that is left over leads back to a body on the way to it. Joints are passed in either sense.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from ...model.mechanism import Mechanism


class Passed(NamedTuple):
    """A joint as the walk passes it.

    Attributes:
        name: Of the joint or loop.
        body: The number of the tree joint, or -1.
        loop: The number of the loop joint, or -1.
        sign: 1.0 from parent to child or predecessor to successor, -1.0 the other way.
    """

    name: str
    body: int
    loop: int
    sign: float


class OpenedLink(NamedTuple):
    """A link of the opened mechanism: it moves against its parent by one coordinate, or not at all.

    A joint of several freedoms is a chain of them, all without inertia but the last.

    Attributes:
        parent: Number of the link it hangs on; links are numbered parents first, 0 being the ground.
        joint: What it hangs by.
        column: Which of the joint's freedoms it has, -1 if the joint has none.
        last: Whether it is the last one of its joint.
        body: The body it is, -1 for those between freedoms and for phantoms.
        name: Of its coordinate: the joint's, with a number if the joint has several; "" without one.
        variable: Number of its velocity in qd, -1 for the coordinates of loop joints.
    """

    parent: int
    joint: Passed
    column: int
    last: bool
    body: int
    name: str
    variable: int


class ChainedLoop(NamedTuple):
    """One loop, opened: its base 0_i, its phantom n_i and the links between, from 1 to n_i."""

    base: int
    phantom: int
    path: tuple[int, ...]
    name: str


class Opened(NamedTuple):
    """The opened mechanism. `links[0]` is the ground, of which only the number counts."""

    links: list[OpenedLink]
    loops: list[ChainedLoop]

    def coordinates(self, loop: ChainedLoop) -> list[int]:
        """The links of a loop that have a coordinate."""
        return [k for k in loop.path if self.links[k].column != -1]


def opened(m: Mechanism, walk: int = 0) -> Opened:
    """A mechanism with all loops opened next to the body they start from.

    Args:
        m: A mechanism with loops.
        walk: In which order joints are tried at each body: 0 for that in which they were added, 1 for the
            opposite, which passes single loops in the opposite sense (§5); more for as many others.

    >>> import whippletree as wt
    >>> found = opened(wt.examples.load("four-bar"))
    >>> [found.links[k].name for k in found.loops[0].path]
    ['crank', 'coupler', 'pin', 'rocker']
    """
    joints = list(_joints(m))
    at: dict[int, list[int]] = {i: [] for i in range(-1, len(m))}
    for number, (a, b, _) in enumerate(joints):
        at[a].append(number)
        at[b].append(number)
    ways = {i: iter(_tried(numbers, walk)) for i, numbers in at.items()}
    ground = OpenedLink(-1, Passed("", -1, -1, 1.0), -1, True, -1, "", -1)
    found, place, passed = Opened([ground], []), {-1: 0}, set[int]()
    way = [-1]
    while way:
        here = way[-1]
        number = next(ways[here], None)
        if number is None:
            way.pop()
            continue
        if number in passed:
            continue
        passed.add(number)
        a, b, joint = joints[number]
        there, joint = (b, joint) if a == here else (a, joint._replace(sign=-1.0))
        end = _hang(m, found, place[here], joint, -1 if there in place else there)
        if there in place:
            path = _path(found, place[there], end)
            found.loops.append(ChainedLoop(place[there], end, path, joint.name))
        else:
            place[there] = end
            way.append(there)
    return found


def _tried(joints: list[int], walk: int) -> list[int]:
    return joints[:: 1 - 2 * walk] if walk < 2 else Random(walk).sample(joints, len(joints))


def _joints(m: Mechanism) -> Iterator[tuple[int, int, Passed]]:
    """All joints with the bodies they connect: those of the tree, then those of loops."""
    for i, (body, parent) in enumerate(zip(m.bodies, m.parents, strict=True)):
        yield parent, i, Passed(body.joint_name, i, -1, 1.0)
    for l, loop in enumerate(m.loops):
        yield m.body_number(loop.predecessor), m.body_number(loop.successor), Passed(loop.name, -1, l, 1.0)


def _hang(m: Mechanism, found: Opened, parent: int, joint: Passed, body: int) -> int:
    """Add the links of a joint; returns the last one's number, which is the body's, or a phantom's."""
    free = m.bodies[joint.body].joint.nv if joint.loop == -1 else m.loops[joint.loop].joint.nv
    for column in range(free) if free else [-1]:
        name = "" if column == -1 else joint.name if free == 1 else f"{joint.name}[{column}]"
        variable = -1 if joint.body == -1 or column == -1 else m.v_index[joint.body].start + column
        last = column in (-1, free - 1)
        found.links.append(OpenedLink(parent, joint, column, last, body if last else -1, name, variable))
        parent = len(found.links) - 1
    return parent


def _path(found: Opened, base: int, end: int) -> tuple[int, ...]:
    path = []
    while end != base:
        path.append(end)
        end = found.links[end].parent
    return tuple(reversed(path))
