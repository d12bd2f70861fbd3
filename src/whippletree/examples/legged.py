"""Legged robots: branched trees on a free base; x points forward, y to the left, z up."""

import numpy as np

from ..joints import Free, Revolute, Spherical, Universal
from ..model.mechanism import Limits, Mechanism
from ..spatial import Inertia, Placement

_ALONG_X = (0.0, np.pi / 2, 0.0)
_ALONG_Y = (np.pi / 2, 0.0, 0.0)
_HOUSING = Inertia.sphere(0.05, mass=0.9)  # a motor between two axes that meet


def humanoid() -> Mechanism:
    """A standing figure of 66 kg and 1.85 m: legs of six joints, arms of four, waist and neck."""
    m = Mechanism("humanoid")
    m.add_body("pelvis", Free(), inertia=Inertia.box((0.18, 0.28, 0.16), mass=9.0), joint_name="root")
    chest = Inertia.box((0.20, 0.32, 0.46), mass=18.0, placement=Placement((0.0, 0.0, 0.25)))
    _add(m, "chest", "waist", "z", "pelvis", (0.0, 0.0, 0.10), chest, (-1.2, 1.2), 120.0)
    _add(m, "neck", "neck_yaw", "z", "chest", (0.0, 0.0, 0.50), _HOUSING.scaled(0.5), (-1.4, 1.4), 10.0)
    head = Inertia.ellipsoid((0.09, 0.075, 0.12), mass=4.0, placement=Placement((0.02, 0.0, 0.14)))
    _add(m, "head", "neck_pitch", "y", "neck", (0.0, 0.0, 0.04), head, (-0.8, 0.8), 10.0)
    m.add_frame("gaze", "head", Placement((0.11, 0.0, 0.16)))
    for side, y in (("left", 1.0), ("right", -1.0)):
        _add_leg(m, side, y)
        _add_arm(m, side, y)
    return m


def _add_leg(m: Mechanism, side: str, y: float) -> None:
    thigh = Inertia.capsule(0.065, 0.28, mass=5.5, placement=Placement((0.0, 0.0, -0.19)))
    shank = Inertia.capsule(0.05, 0.28, mass=3.2, placement=Placement((0.0, 0.0, -0.19)))
    foot = Inertia.box((0.24, 0.10, 0.05), mass=1.1, placement=Placement((0.04, 0.0, -0.06)))
    outwards, inwards = (0.6, 0.4) if y > 0 else (0.4, 0.6)
    for body, joint, axis, parent, position, inertia, limits, effort in (
        ("hip", "hip_yaw", "z", "pelvis", (0.0, 0.10 * y, -0.06), _HOUSING, (-0.8, 0.8), 90.0),
        ("hip_fork", "hip_roll", "x", "hip", (0.0, 0.0, -0.05), _HOUSING, (-inwards, outwards), 120.0),
        ("thigh", "hip_pitch", "y", "hip_fork", (0.0, 0.0, 0.0), thigh, (-2.0, 1.0), 160.0),
        ("shank", "knee", "y", "thigh", (0.0, 0.0, -0.38), shank, (0.0, 2.4), 160.0),
        ("ankle", "ankle_pitch", "y", "shank", (0.0, 0.0, -0.38), _HOUSING, (-0.9, 0.7), 90.0),
        ("foot", "ankle_roll", "x", "ankle", (0.0, 0.0, 0.0), foot, (-0.5, 0.5), 60.0),
    ):
        on = parent if parent == "pelvis" else f"{side}_{parent}"
        _add(m, f"{side}_{body}", f"{side}_{joint}", axis, on, position, inertia, limits, effort)
    m.add_frame(f"{side}_sole", f"{side}_foot", Placement((0.04, 0.0, -0.085)))


def _add_arm(m: Mechanism, side: str, y: float) -> None:
    upper = Inertia.capsule(0.04, 0.20, mass=1.8, placement=Placement((0.0, 0.0, -0.13)))
    fore = Inertia.capsule(0.035, 0.24, mass=1.4, placement=Placement((0.0, 0.0, -0.15)))
    outwards, inwards = (2.2, 0.3) if y > 0 else (0.3, 2.2)
    for body, joint, axis, parent, position, inertia, limits, effort in (
        ("shoulder", "shoulder_pitch", "y", "chest", (0.0, 0.18 * y, 0.42), _HOUSING, (-3.0, 1.0), 60.0),
        (
            "yoke",
            "shoulder_roll",
            "x",
            "shoulder",
            (0.0, 0.03 * y, 0.0),
            _HOUSING,
            (-inwards, outwards),
            60.0,
        ),
        ("upper_arm", "shoulder_yaw", "z", "yoke", (0.0, 0.0, 0.0), upper, (-1.5, 1.5), 40.0),
        ("forearm", "elbow", "y", "upper_arm", (0.0, 0.0, -0.27), fore, (-2.4, 0.0), 40.0),
    ):
        on = parent if parent == "chest" else f"{side}_{parent}"
        _add(m, f"{side}_{body}", f"{side}_{joint}", axis, on, position, inertia, limits, effort)
    m.add_frame(f"{side}_hand", f"{side}_forearm", Placement((0.0, 0.0, -0.30)))


