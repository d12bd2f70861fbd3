"""Numbers to set a joint's position by, one for each freedom: what sliders show."""

from dataclasses import dataclass

import numpy as np

from ..joints import Free, Joint, Reversed, Revolute, Spherical
from ..model.mechanism import Limits, Mechanism
from ..spatial import Array
from ..spatial.rotation import quaternion_exp, quaternion_log

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
        """A value as the slider can show it: turned back by full turns, else held at the ends.

        >>> Slider("hinge", 0, 0, -3.2, 3.2, "rad", True).shown(7.0) == 7.0 - 2 * np.pi
        True
        """
        if self.turns and not self.lower <= value <= self.upper:
            value = (value + np.pi) % (2.0 * np.pi) - np.pi
        return float(min(max(value, self.lower), self.upper))


def round_number(x: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above x > 0.

    >>> round_number(0.31), round_number(730.0)
    (0.2, 500.0)
    """
    power = int(np.floor(np.log10(x) + 1e-9))
    digit = max(k for k in (1, 2, 5) if k <= x / 10.0**power * (1 + 1e-9) or k == 1)
    return float(f"{digit}e{power}")


def numbers(joint: Joint, q: Array) -> Array:
    """(nv,) the numbers of a joint at its position q (nq,): its coordinates, with rotation vectors, rad,
    in place of quaternions.

    >>> numbers(Spherical(), np.array([np.cos(0.2), 0.0, np.sin(0.2), 0.0])).round(12)
    array([0. , 0.4, 0. ])
    """
    kind = _inside(joint)
    if isinstance(kind, Spherical):
        return quaternion_log(q)
    if isinstance(kind, Free):
        return np.concatenate([q[:3], quaternion_log(q[3:])])
    return q if joint.nq == joint.nv else joint.difference(joint.neutral(), q)


def position(joint: Joint, values: Array) -> Array:
    """(nq,) the position of a joint with these numbers (nv,): inverse of `numbers`."""
    kind = _inside(joint)
    if isinstance(kind, Spherical):
        return quaternion_exp(values)
    if isinstance(kind, Free):
        return np.concatenate([values[:3], quaternion_exp(values[3:])])
    return values if joint.nq == joint.nv else joint.integrate(joint.neutral(), values)


def _inside(joint: Joint) -> Joint:
    return joint.of if isinstance(joint, Reversed) else joint


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
        for k in range(joint.nv):
            angle = _is_angle(joint, k)
            reach = np.pi if angle else size
            lower, upper = _range(body.limits, reach)
            turns = isinstance(_inside(joint), Revolute) and upper - lower >= 2.0 * np.pi - 1e-9
            label = body.joint_name if joint.nv == 1 else f"{body.joint_name} {_letter(joint, k)}"
            found.append(Slider(label, i, k, float(lower), float(upper), "rad" if angle else "m", turns))
    return found


def _range(limits: Limits, reach: float) -> tuple[float, float]:
    """From where to where a slider goes: the limits, or `reach` either way where there are none."""
    lower, upper = limits.lower, limits.upper
    if np.isinf(lower):
        lower = -reach if np.isinf(upper) else min(-reach, upper - 2.0 * reach)
    if np.isinf(upper):
        upper = max(reach, lower + 2.0 * reach)
    return lower, max(upper, lower + 1e-6)


def _is_angle(joint: Joint, k: int) -> bool:
    kind = _inside(joint)
    if isinstance(kind, Free):
        return k >= 3
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    return bool(np.linalg.norm(S[:3, k]) > 1e-12)


def _letter(joint: Joint, k: int) -> str:
    kind = _inside(joint)
    if isinstance(kind, Free):
        return ("x", "y", "z", "rx", "ry", "rz")[k]
    return ("rx", "ry", "rz")[k] if isinstance(kind, Spherical) else f"[{k}]"
