"""The public door: arguments are checked here, once, before an algorithm sees them."""

import functools
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import numpy as np

from ..errors import InputError, ModelError, SingularError
from ..model.mechanism import Mechanism
from ..model.requirements import Requirement, invertible_inertias
from ..model.singular import coupled_joints, fault_without_inertia, joint_without_inertia
from ..model.values import not_negative, positive, signature_of
from .argument_table import NOT_NEGATIVE, POSITIVE, is_ours, known_arguments
from .typed_arguments import expect_typed, typed_arguments
from .while_recording import Freedom, is_recorded, refusal

F = TypeVar("F", bound=Callable[..., Any])

Held = Callable[[Mechanism, Mapping[str, Any]], Collection[int]]
"""Given a mechanism and the arguments of a function by name: numbers of the bodies whose joints are held."""

Given = Callable[[Mechanism, Mapping[str, Any]], str | None]
"""Given a mechanism and the arguments of a function by name: what is wrong with them, if anything is."""

PUBLIC: dict[str, Callable[..., Any]] = {}
"""Every function of this library that stands behind the door, by name; those of users are not among them."""


def checked(
    algorithm: F,
    *requirements: Requirement,
    frame_free: bool = False,
    real: bool = False,
    recorded: Callable[..., Any] | None = None,
    held: Held | None = None,
    given: Given | None = None,
) -> F:
    """The algorithm behind a door that checks its arguments by their names.

    q must be (nq,), qd, qdd and tau (nv,), f_ext (nb, 6) or None; other names may hold anything. Lists
    are taken as arrays, floats must be finite, quaternions of unit norm. Complex and symbolic scalars
    pass. A division by zero inside becomes a SingularError that names the joint, and what cannot be
    recorded a TraceError that says so; the same error tells of an algorithm that inverts inertias, as it says
    by `held`, if the mechanism has none for it at nearly every position.

    As a decorator it is the one line that makes an algorithm of yours one like those of the library, also
    for `compile`.

    Args:
        algorithm: Its first parameter is the mechanism m.
        requirements: Functions that say what a mechanism lacks for this algorithm, or None.
        frame_free: Whether its result does not depend on the choice of body frames. With symbolic
            scalars it is then run in frames, and with equivalent inertias, that spend fewer
            operations, unless external forces come in body coordinates.
        real: Whether it decides by values in ways that would lose imaginary parts: complex numbers are
            refused then.
        recorded: Another road to the same result, taken with symbolic scalars because it is shorter.
        held: For an algorithm that solves for accelerations: which joints it does not solve for, by the
            numbers of their bodies, given m and the arguments by name. All others must move some inertia.
        given: Tells, as a sentence, what is wrong with arguments that only this algorithm has, or None.

    Raises:
        TypeError: The first parameter has another name.

    >>> import whippletree as wt
    >>> @wt.checked
    ... def own_power(m, q, qd, tau):
    ...     return qd @ (tau - wt.gravity_force(m, q))
    >>> m = wt.examples.load("double-pendulum")
    >>> own_power(m, [0.3, 0.5], [1.0, 2.0], [4.0, 3.0]).round(3)
    np.float64(-4.904)
    >>> wt.compile(own_power, m)([0.3, 0.5], [1.0, 2.0], [4.0, 3.0]).round(3)
    np.float64(-4.904)
    """
    if not callable(algorithm):
        raise TypeError(f"checked: {algorithm!r} is no function")
    name, signature = algorithm.__name__, signature_of(algorithm, "checked: algorithm")
    if next(iter(signature.parameters), None) != "m":
        raise TypeError(f"{name}: the first parameter of a public algorithm is the mechanism m")
    known = known_arguments(algorithm)
    freedom = Freedom(frame_free, invertible_inertias not in requirements, recorded)

    @functools.wraps(algorithm)
    def door(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}{readable(signature)}: {error}") from None
        m = bound.arguments["m"]
        if not isinstance(m, Mechanism):
            raise InputError(f"{name}: m is {type(m).__name__}, expected a Mechanism")
        for requirement in requirements:
            fault = requirement(m)
            if fault is not None:
                raise ModelError(f"{name}: {fault}")
        for key, value in bound.arguments.items():
            if key in known and not (value is None and signature.parameters[key].default is None):
                array = bound.arguments[key] = known[key].checked(m, value, key)
                if real and array.dtype.kind == "c":
                    raise InputError(f"{name}: {key} has dtype {array.dtype}, expected real numbers")
        for key in POSITIVE if is_ours(algorithm) else ():
            if key in bound.arguments and bound.arguments[key] is not signature.parameters[key].default:
                positive(bound.arguments[key], key)
        for key in NOT_NEGATIVE if is_ours(algorithm) else ():
            not_negative(bound.arguments.get(key, 0.0), key)
        fault = None if given is None else given(m, bound.arguments)
        if fault is not None:
            raise InputError(f"{name}: {fault}")
        for key, hint in typed_arguments(algorithm).items() if is_ours(algorithm) else ():
            value = bound.arguments.get(key, signature.parameters[key].default)
            if value is not signature.parameters[key].default:
                expect_typed(name, key, value, hint)
        q = bound.arguments.get("q")
        if held is not None:
            fault = fault_without_inertia(m, held(m, bound.arguments))
            if fault is not None:
                raise SingularError(f"{name}: {fault}")
        try:
            with np.errstate(divide="raise", invalid="raise"):
                if is_recorded(bound):
                    return freedom.run(algorithm, bound)
                return algorithm(*bound.args, **bound.kwargs)
        except (ZeroDivisionError, FloatingPointError) as error:
            raise SingularError(f"{name}: {_joint_fault(m, q) or error}") from None
        except TypeError as error:
            refused = refusal(name, signature, m, error)
            if refused is None:
                raise
            raise refused from error

    if is_ours(algorithm):
        PUBLIC[name] = door
    return door  # pyright: ignore[reportReturnType]  # functools.wraps keeps the signature


def none_held(m: Mechanism, arguments: Mapping[str, Any]) -> Collection[int]:
    """No joint is held: the whole inertia matrix is inverted."""
    return ()


def coupled_held(m: Mechanism, arguments: Mapping[str, Any]) -> Collection[int]:
    """The joints of loops and gears, which may move the inertia of others."""
    return coupled_joints(m)


def readable(signature: inspect.Signature) -> str:
    """A signature with the names of types alone, without the modules they stand in.

    >>> def weight(m: Mechanism, scale: float = 0.5) -> float: ...
    >>> readable(inspect.signature(weight))  # inspect shows whippletree.model.mechanism.Mechanism
    '(m: Mechanism, scale: float = 0.5) -> float'
    """
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(\w+)", r"\1", str(signature))


def _joint_fault(m: Mechanism, q: Any) -> str | None:
    """Which joint moves no inertia at q, or at a general position if q is symbolic; None if none does."""
    if not isinstance(q, np.ndarray) or any(body.inertia.I.dtype == object for body in m.bodies):
        return None
    at = m.random(np.random.default_rng(0)) if q.dtype == object else q
    return joint_without_inertia(m, at) if at.dtype.kind == "f" else None
