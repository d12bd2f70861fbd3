"""Bodies that touch: for `simulate(m, …, contacts="rigid")`, and for `rollout` likewise."""

from math import cos, pi, radians, sin, sqrt

import numpy as np

from ..joints import Free, Planar, Prismatic, Revolute
from ..model.mechanism import Mechanism
from ..shapes import Box, Capsule, Ellipsoid, Plane, Sphere
from ..spatial import Inertia, Placement, cross
from .beginnings import UPRIGHT, Start


def _floor(name: str) -> Mechanism:
    m = Mechanism(name)
    m.add_shape("floor", Plane())
    return m


def bouncing_ball() -> Mechanism:
    """A ball of 0.3 kg that falls from 0.9 m and gives back 0.8 of its speed; it rests after 47 bounces."""
    m = _floor("bouncing-ball")
    at = Placement((0.0, 0.0, 1.0))
    m.add_body("ball", Prismatic("z"), placement=at, inertia=Inertia.sphere(0.1, mass=0.3))
    m.add_shape("skin", Sphere(0.1), "ball")
    m.add_contact("bounce", "skin", "floor", restitution=0.8)
    return m


def newtons_cradle() -> Mechanism:
    """Five steel balls on rods of 0.5 m side by side; lift one, and let impacts be "sequential"."""
    m = Mechanism("newtons-cradle")
    bob = Inertia.sphere(0.05, mass=0.4, placement=Placement((0.0, 0.0, -0.5)))
    for k in range(5):
        m.add_body(f"ball-{k}", Revolute("y"), placement=Placement((0.1 * k, 0.0, 0.0)), inertia=bob)
        m.add_shape(f"steel-{k}", Sphere(0.05), f"ball-{k}", Placement((0.0, 0.0, -0.5)))
    for k in range(4):
        m.add_contact(f"hit-{k}", f"steel-{k}", f"steel-{k + 1}", friction=0.0, restitution=1.0)
    return m


def newtons_cradle_start(m: Mechanism) -> Start:
    """One ball is lifted, and the shock goes through the others one after the other."""
    return Start(np.array([0.5, 0.0, 0.0, 0.0, 0.0]), np.zeros(5), 3.0, impacts="sequential")


def rocking_block() -> Mechanism:
    """A slender block of 1 kg that stands on the floor; tilted by less than 14 degrees it rocks to rest."""
    m = _floor("rocking-block")
    size = (0.2, 0.8, 0.1)
    at = Placement((0.0, 0.0, 0.4), rpy=UPRIGHT)
    m.add_body("block", Planar(), placement=at, inertia=Inertia.box(size, mass=1.0))
    m.add_shape("hull", Box(size), "block")
    m.add_contact("stand", "hull", "floor", friction=0.8)
    return m


def rocking_block_start(m: Mechanism) -> Start:
    """It is tilted by 10 degrees, on its right lower edge."""
    angle = radians(10.0)
    c, s = cos(angle), sin(angle)
    return Start(np.array([-angle, 0.4 * s - 0.1 * c + 0.1, 0.4 * c + 0.1 * s - 0.4]), np.zeros(3), 3.0)


def rimless_wheel() -> Mechanism:
    """Twelve spokes of 1 m without a rim: with gravity turned a little, it walks down the slope."""
    m = _floor("rimless-wheel")
    at = Placement((0.0, 0.0, 1.02), rpy=UPRIGHT)
    m.add_body("wheel", Planar(), placement=at, inertia=Inertia(mass=1.0, about_com=(0.1, 0.1, 0.2)))
    for k in range(12):
        angle = k * pi / 6.0
        m.add_shape(f"foot-{k}", Sphere(0.02), "wheel", Placement((sin(angle), -cos(angle), 0.0)))
        m.add_contact(f"step-{k}", f"foot-{k}", "floor", friction=1.0)
    return m


def rimless_wheel_start(m: Mechanism) -> Start:
    """It rolls on its foot, on level ground, until a step takes too much."""
    return Start(np.zeros(3), np.array([-3.0, 3.0, 0.0]) * np.array([1.0, 1.02, 1.0]), 2.0)


def sliding_ladder() -> Mechanism:
    """A ladder of 2 m that leans against a wall at 70 degrees, both smooth: it slides and loses the wall."""
    m = _floor("sliding-ladder")
    m.add_shape("wall", Plane(), placement=Placement((0.0, 0.0, 0.0), rpy=(0.0, pi / 2.0, 0.0)))
    x, y = cos(radians(70.0)), sin(radians(70.0))
    foot, head = (x, -y, 0.0), (-x, y, 0.0)
    at = Placement((x + 0.02, 0.0, y + 0.02), rpy=UPRIGHT)
    m.add_body("ladder", Planar(), placement=at, inertia=Inertia.rod(foot, head, mass=8.0))
    for name, place, surface in (("foot", foot, "floor"), ("head", head, "wall")):
        m.add_shape(name, Sphere(0.02), "ladder", Placement(place))
        m.add_contact(f"{name} on {surface}", name, surface, friction=0.0)
    m.add_shape("rungs", Box((2.0, 0.03, 0.4)), "ladder", Placement(rpy=(0.0, 0.0, -radians(70.0))))
    return m


