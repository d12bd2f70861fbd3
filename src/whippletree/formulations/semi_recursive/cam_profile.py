"""Outlines of cams in polar coordinates, and a table of radii as one, C² and periodic (Yu et al., B.2)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...spatial import Array, array, maximum, where
from ...spatial.scalar import real_numbers

Profile = Callable[[Any], tuple[Any, Any, Any]]
"""From the polar angle, rad, to the radius s, m, and its first and second derivative by the angle."""

LEAST = 4
"""Radii of a table: a spline of third order reaches over four of them."""

GIVES = "s, ds/dz and d²s/dz²"
"""What a profile gives."""

PROBES, NUDGE, TOLERANCE = 7, 1e-5, 1e-5
"""At how many angles a profile is looked at, the step of differences, rad, and how far they may be off."""


@dataclass(frozen=True)
class CamTable:
    """The radius of a cam at equal angles around it, and between them a periodic cubic spline.

    s, s' and s'' are continuous everywhere, s'' being needed for accelerations. It is a sum of one basis
    function a radius, each written with `maximum` alone, so that it can be recorded.

    Args:
        radii: s at the angles 0, 2π/n, 2·2π/n, …, m; n of them, at least 4.

    >>> from whippletree.formulations import semi_recursive
    >>> cam = semi_recursive.CamTable(tuple(0.05 + 0.01 * np.cos(2.0 * np.pi * np.arange(24) / 24)))
    >>> [round(float(x), 5) for x in cam(2.0 * np.pi / 24 * 5)]
    [0.05259, -0.00966, -0.0026]
    """

    radii: tuple[float, ...]
    weights: tuple[float, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            radii = real_numbers(self.radii)
        except (TypeError, ValueError):
            raise ModelError(f"radii are {self.radii!r}, expected numbers, in m") from None
        if radii.ndim != 1 or len(radii) < LEAST:
            raise ModelError(f"radii have shape {radii.shape}, expected at least {LEAST} numbers, in m")
        if not np.all(np.isfinite(radii)) or radii.min() <= 0.0:
            raise ModelError(
                f"radii go from {radii.min():g} to {radii.max():g} m: all must be finite, above 0"
            )
        n = len(radii)
        shifted = np.eye(n)[:, np.r_[n - 1, 0 : n - 1]]
        # At a knot its own basis function is 2/3 and those of its neighbours are 1/6.
        weights = np.linalg.solve((4.0 * np.eye(n) + shifted + shifted.T) / 6.0, radii)
        object.__setattr__(self, "radii", tuple(radii.tolist()))
        object.__setattr__(self, "weights", tuple(weights.tolist()))

    def __call__(self, angle: Any) -> tuple[Any, Any, Any]:
        """s, m, ds/dz and d²s/dz² at a polar angle, rad."""
        n = len(self.radii)
        step = 2.0 * np.pi / n
        s: Any = 0.0
        first: Any = 0.0
        second: Any = 0.0
        for k, weight in enumerate(self.weights):
            t = angle / step - k
            t = t - n * np.floor(t.real / n + 0.5)
            away = maximum(t, -t)
            wide, narrow = maximum(2.0 - away, 0.0), maximum(1.0 - away, 0.0)
            side = where(t.real < 0.0, 1.0, -1.0)
            s = s + weight / 6.0 * (wide * wide * wide - 4.0 * narrow * narrow * narrow)
            first = first + 0.5 * weight * side * (wide * wide - 4.0 * narrow * narrow)
            second = second + weight * (wide - 4.0 * narrow)
        return s, first / step, second / (step * step)


class CamPoint(NamedTuple):
    """A point a (3,) of a cam in its own axes, m, and its derivatives by the polar angle."""

    a: Array
    first: Array
    second: Array


def cam_point(profile: Profile, angle: Any) -> CamPoint:
    """ā_1 = s_1 [cos z_1, sin z_1] of (B.5), with derivatives."""
    s, s1, s2 = profile(angle)
    c, d = np.cos(angle), np.sin(angle)
    along, across = array([c, d, 0.0]), array([-d, c, 0.0])
    return CamPoint(s * along, s1 * along + s * across, (s2 - s) * along + 2.0 * s1 * across)


def check_profile(profile: Profile) -> None:
    """ModelError for a profile that is not periodic, not positive, or has derivatives of something else."""
    if not callable(profile):
        raise ModelError(
            f"profile is {profile!r}, expected a CamTable, or a function from an angle to {GIVES}"
        )
    for angle in np.linspace(-3.1, 3.0, PROBES):
        _check_at(profile, float(angle))


def _check_at(profile: Profile, angle: float) -> None:
    try:
        s, s1, s2 = (float(x) for x in profile(angle))
    except (TypeError, ValueError):
        raise ModelError(f"profile({angle:g}) is {profile(angle)!r}, expected {GIVES}") from None
    before, after, round_ = (profile(angle + d) for d in (-NUDGE, NUDGE, 2.0 * np.pi))
    if not s > 0.0:
        raise ModelError(f"the cam's radius is {s:g} m at {angle:g} rad: it must be above 0")
    if abs(float(round_[0]) - s) > TOLERANCE * s:
        raise ModelError(
            f"the radius of the cam is {s:g} m at {angle:g} rad and {round_[0]:g} m a full turn on"
        )
    for given, k, name in ((s1, 0, "first"), (s2, 1, "second")):
        found = float(after[k] - before[k]) / (2.0 * NUDGE)
        if not abs(found - given) <= TOLERANCE * (s + abs(found)):
            raise ModelError(
                f"the {name} derivative of the cam's radius is {given:g} at {angle:g} rad, but differences "
                f"there make it {found:g}: give {GIVES}"
            )
