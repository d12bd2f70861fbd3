"""Closed loops: constraints, solvers, assembly and recursive coordinate reduction (RBDA ch. 8)."""

from .assembly import assemble
from .constraints import constraint_bias, constraint_error, constraint_jacobian
from .mobility import Mobility, mobility
from .projections import project_position, project_velocity

__all__ = [
    "Mobility",
    "assemble",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "mobility",
    "project_position",
    "project_velocity",
]
