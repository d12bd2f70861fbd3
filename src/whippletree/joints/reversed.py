"""A joint with predecessor and successor swapped (RBDA table 4.2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..spatial.inertia import Inertia
from ..spatial.scalar import Array
from ..spatial.transform import Transform
from ..spatial.vectors import cross_motion
from .axis_joint import AxisJoint
from .base import Joint


@dataclass(frozen=True)
class Reversed(Joint):
    """The joint `of`, mounted the other way round: its successor side is on the parent.

    q and qd keep their meaning, so that a mechanism re-rooted at another body has the same
    coordinates.

    >>> import whippletree as wt
    >>> wt.Reversed(wt.Prismatic("x")).motion_subspace(np.array([0.5])).T[0, 3]
    np.float64(-1.0)
    """

    of: Joint

    def __post_init__(self) -> None:
        if not isinstance(self.of, Joint):
            raise ModelError(f"of is {self.of!r}, expected a joint such as Revolute('z')")
        if isinstance(self.of, Reversed):
            raise ModelError("a joint reversed twice is the joint itself: use it as it is")

    @property
    def nq(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  # that of the joint inside
        return self.of.nq

    @property
    def nv(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  # that of the joint inside
        return self.of.nv

    def transform(self, q: Array) -> Transform:
        return self.of.transform(q).inverse()

    def motion_subspace(self, q: Array) -> Array:
        return -self.of.transform(q).inverse_motion(self.of.motion_subspace(q))

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        # S' = -pX_s S, and d(pX_s)/dt = pX_s (v_J ×) by 2.45.
        S, v_J = self.of.motion_subspace(q), self.of.motion_subspace(q) @ qd
        rate = self.of.motion_subspace_rate(q, qd) + cross_motion(v_J, S)
        return -self.of.transform(q).inverse_motion(rate)

    def bias(self, q: Array, qd: Array) -> Array:
        # Table 4.2; v_J × v_J vanishes, which `motion_subspace_rate` times qd would not see.
        return -self.of.transform(q).inverse_motion(self.of.bias(q, qd))

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        S, c_J = self.of.motion_subspace(q), self.of.bias(q, qd)
        return -self.of.transform(q).inverse_motion(self.of.bias_gradient(q, qd) + cross_motion(S, c_J))

    def constraint_subspace(self, q: Array) -> Array:
        return -(self.of.transform(q).T @ self.of.constraint_subspace(q))

    def rate(self, q: Array, qd: Array) -> Array:
        return self.of.rate(q, qd)

    def neutral(self) -> Array:
        return self.of.neutral()

    def position_at(self, X: Transform) -> Array:
        return self.of.position_at(X.inverse())

    def random(self, rng: np.random.Generator) -> Array:
        return self.of.random(rng)

    def integrate(self, q: Array, dq: Array) -> Array:
        return self.of.integrate(q, dq)

    def step(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        return self.of.step_reversed(q, qd, qdd, h)

    def difference(self, q0: Array, q1: Array) -> Array:
        return self.of.difference(q0, q1)

    def position_fault(self, q: Array) -> str | None:
        return self.of.position_fault(q)

    @property
    def has_rates(self) -> bool:
        return self.of.has_rates

    @property
    def is_holonomic(self) -> bool:
        return self.of.is_holonomic

    @property
    def carries_spring(self) -> bool:
        return self.of.carries_spring

    @property
    def turns_endlessly(self) -> bool:
        return self.of.turns_endlessly

    def on_axis(self) -> AxisJoint | None:
        inside = self.of.on_axis()
        return None if inside is None else inside.turned_round()

    def plain(self) -> Joint:
        return self.on_axis() or Reversed(self.of.plain())

    def unseen_inertia(self, I: Inertia) -> Inertia:
        # What moves in the same way on either side does so whichever side it is on.
        return self.of.unseen_inertia(I)

    def numbers(self, q: Array) -> Array:
        return self.of.numbers(q)

    def from_numbers(self, numbers: Array) -> Array:
        return self.of.from_numbers(numbers)

    @property
    def units(self) -> tuple[str, ...]:
        return self.of.units

    @property
    def labels(self) -> tuple[str, ...]:
        return self.of.labels

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        return self.of.velocity_labels


def reverse(joint: Joint) -> Joint:
    """The joint the other way round; reversing twice gives the joint itself."""
    return joint.of if isinstance(joint, Reversed) else Reversed(joint)
