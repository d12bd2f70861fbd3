"""What functions of loops choose by numbers, made at one position so that they can be recorded.

A kernel cannot compare numbers that are not there yet, so rows, pivots and dependent coordinates are chosen
before, at a position given in numbers. Where they do not hold any more, the kernel answers NaN: nothing it
gives is wrong without a sign of it.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, SingularError, SolverError
from ..formulations.reduction.gcl_choice import gcl_dependents, gcl_quality
from ..formulations.reduction.reduced_reactions import reduced_reactions
from ..loops.closing.projections import project_position
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import independent_rows
from ..loops.methods.lambda_first import row_choice, row_quality
from ..loops.methods.reactions import constraint_forces, reactions
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.values import position
from ..spatial import Array, where
from .forward import accelerations_by, forward_dynamics
from .forward_methods import METHODS, find

NEAR = 0.03
"""rad or m: how far from a position it is looked whether it is singular."""

HOLDS = 1e-3
"""Where the quality of a choice falls below this share of what it was, it does not hold any more."""


class Choosing(NamedTuple):
    """How a function chooses: `choose` and `quality` as in `Method`."""

    argument: str
    choose: Callable[[Mechanism, Array], Any]
    quality: Callable[..., Any]


OTHERS: dict[Callable[..., Any], Choosing] = {
    constraint_forces: Choosing("rows", row_choice, row_quality),
    reactions: Choosing("rows", row_choice, row_quality),
    reduced_reactions: Choosing("dependents", gcl_dependents, gcl_quality),
}
"""Functions that choose, besides the methods of forward dynamics."""


class Guard(NamedTuple):
    """Where a choice holds: `quality`, with the choice by its name, is above the limit."""

    quality: Callable[..., Any]
    choice: tuple[tuple[str, Any], ...]
    limit: float

    def over(self, result: Any, m: Mechanism, q: Array) -> Any:
        """The result, nested as it may be, all of it NaN where the choice does not hold."""
        return _held(result, self.quality(m, q, **dict(self.choice)) > self.limit)


def chosen_at(
    function: Callable[..., Any], m: Mechanism, at: Any, fixed: Mapping[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any], Guard | None]:
    """The function to record, its fixed arguments with what it chooses at a position, and where that holds.

    Raises:
        InputError: The function chooses nothing, or has been given its choice.
    """
    q, given = position(m, at, "at"), dict(fixed)
    if inspect.unwrap(function) is inspect.unwrap(forward_dynamics):
        _, method = find(m, given.pop("method", "auto"))
        given["method"] = method
        if method.choose is None or method.quality is None:
            return accelerations_by, given, None
        guard = _guard(m, q, Choosing(method.choice, method.choose, method.quality))
        return accelerations_by, given | {"choice": guard.choice}, guard
    choosing = _choosing(function)
    if choosing.argument in given:
        raise InputError(f"{choosing.argument!r} has a value, and at would choose another: give one of them")
    guard = _guard(m, q, choosing)
    return function, given | dict(guard.choice), guard


def _guard(m: Mechanism, q: Array, choosing: Choosing) -> Guard:
    """What is chosen at q, and where it holds; SingularError if q is a singular position."""
    _refuse_singular(m, q)
    choice = choosing.choose(m, q)
    reached = float(choosing.quality(m, q, **{choosing.argument: choice}))
    return Guard(choosing.quality, ((choosing.argument, choice),), HOLDS * reached)


def _choosing(function: Callable[..., Any]) -> Choosing:
    bare = inspect.unwrap(function)
    if bare in OTHERS:
        return OTHERS[bare]
    for method in METHODS.values():
        if inspect.unwrap(method.accelerations) is bare and method.choose is not None:
            assert method.quality is not None
            return Choosing(method.choice, method.choose, method.quality)
    name = getattr(function, "__name__", type(function).__name__)
    raise InputError(f"{name} chooses nothing by numbers: leave out at")


def _refuse_singular(m: Mechanism, q: Array) -> None:
    """SingularError for a position in which fewer constraints are independent than next to it."""
    rank = len(independent_rows(constraint_jacobian(m, q)))
    for direction in (np.sin, np.cos):
        near = integrate(m, q, NEAR * direction(1.0 + 2.4 * np.arange(m.nv)))
        try:
            near = project_position(m, near)
        except SolverError:
            continue
        beside = len(independent_rows(constraint_jacobian(m, near)))
        if beside > rank:
            raise SingularError(
                f"at is a singular position of {m.name!r}: {rank} constraints are independent there, "
                f"{beside} next to it. Give one in which as many are as where the kernel is to run"
            )


def _held(result: Any, holds: Any) -> Any:
    if isinstance(result, dict):
        return {key: _held(value, holds) for key, value in result.items()}
    if isinstance(result, tuple | list):
        parts = [_held(value, holds) for value in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return where(holds, result, np.nan)
