"""Every public algorithm, behind the door that checks its arguments."""

from . import dynamics
from .door import checked

rnea = checked(dynamics.rnea)
bias_force = checked(dynamics.bias_force)
joint_reactions = checked(dynamics.joint_reactions)
crba = checked(dynamics.crba)
aba = checked(dynamics.aba)
