"""What an integrator is, and what it asks of a motion.

A state is y = (q, qd), (nq + nv,). An integrator is written once: on numbers it steps one trajectory of
`simulate`, on symbols it is recorded for `rollout`. Quaternions are coordinates of the space around their
sphere, in which every Runge-Kutta method keeps its order; who calls brings each state back (Hairer, Lubich,
Wanner, Geometric Numerical Integration, §IV.4).
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

from ...spatial import Array


class NoConvergence(ArithmeticError):
    """An implicit step found no solution."""


class System(Protocol):
    """A motion: the equations of a mechanism and everything that acts on it."""

    nq: int
    """How many entries of a state are positions."""

    def slope(self, t: Any, y: Array) -> Array:
        """(nq + nv,) dq/dt and qdd."""
        ...

    def acceleration(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        """(nv,) qdd, with the damping that is implicit taken at the end of a step h, s."""
        ...

    def moved(self, q: Array, qd: Array, h: Any) -> Array:
        """(nq,) the position after moving with a constant velocity for h, s."""
        ...

    def stepped(self, q: Array, qd: Array, qdd: Array, h: Any) -> Array:
        """(nq + nv,) the state after h, s, of constant accelerations: `Joint.step`, joint by joint."""
        ...

    def midpoint_derivative(self, t: float, q: Array, qd: Array, h: float) -> Array:
        """(nv, nv) of the acceleration at the middle of a step h, s, from q, by its mean velocity qd."""
        ...


class Integrator(ABC):
    """One step of fixed length.

    An integrator has no state that changes: code that was recorded of it is kept, and found again by the
    object. Another one under the same name is recorded anew.
    """

    order: ClassVar[int]
    bounded: ClassVar[bool] = True
    """Whether its steps must be short against the fastest change, lest the motion runs away."""
    recordable: ClassVar[bool] = True
    """Whether `step` may be recorded: whether it takes no decision by the values it meets."""

    @abstractmethod
    def step(self, system: System, t: Any, y: Array, h: Any) -> Array:
        """(nq + nv,) the state at t + h."""
