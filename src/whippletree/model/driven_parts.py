"""Drivers of a mechanism: how they are read and added."""

from functools import cached_property
from typing import Any

from .collection import PartCollection
from .driver_part import Distance, Driver


class DrivenCollection(PartCollection):
    """Parts among which there are drivers, and distances that they may drive."""

    @cached_property
    def distances(self) -> tuple[Distance, ...]:
        """The distances that have a name."""
        return tuple(self._parts["distance"])

    @cached_property
    def drivers(self) -> tuple[Driver, ...]:
        """The drivers: what moves as prescribed."""
        return tuple(self._parts["driver"])

    def add_distance(self, name: str, frame_a: str, frame_b: str) -> None:
        """Name the distance between the origins of two frames or bodies, which a driver may prescribe."""
        self.add(Distance(name, frame_a, frame_b))

    def add_driver(
        self,
        name: str,
        position: Any,
        joint: str | None = None,
        amplitude: float = 1.0,
        offset: float = 0.0,
    ) -> None:
        """Let a joint move as prescribed: x(t) = offset + amplitude · position(t), rad or m.

        Drivers exert whatever it takes, and act in `kinematics`, `simulate` and `rollout`.

        Args:
            name: Of the driver.
            position: A function of time, s, whose rates are found by recording it; a formula, as
                "0.5 * sin(4 * t)"; a `MotionTable` or a spline of SciPy; or a speed, rad/s or m/s, that
                begins where the joint is.
            joint: Name of a tree joint or loop joint of one coordinate, or of a distance; that of the driver
                by default.
            amplitude, offset: See above; both are parameters.

        >>> import numpy as np
        >>> import whippletree as wt
        >>> m = wt.examples.load("four-bar")
        >>> m.add_driver("crank", "2 * t + 0.1 * sin(t)")
        >>> wt.kinematics(m, t=[0.0, 0.5]).joint("crank").ravel()
        array([0.        , 1.04794255])
        """
        self.add(Driver(name, name if joint is None else joint, position, amplitude, offset))
