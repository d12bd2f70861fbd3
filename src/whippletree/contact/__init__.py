"""Contact and impact (RBDA ch. 11): where shapes touch, which forces and impulses keep them apart.

As in `dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from ..checks.checking import checked
from .geometry.contact_kinematics import ContactFrames as ContactFrames
from .geometry.contact_kinematics import (
    contact_bias,
    contact_frames,
    contact_jacobian,
    contact_velocity,
    gaps,
)
from .geometry.contact_pairs import Candidate as Candidate
from .geometry.contact_pairs import all_contacts, candidates
from .geometry.convex_hull import convex_hull as convex_hull
from .geometry.pair_table import PAIRS as PAIRS

candidates = checked(candidates)
all_contacts = checked(all_contacts)
gaps = checked(gaps)
contact_frames = checked(contact_frames)
contact_jacobian = checked(contact_jacobian)
contact_velocity = checked(contact_velocity)
contact_bias = checked(contact_bias)
