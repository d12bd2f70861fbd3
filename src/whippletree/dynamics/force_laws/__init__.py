"""Laws by which the parts of a mechanism act on it, one a file; each has its force, energy and power."""

from .constant_law import ConstantLaw
from .force_law import ForceLaw
from .joint_law import JointLaw
from .loop_joint_law import LoopJointLaw
from .spring_law import SpringLaw

LAWS: tuple[ForceLaw, ...] = (JointLaw(), LoopJointLaw(), SpringLaw(), ConstantLaw())
"""All that acts in `simulate` and `rollout` besides gravity, actuators and forces from outside."""
