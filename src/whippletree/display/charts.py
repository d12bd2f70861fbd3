"""Numbers to set a joint's position by, one for each freedom: what sliders show."""

from dataclasses import dataclass

import numpy as np

from ..model.mechanism import Limits, Mechanism

RESOLUTION = 1000
"""Steps from one end of a slider to the other."""


@dataclass(frozen=True)
class Slider:
    """One number of a joint's position.

    Attributes:
        label: The joint's name, and which of its numbers.
        body, entry: The body the joint carries, and the place among the joint's numbers.
        lower, upper: Range, rad or m.
        unit: "rad" or "m".
        turns: Whether a full turn leads back to the same position.
    """

    label: str
    body: int
    entry: int
    lower: float
    upper: float
    unit: str
    turns: bool

    @property
    def step(self) -> float:
        """The smallest change, a round number of about a thousandth of the range."""
        return round_number((self.upper - self.lower) / RESOLUTION)

    def shown(self, value: float) -> float:
        """A value as the slider shows it: turned back by full turns, else as it is, beyond the ends too.

        >>> Slider("hinge", 0, 0, -3.2, 3.2, "rad", True).shown(7.0) == 7.0 - 2 * np.pi
        True
        >>> Slider("rail", 0, 0, -1.0, 1.0, "m", False).shown(-4.9)
        -4.9
        """
        if self.turns and value < self.lower:
            value += 2.0 * np.pi * np.ceil((self.lower - value) / (2.0 * np.pi))
        elif self.turns and value > self.upper:
            value -= 2.0 * np.pi * np.ceil((value - self.upper) / (2.0 * np.pi))
        return float(value)


def round_number(x: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above x > 0.

    >>> round_number(0.31), round_number(730.0)
    (0.2, 500.0)
    """
    power = int(np.floor(np.log10(x) + 1e-9))
    digit = max(k for k in (1, 2, 5) if k <= x / 10.0**power * (1 + 1e-9) or k == 1)
    return float(f"{digit}e{power}")


def sliders(m: Mechanism, size: float) -> list[Slider]:
    """A slider for every number of every joint, between its limits where it has some.

    Without limits an angle goes half a turn either way, a length as far as `size`, m.

    >>> import whippletree as wt
    >>> [slider.label for slider in sliders(wt.examples.load("spinning-top"), 1.0)]
    ['top rx', 'top ry', 'top rz']
    """
    found = []
    for i, body in enumerate(m.bodies):
        joint = body.joint
        for k, (unit, letter) in enumerate(zip(joint.units, joint.labels, strict=True)):
            lower, upper = _range(body.limits, np.pi if unit == "rad" else size)
            turns = joint.turns_endlessly and upper - lower >= 2.0 * np.pi - 1e-9
            label = body.joint_name if joint.nv == 1 else f"{body.joint_name} {letter}"
            found.append(Slider(label, i, k, float(lower), float(upper), unit, turns))
    return found


def _range(limits: Limits, reach: float) -> tuple[float, float]:
    """From where to where a slider goes: the limits, or `reach` either way where there are none."""
    lower, upper = limits.lower, limits.upper
    if np.isinf(lower):
        lower = -reach if np.isinf(upper) else min(-reach, upper - 2.0 * reach)
    if np.isinf(upper):
        upper = max(reach, lower + 2.0 * reach)
    return lower, max(upper, lower + 1e-6)
