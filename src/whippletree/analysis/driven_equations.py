"""What one position of a driven mechanism says of the next.

A position is predicted by q̇ and q̈ of the one before, and closed by Newton's method on δ and x - θ, whose
first step tells how far the prediction was off: more than a share of the way may lead into another branch.
So may a turn by more than a radian: gaps of loops come back with every turn, and tell nothing of it.
Then A G = (0, 1), q̇ = G θ̇ and A q̈ = (k, θ̈ - w).
"""

from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import compile
from ..kernels.run.kernel import Kernel
from ..loops.equations.driven_rows import Coordinate
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.snapshot import Snapshot
from ..spatial import Array, array, largest, maximum, minimum, where
from .driven_system import CLOSED, STEPS, driven_bias, driven_gaps

TRUSTED, NEGLIGIBLE = 0.1, 1e-8
"""A position found further from its prediction than this share of the way, and this in rad or m, may be in
another branch: the way is halved."""

LONGEST = 1.0
"""rad: joints of loops turn by no more from one position to the next."""

SINGULAR = 1e-9
"""Pivots below this share of the largest count as zero: the drivers do not determine how it goes on."""

Driven = tuple[Coordinate, ...]


def predicted(m: Mechanism, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
    """(nq,) about where a motion leads in h, s; and what Newton's method begins with: course (4,).

    That is the gap before, the first step, how many there were, and the longest way of a joint, rad or m, of
    which nothing is trusted, NaN, if loops are turned too far.
    """
    way = h * qd + 0.5 * h * h * qdd
    longest = largest(way)
    if m.loops:
        turn = largest([part for part, turns in zip(way, _turning(m), strict=True) if turns])
        longest = where(turn <= LONGEST, longest, np.nan)
    return integrate(m, q, way), array([np.inf, 0.0, 0.0, longest])


def _turning(m: Mechanism) -> list[bool]:
    """(nv,) whether a joint's velocity turns its body."""
    return [
        bool(np.any(column[:3]))
        for body in m.bodies
        for column in np.asarray(body.joint.motion_subspace(body.joint.neutral()), dtype=float).T
    ]


def equations(
    m: Mechanism, q: Array, asked: Array, *, driven: Driven, rows: tuple[int, ...]
) -> tuple[Array, Array, Any]:
    """A (nv, nv), what is left of loops and drivers (nv,), and the largest of it as a share of its loop."""
    gaps, size, A = driven_gaps(m, q, asked[0], driven=driven)
    return A[list(rows)], gaps[list(rows)], size


def corrected(
    m: Mechanism, q: Array, step: Array, size: Any, asked: Array, course: Array, *, driven: Driven
) -> tuple[Array, Array, Any, Any, Any]:
    """The position after a Newton step, and what comes next.

    Returns:
        q, course; whether it is done; whether loops are closed then, by one step more than would do, which
        squares the gap; and whether in the branch that was foreseen.
    """
    before, first, count, way = course
    first = where(count < 0.5, largest(step), first)
    better, small = where(size < before, 1.0, 0.0), where(size < CLOSED, 1.0, 0.0)
    entries = list(integrate(m, q, -step))
    for coordinate, x in zip(driven, asked[0], strict=True):
        if coordinate.is_own:  # to the last digit
            entries[m.q_index[coordinate.number].start] = x
    more = better * (1.0 - small) * where(count + 1.0 < STEPS, 1.0, 0.0)
    closed, trusted = better * small, where(first <= TRUSTED * way + NEGLIGIBLE, 1.0, 0.0)
    return array(entries), array([size, first, count + 1.0, way]), 1.0 - more, closed, trusted


def right_side(
    m: Mechanism, q: Array, asked: Array, G: Array, *, driven: Driven, rows: tuple[int, ...]
) -> tuple[Array, Array]:
    """Velocities (nv,), and what A q̈ is (nv,), G being (nd, nv)."""
    qd = G.T @ asked[1]
    bias, nd = driven_bias(m, q, qd, driven=driven)[list(rows)], len(driven)
    return qd, np.concatenate([bias[: len(bias) - nd], bias[len(bias) - nd :] + asked[2]])


def pivots(m: Mechanism, LU: Array) -> tuple[Array, Any]:
    """The pivots (nv,) of a factored matrix, and whether none of them is next to zero."""
    found = [LU[k, k] for k in range(m.nv)]
    least, most = reduce(minimum, map(abs, found)), reduce(maximum, map(abs, found))
    return array(found), where(least > SINGULAR * most, 1.0, 0.0)


class StepKernels(NamedTuple):
    """Compiled: `predicted`, `equations`, `corrected`, `pivots` and `right_side`."""

    predict: Kernel
    look: Kernel
    correct: Kernel
    judge: Kernel
    right: Kernel


@lru_cache(maxsize=32)
def step_kernels(now: Snapshot, driven: Driven, rows: tuple[int, ...]) -> StepKernels:
    m, asked = now.m, {"asked": (3, len(driven))}
    step = {"step": (m.nv,), "size": (), **asked, "course": (4,)}
    return StepKernels(
        compile(predicted, m, inputs={"h": ()}),
        compile(equations, m, driven=driven, rows=rows, inputs=asked),
        compile(corrected, m, driven=driven, inputs=step),
        compile(pivots, m, inputs={"LU": (m.nv, m.nv)}),
        compile(right_side, m, driven=driven, rows=rows, inputs={**asked, "G": (len(driven), m.nv)}),
    )
