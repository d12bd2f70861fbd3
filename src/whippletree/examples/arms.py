"""Arms, from the Denavit-Hartenberg tables their makers publish; links are solid cylinders and capsules."""

import numpy as np

from ..io.dh import DH, from_dh
from ..model.mechanism import Limits, Mechanism
from ..spatial import Inertia, Placement

_QUARTER = np.pi / 2
_ALONG_X = (0.0, _QUARTER, 0.0)
_ALONG_Y = (_QUARTER, 0.0, 0.0)
_ALONG_Z = (0.0, 0.0, 0.0)


def six_axis_arm() -> Mechanism:
    """Six revolute joints with the lengths of the UR5: a shoulder, an elbow and three wrist axes."""
    # a, alpha, d of the classic convention; mass, radius, length, centre and direction of the link.
    table = [
        (0.0, _QUARTER, 0.089159, 3.7, 0.060, 0.15, (0.0, -0.026, 0.002), _ALONG_Y),
        (-0.425, 0.0, 0.0, 8.4, 0.054, 0.45, (0.2125, 0.0, 0.113), _ALONG_X),
        (-0.39225, 0.0, 0.0, 2.3, 0.045, 0.39, (0.150, 0.0, 0.027), _ALONG_X),
        (0.0, _QUARTER, 0.10915, 1.2, 0.040, 0.10, (0.0, -0.002, 0.016), _ALONG_Y),
        (0.0, -_QUARTER, 0.09465, 1.2, 0.040, 0.10, (0.0, 0.002, 0.016), _ALONG_Y),
        (0.0, 0.0, 0.0823, 0.19, 0.0375, 0.037, (0.0, 0.0, -0.0185), _ALONG_Z),
    ]
    limits = Limits(-2 * np.pi, 2 * np.pi, velocity=np.pi)
    rows = [
        DH(
            a=a,
            alpha=alpha,
            d=d,
            inertia=Inertia.cylinder(radius, length, mass=mass, placement=Placement(centre, rpy=direction)),
            limits=limits,
        )
        for a, alpha, d, mass, radius, length, centre, direction in table
    ]
    return from_dh("six-axis-arm", rows, convention="classic", tool=Placement())


def seven_axis_arm() -> Mechanism:
    """Seven revolute joints with the lengths and limits of the Franka Panda, one more than a pose needs."""
    # a, alpha, d of the modified convention; lower and upper limit; mass, radius, length, centre, direction.
    table = [
        (0.0, 0.0, 0.333, -2.8973, 2.8973, 5.0, 0.060, 0.16, (0.0, -0.03, -0.10), _ALONG_Z),
        (0.0, -_QUARTER, 0.0, -1.7628, 1.7628, 0.7, 0.060, 0.12, (0.0, -0.07, 0.02), _ALONG_Y),
        (0.0, _QUARTER, 0.316, -2.8973, 2.8973, 3.2, 0.055, 0.14, (0.03, 0.03, -0.08), _ALONG_Z),
        (0.0825, _QUARTER, 0.0, -3.0718, -0.0698, 3.6, 0.055, 0.12, (-0.05, 0.09, 0.02), _ALONG_Y),
        (-0.0825, -_QUARTER, 0.384, -2.8973, 2.8973, 1.2, 0.050, 0.22, (0.0, 0.04, -0.12), _ALONG_Z),
        (0.0, _QUARTER, 0.0, -0.0175, 3.7525, 1.7, 0.050, 0.08, (0.06, -0.02, 0.0), _ALONG_X),
        (0.088, _QUARTER, 0.0, -2.8973, 2.8973, 0.7, 0.044, 0.06, (0.0, 0.0, 0.07), _ALONG_Z),
    ]
    rows = [
        DH(
            a=a,
            alpha=alpha,
            d=d,
            inertia=Inertia.capsule(radius, length, mass=mass, placement=Placement(centre, rpy=direction)),
            limits=Limits(lower, upper, *((2.175, 87.0) if i < 4 else (2.61, 12.0))),
        )
        for i, (a, alpha, d, lower, upper, mass, radius, length, centre, direction) in enumerate(table)
    ]
    return from_dh("seven-axis-arm", rows, convention="modified", tool=Placement((0.0, 0.0, 0.107)))
