"""Integrators of fixed step, one small class each: for one trajectory and for many at once."""

from .euler import Euler
from .integrator import Integrator, NoConvergence, System
from .midpoint import Midpoint
from .runge_kutta import RungeKutta, RungeKutta4, RungeKutta6

__all__ = ["INTEGRATORS", "Integrator", "NoConvergence", "RungeKutta", "System"]

INTEGRATORS: dict[str, Integrator] = {
    "euler": Euler(),
    "midpoint": Midpoint(),
    "rk4": RungeKutta4(),
    "rk6": RungeKutta6(),
}
"""By the names that `simulate` and `rollout` know. A new integrator is one line here."""
