"""What a force law is: something that acts on a mechanism by the mechanism's own parts."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from ..kinematics import body_velocities


class Forces(NamedTuple):
    """Joint forces tau (nv,), N m or N, and forces on the bodies f_ext (nb, 6) in body coordinates, (N m, N).

    None for what a law does not have.
    """

    tau: Array | None
    f_ext: Array | None


class ForceLaw(ABC):
    """Forces, the energy they store, and their power."""

    @abstractmethod
    def acts(self, m: Mechanism) -> bool:
        """Whether the mechanism has any part of this kind."""

    @abstractmethod
    def forces(self, m: Mechanism, q: Array, qd: Array) -> Forces:
        """The forces in a state q (nq,), qd (nv,)."""

    def energy(self, m: Mechanism, q: Array) -> Any:
        """Scalar, J: what is stored, whose gradient the forces at rest are; nothing by default."""
        return 0.0

    def powers(self, m: Mechanism, q: Array, qd: Array) -> tuple[Any, Any]:
        """Scalars, W: power that is lost, and power that is brought in from outside.

        By default forces at rest come from an energy, and what is more than at rest is lost.
        """
        rest, moving = self.forces(m, q, np.zeros(m.nv)), self.forces(m, q, qd)
        lost = 0.0
        if rest.tau is not None and moving.tau is not None:
            lost = lost + (rest.tau - moving.tau) @ qd
        if rest.f_ext is not None and moving.f_ext is not None:
            lost = lost + body_power(m, q, qd, rest.f_ext - moving.f_ext)
        return lost, 0.0


def body_power(m: Mechanism, q: Array, qd: Array, f_ext: Array) -> Any:
    """Scalar, W: power of forces on the bodies (nb, 6)."""
    return np.sum(f_ext * body_velocities(m, q, qd))
