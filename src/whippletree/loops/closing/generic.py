"""A closed position that depends on nothing but the mechanism, for what is chosen by numbers."""

from contextlib import suppress

import numpy as np

from ...errors import SolverError
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from ..equations.loop_sizes import column_sizes, in_sizes
from ..equations.rank import independent_rows
from .assembly import closed_near

TRIES = 5
"""Positions at which constraints are looked at, lest the only one is singular."""

AWAY = 0.1
"""rad, or share of the loops' size: how far from neutral these positions begin."""

FAR_TRIES, FAR = 6, 1.5
"""The same where constraints depend on each other at all of them, but not where loops are open: links may lie
on each other there, as they may all along, and be apart elsewhere."""


def generic_position(m: Mechanism) -> Array:
    """(nq,) the least singular of a few closed positions around the neutral one, by the mechanism alone.

    What is chosen there holds nearly everywhere.

    Raises:
        SolverError: The mechanism could not be assembled at any of them.
    """
    rng, columns = np.random.default_rng(0), column_sizes(m)
    best, found, failure = (-1, 0.0), m.neutral(), None
    for k in range(TRIES):
        shift = AWAY * columns * rng.normal(size=m.nv) if k else np.zeros(m.nv)
        try:
            q = closed_near(m, integrate(m, m.neutral(), shift))
        except SolverError as error:
            failure = failure or error
            continue
        K = in_sizes(m, constraint_jacobian(m, q))
        rows = independent_rows(K)
        least = float(np.linalg.svd(K[rows], compute_uv=False)[-1]) if rows else 0.0
        if (len(rows), least) > best:
            best, found = (len(rows), least), q
    if best[0] < 0 and failure is not None:
        raise failure
    return _apart(m, found, best[0], rng)


def far_position(m: Mechanism) -> Array:
    """(nq,) a closed position far from the neutral one, by the mechanism alone.

    Raises:
        SolverError: The mechanism could not be assembled at any that was tried.
    """
    rng, failure = np.random.default_rng(1), None
    for _ in range(FAR_TRIES):
        try:
            return _far(m, rng)
        except SolverError as error:
            failure = error
    assert failure is not None
    raise failure


def _far(m: Mechanism, rng: np.random.Generator) -> Array:
    return closed_near(m, integrate(m, m.neutral(), FAR * column_sizes(m) * rng.normal(size=m.nv)))


def _apart(m: Mechanism, q: Array, rank: int, rng: np.random.Generator) -> Array:
    """A closed position where more constraints are independent than at q, so many; q if none is found."""
    moving = np.count_nonzero(np.any(constraint_jacobian(m, q) != 0.0, axis=1))
    most = moving if moving == rank else len(_rows(m, m.random(rng)))
    for _ in range(FAR_TRIES if rank < most else 0):
        with suppress(SolverError):
            far = _far(m, rng)
            if len(_rows(m, far)) > rank:
                return far
    return q


def _rows(m: Mechanism, q: Array) -> list[int]:
    """Numbers of independent constraints at a position."""
    return independent_rows(in_sizes(m, constraint_jacobian(m, q)))
