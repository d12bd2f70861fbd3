"""Other roads to the same equations of motion."""

from . import lagrange as lagrange
from . import reduction as reduction
from . import semi_recursive as semi_recursive
from . import special_coordinates as special_coordinates
