"""Semi-recursive methods I and II (Yu, Mikkola, Pan and Escalona), in space and in the plane.

Absolute equations of single bodies, projected onto joint coordinates by a velocity transformation. As in
`dynamics`, the functions here check their arguments, and those in the modules below do not.
"""

from ...checks.checking import checked
from .body_equations import JointEquations as JointEquations
from .intermediate import (
    intermediate_transformation,
    joint_projection,
    path_matrix,
    reference_transformation,
)
from .planar_rows import planar_rows
from .semi_recursive_1 import joint_equations_1, semi_recursive_1
from .semi_recursive_2 import joint_equations_2, semi_recursive_2
from .velocity_products import VelocityProducts as VelocityProducts
from .velocity_products import classical_products, spatial_products
from .velocity_transformation import velocity_transformation, velocity_transformation_rate

velocity_transformation = checked(velocity_transformation)
velocity_transformation_rate = checked(velocity_transformation_rate)
reference_transformation = checked(reference_transformation)
path_matrix = checked(path_matrix)
joint_projection = checked(joint_projection)
intermediate_transformation = checked(intermediate_transformation)
classical_products = checked(classical_products)
spatial_products = checked(spatial_products)
planar_rows = checked(planar_rows)
joint_equations_1 = checked(joint_equations_1)
joint_equations_2 = checked(joint_equations_2)
semi_recursive_1 = checked(semi_recursive_1)
semi_recursive_2 = checked(semi_recursive_2)
