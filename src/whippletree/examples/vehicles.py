"""Vehicles on wheels."""

from math import cos, pi, tan

import numpy as np

from ..joints import Prismatic, Revolute, RollingDisc
from ..model.mechanism import Mechanism
from ..spatial import Array, Inertia, Placement
from .beginnings import Start


def bicycle() -> Mechanism:
    """The benchmark bicycle of Whipple's kind: two wheels roll, and a rider sits stiff on the frame.

    J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized dynamics equations for the
    balance and steer of a bicycle: a benchmark and review (2007), table 1, with z upwards and y to the left.
    At the neutral position it stands upright and heads along x, the rear wheel on the origin.
    """
    base, trail, tilt = 1.02, 0.08, pi / 10.0
    rear, front = np.array([0.0, 0.0, 0.3]), np.array([base, 0.0, 0.35])
    head = np.array([base + trail - 0.9 * tan(tilt), 0.0, 0.9])
    m = Mechanism("bicycle")
    wheel = Inertia(2.0, about_com=(0.0603, 0.12, 0.0603))
    m.add_body("rear_wheel", RollingDisc(0.3), placement=Placement(rear), inertia=wheel)
    frame = _inertia(85.0, np.array([0.3, 0.0, 0.9]) - rear, 9.2, 11.0, 2.8, 2.4)
    m.add_body("frame", Revolute("y"), "rear_wheel", inertia=frame)
    fork = _inertia(4.0, np.array([0.9, 0.0, 0.7]) - head, 0.05892, 0.06, 0.00708, -0.00756)
    axis = (-tan(tilt) * cos(tilt), 0.0, cos(tilt))
    m.add_body("fork", Revolute(axis), "frame", Placement(head - rear), fork, joint_name="steer")
    wheel = Inertia(3.0, about_com=(0.1405, 0.28, 0.1405))
    m.add_body("front_wheel", Revolute("y"), "fork", Placement(front - head), wheel)
    m.add_loop("front_contact", RollingDisc(0.35), "ground", "front_wheel", Placement(front))
    m.add_frame("saddle", "frame", Placement(np.array([0.15, 0.0, 0.95]) - rear))
    m.add_frame("handlebar", "fork", Placement((-0.05, 0.0, 0.15)))
    return m


def bicycle_start(m: Mechanism) -> Start:
    """Five metres a second, a little push to the side: within the speeds at which it balances by itself."""
    qd = bicycle_velocity(m, 5.0)
    qd[1] = 0.3
    return Start(m.neutral(), qd, duration=8.0)


def bicycle_velocity(m: Mechanism, speed: float) -> Array:
    """(nv,) joint velocities of the bicycle that runs straight ahead, upright, at a speed, m/s."""
    qd = np.zeros(m.nv)
    for name, value in (("rear_wheel", speed / 0.3), ("frame", -speed / 0.3), ("front_wheel", speed / 0.35)):
        qd[m.v_index[m.joint_number(name)].stop - 1] = value
    return qd


WHEELS = {"fl": (1.1, 0.75), "fr": (1.1, -0.75), "rl": (-1.5, 0.75), "rr": (-1.5, -0.75)}
"""Where the wheels of the car are, seen from its centre of mass: m to the front and to the left."""

SUSPENSION, DAMPER, TYRE = 22_000.0, 1_500.0, 190_000.0
"""N/m, N s/m and N/m, of each wheel."""


def car() -> Mechanism:
    """A car that rides: heave, pitch and roll of its body, four wheels on springs, on tyres that give way.

    Its wheels slide up and down on tyres that are springs of their joints; suspensions are springs with
    dampers between wheels and body. At q = 0 no spring is loaded: `wt.equilibrium` lets it sink in.
    """
    height, mass = 0.55, 1200.0
    m = Mechanism("car")
    m.add_body("heave", Prismatic("z"), placement=Placement((0.0, 0.0, height)))
    m.add_body("pitch", Revolute("y"), "heave")
    m.add_body(
        "body",
        Revolute("x"),
        "pitch",
        inertia=Inertia(mass, about_com=(450.0, 2100.0, 2300.0)),
        joint_name="roll",
    )
    for name, (x, y) in WHEELS.items():
        place = Placement((x, y, 0.25))
        hub = Inertia(40.0, about_com=(0.5, 1.0, 0.5))
        m.add_body(name, Prismatic("z"), placement=place, inertia=hub, stiffness=TYRE)
        points = {"point_a": (0.0, 0.0, 0.0), "point_b": (x, y, 0.0)}
        m.add_spring(
            f"{name}-suspension",
            name,
            body_b="body",
            **points,
            stiffness=SUSPENSION,
            damping=DAMPER,
            length=height - 0.25,
        )
    return m


def _inertia(mass: float, com: Array, xx: float, yy: float, zz: float, xz: float) -> Inertia:
    """An inertia symmetric about the xz plane, its product of inertia as the benchmark counts it, z down."""
    return Inertia(mass, com, [[xx, 0.0, -xz], [0.0, yy, 0.0], [-xz, 0.0, zz]])
