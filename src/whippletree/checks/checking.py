"""The public door: arguments are checked here, once, before an algorithm sees them."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..errors import InputError, ModelError, SingularError
from ..kernels.trace.refusal import decides_by_values
from ..model.mechanism import Mechanism
from ..model.requirements import Requirement, invertible_inertias
from ..model.singular import joint_without_inertia
from ..model.values import position, vector
from .frames import pass_inertias_on, reframe

F = TypeVar("F", bound=Callable[..., Any])

# What an argument of this name must hold, for every public function.
POSITIONS = ("q", "q0", "q1", "q_guess")
VELOCITIES = ("qd", "qdd", "tau", "x", "dq")
WRENCHES = ("f_ext",)


def checked(
    algorithm: F,
    *requirements: Requirement,
    frame_free: bool = False,
    recorded: Callable[..., Any] | None = None,
) -> F:
    """The algorithm behind a door that checks its arguments by their names.

    q must be (nq,), qd, qdd and tau (nv,), f_ext (nb, 6) or None, qdd_joints (nv - 6,), y one entry
    less than q for each gear; lists are taken as arrays, floats must be finite, quaternions of unit
    norm. Complex and symbolic scalars pass. A division by zero inside becomes a SingularError that
    names the joint.

    Args:
        algorithm: Its first parameter is the mechanism m.
        requirements: Functions that say what a mechanism lacks for this algorithm, or None.
        frame_free: Whether its result does not depend on the choice of body frames. With symbolic
            scalars it is then run in frames, and with equivalent inertias, that spend fewer
            operations, unless external forces come in body coordinates.
        recorded: Another road to the same result, taken with symbolic scalars because it is shorter.
    """
    signature = inspect.signature(algorithm)
    if next(iter(signature.parameters)) != "m":
        raise TypeError(f"{algorithm.__name__}: the first parameter of a public algorithm is the mechanism m")

    @functools.wraps(algorithm)
    def door(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{algorithm.__name__}{signature}: {error}") from None
        m = bound.arguments["m"]
        if not isinstance(m, Mechanism):
            raise InputError(f"{algorithm.__name__}: m is {type(m).__name__}, expected a Mechanism")
        for requirement in requirements:
            fault = requirement(m)
            if fault is not None:
                raise ModelError(f"{algorithm.__name__}: {fault}")
        for name, value in bound.arguments.items():
            if name in POSITIONS:
                bound.arguments[name] = position(m, value, name)
            elif name in VELOCITIES:
                bound.arguments[name] = vector(
                    value, (m.nv,), name, f"one entry per velocity of {m.name!r} (nv = {m.nv})"
                )
            elif name in WRENCHES and value is not None:
                n = len(m)
                bound.arguments[name] = vector(
                    value, (n, 6), name, f"one wrench per body of {m.name!r} (nb = {n})"
                )
            elif name == "qdd_joints":
                bound.arguments[name] = vector(
                    value, (m.nv - 6,), name, f"one entry per velocity of {m.name!r} behind its base"
                )
            elif name == "y":
                count = len(m.gears)
                bound.arguments[name] = vector(
                    value,
                    (m.nq - count,),
                    name,
                    f"nq = {m.nq} of {m.name!r} less one for each of {count} gears",
                )
        q = bound.arguments.get("q")
        try:
            with np.errstate(divide="raise", invalid="raise"):
                if not (isinstance(q, np.ndarray) and q.dtype == object):
                    return algorithm(*bound.args, **bound.kwargs)
                if frame_free and bound.arguments.get("f_ext") is None:
                    cheap = reframe(m)
                    if invertible_inertias not in requirements and cheap.mechanism is not m:
                        pass_inertias_on(cheap.mechanism)
                    bound.arguments.update(m=cheap.mechanism, q=q + cheap.offset)
                return (recorded or algorithm)(*bound.args, **bound.kwargs)
        except (ZeroDivisionError, FloatingPointError) as error:
            raise SingularError(f"{algorithm.__name__}: {_joint_fault(m, q) or error}") from None
        except TypeError as error:
            refused = decides_by_values(algorithm.__name__, _instead(m, algorithm.__name__, signature), error)
            if refused is None:
                raise
            raise refused from error

    return door  # pyright: ignore[reportReturnType]  # functools.wraps keeps the signature


def _joint_fault(m: Mechanism, q: Any) -> str | None:
    """Which joint moves no inertia at q, or at a general position if q is symbolic; None if none does."""
    if not isinstance(q, np.ndarray) or any(body.inertia.I.dtype == object for body in m.bodies):
        return None
    at = m.random(np.random.default_rng(0)) if q.dtype == object else q
    return joint_without_inertia(m, at) if at.dtype.kind == "f" else None


def _instead(m: Mechanism, name: str, signature: inspect.Signature) -> str:
    """What to compile in place of a function that chooses by the numbers it is given."""
    chosen = "reduction=wt.choose_reduction(m, q), for some q near which the kernel is to run"
    if "reduction" in signature.parameters and name not in ("acs", "rcr"):  # those have choosers of their own
        return f"give it {chosen}"
    is_forward = "tau" in signature.parameters and bool(m.loops or m.gears)
    return f"compile wt.grcr, with {chosen}" if is_forward else ""
