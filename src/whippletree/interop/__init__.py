"""Kernels as functions of other libraries, with exact derivatives. Each is imported when it is asked for."""

from .casadi_function import casadi as casadi
from .jax_function import jax as jax
from .torch_function import torch as torch
