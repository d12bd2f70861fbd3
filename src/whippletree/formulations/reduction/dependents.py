"""Which coordinates of opened loops are dependent: chosen, read from names, and how good a choice is."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, maximum, minimum, where
from .opened import Opened, opened
from .world import partial_velocities

ZERO = 1e-7
"""A pivot counts as zero if less than this share of P is left without what outboard dependents make up."""


class Dependents(NamedTuple):
    """Dependent coordinates of every loop of the opened mechanism.

    Attributes:
        links: For every loop the numbers of the links whose coordinates depend, in ascending order.
        walk: By which walk the mechanism was opened; see `opened`.
    """

    links: tuple[tuple[int, ...], ...]
    walk: int = 0

    def opened(self, m: Mechanism) -> Opened:
        """The opened mechanism that the numbers belong to."""
        return opened(m, self.walk)

    def names(self, m: Mechanism) -> list[list[str]]:
        """For every loop the names of its dependent coordinates, from the base outward."""
        links = self.opened(m).links
        return [[links[k].name for k in own] for own in self.links]


TIED = 1e-12
"""Square of the share of P that may be left of a coordinate that a loop does not see."""


class Shares(NamedTuple):
    """The coordinates of a loop, from the phantom inward.

    Attributes:
        links: (n,) their links.
        left: (n,) |R^{k+1} P| / |P|, what is left of P without what dependent ones further out make up.
        dependent: (n,) whether they are dependent.
    """

    links: Array
    left: Array
    dependent: Array

    @property
    def dependents(self) -> tuple[int, ...]:
        """The links of the dependent coordinates, in ascending order."""
        return tuple(sorted(int(k) for k in self.links[self.dependent]))


def last_that_can(P: Sequence[Any], path: Sequence[int], taken: Container[int] = ()) -> Shares:
    """Every coordinate that the loop determines, from the phantom inward, is made dependent (in numbers).

    Args:
        P: Partial velocities of all links.
        path: The links of the loop.
        taken: Links that other loops determine.
    """
    links = np.array([k for k in reversed(path) if P[k] is not None], dtype=int)
    rows = np.array([P[k] for k in links]).reshape(-1, 6)
    sizes, free = np.linalg.norm(rows, axis=1), np.array([k not in taken for k in links], dtype=bool)
    shares, dependent, start = np.zeros(len(links)), np.zeros(len(links), dtype=bool), 0
    while start < len(links):
        # All coordinates at once: R changes at most six times.
        left = np.linalg.norm(rows[start:], axis=1) / sizes[start:]
        shares[start:] = left
        found = np.flatnonzero((left > ZERO) & free[start:])
        if not len(found):
            break
        at = start + int(found[0])
        dependent[at], start = True, at + 1
        unit = rows[at] / np.linalg.norm(rows[at])
        for _ in range(2):  # twice, against rounding
            rows[start:] -= np.outer(rows[start:] @ unit, unit)
    return Shares(links, shares, dependent)


def best_conditioned(P: Sequence[Any], path: Sequence[int]) -> tuple[int, ...]:
    """The last coordinate, and then always that of which most is left (in numbers)."""
    left = {k: P[k] / np.linalg.norm(P[k]) for k in reversed(path) if P[k] is not None}
    chosen: list[int] = []
    while left:
        # The first of those that are best but for rounding, so that equal loops are solved alike.
        best = max(float(np.linalg.norm(own)) for own in left.values())
        if best <= ZERO:
            break
        k = next(k for k, own in left.items() if np.linalg.norm(own) >= (1.0 - 1e-6) * best)
        unit = left[k] / np.linalg.norm(left[k])
        chosen.append(k)
        left = {other: left_of(own, [unit]) for other, own in left.items() if other != k}
    return tuple(sorted(chosen))


def left_of(P: Array, basis: Sequence[Array]) -> Array:
    """What of P is orthogonal to orthonormal vectors; twice, against rounding."""
    for _ in range(2):
        for unit in basis:
            P = P - (unit @ P) * unit
    return P


def dependents_quality(m: Mechanism, q: Array, dependents: Dependents) -> Any:
    """How well a choice of dependent coordinates suits a position: the least share |R P| / |P| of a pivot.

    0 where coordinates that should be independent are tied all the same, as they may be if the choice was
    made in a position in which loops determine less.

    Args:
        m: A mechanism with loops.
        q: (nq,) joint positions, rad or m, with all loops closed.
        dependents: From `rcr_dependents`, `acs_dependents` or `named_dependents`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> dependents = wt.formulations.reduction.rcr_dependents(m, m.neutral())
    >>> float(wt.formulations.reduction.dependents_quality(m, m.neutral(), dependents).round(3))
    0.376
    """
    found = dependents.opened(m)
    P = partial_velocities(m, q, found)
    least: Any = 1.0
    tied: Any = 0.0
    depend = {k for own in dependents.links for k in own}
    for loop, own in zip(found.loops, dependents.links, strict=True):
        R = np.eye(6)
        for k in reversed(own):
            left = R @ P[k]
            square = left @ left
            least = minimum(least, square / (P[k] @ P[k]))
            R = R - np.outer(left, left / square)
        free = (k for k in found.coordinates(loop) if k not in depend)
        tied = reduce(maximum, (_share(R, P[k]) for k in free), tied)
    return where(tied < TIED, np.sqrt(least), 0.0)


def _share(R: Array, P: Array) -> Any:
    left = R @ P
    return (left @ left) / (P @ P)
