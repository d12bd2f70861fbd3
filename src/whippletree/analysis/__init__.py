"""What engineers ask about a mechanism beside how it moves.

The functions here check their arguments; inside the library they are taken from their own modules.
"""

from typing import TYPE_CHECKING

from ..checks.checking import checked
from ..model.requirements import without_gears, without_loops
from .driven_kinematics import DrivenMotion as DrivenMotion
from .driven_kinematics import kinematics as kinematics
from .equilibrium import Equilibrium as Equilibrium
from .equilibrium import equilibrium as equilibrium
from .linear_model import LinearModel as LinearModel
from .linear_model import linearize as linearize
from .modes import Modes as Modes
from .modes import modes as modes
from .root_locus import RootLocus as RootLocus
from .root_locus import root_locus as root_locus
from .sensitivity import Sensitivity as Sensitivity
from .sensitivity import force_amplification as force_amplification
from .sensitivity import sensitivity as sensitivity

if not TYPE_CHECKING:  # what is checked has the type of what is not
    kinematics = checked(kinematics)
    equilibrium = checked(equilibrium)
    linearize = checked(linearize)
    modes = checked(modes)
    root_locus = checked(root_locus, real=True)
    sensitivity = checked(sensitivity, real=True)
    force_amplification = checked(force_amplification, without_gears, without_loops, real=True)
