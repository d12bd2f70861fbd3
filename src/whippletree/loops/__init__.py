"""Closed loops: constraints, solvers, assembly and recursive coordinate reduction (RBDA ch. 8).

As in `dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from typing import TYPE_CHECKING

from ..checks.checking import checked, coupled_held, none_held
from .closing.assembly import assemble as assemble
from .closing.projections import project_acceleration as project_acceleration
from .closing.projections import project_position as project_position
from .closing.projections import project_velocity as project_velocity
from .equations.constraints import constraint_bias as constraint_bias
from .equations.constraints import constraint_error as constraint_error
from .equations.constraints import constraint_jacobian as constraint_jacobian
from .equations.constraints import stabilization_time as stabilization_time
from .equations.loop_joints import loop_joint_force as loop_joint_force
from .equations.loop_joints import loop_joint_position as loop_joint_position
from .equations.loop_joints import loop_joint_velocity as loop_joint_velocity
from .equations.loop_joints import loop_joint_wrenches as loop_joint_wrenches
from .equations.mobility import Mobility as Mobility
from .equations.mobility import mobility as mobility
from .methods.augmented import augmented as augmented
from .methods.choice_faults import (
    closure_fault,
    cluster_fault,
    kkt_fault,
    pivots_fault,
    rows_fault,
    sparse_fault,
)
from .methods.closed_inverse import Actuation as Actuation
from .methods.closed_inverse import actuation as actuation
from .methods.closed_inverse import motor_forces as motor_forces
from .methods.closure import Closure as Closure
from .methods.closure import closure_dynamics as closure_dynamics
from .methods.clusters import cluster_projection as cluster_projection
from .methods.grcr import choose_reduction as choose_reduction
from .methods.grcr import grcr as grcr
from .methods.grcr import reduction_quality as reduction_quality
from .methods.kkt import kkt as kkt
from .methods.lambda_first import lambda_first as lambda_first
from .methods.projection import projection as projection
from .methods.reactions import constraint_forces as constraint_forces
from .methods.reactions import reactions as reactions
from .methods.reduction import Reduction as Reduction
from .methods.sparse import sparse as sparse

if not TYPE_CHECKING:  # what is checked has the type of what is not
    constraint_error = checked(constraint_error, frame_free=True)
    constraint_jacobian = checked(constraint_jacobian, frame_free=True)
    stabilization_time = checked(stabilization_time)
    constraint_bias = checked(constraint_bias, frame_free=True)
    assemble = checked(assemble)
    mobility = checked(mobility)
    project_position = checked(project_position)
    project_velocity = checked(project_velocity)
    project_acceleration = checked(project_acceleration)
    choose_reduction = checked(choose_reduction)
    grcr = checked(grcr, frame_free=True, held=coupled_held)
    kkt = checked(kkt, held=coupled_held, given=kkt_fault)
    lambda_first = checked(lambda_first, frame_free=True, held=none_held, given=rows_fault)
    projection = checked(projection, held=coupled_held, given=pivots_fault)
    cluster_projection = checked(cluster_projection, held=coupled_held, given=cluster_fault)
    sparse = checked(sparse, held=coupled_held, given=sparse_fault)
    augmented = checked(augmented, frame_free=True, held=coupled_held, given=rows_fault)
    reduction_quality = checked(reduction_quality, frame_free=True)
    constraint_forces = checked(constraint_forces, given=rows_fault)
    reactions = checked(reactions, given=rows_fault)
    actuation = checked(actuation)
    motor_forces = checked(motor_forces)
    loop_joint_position = checked(loop_joint_position)
    loop_joint_velocity = checked(loop_joint_velocity)
    loop_joint_force = checked(loop_joint_force)
    loop_joint_wrenches = checked(loop_joint_wrenches)
    closure_dynamics = checked(closure_dynamics, given=closure_fault)
