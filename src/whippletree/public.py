"""Every public algorithm, behind the door that checks its arguments."""

from . import dynamics
from .door import checked

rnea = checked(dynamics.rnea)
newton_euler = checked(dynamics.newton_euler)
bias_force = checked(dynamics.bias_force)
joint_reactions = checked(dynamics.joint_reactions)
crba = checked(dynamics.crba)
aba = checked(dynamics.aba)

forward_kinematics = checked(dynamics.forward_kinematics)
frame_pose = checked(dynamics.frame_pose)
body_velocities = checked(dynamics.body_velocities)
body_accelerations = checked(dynamics.body_accelerations)
frame_velocity = checked(dynamics.frame_velocity)
frame_acceleration = checked(dynamics.frame_acceleration)
jacobian = checked(dynamics.jacobian)
jacobian_rate = checked(dynamics.jacobian_rate)
body_to_reference = checked(dynamics.body_to_reference)

kinetic_energy = checked(dynamics.kinetic_energy)
potential_energy = checked(dynamics.potential_energy)
energy = checked(dynamics.energy)
total_mass = checked(dynamics.total_mass)
center_of_mass = checked(dynamics.center_of_mass)
momentum = checked(dynamics.momentum)
momentum_matrix = checked(dynamics.momentum_matrix)
centroidal_momentum_matrix = checked(dynamics.centroidal_momentum_matrix)
