"""Bodies that touch: for `simulate(m, …, contacts="rigid")`, and for `rollout` likewise."""

from math import cos, pi, radians, sin

from ..joints import Planar, Prismatic, Revolute
from ..model.mechanism import Mechanism
from ..shapes import Box, Plane, Sphere
from ..spatial import Inertia, Placement

_UPRIGHT = (pi / 2.0, 0.0, 0.0)
"""Turns the plane of a planar joint upright: its x stays, its y becomes z."""


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


def rocking_block() -> Mechanism:
    """A slender block of 1 kg that stands on the floor; tilted by less than 14 degrees it rocks to rest."""
    m = _floor("rocking-block")
    size = (0.2, 0.8, 0.1)
    at = Placement((0.0, 0.0, 0.4), rpy=_UPRIGHT)
    m.add_body("block", Planar(), placement=at, inertia=Inertia.box(size, mass=1.0))
    m.add_shape("hull", Box(size), "block")
    m.add_contact("stand", "hull", "floor", friction=0.8)
    return m


def rimless_wheel() -> Mechanism:
    """Twelve spokes of 1 m without a rim: with gravity turned a little, it walks down the slope."""
    m = _floor("rimless-wheel")
    at = Placement((0.0, 0.0, 1.02), rpy=_UPRIGHT)
    m.add_body("wheel", Planar(), placement=at, inertia=Inertia(mass=1.0, about_com=(0.1, 0.1, 0.2)))
    for k in range(12):
        angle = k * pi / 6.0
        m.add_shape(f"foot-{k}", Sphere(0.02), "wheel", Placement((sin(angle), -cos(angle), 0.0)))
        m.add_contact(f"step-{k}", f"foot-{k}", "floor", friction=1.0)
    return m


def sliding_ladder() -> Mechanism:
    """A ladder of 2 m that leans against a wall at 70 degrees, both smooth: it slides and loses the wall."""
    m = _floor("sliding-ladder")
    m.add_shape("wall", Plane(), placement=Placement((0.0, 0.0, 0.0), rpy=(0.0, pi / 2.0, 0.0)))
    x, y = cos(radians(70.0)), sin(radians(70.0))
    foot, head = (x, -y, 0.0), (-x, y, 0.0)
    at = Placement((x + 0.02, 0.0, y + 0.02), rpy=_UPRIGHT)
    m.add_body("ladder", Planar(), placement=at, inertia=Inertia.rod(foot, head, mass=8.0))
    for name, place, surface in (("foot", foot, "floor"), ("head", head, "wall")):
        m.add_shape(name, Sphere(0.02), "ladder", Placement(place))
        m.add_contact(f"{name} on {surface}", name, surface, friction=0.0)
    return m
