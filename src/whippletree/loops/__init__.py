"""Closed loops: constraints, solvers, assembly and recursive coordinate reduction (RBDA ch. 8)."""

from .active import loop_joint_force, loop_joint_position, loop_joint_velocity
from .assembly import assemble
from .closure import Closure, closure_dynamics
from .clusters import cluster_projection
from .constraints import constraint_bias, constraint_error, constraint_jacobian, stabilization_time
from .grcr import choose_reduction, grcr, reduction_quality
from .inverse import Actuation, actuation
from .kkt import kkt
from .lambda_first import lambda_first
from .mobility import Mobility, mobility
from .projection import projection
from .projections import project_position, project_velocity
from .rcr import acs, rcr
from .reactions import constraint_forces, reactions
from .reduction import Reduction
from .sparse import sparse

__all__ = [
    "Actuation",
    "Closure",
    "Mobility",
    "Reduction",
    "acs",
    "actuation",
    "assemble",
    "choose_reduction",
    "closure_dynamics",
    "cluster_projection",
    "constraint_bias",
    "constraint_error",
    "constraint_forces",
    "constraint_jacobian",
    "grcr",
    "kkt",
    "lambda_first",
    "loop_joint_force",
    "loop_joint_position",
    "loop_joint_velocity",
    "mobility",
    "project_position",
    "project_velocity",
    "projection",
    "rcr",
    "reactions",
    "reduction_quality",
    "sparse",
    "stabilization_time",
]
