"""What engineers ask about a mechanism beside how it moves.

The functions here check their arguments; inside the library they are taken from their own modules.
"""

from ..checks.checking import checked
from ..model.requirements import without_gears, without_loops
from .sensitivity import Sensitivity as Sensitivity
from .sensitivity import force_amplification, sensitivity

sensitivity = checked(sensitivity)
force_amplification = checked(force_amplification, without_gears, without_loops)
