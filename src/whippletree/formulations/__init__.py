"""Other roads to the same equations of motion."""

from . import semi_recursive as semi_recursive
