"""Semi-recursive methods I and II (Yu, Mikkola, Pan and Escalona), in space and in the plane.

Absolute equations of single bodies, projected onto joint coordinates by a velocity transformation. As in
`dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from typing import TYPE_CHECKING

from ...checks.checking import checked
from ...loops.methods.choice_faults import rows_fault
from .body_equations import JointEquations as JointEquations
from .body_equations import ReferencePointEquations as ReferencePointEquations
from .body_equations import reference_point_equations as reference_point_equations
from .cam_follower import CamFollower as CamFollower
from .cam_profile import CamTable as CamTable
from .cam_transformation import CamTransformation as CamTransformation
from .cam_transformation import cam_transformation as cam_transformation
from .intermediate import intermediate_transformation as intermediate_transformation
from .intermediate import joint_projection as joint_projection
from .intermediate import path_matrix as path_matrix
from .intermediate import reference_transformation as reference_transformation
from .partitioning import CoordinatePartition as CoordinatePartition
from .partitioning import planar_partition as planar_partition
from .partitioning import spatial_partition as spatial_partition
from .planar_constraints import only_pins_and_slides
from .planar_constraints import planar_constraint_jacobian as planar_constraint_jacobian
from .planar_constraints import planar_constraints as planar_constraints
from .planar_constraints import planar_coordinates as planar_coordinates
from .planar_rows import out_of_plane
from .planar_rows import planar_rows as planar_rows
from .point_on_line import PointOnLine as PointOnLine
from .semi_recursive_1 import joint_equations_1 as joint_equations_1
from .semi_recursive_1 import semi_recursive_1 as semi_recursive_1
from .semi_recursive_2 import joint_equations_2 as joint_equations_2
from .semi_recursive_2 import semi_recursive_2 as semi_recursive_2
from .spatial_constraints import joints_that_close
from .spatial_constraints import spatial_constraint_jacobian as spatial_constraint_jacobian
from .spatial_constraints import spatial_constraints as spatial_constraints
from .spatial_constraints import spatial_coordinates as spatial_coordinates
from .velocity_products import VelocityProducts as VelocityProducts
from .velocity_products import classical_products as classical_products
from .velocity_products import spatial_products as spatial_products
from .velocity_transformation import velocity_transformation as velocity_transformation
from .velocity_transformation import velocity_transformation_rate as velocity_transformation_rate

PLANAR = (out_of_plane, only_pins_and_slides)

if not TYPE_CHECKING:  # what is checked has the type of what is not
    velocity_transformation = checked(velocity_transformation)
    velocity_transformation_rate = checked(velocity_transformation_rate)
    reference_transformation = checked(reference_transformation)
    path_matrix = checked(path_matrix)
    joint_projection = checked(joint_projection)
    intermediate_transformation = checked(intermediate_transformation)
    classical_products = checked(classical_products)
    spatial_products = checked(spatial_products)
    planar_rows = checked(planar_rows, out_of_plane)
    planar_coordinates = checked(planar_coordinates, *PLANAR)
    planar_constraints = checked(planar_constraints, *PLANAR)
    planar_constraint_jacobian = checked(planar_constraint_jacobian, *PLANAR)
    planar_partition = checked(planar_partition, *PLANAR, real=True)
    spatial_coordinates = checked(spatial_coordinates)
    spatial_constraints = checked(spatial_constraints, joints_that_close)
    spatial_constraint_jacobian = checked(spatial_constraint_jacobian, joints_that_close)
    spatial_partition = checked(spatial_partition, joints_that_close, real=True)
    reference_point_equations = checked(reference_point_equations)
    joint_equations_1 = checked(joint_equations_1)
    joint_equations_2 = checked(joint_equations_2)
    semi_recursive_1 = checked(semi_recursive_1, given=rows_fault)
    semi_recursive_2 = checked(semi_recursive_2, given=rows_fault)
