"""Lagrange's equations from Jacobians of links.

C. K. Liu and S. Jain, A quick tutorial on multibody dynamics, Georgia Tech, GIT-GVU-15-01-1.

As in `dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from typing import TYPE_CHECKING

from ...checks.checking import checked
from ...model.requirements import centers_of_mass, velocities_are_rates
from .force_conversion import body_torques as body_torques
from .force_conversion import generalized_force as generalized_force
from .force_conversion import generalized_force_at_points as generalized_force_at_points
from .force_conversion import generalized_force_of_joint_torques as generalized_force_of_joint_torques
from .force_conversion import joint_torques_of_bodies as joint_torques_of_bodies
from .force_conversion import torques_about_centers as torques_about_centers
from .force_recovery import ForceFit as ForceFit
from .force_recovery import cartesian_forces as cartesian_forces
from .force_recovery import forces_and_joint_torques as forces_and_joint_torques
from .force_recovery import joint_torques as joint_torques
from .inertia_gradient import coriolis_from_mass_matrix as coriolis_from_mass_matrix
from .inertia_gradient import mass_matrix_gradient as mass_matrix_gradient
from .lagrange_forward import lagrange as lagrange
from .link_equations import lagrange_coriolis as lagrange_coriolis
from .link_equations import lagrange_gravity as lagrange_gravity
from .link_equations import lagrange_mass_matrix as lagrange_mass_matrix
from .link_jacobians import link_jacobian_rates as link_jacobian_rates
from .link_jacobians import link_jacobians as link_jacobians
from .local_frame_inverse import local_inverse_dynamics as local_inverse_dynamics
from .local_jacobians import link_connectivity as link_connectivity
from .local_jacobians import local_jacobian as local_jacobian
from .local_jacobians import parent_rotations as parent_rotations
from .velocity_conversion import VelocityFit as VelocityFit
from .velocity_conversion import cartesian_velocities as cartesian_velocities
from .velocity_conversion import generalized_velocities as generalized_velocities
from .velocity_conversion import generalized_velocities_by_link as generalized_velocities_by_link

if not TYPE_CHECKING:  # what is checked has the type of what is not
    link_jacobians = checked(link_jacobians)
    link_jacobian_rates = checked(link_jacobian_rates)
    local_jacobian = checked(local_jacobian)
    link_connectivity = checked(link_connectivity)
    parent_rotations = checked(parent_rotations)
    lagrange_mass_matrix = checked(lagrange_mass_matrix, centers_of_mass)
    lagrange_coriolis = checked(lagrange_coriolis, centers_of_mass)
    lagrange_gravity = checked(lagrange_gravity, centers_of_mass)
    mass_matrix_gradient = checked(mass_matrix_gradient, centers_of_mass, velocities_are_rates)
    coriolis_from_mass_matrix = checked(coriolis_from_mass_matrix, centers_of_mass, velocities_are_rates)
    lagrange = checked(lagrange, centers_of_mass)
    local_inverse_dynamics = checked(local_inverse_dynamics, centers_of_mass)
    cartesian_velocities = checked(cartesian_velocities)
    generalized_velocities = checked(generalized_velocities)
    generalized_velocities_by_link = checked(generalized_velocities_by_link)
    generalized_force = checked(generalized_force)
    generalized_force_at_points = checked(generalized_force_at_points)
    generalized_force_of_joint_torques = checked(generalized_force_of_joint_torques)
    body_torques = checked(body_torques)
    joint_torques_of_bodies = checked(joint_torques_of_bodies)
    torques_about_centers = checked(torques_about_centers)
    cartesian_forces = checked(cartesian_forces)
    forces_and_joint_torques = checked(forces_and_joint_torques)
    joint_torques = checked(joint_torques)
