"""Dynamics and kinematics of trees, one algorithm a file (RBDA ch. 5-7, 9)."""

from .aba import aba
from .aba_variant_1 import aba_variant_1
from .aba_variant_2 import aba_variant_2
from .coriolis import coriolis_force
from .crba import crba
from .divide_and_conquer import divide_and_conquer
from .elastic import elastic_energy
from .energy import energy, kinetic_energy, potential_energy
from .floating_aba import floating_aba
from .floating_crba import floating_crba
from .floating_inverse import floating_inverse_dynamics
from .forward_crba import forward_dynamics_crba
from .frame_forces import frame_forces
from .geared import geared_forward_dynamics, geared_inverse_dynamics
from .gears import gear_matrix, gear_positions
from .gravity import gravity_force
from .hybrid_aba import hybrid_aba
from .hybrid_crba import hybrid_crba
from .inertia_factors import factor_ltdl, factor_ltl
from .inertia_product import inertia_product
from .inverse_inertia import inverse_inertia
from .jacobian import body_to_reference, jacobian, jacobian_rate
from .kinematics import (
    body_accelerations,
    body_velocities,
    forward_kinematics,
    frame_acceleration,
    frame_pose,
    frame_velocity,
)
from .momentum import center_of_mass, centroidal_momentum_matrix, momentum, momentum_matrix, total_mass
from .newton_euler import newton_euler
from .operational import inverse_operational_inertia, operational_inertia
from .passive import passive_forces
from .projection import handle_equations
from .rnea import bias_force, joint_reactions, rnea
from .rnea_base import rnea_base
from .simplify_inertias import simplify_inertias

__all__ = [
    "aba",
    "aba_variant_1",
    "aba_variant_2",
    "bias_force",
    "body_accelerations",
    "body_to_reference",
    "body_velocities",
    "center_of_mass",
    "centroidal_momentum_matrix",
    "coriolis_force",
    "crba",
    "divide_and_conquer",
    "elastic_energy",
    "energy",
    "factor_ltdl",
    "factor_ltl",
    "floating_aba",
    "floating_crba",
    "floating_inverse_dynamics",
    "forward_dynamics_crba",
    "forward_kinematics",
    "frame_acceleration",
    "frame_forces",
    "frame_pose",
    "frame_velocity",
    "gear_matrix",
    "gear_positions",
    "geared_forward_dynamics",
    "geared_inverse_dynamics",
    "gravity_force",
    "handle_equations",
    "hybrid_aba",
    "hybrid_crba",
    "inertia_product",
    "inverse_inertia",
    "inverse_operational_inertia",
    "jacobian",
    "jacobian_rate",
    "joint_reactions",
    "kinetic_energy",
    "momentum",
    "momentum_matrix",
    "newton_euler",
    "operational_inertia",
    "passive_forces",
    "potential_energy",
    "rnea",
    "rnea_base",
    "simplify_inertias",
    "total_mass",
]
