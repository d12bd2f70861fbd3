"""Spatial algebra: vectors, transforms, inertias, rotations and small solves (RBDA ch. 2, app. A)."""

from .articulated import ArticulatedInertia
from .inertia import Inertia
from .placement import Placement
from .product import TransformProduct
from .scalar import Array, arctan2, array, each, known, largest, maximum, minimum, repeat, where
from .solve import factor_spd, refuse_zero, solve_3x3, solve_spd
from .transform import Transform, identity, rot, xlt
from .vectors import (
    classical_acceleration,
    crf,
    crm,
    cross,
    cross_force,
    cross_motion,
    dot,
    screw,
    skew,
    spatial_acceleration,
)

__all__ = [
    "Array",
    "ArticulatedInertia",
    "Inertia",
    "Placement",
    "Transform",
    "TransformProduct",
    "arctan2",
    "array",
    "classical_acceleration",
    "crf",
    "crm",
    "cross",
    "cross_force",
    "cross_motion",
    "dot",
    "each",
    "factor_spd",
    "identity",
    "known",
    "largest",
    "maximum",
    "minimum",
    "refuse_zero",
    "repeat",
    "rot",
    "screw",
    "skew",
    "solve_3x3",
    "solve_spd",
    "spatial_acceleration",
    "where",
    "xlt",
]
