"""Links of an SDF file that move as one, because fixed joints hold them together or to the world."""

from ...model.graph import Graph
from ...model.mechanism import GROUND
from ...spatial import Placement
from .sdf_poses import HERE, WORLD
from .sdf_scene import SdfScene


class Groups:
    """The links by groups; a group has the name and frame of its first link, that of the world is the ground.

    Attributes:
        members: The links of each group, in the order of the file.
    """

    def __init__(self, scene: SdfScene) -> None:
        self._poses = scene.poses
        order = [WORLD, *scene.links]
        leader = {name: name for name in order}

        def first(name: str) -> str:
            while leader[name] != name:
                name = leader[name]
            return name

        held = [(WORLD, link) for link in scene.still]
        for scoped in scene.joints.values():
            if scoped.joint.kind == "fixed":
                ends = (scoped.joint.parent, scoped.joint.child)
                links = [
                    scene.poses.link_of(scene.poses.full(scoped.scope, end, scoped.model)) for end in ends
                ]
                held.append((links[0] or WORLD, links[1] or WORLD))
        rank = {name: number for number, name in enumerate(order)}
        for a, b in held:
            a, b = sorted((first(a), first(b)), key=rank.__getitem__)
            leader[b] = a
        self._group = {name: GROUND if first(name) == WORLD else first(name) for name in order}
        self.members: dict[str, list[str]] = {GROUND: []}
        for link in scene.links:
            self.members.setdefault(self._group[link], []).append(link)

    def placement(self, frame: str, group: str | None = None) -> Placement:
        """Where a frame is in the frame of a group, that of its own link by default."""
        group = self._group[self._poses.link_of(frame) or WORLD] if group is None else group
        if group == frame:
            return HERE
        pose = self._poses.pose(frame)
        return pose if group == GROUND else self._poses.pose(group).inverse() @ pose

    def at(self, end: str, frame: str) -> tuple[str, Placement]:
        """The group of the link that an end moves with, and where another frame is on it."""
        group = self._group[self._poses.link_of(end) or WORLD]
        return group, self.placement(frame, group)

    def group_of(self, name: str) -> str:
        """The group of the link that a frame moves with."""
        return self._group[self._poses.link_of(name) or WORLD]

    def loose(self, graph: Graph) -> list[str]:
        """The first body of each part of a graph that no joint holds to the ground."""
        found, seen = [], {GROUND}
        neighbours: dict[str, list[str]] = {}
        for joint in graph.joints.values():
            neighbours.setdefault(joint.predecessor, []).append(joint.successor)
            neighbours.setdefault(joint.successor, []).append(joint.predecessor)
        for start in (GROUND, *graph.bodies):
            if start not in seen:
                found.append(start)
            waiting = [start]
            seen.add(start)
            while waiting:
                for other in neighbours.get(waiting.pop(), ()):
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
        return found
