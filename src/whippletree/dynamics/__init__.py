"""Dynamics and kinematics of trees, one algorithm a file (RBDA ch. 5-7, 9)."""

from .aba import aba
from .crba import crba
from .rnea import bias_force, joint_reactions, rnea

__all__ = ["aba", "bias_force", "crba", "joint_reactions", "rnea"]
