"""Planar linkages with closed loops, in the x-y plane with gravity along -y; closed where every q is 0."""

import numpy as np

from ..joints import Prismatic, Revolute
from ..mechanism import GROUND, Mechanism
from ..spatial import Inertia, Placement

Point = tuple[float, float]


class _Linkage:
    """Bars between points of the plane; every body frame sits at its first pin, parallel to the ground's."""

    def __init__(self, name: str) -> None:
        self.m = Mechanism(name, gravity=(0.0, -9.81, 0.0))
        self.origin: dict[str, Point] = {GROUND: (0.0, 0.0)}

    def at(self, body: str, point: Point) -> Placement:
        """Where a point of the plane sits in a body."""
        x, y = self.origin[body]
        return Placement((point[0] - x, point[1] - y, 0.0))

    def bar(self, name: str, start: Point, end: Point, parent: str = GROUND, mass: float = 1.0) -> None:
        """A thin rod from start to end that turns about its start on the parent."""
        self.body(name, Revolute("z"), start, parent, _rod(start, end, mass))

    def body(self, name: str, joint: Revolute | Prismatic, at: Point, parent: str, inertia: Inertia) -> None:
        """A body whose joint and frame are at a point."""
        self.m.add_body(name, joint, parent=parent, placement=self.at(parent, at), inertia=inertia)
        self.origin[name] = at

    def pin(self, name: str, point: Point, first: str, second: str) -> None:
        """Close a loop: two bodies turn about a common point."""
        self.m.add_loop(
            name,
            Revolute("z"),
            predecessor=first,
            successor=second,
            placement_p=self.at(first, point),
            placement_s=self.at(second, point),
        )


def _rod(start: Point, end: Point, mass: float) -> Inertia:
    """A thin rod, in axes parallel to the ground's at its start."""
    d = np.array([end[0] - start[0], end[1] - start[1], 0.0])
    return Inertia(mass=mass, com=0.5 * d, about_com=mass / 12.0 * (d @ d * np.eye(3) - np.outer(d, d)))


def four_bar() -> Mechanism:
    """Crank, coupler and rocker in a closed loop; the crank can turn round."""
    linkage = _Linkage("four-bar")
    a, b, c, d = (0.0, 0.0), (0.12, 0.16), (0.72, 0.5), (0.7, 0.0)
    linkage.bar("crank", a, b, mass=0.4)
    linkage.bar("coupler", b, c, parent="crank", mass=1.1)
    linkage.bar("rocker", d, c, mass=0.9)
    linkage.pin("pin", c, "coupler", "rocker")
    return linkage.m


def four_bars(windows: int = 40) -> Mechanism:
    """Four-bars in a row: vertical bars on the ground, each tied to the next by a horizontal coupler.

    The IFToMM benchmark A02. Bars and couplers are thin rods of 1 m and 1 kg along their own x; the
    angle of a bar is measured from the ground's x axis, that of a coupler from its bar. Upright, every
    bar is at π/2 and every coupler at -π/2.

    Args:
        windows: How many four-bars, each sharing a bar with the next.
    """
    m = Mechanism(f"four-bars-{windows}", gravity=(0.0, -9.81, 0.0))
    rod = _rod((0.0, 0.0), (1.0, 0.0), 1.0)
    tip = Placement((1.0, 0.0, 0.0))
    for i in range(windows + 1):
        m.add_body(f"bar{i}", Revolute("z"), placement=Placement((float(i), 0.0, 0.0)), inertia=rod)
        if i < windows:
            m.add_body(f"coupler{i + 1}", Revolute("z"), parent=f"bar{i}", placement=tip, inertia=rod)
    for i in range(1, windows + 1):
        m.add_loop(f"pin{i}", Revolute("z"), f"coupler{i}", f"bar{i}", tip, tip)
    return m