def linkage_humanoid() -> Mechanism:
    """The humanoid with motors high up in its legs: bars move the knees, two rods each the ankles.

    Each knee follows a crank on the thigh by a parallelogram; pitch and roll of each foot follow two
    cranks on the shank by rods with ball joints. Closed at q = 0; 29 freedoms, as without the bars.
    """
    m = humanoid()
    m.name = "linkage-humanoid"
    crank = Inertia.capsule(0.012, 0.04, mass=0.15, placement=Placement((-0.025, 0.0, 0.0), rpy=_ALONG_X))
    arm = Placement((-0.05, 0.0, 0.0))
    for side in ("left", "right"):
        for name, lever, base, high, low, y, joint, closure in (
            ("knee", "shank", "thigh", -0.08, -0.38, 0.0, Revolute("y"), Revolute("y")),
            ("inner", "foot", "shank", -0.10, -0.38, -0.04, Universal("x", "y"), Spherical()),
            ("outer", "foot", "shank", -0.10, -0.38, 0.04, Universal("x", "y"), Spherical()),
        ):
            length = high - low
            bar = Inertia.capsule(
                0.008, length - 0.03, mass=0.2, placement=Placement((0.0, 0.0, -0.5 * length))
            )
            bodies = f"{side}_{name}_crank", f"{side}_{name}_bar"
            m.add_body(bodies[0], Revolute("y"), f"{side}_{base}", Placement((0.0, y, high)), crank)
            m.add_body(bodies[1], joint, bodies[0], arm, bar)
            ends = Placement((0.0, 0.0, -length)), Placement((-0.05, y, 0.0))
            m.add_loop(f"{side}_{name}_pin", closure, bodies[1], f"{side}_{lever}", *ends)
    return m


def quadruped() -> Mechanism:
    """A dog-sized robot of about 13 kg: four legs of three joints under a trunk."""
    m = Mechanism("quadruped")
    m.add_body("trunk", Free(), inertia=Inertia.box((0.40, 0.16, 0.10), mass=6.5), joint_name="root")
    thigh = Inertia.capsule(0.025, 0.16, mass=0.8, placement=Placement((0.0, 0.0, -0.10)))
    shank = Inertia.capsule(0.012, 0.18, mass=0.2, placement=Placement((0.0, 0.0, -0.10)))
    for end, x in (("front", 1.0), ("hind", -1.0)):
        for side, y in (("left", 1.0), ("right", -1.0)):
            leg = f"{end}_{side}"
            hip = Inertia.cylinder(
                0.04, 0.05, mass=0.6, placement=Placement((0.0, 0.03 * y, 0.0), rpy=_ALONG_Y)
            )
            at = (0.19 * x, 0.06 * y, 0.0)
            _add(m, f"{leg}_hip", f"{leg}_abduction", "x", "trunk", at, hip, (-0.8, 0.8), 24.0)
            at = (0.0, 0.08 * y, 0.0)
            _add(m, f"{leg}_thigh", f"{leg}_swing", "y", f"{leg}_hip", at, thigh, (-1.5, 3.2), 24.0)
            at = (0.0, 0.0, -0.21)
            _add(m, f"{leg}_shank", f"{leg}_knee", "y", f"{leg}_thigh", at, shank, (-2.7, -0.6), 36.0)
            m.add_frame(f"{leg}_foot", f"{leg}_shank", Placement((0.0, 0.0, -0.21)))
    return m


def _add(
    m: Mechanism,
    body: str,
    joint: str,
    axis: str,
    parent: str,
    position: tuple[float, float, float],
    inertia: Inertia,
    limits: tuple[float, float],
    effort: float,
) -> None:
    m.add_body(
        body,
        Revolute(axis),
        parent=parent,
        placement=Placement(position),
        inertia=inertia,
        joint_name=joint,
        limits=Limits(*limits, velocity=10.0, effort=effort),
    )
