"""Rigid multibody dynamics: algorithms as the literature prints them, compiled for one mechanism.

Conventions: spatial vectors have the angular part first and stand in body coordinates unless a name
says otherwise; q (nq,), qd, qdd, tau (nv,); quaternions are w, x, y, z; bodies are numbered parents
first, the ground being -1; SI units and radians; gravity (0, 0, -9.81) unless given.
"""

from . import examples
from .errors import FileError, InputError, ModelError, SingularError, SolverError, WhippletreeError
from .joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    RackPinion,
    Reversed,
    Revolute,
    Spherical,
    SphericalEuler,
    SphericalExponential,
    Translation,
    Universal,
)
from .mechanism import Body, Frame, Gear, Geometry, Limits, Mechanism
from .public import aba, bias_force, crba, joint_reactions, rnea
from .spatial import Inertia, Placement, maximum, minimum, where

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Cylindrical",
    "FileError",
    "Fixed",
    "Frame",
    "Free",
    "Gear",
    "Geometry",
    "Helical",
    "Inertia",
    "InputError",
    "Joint",
    "Limits",
    "Mechanism",
    "ModelError",
    "Placement",
    "Planar",
    "Prismatic",
    "RackPinion",
    "Reversed",
    "Revolute",
    "SingularError",
    "SolverError",
    "Spherical",
    "SphericalEuler",
    "SphericalExponential",
    "Translation",
    "Universal",
    "WhippletreeError",
    "aba",
    "bias_force",
    "crba",
    "examples",
    "joint_reactions",
    "maximum",
    "minimum",
    "rnea",
    "where",
]
