"""Dynamics and kinematics of trees, one algorithm a file (RBDA ch. 5-7, 9).

The functions here check their arguments. Inside the library algorithms are taken from their own modules,
where they do not: `from ..dynamics.crba import crba`.
"""

from typing import TYPE_CHECKING

from ..checks.checking import checked, none_held
from ..model.equivalent_inertias import simplify_inertias as simplify_inertias
from ..model.requirements import floating_base, invertible_inertias
from .aba import aba as aba
from .aba_derivatives import aba_derivatives as aba_derivatives
from .aba_variant_1 import aba_variant_1 as aba_variant_1
from .aba_variant_2 import aba_variant_2 as aba_variant_2
from .coriolis import coriolis_force as coriolis_force
from .crba import crba as crba
from .divide_and_conquer import divide_and_conquer as divide_and_conquer
from .elastic import elastic_energy as elastic_energy
from .energy import energy as energy
from .energy import kinetic_energy as kinetic_energy
from .energy import potential_energy as potential_energy
from .energy_derivatives import kinetic_energy_derivatives as kinetic_energy_derivatives
from .energy_derivatives import potential_energy_derivative as potential_energy_derivative
from .floating_aba import floating_aba as floating_aba
from .floating_crba import floating_crba as floating_crba
from .floating_inverse import floating_inverse_dynamics as floating_inverse_dynamics
from .forward_crba import forward_dynamics_crba as forward_dynamics_crba
from .forward_crba import forward_dynamics_crba_by_bodies
from .frame_derivatives import frame_acceleration_derivatives as frame_acceleration_derivatives
from .frame_derivatives import frame_pose_derivative as frame_pose_derivative
from .frame_derivatives import frame_velocity_derivatives as frame_velocity_derivatives
from .frame_forces import frame_forces as frame_forces
from .gears import gear_matrix as gear_matrix
from .gears import gear_positions as gear_positions
from .gravity import gravity_force as gravity_force
from .handle_equations import handle_equations as handle_equations
from .hybrid import prescribed_held
from .hybrid_aba import hybrid_aba as hybrid_aba
from .hybrid_crba import hybrid_crba as hybrid_crba
from .inertia_factors import factor_ltdl as factor_ltdl
from .inertia_factors import factor_ltl as factor_ltl
from .inertia_product import inertia_product as inertia_product
from .inverse_inertia import inverse_inertia as inverse_inertia
from .jacobian import body_to_reference as body_to_reference
from .jacobian import jacobian as jacobian
from .jacobian import jacobian_rate as jacobian_rate
from .kinematics import body_accelerations as body_accelerations
from .kinematics import body_velocities as body_velocities
from .kinematics import forward_kinematics as forward_kinematics
from .kinematics import frame_acceleration as frame_acceleration
from .kinematics import frame_pose as frame_pose
from .kinematics import frame_velocity as frame_velocity
from .momentum import center_of_mass as center_of_mass
from .momentum import centroidal_momentum_matrix as centroidal_momentum_matrix
from .momentum import momentum as momentum
from .momentum import momentum_matrix as momentum_matrix
from .momentum import total_mass as total_mass
from .momentum_derivatives import center_of_mass_derivative as center_of_mass_derivative
from .momentum_derivatives import centroidal_momentum_derivatives as centroidal_momentum_derivatives
from .newton_euler import newton_euler as newton_euler
from .newton_euler import newton_euler_bias
from .operational import inverse_operational_inertia as inverse_operational_inertia
from .operational import operational_inertia as operational_inertia
from .passive import passive_forces as passive_forces
from .rnea import bias_force as bias_force
from .rnea import joint_reactions as joint_reactions
from .rnea import rnea as rnea
from .rnea_base import rnea_base as rnea_base
from .rnea_derivatives import rnea_derivatives as rnea_derivatives

if not TYPE_CHECKING:  # what is checked has the type of what is not
    rnea = checked(rnea, frame_free=True, recorded=newton_euler)
    newton_euler = checked(newton_euler, frame_free=True)
    rnea_derivatives = checked(rnea_derivatives, frame_free=True)
    bias_force = checked(bias_force, frame_free=True, recorded=newton_euler_bias)
    joint_reactions = checked(joint_reactions)
    crba = checked(crba, frame_free=True)
    aba = checked(aba, frame_free=True, held=none_held)
    aba_derivatives = checked(aba_derivatives, frame_free=True, held=none_held)
    forward_kinematics = checked(forward_kinematics)
    frame_pose = checked(frame_pose)
    body_velocities = checked(body_velocities)
    body_accelerations = checked(body_accelerations)
    frame_forces = checked(frame_forces)
    frame_velocity = checked(frame_velocity)
    frame_acceleration = checked(frame_acceleration)
    frame_pose_derivative = checked(frame_pose_derivative)
    frame_velocity_derivatives = checked(frame_velocity_derivatives)
    frame_acceleration_derivatives = checked(frame_acceleration_derivatives)
    jacobian = checked(jacobian)
    jacobian_rate = checked(jacobian_rate)
    body_to_reference = checked(body_to_reference)
    kinetic_energy = checked(kinetic_energy, frame_free=True)
    potential_energy = checked(potential_energy)
    energy = checked(energy)
    total_mass = checked(total_mass)
    center_of_mass = checked(center_of_mass)
    momentum = checked(momentum)
    momentum_matrix = checked(momentum_matrix)
    centroidal_momentum_matrix = checked(centroidal_momentum_matrix)
    center_of_mass_derivative = checked(center_of_mass_derivative)
    centroidal_momentum_derivatives = checked(centroidal_momentum_derivatives)
    kinetic_energy_derivatives = checked(kinetic_energy_derivatives, frame_free=True)
    potential_energy_derivative = checked(potential_energy_derivative, frame_free=True)
    rnea_base = checked(rnea_base)
    gravity_force = checked(gravity_force, frame_free=True)
    coriolis_force = checked(coriolis_force, frame_free=True)
    inertia_product = checked(inertia_product, frame_free=True)
    factor_ltl = checked(factor_ltl, frame_free=True, held=none_held)
    factor_ltdl = checked(factor_ltdl, frame_free=True, held=none_held)
    inverse_inertia = checked(inverse_inertia, frame_free=True, held=none_held)
    forward_dynamics_crba = checked(
        forward_dynamics_crba, frame_free=True, recorded=forward_dynamics_crba_by_bodies, held=none_held
    )
    aba_variant_1 = checked(aba_variant_1, invertible_inertias, frame_free=True)
    aba_variant_2 = checked(aba_variant_2, invertible_inertias, frame_free=True)
    divide_and_conquer = checked(divide_and_conquer, invertible_inertias, frame_free=True)
    hybrid_aba = checked(hybrid_aba, frame_free=True, held=prescribed_held)
    hybrid_crba = checked(hybrid_crba, frame_free=True, held=prescribed_held)
    floating_aba = checked(floating_aba, floating_base, frame_free=True, held=none_held)
    floating_crba = checked(floating_crba, floating_base, frame_free=True, held=none_held)
    floating_inverse_dynamics = checked(floating_inverse_dynamics, floating_base, frame_free=True)
    gear_matrix = checked(gear_matrix)
    gear_positions = checked(gear_positions)
    simplify_inertias = checked(simplify_inertias)
    passive_forces = checked(passive_forces)
    elastic_energy = checked(elastic_energy)
    handle_equations = checked(handle_equations)
    operational_inertia = checked(operational_inertia, held=none_held)
    inverse_operational_inertia = checked(inverse_operational_inertia, held=none_held)
