"""Spatial mechanisms with closed loops, and a governor; closed where every q is neutral."""

import numpy as np

from ..joints import Free, Prismatic, Revolute, Spherical, Universal
from ..model.mechanism import Limits, Mechanism
from ..spatial import Array, Inertia, Placement, dot


def slender_rod(length: float, mass: float, axis: int = 2) -> Inertia:
    """A thin rod along an axis of its frame, from the origin on; a hundredth as thick as it is long."""
    moments = np.full(3, mass * length**2 / 12.0)
    moments[axis] = mass * (0.01 * length) ** 2 / 2.0
    com = np.zeros(3)
    com[axis] = 0.5 * length
    return Inertia(mass, com, moments)


def thin_disc(radius: float, mass: float, center: Array) -> Inertia:
    """A thin disc across z."""
    moment = mass * radius**2 / 4.0
    return Inertia(mass, center, (moment, moment, 2.0 * moment))


def pointing(start: Array, end: Array) -> Placement:
    """A frame at the start whose z axis points to the end."""
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross((0.0, 1.0, 0.0), z)
    x = x / np.linalg.norm(x)
    return Placement(start, rotation=np.array([x, np.cross(z, x), z]).T)


def bricard() -> Mechanism:
    """Bricard's linkage: six bars of 1 m and 1 kg and six hinges in one loop, overconstrained, yet mobile.

    The IFToMM benchmark A04 with thin rods. Released from rest at q = 0 under gravity along -y, it moves
    with q = (a, b, a, b, a), where sin a + sin b + sin a sin b = 0.
    """
    m = Mechanism("bricard", gravity=(0.0, -9.81, 0.0))
    parent, at = "ground", (0.0, 0.0, 0.0)
    for i, (axis, end) in enumerate(
        (("y", (1, 0, 0)), ("z", (0, -1, 0)), ("x", (0, 0, 1)), ("y", (-1, 0, 0)), ("z", (0, 1, 0)))
    ):
        d = np.array(end, dtype=float)
        rod = Inertia(1.0, 0.5 * d, (np.eye(3) - np.outer(d, d)) / 12.0)
        m.add_body(f"bar{i + 1}", Revolute(axis), parent, Placement(at), rod, joint_name=f"J{i + 1}")
        parent, at = f"bar{i + 1}", end
    m.add_loop("J6", Revolute("x"), "bar5", "ground", Placement(at), Placement((0.0, 0.0, 1.0)))
    return m


def flyball_governor() -> Mechanism:
    """Watt's governor: two heavy balls on arms swing out as a shaft spins, and lift a sleeve by springs.

    The IFToMM benchmark A05, with its stiff springs and dampers in place of rigid links. It starts at
    q = (0, 0.5, π/6, π/6) with the shaft turning at 2π rad/s.
    """
    m = Mechanism("flyball-governor")
    shaft = Inertia(0.3, (0.0, 0.0, 0.5), (0.0250025, 0.0250025, 5e-6))
    m.add_body("shaft", Revolute("z"), inertia=shaft, joint_name="psi")
    m.add_body("sleeve", Prismatic("z"), "shaft", inertia=Inertia(3.0, about_com=np.full(3, 0.005)))
    # A rod of 0.3 kg with a point mass of 5 kg at its tip.
    arm = Inertia(0.3, (0.5, 0.0, 0.0), (5e-6, 0.0250025, 0.0250025)) + Inertia(5.0, (1.0, 0.0, 0.0))
    for name, x, turn in (("arm1", 0.05, 0.0), ("arm2", -0.05, np.pi)):
        placement = Placement((x, 0.0, 1.0), rpy=(0.0, 0.0, turn))
        m.add_body(name, Revolute("y"), "shaft", placement, arm)
        m.add_spring(f"spring-{name}", "sleeve", (x, 0.0, 0.0), name, (0.5, 0.0, 0.0), 8e5, 4e4, 0.5)
    return m


def stewart_platform() -> Mechanism:
    """Stewart and Gough's platform: six legs with motors, which slide between soft stops, carry a plate."""
    m = Mechanism("stewart-platform")
    stroke = Limits(-0.25, 0.35, stiffness=2e5, dissipation=2.0)
    angles = np.deg2rad([10.0, 110.0, 130.0, 230.0, 250.0, 350.0])
    above = np.deg2rad([50.0, 70.0, 170.0, 190.0, 290.0, 310.0])
    feet = [np.array([0.8 * np.cos(a), 0.8 * np.sin(a), 0.0]) for a in angles]
    heads = [np.array([0.4 * np.cos(a), 0.4 * np.sin(a), 1.0]) for a in above]
    for i, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        m.add_body(f"cylinder{i}", Universal("x", "y"), "ground", pointing(foot, head), slender_rod(0.6, 2.0))
        length = float(np.linalg.norm(head - foot))
        # The piston's frame is at its head, from where the rod reaches back.
        piston = Inertia(0.8, (0.0, 0.0, -0.3), (0.024, 0.024, 1e-4))
        at = Placement((0.0, 0.0, length))
        m.add_body(f"leg{i}", Prismatic("z"), f"cylinder{i}", at, piston, limits=stroke)
    # The platform hangs on the first leg, its axes parallel to the ground's.
    center = np.array([0.0, 0.0, 1.0]) - heads[0]
    level = Placement(rotation=pointing(feet[0], heads[0]).rotation.T)
    m.add_body("platform", Spherical(), "leg0", level, thin_disc(0.4, 12.0, center))
    for i in range(1, 6):
        m.add_loop(f"ball{i}", Spherical(), f"leg{i}", "platform", None, Placement(heads[i] - heads[0]))
    m.add_frame("tool", "platform", Placement(center))
    return m


