"""Rigid multibody dynamics: algorithms as the literature prints them, compiled for one mechanism.

Conventions: spatial vectors have the angular part first and stand in body coordinates unless a name
says otherwise; q (nq,), qd, qdd, tau (nv,); quaternions are w, x, y, z; bodies are numbered parents
first, the ground being -1; SI units and radians; gravity (0, 0, -9.81) unless given.

These are the public names. Methods and variants of the algorithms stand in `dynamics` and `loops`.
"""
# ruff: isort: skip_file
# Each name is shown again as "x as x": this is the one list of public names, for readers, editors and `help`.

from . import (
    contact as contact,
    dynamics as dynamics,
    examples as examples,
    formulations as formulations,
    interop as interop,
    loops as loops,
)
from ._version import __version__ as __version__
from .adjoint import RolloutGradient as RolloutGradient, rollout_gradient as rollout_gradient
from .analysis import (
    DrivenMotion as DrivenMotion,
    Equilibrium as Equilibrium,
    LinearModel as LinearModel,
    Modes as Modes,
    RootLocus as RootLocus,
    Sensitivity as Sensitivity,
    equilibrium as equilibrium,
    force_amplification as force_amplification,
    kinematics as kinematics,
    linearize as linearize,
    modes as modes,
    root_locus as root_locus,
    sensitivity as sensitivity,
)
from .api.assembly_derivatives import (
    AssemblyDerivatives as AssemblyDerivatives,
    assembly_derivatives as assembly_derivatives,
)
from .api.frame_motion import FrameMotion as FrameMotion
from .api.reaction_history import Reactions as Reactions
from .api.compiling import compile as compile, symbolic as symbolic
from .api.derivative import derivative as derivative, hvp as hvp, jvp as jvp, vjp as vjp
from .api.forward import (
    forward_dynamics as forward_dynamics,
    hybrid_dynamics as hybrid_dynamics,
    inverse_dynamics as inverse_dynamics,
    method_choice as method_choice,
    method_reason as method_reason,
    methods as methods,
)
from .api.symbolic_equations import (
    SymbolicEquations as SymbolicEquations,
    symbolic_equations as symbolic_equations,
)
from .benchmark.comparison import Comparison as Comparison, compare as compare
from .benchmark.scaling import Scaling as Scaling, scaling as scaling
from .checks.checking import checked as checked
from .control import (
    OptimalMotion as OptimalMotion,
    Regulator as Regulator,
    ilqr as ilqr,
    lqr as lqr,
)
from .display.coordinate_plots import (
    draw_joint_coordinates as draw_joint_coordinates,
    draw_special_coordinates as draw_special_coordinates,
)
from .display.velocity_plots import draw_velocity_transformation as draw_velocity_transformation
from .display.viewer import Viewer as Viewer, view as view
from .dynamics import (
    aba as aba,
    aba_derivatives as aba_derivatives,
    bias_force as bias_force,
    body_accelerations as body_accelerations,
    body_velocities as body_velocities,
    center_of_mass as center_of_mass,
    center_of_mass_derivative as center_of_mass_derivative,
    centroidal_momentum_derivatives as centroidal_momentum_derivatives,
    centroidal_momentum_matrix as centroidal_momentum_matrix,
    coriolis_force as coriolis_force,
    crba as crba,
    elastic_energy as elastic_energy,
    energy as energy,
    forward_kinematics as forward_kinematics,
    frame_acceleration as frame_acceleration,
    frame_acceleration_derivatives as frame_acceleration_derivatives,
    frame_forces as frame_forces,
    frame_pose as frame_pose,
    frame_pose_derivative as frame_pose_derivative,
    frame_velocity as frame_velocity,
    frame_velocity_derivatives as frame_velocity_derivatives,
    gear_matrix as gear_matrix,
    gear_positions as gear_positions,
    gravity_force as gravity_force,
    inverse_inertia as inverse_inertia,
    inverse_operational_inertia as inverse_operational_inertia,
    jacobian as jacobian,
    jacobian_rate as jacobian_rate,
    joint_reactions as joint_reactions,
    kinetic_energy as kinetic_energy,
    kinetic_energy_derivatives as kinetic_energy_derivatives,
    momentum as momentum,
    momentum_matrix as momentum_matrix,
    operational_inertia as operational_inertia,
    passive_forces as passive_forces,
    potential_energy as potential_energy,
    potential_energy_derivative as potential_energy_derivative,
    rnea as rnea,
    rnea_derivatives as rnea_derivatives,
    total_mass as total_mass,
)
from .edit import (
    add_payload as add_payload,
    attach as attach,
    lock as lock,
    rename as rename,
    reroot as reroot,
)
from .errors import (
    FileError as FileError,
    InputError as InputError,
    ModelError as ModelError,
    DryFrictionWarning as DryFrictionWarning,
    EnergyWarning as EnergyWarning,
    LimitsWarning as LimitsWarning,
    OverconstrainedWarning as OverconstrainedWarning,
    NotFiniteWarning as NotFiniteWarning,
    SimulationError as SimulationError,
    SingularError as SingularError,
    SolverError as SolverError,
    GradientWarning as GradientWarning,
    HeldControlWarning as HeldControlWarning,
    StepLengthWarning as StepLengthWarning,
    WhippletreeError as WhippletreeError,
    WorkerError as WorkerError,
)
from .identification import (
    BaseParameters as BaseParameters,
    Excitation as Excitation,
    Identified as Identified,
    MeasuredMotion as MeasuredMotion,
    base_parameters as base_parameters,
    energy_regressor as energy_regressor,
    exciting_trajectory as exciting_trajectory,
    identify as identify,
    momentum_regressor as momentum_regressor,
    regressor as regressor,
    regressor_names as regressor_names,
    regressor_values as regressor_values,
    with_regressor_values as with_regressor_values,
)
from .io import load as load, load_graph as load_graph, loads as loads, save as save
from .io.conventions import Convention as Convention
from .io.dh import DH as DH, from_dh as from_dh
from .io.hull_collisions import hull_collisions as hull_collisions
from .joints import (
    Cylindrical as Cylindrical,
    Fixed as Fixed,
    Free as Free,
    Helical as Helical,
    Joint as Joint,
    NonholonomicJoint as NonholonomicJoint,
    Planar as Planar,
    Prismatic as Prismatic,
    RackPinion as RackPinion,
    Reversed as Reversed,
    Revolute as Revolute,
    RollingDisc as RollingDisc,
    Spherical as Spherical,
    SphericalEuler as SphericalEuler,
    SphericalExponential as SphericalExponential,
    Translation as Translation,
    Universal as Universal,
)
from .kernels.run.kernel import Kernel as Kernel
from .kernels.trace.refusal import TraceError as TraceError
from .loops import (
    Actuation as Actuation,
    Mobility as Mobility,
    actuation as actuation,
    assemble as assemble,
    constraint_bias as constraint_bias,
    constraint_error as constraint_error,
    constraint_forces as constraint_forces,
    constraint_jacobian as constraint_jacobian,
    loop_joint_force as loop_joint_force,
    loop_joint_position as loop_joint_position,
    loop_joint_velocity as loop_joint_velocity,
    loop_joint_wrenches as loop_joint_wrenches,
    mobility as mobility,
    motor_forces as motor_forces,
    project_acceleration as project_acceleration,
    project_position as project_position,
    project_velocity as project_velocity,
    reactions as reactions,
    stabilization_time as stabilization_time,
)
from .model.contact import Contact as Contact
from .model.force import Force as Force
from .model.graph import Graph as Graph
from .model.driver_motions import ConstantSpeed as ConstantSpeed
from .model.driver_motions import Formula as Formula
from .model.driver_motions import MotionSpline as MotionSpline
from .model.driver_motions import MotionTable as MotionTable
from .model.driver_part import Distance as Distance
from .model.driver_part import Driver as Driver
from .model.loop import Loop as Loop
from .model.mechanism import (
    Body as Body,
    Frame as Frame,
    Gear as Gear,
    Geometry as Geometry,
    Limits as Limits,
    Mechanism as Mechanism,
)
from .model.parameters import (
    parameter_names as parameter_names,
    parameter_values as parameter_values,
    with_parameters as with_parameters,
)
from .model.parts import PlacedShape as PlacedShape
from .model.spring import Spring as Spring
from .model.validation import problems as problems
from .reaching import Reached as Reached, inverse_kinematics as inverse_kinematics
from .shapes import (
    Box as Box,
    Capsule as Capsule,
    Cylinder as Cylinder,
    Ellipsoid as Ellipsoid,
    Heights as Heights,
    Landscape as Landscape,
    Mesh as Mesh,
    Plane as Plane,
    Shape as Shape,
    Sphere as Sphere,
)
from .simulation import (
    Blow as Blow,
    ContactHistory as ContactHistory,
    Event as Event,
    Feedback as Feedback,
    Occurrence as Occurrence,
    Recorded as Recorded,
    Trajectory as Trajectory,
    load_trajectory as load_trajectory,
    rollout as rollout,
    simulate as simulate,
)
from .spatial import (
    Inertia as Inertia,
    Placement as Placement,
    each as each,
    maximum as maximum,
    minimum as minimum,
    repeat as repeat,
    where as where,
)
