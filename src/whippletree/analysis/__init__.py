"""What engineers ask about a mechanism beside how it moves.

The functions here check their arguments; inside the library they are taken from their own modules.
"""

from ..checks.checking import checked
from ..model.requirements import without_gears, without_loops
from .driven_kinematics import DrivenMotion as DrivenMotion
from .driven_kinematics import kinematics
from .sensitivity import Sensitivity as Sensitivity
from .sensitivity import force_amplification, sensitivity

kinematics = checked(kinematics)
sensitivity = checked(sensitivity)
force_amplification = checked(force_amplification, without_gears, without_loops)
