"""Bars between points of the plane, from which linkages are put together."""

import numpy as np

from ..joints import Joint, Revolute
from ..model.mechanism import GROUND, Mechanism
from ..spatial import Array, Inertia, Placement, dot

Point = tuple[float, float]


class Linkage:
    """Bars between points of the plane; every body frame sits at its first pin, parallel to the ground's."""

    def __init__(self, name: str) -> None:
        self.m: Mechanism = Mechanism(name, gravity=(0.0, -9.81, 0.0))
        self.origin: dict[str, Point] = {GROUND: (0.0, 0.0)}

    def at(self, body: str, point: Point) -> Placement:
        """Where a point of the plane sits in a body."""
        x, y = self.origin[body]
        return Placement((point[0] - x, point[1] - y, 0.0))

    def body(self, name: str, joint: Joint, at: Point, parent: str, inertia: Inertia) -> None:
        """A body whose joint and frame are at a point."""
        self.m.add_body(name, joint, parent=parent, placement=self.at(parent, at), inertia=inertia)
        self.origin[name] = at

    def bar(self, name: str, start: Point, end: Point, parent: str = GROUND, mass: float = 1.0) -> None:
        """A thin rod from start to end that turns about its start on the parent."""
        self.body(name, Revolute("z"), start, parent, thin_rod(start, end, mass))

    def plate(self, name: str, corners: tuple[Point, ...], parent: str = GROUND, mass: float = 1.0) -> None:
        """A link with several pins, made of thin rods from the first to the others."""
        inertia = Inertia.zero()
        for corner in corners[1:]:
            inertia = inertia + thin_rod(corners[0], corner, mass / (len(corners) - 1))
        self.body(name, Revolute("z"), corners[0], parent, inertia)

    def close(self, name: str, joint: Joint, point: Point, first: str, second: str) -> None:
        """Close a loop between two bodies at a point."""
        self.m.add_loop(name, joint, first, second, self.at(first, point), self.at(second, point))

    def pin(self, name: str, point: Point, first: str, second: str) -> None:
        """Close a loop: two bodies turn about a common point."""
        self.close(name, Revolute("z"), point, first, second)


def thin_rod(start: Point, end: Point, mass: float) -> Inertia:
    """A thin rod, in axes parallel to the ground's at its start."""
    d = np.array([end[0] - start[0], end[1] - start[1], 0.0])
    return Inertia(mass=mass, com=0.5 * d, about_com=mass / 12.0 * (dot(d, d) * np.eye(3) - np.outer(d, d)))


def point_of(values: Array) -> Point:
    return (float(values[0]), float(values[1]))


def block(mass: float) -> Inertia:
    """A small cube, such as slides in a guide."""
    return Inertia(mass=mass, about_com=np.full(3, mass * 0.05**2 / 6.0))
