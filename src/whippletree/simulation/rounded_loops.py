"""Loops that are overconstrained but for the last digits of their lengths and angles."""

from dataclasses import dataclass, replace

import numpy as np

from ..api.forward_methods import METHODS
from ..errors import InputError, OverconstrainedWarning, tell
from ..loops.equations.loop_sizes import in_sizes
from ..loops.equations.near_dependence import REMEDY, nearly_dependent
from ..loops.equations.rank import eliminate
from ..model.mechanism import Mechanism
from ..spatial import Array
from .closing import moving_rows
from .equations import Law, common


@dataclass(frozen=True)
class RowsWithin:
    """Chooses rows of K that are independent by more than a tolerance, at a position q (nq,)."""

    tolerance: float

    def __call__(self, m: Mechanism, q: Array) -> tuple[int, ...]:
        K = in_sizes(m, common(m).constraints(q)[1])
        return tuple(sorted(eliminate(K, np.zeros(len(K)), tolerance=self.tolerance).rows))


def law_within(m: Mechanism, tolerance: float, law: Law) -> Law:
    """By constraint forces of those rows alone that are independent by more than a tolerance."""
    method = METHODS["lambda-first"]
    fault = method.fault(m)
    if fault is not None:
        raise InputError(f"tolerance is given, and constraint forces are solved for then: {fault}")
    return Law(replace(method, choose=RowsWithin(tolerance)), implicit_damping=law.implicit_damping)


def tell_overconstrained(m: Mechanism, q: Array) -> None:
    """Warn of a mechanism that cannot move at q (nq,), and could if its numbers were exact."""
    # As of all that is not overconstrained; quick, for the rows of a planar loop that are zero do not count.
    if not m.loops or len(m.once(moving_rows)) < m.nv:
        return
    K = common(m).constraints(q)[1]
    if np.linalg.matrix_rank(K) < m.nv:
        return
    # Reports count in sizes of loops, methods of forward dynamics in rad and m: what locks in one is told.
    for counted in (K, in_sizes(m, K)):
        nearly = nearly_dependent(counted)
        if nearly is None or len(eliminate(counted, np.zeros(len(K))).rows) < m.nv:
            continue
        tell(
            f"{m.name!r} cannot move: its loops leave no freedom, and would if lengths and angles were "
            f"exact. It is {REMEDY.format(nearly)}",
            OverconstrainedWarning,
        )
        return