def discs_on_slope() -> Mechanism:
    """Two discs on a slope of 20 degrees: one has the friction to roll, the other slips.

    A disc rolls where the friction is more than a third of the slope. After 20 m they come to a level floor
    and roll on; on a slope without an end they would turn ever faster.
    """
    m = Mechanism("discs-on-slope")
    slope = Placement(rpy=(0.0, radians(20.0), 0.0))
    m.add_shape("slope", Plane(), placement=slope)
    radius, mass = 0.2, 0.8
    inertia = Inertia(mass, about_com=np.array([0.25, 0.25, 0.5]) * mass * radius**2)
    for name, y, friction in (("rolls", 0.2, 0.2), ("slips", -0.2, 0.04)):
        at = slope @ Placement((0.0, y, radius), rpy=UPRIGHT)
        m.add_body(name, Planar(), placement=at, inertia=inertia)
        m.add_shape(f"{name}-rim", Ellipsoid((radius, radius, 0.03)), name)
        m.add_shape(f"{name}-mark", Sphere(0.02), name, Placement((0.0, 0.15, 0.03)))
        m.add_contact(f"{name} on slope", f"{name}-rim", "slope", friction=friction)
    m.add_shape("floor", Plane(), placement=Placement((slope @ Placement((20.0, 0.0, 0.0))).position))
    for name, friction in (("rolls", 0.2), ("slips", 0.04)):
        m.add_contact(f"{name} on floor", f"{name}-rim", "floor", friction=friction)
    return m


def box_on_slope() -> Mechanism:
    """A box of 2 kg that slides down a slope of 15 degrees, comes to rest and stays."""
    m = Mechanism("box-on-slope")
    slope = Placement(rpy=(0.0, radians(15.0), 0.0))
    m.add_shape("slope", Plane(), placement=slope)
    size = (0.4, 0.3, 0.2)
    at = slope @ Placement((0.0, 0.0, 0.1))
    m.add_body("box", Free(), placement=at, inertia=Inertia.box(size, mass=2.0))
    m.add_shape("hull", Box(size), "box")
    m.add_contact("rest", "hull", "slope", friction=0.5)
    return m


def box_on_slope_start(m: Mechanism) -> Start:
    """It is pushed down the slope."""
    return Start(m.neutral(), np.array([0.0, 0.0, 0.0, 1.5, 0.0, 0.0]), 2.0)


def falling_rod() -> Mechanism:
    """A rod of 1 m that falls at 60 degrees, strikes the floor with one end, then with the other."""
    m = _floor("falling-rod")
    at = Placement((0.0, 0.0, 1.0), rpy=UPRIGHT)
    m.add_body("rod", Planar(), placement=at, inertia=Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0))
    m.add_shape("skin", Capsule(0.02, 1.0), "rod", Placement(rpy=(0.0, pi / 2.0, 0.0)))
    m.add_contact("strike", "skin", "floor", friction=0.9, restitution=0.4)
    return m


def falling_rod_start(m: Mechanism) -> Start:
    """It is let go."""
    return Start(np.array([radians(60.0), 0.0, 0.0]), np.zeros(3), 2.0)


def painleve_rod() -> Mechanism:
    """A rod pushed tip first over a rough floor: at 63 degrees rigid bodies have no motion for it.

    Painlevé's paradox: beyond a friction of 4/3, at tan θ = 2, a force along n - μ t̂ no longer pushes the tip
    out of the floor. `simulate` says so by name. Surfaces that give way have a motion there: give the contact
    a stiffness, and `rollout` with contacts="compliant" shows how the tip jams and throws the rod up.
    """
    m = _floor("painleve-rod")
    at = Placement((0.0, 0.0, 1e-6), rpy=UPRIGHT)
    m.add_body("rod", Planar(), placement=at, inertia=Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0))
    m.add_shape("wood", Capsule(0.01, 1.0), "rod", Placement(rpy=(0.0, pi / 2.0, 0.0)))
    m.add_shape("tip", Sphere(1e-6), "rod", Placement((-0.5, 0.0, 0.0)))
    m.add_contact("slide", "tip", "floor", friction=1.5)
    return m


def painleve_rod_start(m: Mechanism) -> Start:
    """It leans back at the critical angle, and slides."""
    angle, speed = radians(63.43494882292201), 1.0
    c, s = cos(angle), sin(angle)
    q = np.array([angle, 0.0, 0.5 * s])
    return Start(q, np.array([0.0, -c * speed, s * speed]), 0.5)


def rattleback() -> Mechanism:
    """A wobbling stone: half an ellipsoid whose axes are not those of its inertia; it spins one way only.

    Numbers of T. R. Kane and D. A. Levinson, Realistic mathematical modeling of the rattleback (1982). Spun
    the wrong way, it begins to wobble, comes to a stop and turns back. It rolls, so its energy stays.
    """
    m = _floor("rattleback")
    inertia = np.array([(2.0, -0.2, 0.0), (-0.2, 16.0, 0.0), (0.0, 0.0, 17.0)]) * 1e-4
    at = Placement((0.0, 0.0, 0.02))
    m.add_body("stone", Free(), placement=at, inertia=Inertia(1.0, (0.0, 0.0, -0.01), inertia))
    m.add_shape("skin", Ellipsoid((0.2, 0.03, 0.02)), "stone")
    m.add_contact("roll", "skin", "floor", friction=1.0)
    return m


def rattleback_start(m: Mechanism) -> Start:
    """Tilted by two degrees and spun the wrong way; it rolls: its lowest point is at rest."""
    tilt, spin, (a, b, c) = radians(2.0), -5.0, (0.2, 0.03, 0.02)
    n = np.array([0.0, sin(tilt), cos(tilt)])  # up, in the stone's axes
    size = sqrt(n @ (np.array([a, b, c]) ** 2 * n))
    lowest = -(np.array([a, b, c]) ** 2) * n / size
    q = np.array([0.0, 0.0, size - 0.02, cos(0.5 * tilt), sin(0.5 * tilt), 0.0, 0.0])
    w = np.array([0.0, 0.0, spin])
    return Start(q, np.concatenate([w, -cross(w, lowest)]), 5.0)
