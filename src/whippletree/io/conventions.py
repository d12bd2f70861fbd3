"""The state of a mechanism as Pinocchio, MuJoCo, Drake and RBDL order and measure it.

Here quaternions are w, x, y, z, a free joint has its position first and its velocity, angular
before linear, in the axes of the moving body. Elsewhere:

              free joint q       free joint velocity              spatial vectors
    pinocchio p, x y z w         linear, angular; body axes       linear first
    mujoco    p, w x y z         linear in parent axes, angular   angular first
                                 in body axes                     (xfrc_applied: force first)
    drake     w x y z, p         angular, linear; parent axes     angular first
    rbdl      p, x y z … w last  as mujoco                        angular first

Pinocchio writes a revolute joint without limits as (cos, sin), as its URDF reader does with
`continuous`, and a planar joint as (x, y, cos, sin); elsewhere a planar joint is (x, y, angle) and
its velocity the rate of that. A joint whose limits nobody knows, `Limits.unknown`, is not `continuous`.
A spherical joint is a quaternion, ordered as in the free joint and with the angular velocity in
body axes; in Drake it is roll, pitch, yaw (BallRpyJoint) with the angular velocity in parent axes.
RBDL keeps every w at the end of q, in the order of the joints.
Sources: the documentation of JointModelFreeFlyer, JointModelPlanar (Pinocchio 4), mjData.qpos and
qvel (MuJoCo), QuaternionFloatingJoint, BallRpyJoint, PlanarJoint (Drake), "Joint Modeling" (RBDL).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..joints import Fixed, Free, Joint, Planar, Prismatic, Revolute, Spherical, Translation
from ..model.mechanism import Body, Limits, Mechanism
from ..model.values import expect, finite_numbers, joint_numbers, position, real_vector, vector
from ..model.wording import describe
from ..spatial import Array, cross
from ..spatial.rotation import from_quaternion, from_rpy, to_quaternion, to_rpy

PROGRAMS = ("pinocchio", "mujoco", "drake", "rbdl")


@dataclass(frozen=True)
class _Rule:
    """How the variables of one joint look in another program.

    `turn` gives the orthogonal matrix T that takes the joint's velocity and force there, `drift`
    the rest (dT/dt) qd of the acceleration. The last `tail` position entries go to the end of q.
    """

    nq: int
    to_position: Callable[[Array], Array]
    from_position: Callable[[Array], Array]
    turn: Callable[[Array], Array]
    drift: Callable[[Array, Array], Array]
    tail: int = 0


class Convention:
    """How another program writes the state of a mechanism, and the way there and back.

    Args:
        program: "pinocchio", "mujoco", "drake" or "rbdl".
        m: The mechanism; of the joints that move, it may have Revolute, Prismatic, Translation,
            Spherical, Planar with normal z, and Free.
        joints: The names of the joints in the order of the other program; by default in m's. Fixed
            joints may be left out.

    Every `to_…` takes the state as it is here and gives the other program's; `from_…` goes back.
    q, qd, … are always those of here, so that a velocity is converted at a position known here.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("box")
    >>> m.add_body("box", wt.Free(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    >>> q = np.array([1.0, 2.0, 3.0, 0.8, 0.6, 0.0, 0.0])
    >>> wt.Convention("pinocchio", m).to_position(q)
    array([1. , 2. , 3. , 0.6, 0. , 0. , 0.8])
    >>> wt.Convention("drake", m).to_position(q)
    array([0.8, 0.6, 0. , 0. , 1. , 2. , 3. ])
    """

    def __init__(self, program: str, m: Mechanism, joints: Sequence[str] | None = None) -> None:
        if not isinstance(program, str) or program not in PROGRAMS:
            raise InputError(f"program is {program!r}; known: {', '.join(PROGRAMS)}")
        expect("Convention", "m", m, Mechanism, "a Mechanism")
        self.program = program
        self._m = m.copy()  # the rules are those of now
        self._order = _order(m, joints)
        self._rules = [_rule(program, m.bodies[i]) for i in self._order]
        self.nq: int = sum(rule.nq for rule in self._rules)
        """How many position variables the other program has."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Convention, (self.program, self._m, [self._m.bodies[i].joint_name for i in self._order])

    def to_position(self, q: Any) -> Array:
        """(self.nq,) the position q (nq,) as the other program writes it."""
        q = position(self._m, q)
        heads, tails = [np.zeros(0)], [np.zeros(0)]
        for i, rule in zip(self._order, self._rules, strict=True):
            part = rule.to_position(q[self._m.q_index[i]])
            heads.append(part[: rule.nq - rule.tail])
            tails.append(part[rule.nq - rule.tail :])
        return np.concatenate(heads + tails)

    def from_position(self, other: Any) -> Array:
        """(nq,) the position that the other program writes as `other` (self.nq,); angles in (-π, π]."""
        other = real_vector(
            other,
            (self.nq,),
            "other",
            f"one entry per position variable of {self.program} for {self._m.name!r}",
        )
        q: list[Array] = [np.zeros(0)] * len(self._m)
        head, tail = 0, self.nq - sum(rule.tail for rule in self._rules)
        for i, rule in zip(self._order, self._rules, strict=True):
            ends = head + rule.nq - rule.tail, tail + rule.tail
            part = np.concatenate([other[head : ends[0]], other[tail : ends[1]]])
            head, tail = ends
            try:
                q[i] = rule.from_position(part)
            except InputError as error:
                raise InputError(f"joint {self._m.bodies[i].joint_name!r}: {error}") from None
        return position(self._m, np.concatenate([np.zeros(0), *q]), "other")

    def velocity_matrix(self, q: Any) -> Array:
        """(nv, nv) T at q (nq,): velocities become T qd, forces T tau, inertias T H Tᵀ, Jacobians J Tᵀ.

        T is orthogonal.
        """
        q = position(self._m, q)
        T = np.zeros((self._m.nv, self._m.nv), dtype=q.dtype)
        row = 0
        for i, rule in zip(self._order, self._rules, strict=True):
            n = self._m.bodies[i].joint.nv
            T[row : row + n, self._m.v_index[i]] = rule.turn(q[self._m.q_index[i]])
            row += n
        return T

    def to_velocity(self, q: Any, qd: Any) -> Array:
        """(nv,) the velocity qd (nv,) at q (nq,) as the other program writes it."""
        return self.velocity_matrix(q) @ self._vector(qd, "qd")

    def from_velocity(self, q: Any, other: Any) -> Array:
        """(nv,) the velocity at q (nq,) that the other program writes as `other` (nv,)."""
        return self.velocity_matrix(q).T @ self._vector(other, "other")

    def to_acceleration(self, q: Any, qd: Any, qdd: Any) -> Array:
        """(nv,) the acceleration qdd (nv,) at q (nq,) and qd (nv,) as the other program writes it."""
        return self.velocity_matrix(q) @ self._vector(qdd, "qdd") + self._drift(q, qd)

    def from_acceleration(self, q: Any, qd: Any, other: Any) -> Array:
        """(nv,) the acceleration at q (nq,) and qd (nv,) that the other program writes as `other` (nv,)."""
        return self.velocity_matrix(q).T @ (self._vector(other, "other") - self._drift(q, qd))

    def to_force(self, q: Any, tau: Any) -> Array:
        """(nv,) the joint forces tau (nv,) at q (nq,) as the other program writes them; power is kept.

        The bias force of another program goes with the acceleration that it calls zero. For a free
        joint in MuJoCo, Drake or RBDL that is not qdd = 0 but `from_acceleration(q, qd, zeros)`.
        """
        return self.velocity_matrix(q) @ self._vector(tau, "tau")

    def from_force(self, q: Any, other: Any) -> Array:
        """(nv,) the joint forces at q (nq,) that the other program writes as `other` (nv,)."""
        return self.velocity_matrix(q).T @ self._vector(other, "other")

    def to_spatial(self, v: Any) -> Array:
        """A spatial motion or force (6,), or columns (6, k) of them, in the other program's order."""
        v = finite_numbers(v, "(6,) or (6, k)", "v", "spatial vectors as columns")
        if v.ndim not in (1, 2) or v.shape[0] != 6:
            raise InputError(f"v has shape {v.shape}, expected (6,) or (6, k): spatial vectors as columns")
        return np.concatenate([v[3:], v[:3]]) if self.program == "pinocchio" else v

    def from_spatial(self, other: Any) -> Array:
        """The way back from `to_spatial`."""
        return self.to_spatial(other)  # swapping two halves undoes itself

    def _vector(self, value: Any, name: str) -> Array:
        return vector(value, (self._m.nv,), name, f"one entry per velocity of {self._m.name!r}")

    def _drift(self, q: Any, qd: Any) -> Array:
        """(dT/dt) qd."""
        q, qd = position(self._m, q), self._vector(qd, "qd")
        parts = [
            rule.drift(q[self._m.q_index[i]], qd[self._m.v_index[i]])
            for i, rule in zip(self._order, self._rules, strict=True)
        ]
        return np.concatenate([np.zeros(0), *parts])


def _order(m: Mechanism, joints: Sequence[str] | None) -> list[int]:
    """The numbers of the joints that are named, each of those that move exactly once."""
    if joints is None:
        return list(range(len(m)))
    order = joint_numbers(m, joints, "joints")
    missing = [
        m.bodies[i].joint_name for i in sorted(set(range(len(m))) - set(order)) if m.bodies[i].joint.nq
    ]
    twice = [name for name, count in Counter(joints).items() if count > 1]
    if missing or twice:
        fault = f"{missing[0]!r} is missing" if missing else f"{twice[0]!r} comes twice"
        raise InputError(f"joints: {fault}; name every joint of {m.name!r} that moves once")
    return order


# The rules, joint by joint


def _rule(program: str, body: Body) -> _Rule:
    joint = body.joint
    rules = next((_RULES[kind] for kind in type(joint).__mro__ if kind in _RULES), None)
    if rules is None or (isinstance(joint, Planar) and joint.axis != (0.0, 0.0, 1.0)):
        raise ModelError(
            f"joint {body.joint_name!r} is {describe(joint)}: {program} has no such joint. Known: Revolute, "
            "Prismatic, Translation, Spherical, Planar with normal z, Free, Fixed"
        )
    if program == "pinocchio" and joint.turns_endlessly and _unlimited(body.limits):
        return _CIRCLE
    return rules[program]


def _unlimited(limits: Limits) -> bool:
    return not limits.unknown and not np.isfinite(limits.lower) and not np.isfinite(limits.upper)


def _unchanged(q: Array) -> Array:
    return q


def _still(q: Array, qd: Array) -> Array:
    return np.zeros(len(qd))


def _constant(T: Array) -> Callable[[Array], Array]:
    return lambda q: T


def _permuted(*order: int) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Take entries in this order, and the way back."""
    forth, back = list(order), list(np.argsort(order))
    return lambda q: q[forth], lambda q: q[back]


def _plain(n: int) -> dict[str, _Rule]:
    """The rule, for every program, of a joint with n coordinates that are the same everywhere."""
    return dict.fromkeys(PROGRAMS, _Rule(n, _unchanged, _unchanged, _constant(np.eye(n)), _still))


def _angle(cos_sin: Array) -> Array:
    norm = float(np.hypot(cos_sin[0], cos_sin[1]))
    if abs(norm - 1.0) > 1e-6:
        raise InputError(f"(cos, sin) has norm {norm:.6g}, expected 1")
    return np.array([np.arctan2(cos_sin[1], cos_sin[0])])


def _cos_sin(angle: Array) -> Array:
    return np.array([np.cos(angle[0]), np.sin(angle[0])])


_CIRCLE = _Rule(2, _cos_sin, _angle, _constant(np.eye(1)), _still)


def _planar_turn(q: Array) -> Array:
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[0.0, c, -s], [0.0, s, c], [1.0, 0.0, 0.0]])


def _planar_drift(q: Array, qd: Array) -> Array:
    # The velocity in parent axes turns with the body: its rate is ω × v.
    x, y, _ = _planar_turn(q) @ qd
    return qd[0] * np.array([-y, x, 0.0])


_PLANAR_AXES = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_PLANAR_RATES = _Rule(3, *_permuted(1, 2, 0), _planar_turn, _planar_drift)
_PLANAR = {
    "pinocchio": _Rule(
        4,
        lambda q: np.concatenate([q[1:], _cos_sin(q[:1])]),
        lambda p: np.concatenate([_angle(p[2:]), p[:2]]),
        _constant(_PLANAR_AXES),
        _still,
    ),
    "mujoco": _PLANAR_RATES,
    "drake": _PLANAR_RATES,
    "rbdl": _PLANAR_RATES,
}

_SPHERICAL = {
    "pinocchio": _Rule(4, *_permuted(1, 2, 3, 0), _constant(np.eye(3)), _still),
    "mujoco": _Rule(4, _unchanged, _unchanged, _constant(np.eye(3)), _still),
    "drake": _Rule(
        3, lambda q: to_rpy(from_quaternion(q)), lambda p: to_quaternion(from_rpy(p)), from_quaternion, _still
    ),
    "rbdl": _Rule(4, *_permuted(1, 2, 3, 0), _constant(np.eye(3)), _still, tail=1),
}


def _linear_in_parent(q: Array) -> Array:
    zero = np.zeros((3, 3))
    return np.block([[zero, from_quaternion(q[3:])], [np.eye(3), zero]])


def _linear_drift(q: Array, qd: Array) -> Array:
    return from_quaternion(q[3:]) @ cross(qd[:3], qd[3:])


_FREE = {
    "pinocchio": _Rule(7, *_permuted(0, 1, 2, 4, 5, 6, 3), _constant(np.eye(6)[[3, 4, 5, 0, 1, 2]]), _still),
    "mujoco": _Rule(
        7,
        _unchanged,
        _unchanged,
        _linear_in_parent,
        lambda q, qd: np.concatenate([_linear_drift(q, qd), np.zeros(3)]),
    ),
    "drake": _Rule(
        7,
        *_permuted(3, 4, 5, 6, 0, 1, 2),
        lambda q: np.kron(np.eye(2), from_quaternion(q[3:])),
        lambda q, qd: np.concatenate([np.zeros(3), _linear_drift(q, qd)]),
    ),
    "rbdl": _Rule(
        7,
        *_permuted(0, 1, 2, 4, 5, 6, 3),
        _linear_in_parent,
        lambda q, qd: np.concatenate([_linear_drift(q, qd), np.zeros(3)]),
        tail=1,
    ),
}

_RULES: dict[type[Joint], dict[str, _Rule]] = {
    Revolute: _plain(1),
    Prismatic: _plain(1),
    Translation: _plain(3),
    Fixed: _plain(0),
    Planar: _PLANAR,
    Spherical: _SPHERICAL,
    Free: _FREE,
}
"""For each joint type that other programs have, its rule in each of them."""
