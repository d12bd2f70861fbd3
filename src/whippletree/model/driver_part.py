"""Drivers: what moves a joint as prescribed (rheonomic constraints, RBDA §8.2), and distances to drive."""

from dataclasses import dataclass
from typing import Any

from ..errors import InputError, ModelError
from .driver_motions import DriverMotion, motion_from
from .fields import set_numbers


@dataclass(frozen=True)
class Distance:
    """The distance between the origins of two frames or bodies, m: what a cylinder's driver prescribes."""

    name: str
    frame_a: str
    frame_b: str


@dataclass(frozen=True)
class Driver:
    """x(t) = offset + amplitude · position(t) of a joint of one coordinate, rad or m, whatever it takes.

    The joint is a tree joint, a loop joint or a distance. A position that is a speed begins where the joint
    is at the start.
    """

    name: str
    joint: str
    position: DriverMotion
    amplitude: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        title = f"driver {self.name!r}"
        set_numbers(self, title, ("amplitude", "offset"))
        try:
            object.__setattr__(self, "position", motion_from(self.position))
        except InputError as error:
            raise ModelError(f"{title}: {error}") from None


def check_distance(m: Any, distance: Distance) -> None:
    """ModelError for a distance within one body, which nothing changes."""
    places = [m.frame(name) for name in (distance.frame_a, distance.frame_b)]
    if places[0].body == places[1].body:
        raise ModelError(
            f"distance {distance.name!r} is between two points of {places[0].body!r}: name frames of two "
            "bodies"
        )


def check_driver(m: Any, driver: Driver) -> None:
    """ModelError for a second driver of a joint, and for a joint that has not just one coordinate."""
    for other in m.drivers:
        if other.joint == driver.joint and other.name != driver.name:
            raise ModelError(
                f"driver {driver.name!r}: {driver.joint!r} is driven by {other.name!r} already, and two "
                "would contradict each other"
            )
    if m.has("joint", driver.joint):
        joint = m.bodies[m.joint_number(driver.joint)].joint
    elif m.has("loop", driver.joint):
        joint = m.loops[m.number("loop", driver.joint)].joint
    else:
        return
    if joint.nq != 1 or joint.nv != 1 or not joint.has_rates:
        raise ModelError(
            f"driver {driver.name!r}: joint {driver.joint!r} has {joint.nq} coordinates and {joint.nv} "
            "velocities, and drivers move single ones, as of a hinge or a slider"
        )
