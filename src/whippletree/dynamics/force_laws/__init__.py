"""Laws by which the parts of a mechanism act on it, one a file; each has its force, energy and power."""

from .constant_law import ConstantLaw
from .force_law import ForceLaw
from .joint_law import JointLaw
from .spring_law import SpringLaw

LAWS: tuple[ForceLaw, ...] = (JointLaw(), SpringLaw(), ConstantLaw())
"""All that acts in `simulate` and `rollout` besides gravity, actuators and forces from outside."""
