"""A disc or wheel that rolls on a plane and does not slip."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..spatial.rotation import axis_rotation, chord, from_euler, to_euler
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform
from ..spatial.vectors import cross
from .base import finite_number
from .nonholonomic import NonholonomicJoint

_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True)
class RollingDisc(NonholonomicJoint):
    """A wheel rolls on a plane: q = place of the contact x, y (m), then yaw, lean and spin (rad).

    F_s sits in the centre of the wheel, whose axle is its y axis; F_p where the centre is at q = 0: the
    wheel stands upright and heads along x, and the plane lies `radius` below, its normal being z. The wheel
    turns by yaw about the normal, leans about where it heads, and spins about its axle. qd (3,) are the rates
    of yaw, lean and spin; the contact moves as they make it roll. `rim` is the radius of the tyre's round
    profile: 0 for the edge of a thin disc, and up to `radius`, for a ball.

    Yaw and spin have the same axis where the wheel lies flat, at a lean of ±π/2: S loses rank there.

    >>> import whippletree as wt
    >>> wt.RollingDisc(0.3).rate(np.zeros(5), np.array([0.0, 0.0, 2.0]))
    array([0.6, 0. , 0. , 0. , 2. ])
    """

    radius: float
    rim: float = 0.0
    nq: ClassVar[int] = 5
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", finite_number(self.radius, "radius", "m"))
        object.__setattr__(self, "rim", finite_number(self.rim, "rim", "m"))
        if not self.radius > 0.0:
            raise ModelError(f"radius is {self.radius:g} m, not positive: a disc without size does not roll")
        if not 0.0 <= self.rim <= self.radius:
            raise ModelError(
                f"rim is {self.rim:g} m, not between 0 and the radius, {self.radius:g} m: "
                "give the radius of the tyre's profile"
            )

    def transform(self, q: Array) -> Transform:
        turn = from_euler(q[2:], "zxy")
        up = axis_rotation(_Z, q[2]) @ (axis_rotation(_X, q[3]) @ _Z)
        contact = _X * q[0] + _Y * q[1]
        return Transform(turn.T, contact + self._spoke * (up - _Z))

    def motion_subspace(self, q: Array) -> Array:
        return self._in_wheel(q, self._leaning(q[3]))

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        # The axes that lean but do not spin turn back with the spin, as seen from the wheel.
        change = self._leaning_slope(q[3])
        return self._in_wheel(q, change * qd[1] + _turned_back(self._leaning(q[3])) * qd[2])

    def bias_gradient(self, q: Array, qd: Array) -> Array:
        # c_J = A (u' φ̇ + u × y θ̇) with u = S qd in the leaning axes, u' its slope by φ, A from these to F_s.
        u, slope, second = (
            of(q[3]) @ qd for of in (self._leaning, self._leaning_slope, self._leaning_curvature)
        )
        c = slope * qd[1] + _turned_back(u) * qd[2]
        by_lean = second * qd[1] + _turned_back(slope) * qd[2]
        return self._in_wheel(q, array([np.zeros(6), by_lean, _turned_back(c)]).T)

    def constraint_subspace(self, q: Array) -> Array:
        # Forces at the contact, with their moments about the centre: ahead, to the left, along the normal.
        c, s = np.cos(q[3]), np.sin(q[3])
        to_contact = -self._arm(q[3])
        forces = (_X, array([0.0, c, -s]), array([0.0, s, c]))
        return self._in_wheel(q, array([[*cross(to_contact, f), *f] for f in forces]).T)

    def following(self, q: Array, qd: Array) -> Array:
        ahead = qd[2] * (self._spoke + self.rim * np.cos(q[3]))
        left = -self.rim * qd[1]
        c, s = np.cos(q[2]), np.sin(q[2])
        return array([c * ahead - s * left, s * ahead + c * left])

    def integrate(self, q: Array, dq: Array) -> Array:
        # The integral of `following` while all three angles change steadily; cos φ turns with and against ψ.
        (yaw, lean), (turn, tilt, spin) = q[2:4], dq
        x, y = _mean(yaw, turn)
        path = array(
            [spin * self._spoke * x + self.rim * tilt * y, spin * self._spoke * y - self.rim * tilt * x]
        )
        for sign in (1.0, -1.0):
            path = path + 0.5 * spin * self.rim * array(_mean(yaw + sign * lean, turn + sign * tilt))
        return q + np.concatenate([path, dq])

    def position_at(self, X: Transform) -> Array:
        angles = to_euler(X.E.T, "zxy")
        up = axis_rotation(_Z, angles[0]) @ (axis_rotation(_X, angles[1]) @ _Z)
        return np.concatenate([(X.r - self._spoke * up)[:2], angles])

    def random(self, rng: np.random.Generator) -> Array:
        # The lean keeps clear of where the wheel lies flat.
        return np.array([*rng.uniform(-1.0, 1.0, 2), *(rng.uniform(-1.0, 1.0, 3) * (np.pi, 1.2, np.pi))])

    @property
    def units(self) -> tuple[str, ...]:
        return ("m", "m", "rad", "rad", "rad")

    @property
    def labels(self) -> tuple[str, ...]:
        return ("x", "y", "yaw", "lean", "spin")

    @property
    def wheel_radius(self) -> float:
        return self.radius

    @property
    def _spoke(self) -> float:
        """From the axle to the middle of the tyre's profile, m."""
        return self.radius - self.rim

    def _arm(self, lean: Any) -> Array:
        """(3,) from the contact to the centre, in axes that lean with the wheel but do not spin."""
        return array([0.0, self.rim * np.sin(lean), self._spoke + self.rim * np.cos(lean)])

    def _leaning(self, lean: Any) -> Array:
        """(6, 3) S in axes that lean but do not spin: turns about normal, heading and axle, and × arm."""
        still, by_cos, by_sin = self._parts
        return still + by_cos * np.cos(lean) + by_sin * np.sin(lean)

    def _leaning_slope(self, lean: Any) -> Array:
        """(6, 3) its derivative."""
        _, by_cos, by_sin = self._parts
        return by_sin * np.cos(lean) - by_cos * np.sin(lean)

    def _leaning_curvature(self, lean: Any) -> Array:
        """(6, 3) its second derivative."""
        _, by_cos, by_sin = self._parts
        return -by_cos * np.cos(lean) - by_sin * np.sin(lean)

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        """(6, 3) each, what in `_leaning` is constant and what goes with cos and sin of the lean."""
        R, rho, zero = self._spoke, self.rim, [0.0] * 6
        still = [zero, [1.0, 0.0, 0.0, 0.0, -R, 0.0], [0.0, 1.0, 0.0, R, 0.0, 0.0]]
        by_cos = [
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, -rho, 0.0],
            [0.0, 0.0, 0.0, rho, 0.0, 0.0],
        ]
        by_sin = [[0.0, 1.0, 0.0, R, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, rho], zero]
        return np.array(still).T, np.array(by_cos).T, np.array(by_sin).T

    def _in_wheel(self, q: Array, vectors: Array) -> Array:
        """(6, …) spatial vectors in F_s, from axes that lean but do not spin."""
        A = axis_rotation(_Y, q[4]).T
        return np.concatenate([A @ vectors[:3], A @ vectors[3:]])


def _turned_back(vectors: Array) -> Array:
    """(6, …) the rate of vectors that stand still, seen from what turns about y: both halves × y."""
    zero = 0.0 * vectors[0]
    return array([-vectors[2], zero, vectors[0], -vectors[5], zero, vectors[3]])


def _mean(angle: Any, turn: Any) -> tuple[Any, Any]:
    """The means of cos and sin while an angle turns steadily."""
    a, b = chord(turn)
    c, s = np.cos(angle), np.sin(angle)
    return a * c - b * s, a * s + b * c
