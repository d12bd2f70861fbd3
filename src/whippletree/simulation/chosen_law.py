"""How accelerations of a run are found, by what a mechanism is and what the user asks for."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..api.forward_methods import METHODS, automatic, find, reserve
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import real_positive, real_vector
from .equations import Law
from .rounded_loops import law_within


class ChosenLaw(NamedTuple):
    """What was chosen.

    Attributes:
        name: Of the method.
        law: How accelerations are found.
        holds: Whether states have to be kept within constraints.
        reserve: Name and law to go on with where choices of the first wear out; None: only other choices.
        instead: Name and law where links lie on each other, so that choices of the first hold nowhere else.
    """

    name: str
    law: Law
    holds: bool
    reserve: tuple[str, Law] | None
    instead: tuple[str, Law] | None


def chosen_law(
    m: Mechanism,
    dynamics: Any,
    stabilization: float | None,
    implicit: tuple[float, ...] | None,
    tolerance: float | None,
) -> ChosenLaw:
    """The law for options of `simulate`; `implicit` as of `damping`. The usual one is found once."""
    usual = isinstance(dynamics, str) and dynamics == "auto" and stabilization is None and tolerance is None
    if usual and implicit is None:
        return m.once(_usual)
    if tolerance is not None and m.loops:
        law = law_within(m, tolerance, Law(METHODS["lambda-first"], implicit_damping=implicit))
        return ChosenLaw("lambda-first", law, stabilization is None and law.method.holds(m), None, None)
    return _found(m, dynamics, stabilization, implicit, tolerance is None)


def _usual(m: Mechanism) -> ChosenLaw:
    return _found(m, "auto", None, None, True)


def _found(
    m: Mechanism,
    dynamics: Any,
    stabilization: float | None,
    implicit: tuple[float, ...] | None,
    exact: bool,
) -> ChosenLaw:
    auto = isinstance(dynamics, str) and dynamics == "auto"
    name, method = find(m, m.once(automatic) if auto else dynamics, "dynamics")
    law = Law(method, implicit_damping=implicit)
    if stabilization is not None:
        if not method.holds(m):
            raise InputError(f"stabilization is {stabilization!r}, but dynamics {name!r} holds no loops")
        law = law._replace(options=(("stabilization", real_positive(stabilization, "stabilization")),))
    spare, folded = m.once(reserve) if auto and exact else None, METHODS["augmented"]
    return ChosenLaw(
        name,
        law,
        stabilization is None and method.holds(m),
        None if spare is None else (spare, law._replace(method=METHODS[spare])),
        ("augmented", law._replace(method=folded)) if auto and exact and folded.fault(m) is None else None,
    )


def damping(m: Mechanism, value: Any, method: str, opened: Sequence[str] = ()) -> tuple[float, ...] | None:
    """Implicit damping, checked: (nv,), the same for all velocities of a joint; None if there is none.

    That of joints may be among parameters that are open.
    """
    if value is None:
        own = m.once(_is_damped) or any(name.endswith((".damping", ".friction")) for name in opened)
        return (0.0,) * m.nv if own and method == "euler" else None
    if method != "euler":
        raise InputError(f"implicit_damping is given, but method is {method!r}: it belongs to 'euler'")
    meaning = f"one entry per velocity of {m.name!r} (nv = {m.nv}), or one number"
    given = value if np.ndim(value) else np.full(m.nv, value)
    found = real_vector(given, (m.nv,), "implicit_damping", meaning)
    for body, index in zip(m.bodies, m.v_index, strict=True):
        own = found[index]
        if np.any(own < 0.0):
            raise InputError(f"implicit_damping of joint {body.joint_name!r} is {own}: must not be negative")
        if np.any(own != own[:1]):
            raise InputError(
                f"implicit_damping of joint {body.joint_name!r} is {own}: all velocities of a joint have one"
            )
    return tuple(float(entry) for entry in found)


def _is_damped(m: Mechanism) -> bool:
    return any(part.damping or part.friction for part in (*m.bodies, *m.loops))
