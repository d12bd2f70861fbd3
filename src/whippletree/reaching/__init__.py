"""Inverse kinematics: bring frames where they are wanted."""

from .inverse_kinematics import inverse_kinematics as inverse_kinematics
from .reached import Reached as Reached
