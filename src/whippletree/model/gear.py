"""Gears: what couples two joints (RBDA §9.6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..spatial import Array
from .fields import set_numbers

if TYPE_CHECKING:
    from .mechanism import Mechanism


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
