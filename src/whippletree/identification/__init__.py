"""Identification: parameters of a mechanism from its motion, and the motions that show them.

The functions here check their arguments; inside the library they are taken from their own modules.
"""

from typing import TYPE_CHECKING

from ..checks.checking import checked
from .base_parameters import BaseParameters as BaseParameters
from .base_parameters import base_parameters as base_parameters
from .body_parameters import regressor_names as regressor_names
from .body_parameters import regressor_values as regressor_values
from .body_parameters import with_regressor_values as with_regressor_values
from .excitation import Excitation as Excitation
from .excitation import exciting_trajectory as exciting_trajectory
from .identify import Identified as Identified
from .identify import MeasuredMotion as MeasuredMotion
from .identify import identify as identify
from .regressors import energy_regressor as energy_regressor
from .regressors import momentum_regressor as momentum_regressor
from .regressors import regressor as regressor

if not TYPE_CHECKING:  # what is checked has the type of what is not
    regressor = checked(regressor)
    energy_regressor = checked(energy_regressor)
    momentum_regressor = checked(momentum_regressor)
