"""Every public algorithm, behind the door that checks its arguments."""

import numpy as np

from . import dynamics, loops
from .door import checked
from .dynamics.requirements import floating_base, invertible_inertias
from .loops.rcr import same_bases

rnea = checked(dynamics.rnea, frame_free=True, recorded=dynamics.newton_euler)
newton_euler = checked(dynamics.newton_euler, frame_free=True)
bias_force = checked(
    dynamics.bias_force,
    frame_free=True,
    recorded=lambda m, q, qd, f_ext=None: dynamics.newton_euler(m, q, qd, np.zeros(m.nv), f_ext),
)
joint_reactions = checked(dynamics.joint_reactions)
crba = checked(dynamics.crba, frame_free=True)
aba = checked(dynamics.aba, frame_free=True)

forward_kinematics = checked(dynamics.forward_kinematics)
frame_pose = checked(dynamics.frame_pose)
body_velocities = checked(dynamics.body_velocities)
body_accelerations = checked(dynamics.body_accelerations)
frame_forces = checked(dynamics.frame_forces)
frame_velocity = checked(dynamics.frame_velocity)
frame_acceleration = checked(dynamics.frame_acceleration)
jacobian = checked(dynamics.jacobian)
jacobian_rate = checked(dynamics.jacobian_rate)
body_to_reference = checked(dynamics.body_to_reference)

kinetic_energy = checked(dynamics.kinetic_energy, frame_free=True)
potential_energy = checked(dynamics.potential_energy)
energy = checked(dynamics.energy)
total_mass = checked(dynamics.total_mass)
center_of_mass = checked(dynamics.center_of_mass)
momentum = checked(dynamics.momentum)
momentum_matrix = checked(dynamics.momentum_matrix)
centroidal_momentum_matrix = checked(dynamics.centroidal_momentum_matrix)

rnea_base = checked(dynamics.rnea_base)
gravity_force = checked(dynamics.gravity_force, frame_free=True)
coriolis_force = checked(dynamics.coriolis_force, frame_free=True)
inertia_product = checked(dynamics.inertia_product, frame_free=True)

factor_ltl = checked(dynamics.factor_ltl, frame_free=True)
factor_ltdl = checked(dynamics.factor_ltdl, frame_free=True)
inverse_inertia = checked(dynamics.inverse_inertia, frame_free=True)
forward_dynamics_crba = checked(dynamics.forward_dynamics_crba, frame_free=True)

aba_variant_1 = checked(dynamics.aba_variant_1, invertible_inertias, frame_free=True)
aba_variant_2 = checked(dynamics.aba_variant_2, invertible_inertias, frame_free=True)

divide_and_conquer = checked(dynamics.divide_and_conquer, invertible_inertias, frame_free=True)

hybrid_aba = checked(dynamics.hybrid_aba, frame_free=True)
hybrid_crba = checked(dynamics.hybrid_crba, frame_free=True)

floating_aba = checked(dynamics.floating_aba, floating_base, frame_free=True)
floating_crba = checked(dynamics.floating_crba, floating_base, frame_free=True)
floating_inverse_dynamics = checked(dynamics.floating_inverse_dynamics, floating_base, frame_free=True)

gear_matrix = checked(dynamics.gear_matrix)
gear_positions = checked(dynamics.gear_positions)

simplify_inertias = checked(dynamics.simplify_inertias)
passive_forces = checked(dynamics.passive_forces)
elastic_energy = checked(dynamics.elastic_energy)

handle_equations = checked(dynamics.handle_equations)
operational_inertia = checked(dynamics.operational_inertia)
inverse_operational_inertia = checked(dynamics.inverse_operational_inertia)
constraint_error = checked(loops.constraint_error, frame_free=True)
constraint_jacobian = checked(loops.constraint_jacobian, frame_free=True)
stabilization_time = checked(loops.stabilization_time)
constraint_bias = checked(loops.constraint_bias, frame_free=True)
assemble = checked(loops.assemble)
mobility = checked(loops.mobility)
project_position = checked(loops.project_position)
project_velocity = checked(loops.project_velocity)

choose_reduction = checked(loops.choose_reduction)
grcr = checked(loops.grcr, frame_free=True)
rcr = checked(loops.rcr, same_bases)
acs = checked(loops.acs, same_bases)
kkt = checked(loops.kkt)
lambda_first = checked(loops.lambda_first, frame_free=True)
projection = checked(loops.projection)
cluster_projection = checked(loops.cluster_projection)
sparse = checked(loops.sparse)
reduction_quality = checked(loops.reduction_quality, frame_free=True)

constraint_forces = checked(loops.constraint_forces)
reactions = checked(loops.reactions)
actuation = checked(loops.actuation)
loop_joint_position = checked(loops.loop_joint_position)
loop_joint_velocity = checked(loops.loop_joint_velocity)
loop_joint_force = checked(loops.loop_joint_force)

closure_dynamics = checked(loops.closure_dynamics)
