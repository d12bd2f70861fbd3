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
from ..loops.closing.check import check_gears, check_position_closed
from ..loops.closing.projections import project_position
from ..loops.equations.constraints import constraint_equation, constraint_jacobian
from ..loops.equations.rank import independent_rows
from ..loops.methods.lambda_first import row_choice, row_quality
from ..loops.methods.reactions import constraint_forces, reactions
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.values import per_coordinate, position
from ..spatial import Array, where
from .forward import accelerations_by, forward_dynamics
from .forward_methods import METHODS, find

NEAR = 0.03
"""rad or m: how far from a position it is looked whether it is singular."""

HOLDS = 1e-3
"""Where the quality of a choice falls below this share of what it was, it does not hold any more."""


NOTHING = 1e-12
"""Rows of constraints whose entries are not larger than this everywhere are none."""

CONSISTENT = 1e-6
"""Redundant constraints may be left open by this share of all that is in them."""

ROUNDING = 1e-12
"""And by this share of what could be: where nothing moves against them, all that is in them is rounding."""


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
    """Where a choice holds: `quality`, with the choice by its name, is above the limit.

    Where constraints are redundant and the result is accelerations, these satisfy all of them besides: a
    linkage assembled another way may be tied by those that were left out.
    """

    quality: Callable[..., Any]
    choice: tuple[tuple[str, Any], ...]
    limit: float
    redundant: bool

    def over(self, result: Any, m: Mechanism, arguments: Mapping[str, Any]) -> Any:
        """The result, nested as it may be, all of it NaN where the choice does not hold.

        Args:
            result: What the function gave.
            m: The mechanism.
            arguments: The function's, by name.
        """
        holds = self.quality(m, arguments["q"], **dict(self.choice)) > self.limit
        if self.redundant:
            options = [arguments[name] for name in ("q", "qd", "stabilization") if name in arguments]
            K, k = constraint_equation(m, *options)
            terms = K * result
            gaps, sizes = abs(terms.sum(axis=1) - k).sum(), abs(terms).sum() + abs(k).sum()
            dust = ROUNDING * abs(K).sum() * abs(result).sum()
            holds = holds & (gaps <= CONSISTENT * sizes + dust)
        return _held(result, holds)


def chosen_at(
    function: Callable[..., Any], m: Mechanism, at: Any, fixed: Mapping[str, Any], limit: float | None = None
) -> tuple[Callable[..., Any], dict[str, Any], Guard | None]:
    """The function to record, its fixed arguments with what it chooses at a position, and where that holds.

    It does while its quality is above the limit; by default a thousandth of that at the position.

    Raises:
        InputError: The function chooses nothing, or has been given its choice; loops are open there.
    """
    q, given = position(m, at, "at"), dict(fixed)
    if q.dtype.kind != "f":
        raise InputError(f"at has dtype {q.dtype}, expected real numbers: {per_coordinate(m)}")
    check_position_closed(m, q, "at")
    check_gears(m, {"at": q}, {})
    if inspect.unwrap(function) is inspect.unwrap(forward_dynamics):
        _, method = find(m, given.pop("method", "auto"))
        given["method"] = method
        if method.choose is None or method.quality is None:
            return accelerations_by, given, None
        guard = _guard(m, q, Choosing(method.choice, method.choose, method.quality), limit)
        return accelerations_by, given | {"choice": guard.choice}, guard
    choosing = _choosing(function)
    if choosing.argument in given:
        raise InputError(f"{choosing.argument!r} has a value, and at would choose another: give one of them")
    guard = _guard(m, q, choosing, limit, accelerations=inspect.unwrap(function) not in OTHERS)
    return function, given | dict(guard.choice), guard


def no_choice(m: Mechanism) -> SingularError:
    """What is said where the choice made at a position holds nowhere else."""
    return SingularError(
        f"no choice of coordinates can be recorded where links of {m.name!r} lie on each other: fewer "
        "constraints are independent there than elsewhere, as wt.mobility tells. Give another position, "
        "at=q, or method='augmented', which takes it"
    )


def _guard(
    m: Mechanism, q: Array, choosing: Choosing, limit: float | None, accelerations: bool = True
) -> Guard:
    """What is chosen at q, and where it holds; SingularError if q is a singular position."""
    _refuse_singular(m, q)
    choice = choosing.choose(m, q)
    reached = float(choosing.quality(m, q, **{choosing.argument: choice}))
    limit = HOLDS * reached if limit is None else limit
    return Guard(choosing.quality, ((choosing.argument, choice),), limit, accelerations and _redundant(m, q))


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


def _redundant(m: Mechanism, q: Array) -> bool:
    """Whether fewer constraints are independent at q than there are, those aside that are none anywhere."""
    rng = np.random.default_rng(0)
    elsewhere = [constraint_jacobian(m, integrate(m, q, rng.normal(size=m.nv))) for _ in range(2)]
    some = np.any(np.abs(elsewhere) > NOTHING, axis=(0, 2))
    return len(independent_rows(constraint_jacobian(m, q))) < int(np.count_nonzero(some))


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
