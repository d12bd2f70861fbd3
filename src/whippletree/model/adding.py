"""How parts other than bodies and joints are added, to a mechanism and to a graph alike."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ..shapes import Shape
from ..spatial import Placement
from .contact import Contact
from .driver_part import Distance, Driver
from .force import Force, Reference
from .gear import Gear
from .parts import GROUND, Color, Frame, PlacedShape
from .spring import Spring


class PartAdder:
    """What takes parts; in a `Graph` all that is fixed to a body is told in the body's own frame."""

    def add(self, part: Any) -> None:
        """Add a part of any kind."""
        raise NotImplementedError

    def add_frame(self, name: str, body: str, placement: Placement | None = None) -> None:
        """Name a frame fixed to a body, or to the ground, at a placement in that body's frame."""
        self.add(Frame(name, body, Placement() if placement is None else placement))

    def add_gear(
        self,
        name: str,
        driver: str | Sequence[str],
        driven: str,
        ratio: float | Sequence[float],
        offset: float = 0.0,
    ) -> None:
        """Couple joints, given by their names: q[driven] = Σ ratio · q[driver] + offset.

        There are one driver and its ratio, or as many of both. Each joint has one variable; loop joints may
        take part. A joint is driven by one gear at most; a driver may be driven itself, but not in a circle.

        >>> import whippletree as wt
        >>> m = wt.Mechanism("planetary set", gravity=(0, 0, 0))
        >>> for wheel in ("sun", "ring", "carrier"):
        ...     m.add_body(wheel, wt.Revolute("z"), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.2)))
        >>> m.add_gear("planets", driver=("sun", "ring"), driven="carrier", ratio=(0.3, 0.7))
        >>> wt.gear_matrix(m)
        array([[1. , 0. ],
               [0. , 1. ],
               [0.3, 0.7]])
        """
        drivers = driver if isinstance(driver, str) or not isinstance(driver, Iterable) else tuple(driver)
        self.add(Gear(name, drivers, driven, cast("float | tuple[float, ...]", ratio), offset))

    def add_spring(
        self,
        name: str,
        body_a: str,
        point_a: Any,
        body_b: str,
        point_b: Any,
        stiffness: float,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> None:
        """Put a spring and damper between two points, given in the frames of their bodies; see `Spring`."""
        self.add(Spring(name, body_a, point_a, body_b, point_b, stiffness, damping, length))

    def add_force(
        self,
        name: str,
        frame: str,
        force: Any = (0.0, 0.0, 0.0),
        torque: Any = (0.0, 0.0, 0.0),
        reference: Reference = "body",
    ) -> None:
        """Put a constant force, N, and torque, N m, on a frame or body; see `Force`."""
        self.add(Force(name, frame, force, torque, reference))

    def add_shape(
        self,
        name: str,
        shape: Shape,
        body: str = GROUND,
        placement: Placement | None = None,
        color: Color | None = None,
    ) -> None:
        """Put a shape on a body, or on the ground, at a placement in that body's frame: seen and touched.

        The color is red, green, blue and opacity, each from 0 to 1. A shape has no say in how the
        mechanism moves; `shape.inertia(…)` is what it would weigh.

        >>> import whippletree as wt
        >>> m = wt.examples.load("pendulum")
        >>> m.add_shape("bob", wt.Sphere(0.05), body="rod", placement=wt.Placement((0, 0, -1)))
        >>> m.shapes[0].shape.bounds()[1]
        array([0.05, 0.05, 0.05])
        """
        self.add(PlacedShape(name, shape, body, Placement() if placement is None else placement, color))

    def add_contact(
        self,
        name: str,
        a: str,
        b: str,
        friction: float = 0.8,
        restitution: float = 0.0,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> None:
        """Let two things touch, each a shape, a body with all its shapes, or "ground"; see `Contact`.

        >>> import whippletree as wt
        >>> m = wt.Mechanism("ball")
        >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=0.3))
        >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
        >>> m.add_shape("floor", wt.Plane())
        >>> m.add_contact("bounce", "skin", "floor", friction=0.4, restitution=0.7)
        >>> m.contacts[0].restitution
        0.7
        """
        self.add(Contact(name, a, b, friction, restitution, stiffness, damping))

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
