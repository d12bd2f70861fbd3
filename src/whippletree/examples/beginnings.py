"""States from which bundled mechanisms show what they are for."""

from collections.abc import Callable
from math import pi
from typing import Any, NamedTuple

from ..spatial import Array

UPRIGHT = (pi / 2.0, 0.0, 0.0)
"""Roll, pitch and yaw that turn the plane of a planar joint upright: its x stays, its y becomes z."""

DARK = (0.2, 0.2, 0.2, 1.0)
"""The color of what is to grip."""


class Start(NamedTuple):
    """Where a motion begins that is worth seeing: what `simulate` and `rollout` take.

    Attributes:
        q: (nq,) position, rad or m; None: neutral, loops closed.
        qd: (nv,) velocity, rad/s or m/s; None: at rest.
        duration: How long, s.
        control: control(t, q, qd) gives the actuator forces (nv,), N m or N; None: no forces.
        impacts: The law of impacts of `simulate`.
    """

    q: Array | None = None
    qd: Array | None = None
    duration: float = 10.0
    control: Callable[[Any, Array, Array], Array] | None = None
    impacts: str = "poisson"
