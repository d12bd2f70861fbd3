"""Semi-implicit Euler."""

from typing import Any, ClassVar

from ...spatial import Array
from .integrator import Integrator, System


class Euler(Integrator):
    """Velocities first, positions with the new ones; of order 1, and without drift of energy.

    Velocities of joints whose axes turn with the body are stepped in axes that do not (`Joint.step`).
    """

    order: ClassVar[int] = 1

    def step(self, system: System, t: Any, y: Array, h: Any) -> Array:
        q, qd = y[: system.nq], y[system.nq :]
        return system.stepped(q, qd, system.acceleration(t, q, qd, h), h)
