"""Machines whose parts touch: dominoes, a Geneva wheel, a cam, a gripper."""

from math import pi, radians, sqrt
from typing import Any

import numpy as np

from ..joints import Free, Prismatic, Revolute
from ..model.mechanism import Mechanism
from ..shapes import Box, Capsule, Cylinder, Plane, Sphere
from ..spatial import Array, Inertia, Placement, maximum, minimum
from .beginnings import DARK, Start

DOMINOES, HIGH, THICK, APART = 8, 0.048, 0.0075, 0.02
"""How many, and m: height, thickness, and from one front to the next."""


def dominoes() -> Mechanism:
    """Eight dominoes in a row, each on its front edge and its heel: the first one fells them all.

    The front edges are pinned; the upper ones and the heels are balls of a tenth of a millimetre, on the next
    domino's back and on the floor. Where two meet without friction and restitution, the first keeps half of
    its angular velocity and the second gets the other half.
    """
    m = Mechanism("dominoes")
    m.add_shape("floor", Plane())
    size, ball = (THICK, 0.024, HIGH), 1e-4
    middle = Placement((-0.5 * THICK, 0.0, 0.5 * HIGH))
    for k in range(DOMINOES):
        at = Placement((APART * k, 0.0, ball))
        m.add_body(
            f"domino-{k}", Revolute("y"), placement=at, inertia=Inertia.box(size, mass=0.01, placement=middle)
        )
        m.add_shape(f"tile-{k}", Box(size), f"domino-{k}", middle, color=(0.93, 0.92, 0.86, 1.0))
        m.add_shape(f"heel-{k}", Sphere(ball), f"domino-{k}", Placement((-THICK, 0.0, 0.0)))
        m.add_shape(f"edge-{k}", Sphere(ball), f"domino-{k}", Placement((0.0, 0.0, HIGH)))
        m.add_contact(f"stand-{k}", f"heel-{k}", "floor", friction=0.0)
    for k in range(1, DOMINOES):
        m.add_contact(f"push-{k}", f"edge-{k - 1}", f"tile-{k}", friction=0.0)
    m.add_contact("lie", f"edge-{DOMINOES - 1}", "floor", friction=0.0)
    return m


def dominoes_start(m: Mechanism) -> Start:
    """The first one is pushed."""
    qd = np.zeros(m.nv)
    qd[0] = 6.0
    return Start(m.neutral(), qd, 0.5)


CRANK, PIN, CLEARANCE = 0.1, 0.008, 2e-4
"""m: Geneva's crank, radius of its pin, and the room that this has in a slot on either side."""


def geneva_wheel() -> Mechanism:
    """A Geneva wheel: the pin of a crank with a flywheel enters a slot, and turns the wheel by a quarter.

    The centres are √2 cranks apart, so that the pin enters and leaves a slot along it, and the wheel begins
    and ends at rest. In a slot without play tan β = sin α / (√2 - cos α), the angles being those from the
    line of centres. Between strokes a damper holds the wheel.
    """
    m = Mechanism("geneva-wheel")
    m.add_body("crank", Revolute("z"), inertia=Inertia(20.0, about_com=(0.25, 0.25, 0.5)))
    m.add_shape("flywheel", Cylinder(0.06, 0.01), "crank", Placement((0.0, 0.0, -0.03)))
    m.add_shape("pin", Sphere(PIN), "crank", Placement((CRANK, 0.0, 0.0)), color=(0.9, 0.4, 0.1, 1.0))
    m.add_shape("arm", Box((CRANK, 0.012, 0.006)), "crank", Placement((0.5 * CRANK, 0.0, -0.02)))
    disc = Inertia(0.3, about_com=(4e-4, 4e-4, 8e-4))
    m.add_body(
        "wheel", Revolute("z"), placement=Placement((CRANK * sqrt(2.0), 0.0, 0.0)), inertia=disc, damping=4e-3
    )
    m.add_shape("hub", Cylinder(0.03, 0.016), "wheel")
    inner, wall = 0.03, 0.01
    long = CRANK - inner
    for k in range(4):
        # At rest two slots are at 45 degrees to the line of centres.
        turn = Placement(rpy=(0.0, 0.0, 0.25 * pi + 0.5 * pi * k))
        for side in (-1.0, 1.0):
            name = f"slot-{k}{'ab'[side > 0]}"
            at = turn @ Placement((inner + 0.5 * long, side * (PIN + CLEARANCE + 0.5 * wall), 0.0))
            m.add_shape(name, Box((long, wall, 0.016)), "wheel", at)
            m.add_contact(f"pin in {name}", "pin", name, friction=0.0)
    return m


def geneva_wheel_start(m: Mechanism) -> Start:
    """The crank turns."""
    return Start(np.array([radians(90.0), 0.0]), np.array([4.0, 0.0]), 4.0)


