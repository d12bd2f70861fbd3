"""Closed loops: constraints, solvers, assembly and recursive coordinate reduction (RBDA ch. 8)."""

from .assembly import assemble
from .clusters import cluster_projection
from .constraints import constraint_bias, constraint_error, constraint_jacobian
from .grcr import choose_reduction, grcr
from .kkt import kkt
from .lambda_first import lambda_first
from .mobility import Mobility, mobility
from .projection import projection
from .projections import project_position, project_velocity
from .rcr import acs, rcr
from .reduction import Reduction
from .sparse import sparse

__all__ = [
    "Mobility",
    "Reduction",
    "acs",
    "assemble",
    "choose_reduction",
    "cluster_projection",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "grcr",
    "kkt",
    "lambda_first",
    "mobility",
    "project_position",
    "project_velocity",
    "projection",
    "rcr",
    "sparse",
]
