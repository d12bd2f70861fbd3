"""Special coordinates: what the recursive forward dynamics algorithm leaves out.

S. Deepak R. and A. Ghosal, Special coordinates associated with recursive forward dynamics algorithm for open
loop rigid multibody systems. Every node of a tree has coordinates in which its equation in the recursive
algorithm is a part of the equations of motion; here are these coordinates, and the part that is left out.

The functions of a mechanism check their arguments. Those of nodes, which they are made of, take any tree of
bodies that is written down in the paper's terms, in the plane or in space.
"""

from typing import TYPE_CHECKING

from ...checks.checking import checked
from ...model.requirements import invertible_inertias
from .absolute_system import absolute_accelerations, absolute_system, node_system
from .constraint_recursion import by_constraints, rfda_by_constraints
from .coordinate_change import change_constraints, change_coordinates
from .driving import DrivenJoint, driven_joint, joint_basis
from .joint_recursion import joint_inertias, joint_node_forces, rfda_by_joints
from .left_out import LeftOut, driven_dynamics, left_out, outward, special_coordinates_dynamics
from .node_solution import rfda_accelerations, solve_nodes
from .nodes import Node, NodeConstraint, NodeMotion, velocity
from .partition import (
    Partition,
    PartitionTerms,
    method_1,
    method_2,
    partition_terms,
    special_partitions,
    split_velocity,
)
from .rates import free_velocity_rate, inertia_rates
from .subtree import SubtreeMap, special_equations, subtree_coordinates, subtree_equations, subtree_map
from .tree_nodes import tree_constraints, tree_motion, tree_nodes

__all__ = [
    "DrivenJoint",
    "LeftOut",
    "Node",
    "NodeConstraint",
    "NodeMotion",
    "Partition",
    "PartitionTerms",
    "SubtreeMap",
    "absolute_accelerations",
    "absolute_system",
    "by_constraints",
    "change_constraints",
    "change_coordinates",
    "driven_dynamics",
    "driven_joint",
    "free_velocity_rate",
    "inertia_rates",
    "joint_basis",
    "joint_inertias",
    "joint_node_forces",
    "left_out",
    "method_1",
    "method_2",
    "node_system",
    "outward",
    "partition_terms",
    "rfda_accelerations",
    "rfda_by_constraints",
    "rfda_by_joints",
    "solve_nodes",
    "special_coordinates_dynamics",
    "special_equations",
    "special_partitions",
    "split_velocity",
    "subtree_coordinates",
    "subtree_equations",
    "subtree_map",
    "tree_constraints",
    "tree_motion",
    "tree_nodes",
    "velocity",
]

if not TYPE_CHECKING:  # what is checked has the type of what is not
    tree_nodes = checked(tree_nodes)
    tree_constraints = checked(tree_constraints)
    tree_motion = checked(tree_motion)
    absolute_system = checked(absolute_system)
    rfda_by_constraints = checked(rfda_by_constraints, invertible_inertias)
    rfda_by_joints = checked(rfda_by_joints)
    rfda_accelerations = checked(rfda_accelerations)
    special_partitions = checked(special_partitions)
    subtree_coordinates = checked(subtree_coordinates)
    special_equations = checked(special_equations)
    driven_dynamics = checked(driven_dynamics)
    special_coordinates_dynamics = checked(special_coordinates_dynamics, frame_free=True)
