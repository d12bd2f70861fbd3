"""Gears: what couples two joints (RBDA §9.6)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..spatial import Array
from .fields import set_numbers

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .parts import Limits


@dataclass(frozen=True)
class Gear:
    """q[driven] = ratio · q[driver] + offset between two joints of one variable each (RBDA §9.6)."""

    name: str
    driver: str
    driven: str
    ratio: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        set_numbers(self, f"gear {self.name!r}", ("ratio", "offset"))


def check_gear(m: "Mechanism", gear: Gear) -> None:
    """ModelError for a gear between joints of several variables, or one that drives what is driven."""
    if m.has("loop", gear.name):
        raise ModelError(f"{m.name!r} has a loop named {gear.name!r} already: choose another name")
    for joint_name in (gear.driver, gear.driven):
        joint = m.bodies[m.joint_number(joint_name)].joint
        if joint.nv != 1:
            raise ModelError(
                f"gear {gear.name!r}: joint {joint_name!r} has {joint.nv} velocities, expected 1"
            )
    drivers = {other.driven: other.driver for other in m.gears if other.name != gear.name}
    if gear.driven in drivers:
        by = drivers[gear.driven]
        raise ModelError(f"gear {gear.name!r}: joint {gear.driven!r} is driven by {by!r} already")
    above: str | None = gear.driver
    while above is not None:
        if above == gear.driven:
            raise ModelError(
                f"gear {gear.name!r}: {gear.driven!r} would drive itself through {gear.driver!r}"
            )
        above = drivers.get(above)


def trains(m: "Mechanism") -> list[tuple[int, float, float]]:
    """For each joint the independent one at the end of its gears, and q = factor · q[driver] + offset."""
    gears = {m.joint_number(gear.driven): gear for gear in m.gears}
    found = []
    for i in range(len(m)):
        driver, factor, offset = i, 1.0, 0.0
        while driver in gears:
            gear = gears[driver]
            offset += factor * gear.offset
            factor *= gear.ratio
            driver = m.joint_number(gear.driver)
        found.append((driver, factor, offset))
    return found


def geared_limits(m: "Mechanism") -> list["Limits"]:
    """The limits of each joint; of one that drives others, narrowed to where those are within theirs."""
    found = [body.limits for body in m.bodies]
    for i, (driver, ratio, offset) in enumerate(trains(m) if m.gears else ()):
        if driver == i or ratio == 0.0:
            continue
        ends = sorted((end - offset) / ratio for end in (m.bodies[i].limits.lower, m.bodies[i].limits.upper))
        lower, upper = max(ends[0], found[driver].lower), min(ends[1], found[driver].upper)
        if lower <= upper:
            found[driver] = replace(found[driver], lower=lower, upper=upper)
    return found


def check_locked(gear: Gear, positions: Mapping[str, Array]) -> None:
    """ModelError for a gear of which one joint is locked alone, or both where it does not let them be."""
    driver, driven = positions.get(gear.driver), positions.get(gear.driven)
    if driver is None or driven is None:
        held, other = (gear.driven, gear.driver) if driver is None else (gear.driver, gear.driven)
        raise ModelError(
            f"gear {gear.name!r} couples {held!r}, which is to be locked, to {other!r}: lock both "
            f"({gear.driven} = {gear.ratio:g} · {gear.driver} + {gear.offset:g})"
        )
    expected = gear.ratio * driver[0] + gear.offset
    if abs(driven[0] - expected) > 1e-9 * max(1.0, abs(expected)):
        raise ModelError(
            f"gear {gear.name!r} holds {gear.driven!r} at {expected:g} while {gear.driver!r} is at "
            f"{driver[0]:g}: it cannot be locked at {driven[0]:g}"
        )