def delta_robot() -> Mechanism:
    """Clavel's delta robot: three arms with a pair of parallel rods each move a plate without turning it.

    Stops keep the arms from swinging in below the plate, where its rods would become parallel and hold it
    no longer. The rods' universal joints turn first about the axis of the arm's motor.
    """
    m = Mechanism("delta-robot")
    stops = Limits(-1.0, 1.3, stiffness=2000.0)
    base, arm, plate, drop, half = 0.2, 0.3, 0.06, 0.8, 0.05
    first: Array | None = None
    for i in range(3):
        turn = Placement(rpy=(0.0, 0.0, 2.0 * np.pi * i / 3.0))
        # In the arm's frame x points outward and y along the motor's axis.
        shoulder = turn @ Placement((base, 0.0, 0.0))
        m.add_body(f"arm{i}", Revolute("y"), "ground", shoulder, slender_rod(arm, 0.6, axis=0), limits=stops)
        elbow = np.array([arm, 0.0, 0.0])
        wrist = np.array([plate - base, 0.0, -drop])
        for k, side in enumerate((-half, half)):
            shift = np.array([0.0, side, 0.0])
            start, end = elbow + shift, wrist + shift
            length = float(np.linalg.norm(end - start))
            m.add_body(
                f"rod{i}{k}", Universal("y", "x"), f"arm{i}", pointing(start, end), slender_rod(length, 0.15)
            )
            tip = Placement((0.0, 0.0, length))
            corner = dot(turn.rotation, np.array([plate, side, 0.0]))
            if first is None:
                first = corner
                level = tip @ Placement(rotation=pointing(start, end).rotation.T)
                m.add_body("plate", Spherical(), "rod00", level, thin_disc(plate, 0.4, -corner))
                m.add_frame("tool", "plate", Placement(-corner))
            else:
                m.add_loop(f"ball{i}{k}", Spherical(), f"rod{i}{k}", "plate", tip, Placement(corner - first))
    return m


def linkage_quadruped() -> Mechanism:
    """A four-legged robot whose knees are moved from the hip by a bar parallel to the thigh."""
    m = Mechanism("linkage-quadruped")
    m.add_body("trunk", Free(), inertia=Inertia(12.0, about_com=(0.12, 0.35, 0.4)))
    thigh, crank, shank = 0.25, 0.06, 0.25
    for leg, x, y in (("lf", 0.2, 0.12), ("rf", 0.2, -0.12), ("lh", -0.2, 0.12), ("rh", -0.2, -0.12)):
        hip = f"{leg}-hip"
        m.add_body(
            hip, Revolute("x"), "trunk", Placement((x, y, 0.0)), Inertia(0.6, about_com=(1e-3, 1e-3, 1e-3))
        )
        bend, back = Placement(rpy=(0.0, 0.6, 0.0)), Placement(rpy=(0.0, -0.5, 0.0))
        m.add_body(f"{leg}-thigh", Revolute("y"), hip, bend, _down(thigh, 0.9))
        knee = Placement((0.0, 0.0, -thigh))
        # The shank is a lever: below the knee the foot, behind it the pin of the bar.
        m.add_body(f"{leg}-shank", Revolute("y"), f"{leg}-thigh", knee @ back, _down(shank, 0.4))
        m.add_body(f"{leg}-crank", Revolute("y"), hip, bend @ back, slender_rod(crank, 0.1, axis=0))
        end = Placement((crank, 0.0, 0.0))
        m.add_body(f"{leg}-bar", Revolute("y"), f"{leg}-crank", end @ back.inverse(), _down(thigh, 0.15))
        m.add_loop(f"{leg}-pin", Revolute("y"), f"{leg}-bar", f"{leg}-shank", knee, end)
        m.add_frame(f"{leg}-foot", f"{leg}-shank", Placement((0.0, 0.0, -shank)))
    return m


def _down(length: float, mass: float) -> Inertia:
    """A rod that hangs down from its frame."""
    moment = mass * length**2 / 12.0
    return Inertia(mass, (0.0, 0.0, -0.5 * length), (moment, moment, 0.01 * moment))
