"""What a joint is: the class every joint type derives from (RBDA §4.4)."""

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..spatial.inertia import Inertia
from ..spatial.scalar import Array, real_numbers
from ..spatial.transform import Transform
from ..spatial.vectors import cross, dot

if TYPE_CHECKING:
    from .axis_joint import AxisJoint


class Joint(ABC):
    """Motion allowed between a predecessor frame F_p and a successor frame F_s.

    A joint type is a small frozen dataclass with two numbers and two formulas. `transform` gives
    X_J and `motion_subspace` gives S, both for F_s's coordinates; a type whose S depends on q adds
    `motion_subspace_rate` and `constraint_subspace`, one whose velocity is not dq/dt adds `rate`,
    `integrate` and `difference`; one that rolls derives from `NonholonomicJoint`. All of them hold for
    floats, complex numbers and symbolic scalars: no branch on a value.

    What others ask of a joint, as its units or which inertia it leaves unseen, has an answer here that
    holds for every type; a type that knows better says so.

    A user's own type is such a class; nothing has to be registered.
    """

    nq: ClassVar[int]
    """How many position variables."""
    nv: ClassVar[int]
    """How many velocity variables."""

    @abstractmethod
    def transform(self, q: Array) -> Transform:
        """X_J, from F_p's to F_s's coordinates, at the position q (nq,)."""

    @abstractmethod
    def motion_subspace(self, q: Array) -> Array:
        """(6, nv) S in F_s's coordinates: the joint velocity is v_J = S qd."""

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """(6, nv) S̊, the rate of S as seen from F_s at the velocity qd (nv,); zero if S is constant."""
        return np.zeros((6, self.nv))

    def bias(self, q: Array, qd: Array) -> Array:
        """(6,) c_J = S̊ qd (RBDA 3.42)."""
        return self.motion_subspace_rate(q, qd) @ qd

    def motion_subspace_gradient(self, q: Array, x: Array) -> Array:
        """(6, nv) the change of S x, with a constant x (nv,), along each unit velocity."""
        if self.has_constant_subspace:
            return np.zeros((6, self.nv))
        columns = [self.motion_subspace_rate(q, unit) @ x for unit in np.eye(self.nv)]
        return np.stack(columns, axis=-1) if columns else np.zeros((6, 0))

    def motion_subspace_work(self, q: Array, f: Array) -> Array:
        """(nv, nv) the change of Sᵀ f, with a constant f (6,), along each unit velocity, column by column."""
        if self.has_constant_subspace:
            return np.zeros((self.nv, self.nv))
        columns = [self.motion_subspace_rate(q, unit).T @ f for unit in np.eye(self.nv)]
        return np.stack(columns, axis=-1) if columns else np.zeros((0, 0))

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        """(6, nv) the change of c_J, with a constant qd (nv,), along each unit velocity.

        Needed of a type whose S depends on q only for derivatives by recursion.
        """
        if not self.has_constant_subspace:
            raise ModelError(
                f"{self!r} has a motion subspace that changes with q: give {type(self).__name__} a method "
                "bias_gradient(q, qd), the change (6, nv) of c_J along each unit velocity, or take "
                "wt.derivative, which needs none"
            )
        return np.zeros((6, self.nv))

    def rate(self, q: Array, qd: Array) -> Array:
        """(nq,) dq/dt at the velocity qd (nv,)."""
        return qd

    def neutral(self) -> Array:
        """(nq,) the position in which F_p and F_s coincide."""
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator) -> Array:
        """(nq,) a position drawn at random: angles in (-π, π), lengths in (-1, 1) m."""
        return rng.uniform(-1.0, 1.0, self.nq)

    def integrate(self, q: Array, dq: Array) -> Array:
        """(nq,) the position reached from q by the constant velocity dq (nv,) in unit time."""
        return q + dq

    def step(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        """Position (nq,) and velocity (nv,) after h, s, by semi-implicit Euler: the new velocity moves q.

        A type whose velocity stands in axes that turn with F_s, and is not along the axis it turns about,
        steps it in axes that stand still: else a body that spins would gain speed at every step.
        """
        new = qd + h * qdd
        return self.integrate(q, h * new), new

    def turning(self, q: Array, qd: Array) -> Array:
        """(nv,) what `step` adds to qdd, as the axes of the velocity turn: u = qd + h (qdd + turning)

        is the velocity at the end of a step in the axes of its beginning.
        """
        return np.zeros(self.nv)

    def step_reversed(self, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
        """As `step`, where F_s stands still and F_p moves: what a joint mounted the other way round needs."""
        return self.step(q, qd, qdd, h)

    def difference(self, q0: Array, q1: Array) -> Array:
        """(nv,) the velocity that leads from q0 to q1 in unit time: inverse of `integrate`."""
        return q1 - q0

    def position_fault(self, q: Array) -> str | None:
        """What is wrong with a position q (nq,) of finite floats, in words, or None."""
        return None

    def position_at(self, X: Transform) -> Array:
        """(nq,) the position whose X_J is X, or comes near it if the joint cannot be there.

        Needed of a loop joint, whose position follows from those of its two bodies (RBDA §8.3).
        """
        raise ModelError(
            f"{self!r} cannot close a loop: give {type(self).__name__} a method position_at(X) that finds "
            "the joint position from its transform X"
        )

    def nearest(self, X: Transform) -> Transform:
        """X_J where the joint comes nearest to X, see `position_at`."""
        return self.transform(self.position_at(X))

    def constraint_subspace(self, q: Array) -> Array:
        """(6, 6 - nv) T, a basis of the forces that do no work: Tᵀ S = 0 (RBDA 3.36).

        This general version serves every type whose S is constant. Needed of others only where forces of
        joints are solved for, as in loops, by divide and conquer, and for reactions.
        """
        if not self.has_constant_subspace:
            raise ModelError(
                f"{self!r} has a motion subspace that changes with q: give {type(self).__name__} a method "
                "constraint_subspace(q), a basis (6, 6 - nv) of the forces that do no work"
            )
        return complement(np.asarray(self.motion_subspace(self.neutral()), dtype=float))

    # What others ask

    @property
    def has_constant_subspace(self) -> bool:
        """Whether S does not depend on q."""
        return type(self).motion_subspace_rate is Joint.motion_subspace_rate

    @property
    def has_rates(self) -> bool:
        """Whether its velocities are the rates of its coordinates, qd = dq/dt."""
        return type(self).rate is Joint.rate

    @property
    def is_holonomic(self) -> bool:
        """Whether its constraints are ones of position: it has as many freedoms there as velocities."""
        return True

    @property
    def wheel_radius(self) -> float | None:
        """m, of the wheel about the y axis of F_s by which it rolls, to be drawn; None if there is none."""
        return None

    @property
    def carries_spring(self) -> bool:
        """Whether tau = -stiffness · difference(rest, q) is the gradient of an energy.

        It is where velocities are rates of the coordinates, and for quaternions; it is not for turn and
        shift together, as in a planar or free joint.
        """
        return self.has_rates

    @property
    def moves_freely(self) -> bool:
        """Whether it constrains nothing and its velocity is that of F_s in its own axes: S = 1."""
        return False

    @property
    def turns_endlessly(self) -> bool:
        """Whether its one coordinate is an angle after a full turn of which it is where it was."""
        return False

    def on_axis(self) -> "AxisJoint | None":
        """The same joint as one along a single axis, mounted forwards; None if it has no such axis."""
        return None

    def plain(self) -> "Joint":
        """A joint that constrains alike and has the simplest T; in a loop its variables have no meaning."""
        return self

    def unseen_inertia(self, I: Inertia) -> Inertia:
        """The part of I, an inertia on F_s, that moves in the same way on either side of the joint.

        That is I_Δ of RBDA table 9.7, the one that leaves most zeros in I - I_Δ. Given to F_p instead, it
        changes no motion.
        """
        return Inertia.zero()

    # Numbers to show

    def numbers(self, q: Array) -> Array:
        """(nv,) the position q (nq,) by one number for each freedom: coordinates, but no quaternions.

        (nq,) if it has more freedoms of position than velocities; so `labels` and `units`.
        """
        return q if self.nq == self.nv else self.difference(self.neutral(), q)

    def from_numbers(self, numbers: Array) -> Array:
        """(nq,) the position with these numbers (nv,): inverse of `numbers`."""
        return numbers if self.nq == self.nv else self.integrate(self.neutral(), numbers)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each of its numbers: "rad" or "m"."""
        S = np.asarray(self.motion_subspace(self.neutral()), dtype=float)
        return tuple("rad" if np.linalg.norm(column[:3]) > 1e-12 else "m" for column in S.T)

    @property
    def labels(self) -> tuple[str, ...]:
        """What to call each of its numbers; a joint of one number goes by its own name."""
        return tuple(f"[{k}]" for k in range(self.nv))

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        """What to call each of its velocities, the columns of S; `labels` in another order for some."""
        return self.labels


def subspace_fault(joint: Joint) -> str | None:
    """What is wrong with a joint that says that its S is constant, in words, or None.

    It does without `motion_subspace_rate`; if it is not, velocity products and constraints were wrong.
    """
    try:
        changes = _changes_silently(joint)
    except TypeError:  # one that has no hash
        changes = _changes_silently.__wrapped__(joint)
    if not changes:
        return None
    return (
        f"{joint!r} has a motion subspace that changes with q: give {type(joint).__name__} a method "
        "motion_subspace_rate(q, qd), its rate (6, nv) at the velocity qd"
    )


@lru_cache(maxsize=256)
def _changes_silently(joint: Joint) -> bool:
    """Whether S is another one away from the neutral position, against what the joint says."""
    if not joint.has_constant_subspace:
        return False
    q = joint.neutral()
    there = joint.integrate(q, 0.3 + 0.1 * np.arange(joint.nv))
    S, S_there = (np.asarray(joint.motion_subspace(at), dtype=float) for at in (q, there))
    return bool(np.max(np.abs(S_there - S), initial=0.0) > 1e-9 * np.max(np.abs(S), initial=0.0))


def complement(S: Array) -> Array:
    """(6, 6 - k) orthonormal basis of the null space of Sᵀ, S being a (6, k) array of floats.

    Where every column of S is a turn or a shift, so is every column of the basis: a constraint then counts
    radians or metres, never a sum of both.
    """
    return _complement(S.shape[1], S.tobytes()).copy()


@lru_cache(maxsize=256)
def _complement(columns: int, numbers: bytes) -> Array:
    """The same for the numbers of S, one row after the other: joints of a kind ask for it again and again."""
    S = np.frombuffer(numbers).reshape(6, columns)
    T = _null_space(S)
    turns, shifts = np.any(S[:3], axis=0), np.any(S[3:], axis=0)
    if not np.any(turns & shifts) and np.any(np.any(T[:3], axis=0) & np.any(T[3:], axis=0)):
        turn, shift = _null_space(S[:3, turns]), _null_space(S[3:, shifts])
        T = np.zeros(T.shape)
        T[:3, : turn.shape[1]], T[3:, turn.shape[1] :] = turn, shift
    return T


def _null_space(S: Array) -> Array:
    basis, _ = np.linalg.qr(S, mode="complete")
    T = basis[:, S.shape[1] :]
    # Householder vectors leave zeros that are not quite zero; kernels fold only exact ones.
    return np.where(np.abs(T) < 1e-15, 0.0, T)


def full_turns(angle: Any, other: Any) -> Any:
    """The angle plus as many full turns as bring it closest to the other one, which is less exact."""
    return angle + 2.0 * np.pi * math.floor((other.real - angle.real) / (2.0 * np.pi) + 0.5)


def unit_axis(axis: Any, name: str = "axis") -> tuple[float, float, float]:
    """A unit vector from "x", "y", "z", "-x", … or three numbers; raises ModelError otherwise."""
    if isinstance(axis, str):
        letter = axis.removeprefix("-")
        if letter not in ("x", "y", "z"):
            raise ModelError(f'{name} is {axis!r}: give "x", "y", "z", "-x", "-y", "-z" or three numbers')
        along = -1.0 if axis.startswith("-") else 1.0
        return (along * (letter == "x") + 0.0, along * (letter == "y") + 0.0, along * (letter == "z") + 0.0)
    try:
        vector = real_numbers(axis)
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {axis!r}: give a letter or three numbers") from None
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ModelError(f"{name} is {axis!r}: give three finite numbers")
    length = math.hypot(*vector)
    if length < 1e-9:
        raise ModelError(f"{name} is {axis!r}, of length {length:g}: a direction needs a length above 1e-9")
    if abs(length - 1.0) > 1e-15:
        vector = vector / length
    return (float(vector[0]), float(vector[1]), float(vector[2]))


def perpendicular(axis: Any) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed frame (first, second, axis); (x, y) for the z axis."""
    a = np.array(axis)
    k = int(np.argmax(np.abs(a)))
    first = np.eye(3)[(k + 1) % 3]
    first = first - dot(first, a) * a
    first = first / math.hypot(*first)
    return first, cross(a, first)


def finite_number(value: Any, name: str, unit: str) -> float:
    """A finite float, or ModelError naming the quantity."""
    try:
        number = real_numbers(value)
    except (TypeError, ValueError):
        number = np.array(np.nan)
    if number.shape or not np.isfinite(number):
        raise ModelError(f"{name} is {value!r}: give a finite number, in {unit}")
    return float(number)


def quaternion_fault(p: Array) -> str | None:
    """What is wrong with a quaternion of floats, or None."""
    norm = math.hypot(*p.tolist())
    if abs(norm - 1.0) > 1e-6:
        return f"quaternion (w, x, y, z) has norm {norm:.6g}, expected 1: normalize it, w first"
    return None
