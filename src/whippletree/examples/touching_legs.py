"""Walkers and robots with feet, on stones and on a floor."""

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

from ..joints import Planar, Revolute
from ..model.mechanism import Limits, Mechanism
from ..shapes import Box, Capsule, Plane, Sphere
from ..spatial import Array, Inertia, Placement, maximum, minimum
from .beginnings import DARK, UPRIGHT, Start
from .legged import quadruped
from .parallel import linkage_quadruped

SLOPE, ANGLE, RATE = 0.009, 0.200310900544, -0.199832473005
"""The slope of Garcia et al.; right after a step the angle of the leg that stands, rad, its rate, √(g/l)."""

SOLE = 0.02
"""m: radius of robots' feet."""

FOOT = 1e-9
"""m: radius of the walker's feet, which are points."""


def simplest_walker() -> Mechanism:
    """Two legs of 1 m that walk down a slope of 0.009 rad without a motor, over stones.

    M. Garcia, A. Chatterjee, A. Ruina and M. Coleman, The simplest walking model (1998): all mass is at the
    hip, and feet weigh next to nothing, here 10 mg. Legs that cannot bend would scuff where one passes the
    other: so each foot has its own row of stones. There are six; behind the last it falls on the floor that
    they stand on.
    """
    m = Mechanism("simplest-walker")
    slope, foot, stride = Placement(rpy=(0.0, SLOPE, 0.0)), Inertia(1e-5, (0.0, -1.0, 0.0)), 2.0 * sin(ANGLE)
    at = slope @ Placement((0.0, 0.0, 1.0 + FOOT), rpy=UPRIGHT)
    m.add_body("left", Planar(), placement=at, inertia=Inertia(1.0) + foot)
    m.add_body("right", Revolute("z"), "left", inertia=foot)
    m.add_shape("hip", Sphere(0.05), "left")
    for side, y in (("left", -0.1), ("right", 0.1)):
        middle = Placement((0.0, -0.5, y), rpy=(pi / 2.0, 0.0, 0.0))
        m.add_shape(f"{side}-leg", Capsule(0.01, 1.0), side, middle)
        m.add_shape(f"{side}-foot", Sphere(FOOT), side, Placement((0.0, -1.0, y)))
    for k in range(6):
        side, y = (("left", 0.1), ("right", -0.1))[k % 2]
        at = slope @ Placement((k * stride, y, -0.05))
        m.add_shape(f"stone-{k}", Box((0.2, 0.1, 0.1)), placement=at)
        m.add_contact(f"step-{k}", f"{side}-foot", f"stone-{k}", friction=0.6)
    m.add_shape("floor", Plane(), placement=slope @ Placement((0.0, 0.0, -0.1)))
    for part in ("left-foot", "right-foot", "hip"):
        m.add_contact(f"{part} falls", part, "floor", friction=0.6)
    return m


def walker_state(m: Mechanism, angle: float, rate: float) -> tuple[Array, Array]:
    """q and qd of the simplest walker right after a step: its left leg stands, on the first stone.

    Args:
        m: The walker.
        angle: θ of the leg that stands, against the slope's normal, rad. The other is at 2 θ from it.
        rate: θ', in units of √(g/l). The other leg has φ' = θ' (1 - cos 2θ) (Garcia et al., eq. 4).
    """
    c, s, w = cos(angle), sin(angle), rate * sqrt(9.81)
    q = np.array([angle, -s, c - 1.0, -2.0 * angle])
    # The hip moves on a circle about the foot: in the leg's axes, along its x alone.
    return q, np.array([w, -w, 0.0, -w * (1.0 - cos(2.0 * angle))])


def simplest_walker_start(m: Mechanism) -> Start:
    """The fixed point of its stride."""
    return Start(*walker_state(m, ANGLE, RATE), 6.0)


BEND = 0.45
"""rad: of the robot of linkages, how far thighs lean back and shanks forward."""

LEG, SWING, KNEE = 0.21, 0.75, -1.5
"""Thigh and shank of the quadruped, m, and how they stand, rad."""


SPRING = 200.0
"""N m/rad: of its joints."""

BEAT, SWEEP, LIFT = 2.5, 0.2, 0.35
"""Its trot: 1/s, and rad by which legs swing to either side, and by which thighs rise."""


def dropped_quadruped() -> Mechanism:
    """The quadruped with springs in its joints and round feet, 0.1 m above the floor: it lands and rests."""
    return _on_feet("dropped-quadruped")


def trotting_quadruped() -> Mechanism:
    """The quadruped on its feet; its start brings a controller with which it trots."""
    return _on_feet("trotting-quadruped")


