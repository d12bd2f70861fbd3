"""Joint types: one small final class each (RBDA §4.4-4.5, tables 4.1-4.2)."""

from .base import Joint
from .cylindrical import Cylindrical
from .fixed import Fixed
from .free import Free
from .helical import Helical
from .nonholonomic import NonholonomicJoint
from .planar import Planar
from .prismatic import Prismatic
from .rack_pinion import RackPinion
from .reversed import Reversed, reverse
from .revolute import Revolute
from .rolling_disc import RollingDisc
from .spherical import Spherical
from .spherical_euler import SphericalEuler
from .spherical_exponential import SphericalExponential
from .translation import Translation
from .universal import Universal

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Joint",
    "NonholonomicJoint",
    "Planar",
    "Prismatic",
    "RackPinion",
    "Reversed",
    "Revolute",
    "RollingDisc",
    "Spherical",
    "SphericalEuler",
    "SphericalExponential",
    "Translation",
    "Universal",
    "reverse",
]
