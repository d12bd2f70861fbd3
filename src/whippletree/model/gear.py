"""Gears: what couples joints (RBDA §9.6)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ModelError
from ..joints import Joint
from ..spatial import Array
from .fields import finite, keep_as_tuple, set_numbers

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .parts import Limits


@dataclass(frozen=True)
class Gear:
    """q[driven] = Σ ratio · q[driver] + offset between joints of one variable each (RBDA §9.6).

    One driver and its ratio make a pair of wheels, a belt, a rack or a screw; several, in tuples of the same
    length, make a planetary set or a differential: any linear relation between joints, told as one of them
    by the others. Loop joints take part as joints of the tree do.
    """

    name: str
    driver: str | tuple[str, ...]
    driven: str
    ratio: float | tuple[float, ...]
    offset: float = 0.0

    def __post_init__(self) -> None:
        title = f"gear {self.name!r}"
        for field in ("driver", "ratio"):
            keep_as_tuple(self, field)
        set_numbers(self, title, ("offset",))
        if not isinstance(self.driver, tuple):
            set_numbers(self, title, ("ratio",))
            return
        ratios = self.ratio if isinstance(self.ratio, tuple) else (self.ratio,)
        if not self.driver or len(ratios) != len(self.driver):
            raise ModelError(
                f"{title} has {len(self.driver)} drivers and {len(ratios)} ratios: give one ratio for each "
                "driver, as driver=('sun', 'ring'), ratio=(0.3, 0.7)"
            )
        for number, name in enumerate(self.driver):
            if name in self.driver[:number]:
                raise ModelError(f"{title} names the driver {name!r} twice: add its ratios up")
        object.__setattr__(self, "ratio", tuple(finite(ratio, title, "ratio") for ratio in ratios))

    @property
    def terms(self) -> tuple[tuple[str, Any], ...]:
        """Every driver with its ratio."""
        drivers = self.driver if isinstance(self.driver, tuple) else (self.driver,)
        ratios = self.ratio if isinstance(self.ratio, tuple) else (self.ratio,)
        return tuple(zip(drivers, ratios, strict=True))

    @property
    def joints(self) -> tuple[str, ...]:
        """The driven joint and its drivers."""
        return (self.driven, *(driver for driver, _ in self.terms))

    def equation(self) -> str:
        """What it demands, as "lower = -2 · upper + 0.5"."""
        terms = [f"{ratio:g} · {driver}" for driver, ratio in self.terms]
        return f"{self.driven} = {' + '.join(terms)} + {self.offset:g}"


def check_gear(m: "Mechanism", gear: Gear) -> None:
    """ModelError for a gear between joints of several variables, or one that drives what is driven."""
    if m.has("loop", gear.name):
        raise ModelError(f"{m.name!r} has a loop named {gear.name!r} already: choose another name")
    for joint_name in gear.joints[1:] + gear.joints[:1]:
        joint = joint_called(m, joint_name)
        if joint.nv != 1:
            raise ModelError(
                f"gear {gear.name!r}: joint {joint_name!r} has {joint.nv} velocities, expected 1"
            )
    others = {other.driven: other for other in m.gears if other.name != gear.name}
    if gear.driven in others:
        by = " and ".join(repr(driver) for driver, _ in others[gear.driven].terms)
        raise ModelError(f"gear {gear.name!r}: joint {gear.driven!r} is driven by {by} already")
    for driver, _ in gear.terms:
        above = [driver]
        while above:
            name = above.pop()
            if name == gear.driven:
                raise ModelError(f"gear {gear.name!r}: {gear.driven!r} would drive itself through {driver!r}")
            above += [driver for driver, _ in others[name].terms] if name in others else []


def joint_called(m: "Mechanism", name: str) -> Joint:
    """A joint by its name, of the tree or of a loop."""
    if m.has("loop", name):
        return m.loops[m.number("loop", name)].joint
    return m.bodies[m.joint_number(name)].joint


def tree_gears(m: "Mechanism") -> list[Gear]:
    """The gears that no loop joint takes part in."""
    return [gear for gear in m.gears if not any(m.has("loop", joint) for joint in gear.joints)]


class Train(NamedTuple):
    """The position of a joint by those of independent joints: q = Σ factor · q[driver] + offset.

    factors has the factors by numbers of the drivers; an independent joint has 1 for itself.
    """

    factors: dict[int, Any]
    offset: Any


def trains(m: "Mechanism") -> list[Train]:
    """For each joint the independent ones at the ends of its gears; those with loop joints are left out."""
    gears = {m.joint_number(gear.driven): gear for gear in tree_gears(m)}
    found: dict[int, Train] = {}

    def train(i: int) -> Train:
        if i not in gears:
            return Train({i: 1.0}, 0.0)
        if i not in found:
            factors, offset = {}, gears[i].offset
            for driver, ratio in gears[i].terms:
                above = train(m.joint_number(driver))
                offset = offset + ratio * above.offset
                for end, factor in above.factors.items():
                    factors[end] = factors.get(end, 0.0) + ratio * factor
            found[i] = Train(factors, offset)
        return found[i]

    return [train(i) for i in range(len(m))]


def geared_limits(m: "Mechanism") -> list["Limits"]:
    """The limits of each joint; of one that alone drives others, narrowed to where they are within theirs."""
    found = [body.limits for body in m.bodies]
    for i, train in enumerate(trains(m) if m.gears else ()):
        if len(train.factors) != 1 or i in train.factors:
            continue
        ((driver, ratio),) = train.factors.items()
        if ratio == 0.0:
            continue
        bounds = m.bodies[i].limits
        ends = sorted((end - train.offset) / ratio for end in (bounds.lower, bounds.upper))
        lower, upper = max(ends[0], found[driver].lower), min(ends[1], found[driver].upper)
        if lower <= upper:
            found[driver] = replace(found[driver], lower=lower, upper=upper)
    return found


def check_locked(gear: Gear, positions: Mapping[str, Array]) -> None:
    """ModelError for a gear of which some joints are locked alone, or all where it does not let them be."""
    held = [joint for joint in gear.joints if joint in positions]
    others = [joint for joint in gear.joints if joint not in positions]
    if others:
        every = "both" if len(gear.joints) == 2 else "all"
        raise ModelError(
            f"gear {gear.name!r} couples {held[0]!r}, which is to be locked, to "
            f"{' and '.join(map(repr, others))}: lock {every} ({gear.equation()})"
        )
    driven = positions[gear.driven][0]
    expected = sum(ratio * positions[driver][0] for driver, ratio in gear.terms) + gear.offset
    if abs(driven - expected) > 1e-9 * max(1.0, abs(expected)):
        at = " and ".join(f"{driver!r} is at {positions[driver][0]:g}" for driver, _ in gear.terms)
        raise ModelError(
            f"gear {gear.name!r} holds {gear.driven!r} at {expected:g} while {at}: "
            f"it cannot be locked at {driven:g}"
        )