def _on_feet(name: str) -> Mechanism:
    source = quadruped()
    m = Mechanism(name)
    for body in source.bodies:
        m.append(body)
        if body.parent == "ground":
            m.change(body.name, placement=Placement((0.0, 0.0, 2.0 * LEG + SOLE)))
            m.add_shape("hull", Box((0.40, 0.16, 0.10)), body.name)
            continue
        part = body.name.rpartition("_")[2]
        rest = {"hip": 0.0, "thigh": SWING, "shank": KNEE}[part]
        m.change(body.name, limits=Limits(), stiffness=SPRING, damping=6.0, armature=0.01, rest=(rest,))
        if part != "hip":
            at, width = Placement((0.0, 0.0, -0.5 * LEG)), 0.025 if part == "thigh" else 0.012
            m.add_shape(f"{body.name}-skin", Capsule(width, LEG), body.name, at)
    m.add_shape("floor", Plane())
    for frame in source.frames:
        m.add_shape(f"{frame.name}-ball", Sphere(SOLE), frame.body, frame.placement, color=DARK)
        m.add_contact(f"{frame.name} on floor", f"{frame.name}-ball", "floor", friction=0.8)
    return m


def _stance(m: Mechanism, height: float) -> Array:
    """(nq,) joints where their springs rest, feet so high above the floor, m."""
    q = m.neutral()
    q[2] = LEG * (cos(SWING) + cos(SWING + KNEE) - 2.0) + height
    for body, index in zip(m.bodies, m.q_index, strict=True):
        if body.rest is not None:
            q[index] = body.rest
    return q


def dropped_quadruped_start(m: Mechanism) -> Start:
    """It is let go."""
    return Start(_stance(m, 0.1), np.zeros(m.nv), 3.0)


def trotting_quadruped_start(m: Mechanism) -> Start:
    """Diagonal legs in turn are lifted and swung forward, by forces that hang on the time alone."""
    thighs = [body.name for body in m.bodies if body.name.endswith("thigh")]
    diagonal = tuple(float(("front" in name) == ("left" in name)) for name in thighs)

    def control(t: Any, q: Array, qd: Array) -> Array:
        tau: list[Any] = [0.0] * 6
        for leg in diagonal:
            phase, grown = 2.0 * pi * BEAT * t + pi * leg, minimum(t, 1.0)
            rise, forward = grown * LIFT * maximum(np.sin(phase), 0.0), -grown * SWEEP * np.cos(phase)
            # Forces that move the rest of the springs: the shank turns twice as far, so that the foot rises.
            tau += [0.0, SPRING * (rise - forward), -2.0 * SPRING * rise]
        return np.array(tau)

    return Start(_stance(m, 0.0), np.zeros(m.nv), 4.0, control)


def standing_linkage_quadruped() -> Mechanism:
    """A robot whose knees are moved by bars from the hip, on its feet: loops and contacts hold together.

    Springs stand for the motors, of which each leg has three at its hip: abduction, thigh, and the crank of
    the knee.
    """
    m = linkage_quadruped()
    m.name = "standing-linkage-quadruped"
    m.change("trunk", placement=Placement((0.0, 0.0, 0.25 * (cos(0.6) + cos(0.1)) + SOLE)))
    for body in m.bodies:
        part = body.name.rpartition("-")[2]
        if part in ("hip", "thigh", "crank"):
            rest = {"hip": 0.0, "thigh": BEND - 0.6, "crank": -BEND - 0.1}[part]
            m.change(body.name, stiffness=300.0, damping=10.0, armature=0.02, rest=(rest,))
        if part in ("thigh", "shank", "bar"):
            at, width = Placement((0.0, 0.0, -0.125)), 0.008 if part == "bar" else 0.018
            m.add_shape(f"{body.name}-skin", Capsule(width, 0.25), body.name, at)
    m.add_shape("hull", Box((0.5, 0.2, 0.1)), "trunk")
    m.add_shape("floor", Plane())
    for frame in m.frames:
        m.add_shape(f"{frame.name}-ball", Sphere(SOLE), frame.body, frame.placement, color=DARK)
        m.add_contact(f"{frame.name} on floor", f"{frame.name}-ball", "floor", friction=0.7)
    return m


def standing_linkage_quadruped_start(m: Mechanism) -> Start:
    """Thighs and shanks at the same angle to the vertical, and loops closed: it sinks a little and stands."""
    q = m.neutral()
    q[2] = 0.25 * (2.0 * cos(BEND) - cos(0.6) - cos(0.1))
    angles = {"hip": 0.0, "thigh": BEND - 0.6, "shank": 0.5 - 2.0 * BEND, "crank": -BEND - 0.1}
    angles["bar"] = 2.0 * BEND - 0.5
    for body, index in zip(m.bodies[1:], m.q_index[1:], strict=True):
        q[index] = angles[body.name.rpartition("-")[2]]
    return Start(q, np.zeros(m.nv), 3.0)
