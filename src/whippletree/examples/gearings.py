"""Machines of wheels: joints that gears and belts couple."""

import numpy as np

from ..joints import Revolute
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement

SUN, RING, PLANET = 24, 66, 21
"""Teeth of the planetary set; the ring has as many as the sun and two planets."""


def planetary_gear() -> Mechanism:
    """A planetary gear set: sun, ring and carrier on one axis, and three planets that mesh with both.

    Willis: the planets make 24 turns of the sun and 66 of the ring 90 of the carrier.
    """
    m = Mechanism("planetary-gear")
    m.add_body("sun", Revolute("x"), inertia=_wheel(0.024, 0.3), actuated=True)
    m.add_body("ring", Revolute("x"), inertia=_wheel(0.07, 1.2))
    m.add_body("carrier", Revolute("x"), inertia=_wheel(0.05, 0.8))
    total = SUN + RING
    m.add_gear("planets", ("sun", "ring"), "carrier", (SUN / total, RING / total))
    for number in range(3):
        planet, angle = f"planet{number + 1}", 2.0 * np.pi / 3.0 * number
        place = Placement((0.0, 0.045 * np.cos(angle), 0.045 * np.sin(angle)))
        m.add_body(planet, Revolute("x"), "carrier", place, _wheel(0.021, 0.2))
        m.add_gear(f"mesh{number + 1}", ("sun", "carrier"), planet, (-SUN / PLANET, SUN / PLANET))
    return m


def differential() -> Mechanism:
    """The differential of a car's axle: its case turns as fast as both wheels on the average."""
    m = Mechanism("differential")
    m.add_body("case", Revolute("y"), inertia=_wheel(0.09, 4.0, "y"), actuated=True)
    for name, side in (("left", 0.6), ("right", -0.6)):
        m.add_body(name, Revolute("y"), "ground", Placement((0.0, side, 0.0)), _wheel(0.3, 15.0, "y"))
    m.add_body("spider", Revolute("z"), "case", Placement((0.0, 0.0, 0.05)), _wheel(0.03, 0.4, "z"))
    m.add_gear("bevels", ("left", "right"), "case", (0.5, 0.5))
    m.add_gear("pinion", ("left", "case"), "spider", (1.6, -1.6))
    return m


def belt_arm() -> Mechanism:
    """An arm with a belt from a wheel on the ground to the hand, which so keeps its direction.

    Both wheels are of one size, and the one on the ground stands still as long as its motor holds it.
    """
    m = Mechanism("belt-arm")
    m.add_body("wheel", Revolute("y"), inertia=_wheel(0.05, 0.4, "y"), actuated=True, damping=0.02)
    rod = Inertia.rod((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), mass=1.5)
    m.add_body("arm", Revolute("y"), inertia=rod, actuated=True)
    plate = Inertia.box((0.12, 0.06, 0.02), mass=0.4, placement=Placement((0.05, 0.0, 0.0)))
    m.add_body("hand", Revolute("y"), "arm", Placement((0.5, 0.0, 0.0)), plate)
    m.add_gear("belt", ("wheel", "arm"), "hand", (1.0, -1.0))
    return m


def _wheel(radius: float, mass: float, axis: str = "x") -> Inertia:
    """A disc about an axis, a fifth as thick as its radius."""
    turn = {"x": (0.0, 0.5 * np.pi, 0.0), "y": (0.5 * np.pi, 0.0, 0.0), "z": (0.0, 0.0, 0.0)}
    return Inertia.cylinder(radius, 0.2 * radius, mass=mass, placement=Placement(rpy=turn[axis]))
