"""What joints have in common that can go to more places than they have ways to move (RBDA §3.4)."""

from abc import abstractmethod

import numpy as np

from ..spatial.scalar import Array
from .base import Joint


class NonholonomicJoint(Joint):
    """A joint with more coordinates than velocities, as that of a wheel which rolls or a blade which skates.

    The last nv coordinates lead: their rates are the velocities qd. The nq - nv before them follow, by
    rates that are linear in qd and do not derive from any coordinate. All of them may have any value.

    A type of your own says what every `Joint` says, and how its followers move, `following`. v_J = S qd holds
    as for other joints, and with it all algorithms: projected onto S are the equations of motion of the nv
    velocities, and S̊ is the rate of S along `rate`.
    """

    @abstractmethod
    def following(self, q: Array, qd: Array) -> Array:
        """(nq - nv,) the rates of the first coordinates at the velocity qd (nv,)."""

    def rate(self, q: Array, qd: Array) -> Array:
        return np.concatenate([self.following(q, qd), qd])

    def integrate(self, q: Array, dq: Array) -> Array:
        """(nq,) the position reached from q by the constant velocity dq (nv,) in unit time.

        By the classical Runge-Kutta step, which is exact to fourth order for followers and exact for leaders.
        """
        k1 = self.rate(q, dq)
        k2 = self.rate(q + 0.5 * k1, dq)
        k3 = self.rate(q + 0.5 * k2, dq)
        k4 = self.rate(q + k3, dq)
        return q + (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0

    def difference(self, q0: Array, q1: Array) -> Array:
        """(nv,) how far the leaders are apart: what leads from q0 to q1, if a constant velocity does."""
        return (q1 - q0)[self.nq - self.nv :]

    @property
    def is_holonomic(self) -> bool:
        return False

    @property
    def carries_spring(self) -> bool:
        return True  # on its leaders

    def numbers(self, q: Array) -> Array:
        return q

    def from_numbers(self, numbers: Array) -> Array:
        return numbers

    @property
    def units(self) -> tuple[str, ...]:
        turned = [self.transform(0.1 * row).E for row in np.eye(self.nq)]
        return tuple("rad" if np.max(np.abs(E - np.eye(3))) > 1e-9 else "m" for E in turned)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"[{k}]" for k in range(self.nq))

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        return self.labels[self.nq - self.nv :]