CAM, ECCENTRIC, ROLLER = 0.06, 0.025, 0.02
"""m: radius of the cam, how far its centre is from its axis, radius of the roller."""


def cam_and_roller() -> Mechanism:
    """A round cam on an axis beside its centre lifts a follower by a roller; a spring holds it down.

    While they touch, the follower is at e cos θ + √((R + r)² - e² sin² θ). Where the cam turns too fast for
    the spring, the follower jumps.
    """
    m = Mechanism("cam-and-roller")
    disc = Inertia(3.0, (0.0, 0.0, ECCENTRIC), (0.02, 0.03, 0.02))
    across = (pi / 2.0, 0.0, 0.0)
    m.add_body("cam", Revolute("y"), inertia=disc)
    m.add_shape("profile", Capsule(CAM, 0.01), "cam", Placement((0.0, 0.0, ECCENTRIC), rpy=across))
    m.add_shape("axle", Cylinder(0.01, 0.16), "cam", Placement(rpy=across))
    top = CAM + ROLLER + ECCENTRIC
    m.add_body("follower", Prismatic("z"), placement=Placement((0.0, 0.0, top)), inertia=Inertia(0.2),
        stiffness=400.0, rest=(-0.08,))  # fmt: skip
    m.add_shape("stem", Box((0.012, 0.012, 0.15)), "follower", Placement((0.0, 0.0, 0.1)))
    small = Inertia(0.05, about_com=(6e-6, 1e-5, 6e-6))
    m.add_body("roller", Revolute("y"), "follower", inertia=small)
    m.add_shape("tyre", Capsule(ROLLER, 0.01), "roller", Placement(rpy=across), color=(0.9, 0.4, 0.1, 1.0))
    m.add_contact("roll", "tyre", "profile", friction=0.5)
    return m


def cam_and_roller_start(m: Mechanism) -> Start:
    """The cam turns, and the roller rolls on it."""
    speed = 8.0
    return Start(m.neutral(), np.array([speed, 0.0, -speed * (CAM + ECCENTRIC) / ROLLER]), 2.0)


LOAD, SIDE = 0.5, 0.1
"""kg and m: the box that the gripper lifts."""

CUBE = (SIDE, SIDE, SIDE)


def gripper() -> Mechanism:
    """Two fingers with round pads that close on a box of 0.5 kg, lift it and hold it.

    They grip it above its centre, so that it hangs.
    """
    m = Mechanism("gripper")
    m.add_shape("floor", Plane())
    m.add_body(
        "box",
        Free(),
        placement=Placement((0.0, 0.0, 0.5 * SIDE)),
        inertia=Inertia.box(CUBE, mass=LOAD),
    )
    m.add_shape("hull", Box(CUBE), "box", color=(0.8, 0.65, 0.4, 1.0))
    m.add_contact("stand", "hull", "floor", friction=0.6)
    m.add_body(
        "lift",
        Prismatic("z"),
        placement=Placement((0.0, 0.0, 0.5 * SIDE)),
        inertia=Inertia(1.0),
        damping=40.0,
    )
    m.add_shape("bridge", Box((0.3, 0.04, 0.02)), "lift", Placement((0.0, 0.0, 0.14)))
    for name, side in (("left", -1.0), ("right", 1.0)):
        joint, at = Prismatic((-side, 0.0, 0.0)), Placement((side * 0.09, 0.0, 0.0))
        m.add_body(name, joint, "lift", at, Inertia(0.2), damping=20.0)
        m.add_shape(f"{name}-finger", Box((0.012, 0.08, 0.14)), name, Placement((side * 0.012, 0.0, 0.07)))
        m.add_shape(f"{name}-pad", Sphere(0.01), name, Placement((0.0, 0.0, 0.02)), color=DARK)
        m.add_contact(f"{name} grip", f"{name}-pad", "hull", friction=0.8)
    return m


def gripper_start(m: Mechanism) -> Start:
    """The fingers close, with 8 N each, and rise by 0.2 m from 0.6 to 1.6 s."""
    weight = 9.81 * (1.0 + 2 * 0.2 + LOAD)

    def control(t: Any, q: Array, qd: Array) -> Array:
        s = minimum(maximum(t - 0.6, 0.0), 1.0)
        z, v = 0.2 * s * s * (3.0 - 2.0 * s), 1.2 * s * (1.0 - s)
        load = weight - 9.81 * LOAD + 9.81 * LOAD * minimum(10.0 * s, 1.0)
        rise = 2000.0 * (z - q[7]) + 80.0 * (v - qd[6]) + load
        squeeze = 8.0 * minimum(10.0 * t, 1.0)
        return np.array([0.0] * 6 + [rise, squeeze, squeeze])

    return Start(m.neutral(), np.zeros(m.nv), 2.5, control)
