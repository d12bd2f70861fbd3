"""Closed loops: constraints, solvers, assembly and recursive coordinate reduction (RBDA ch. 8)."""

from .constraints import constraint_bias, constraint_error, constraint_jacobian

__all__ = ["constraint_bias", "constraint_error", "constraint_jacobian"]
