"""Which coordinates depend on general coupled loops, and where fictitious joints go (GRCR §5)."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...errors import SingularError
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array, maximum, where
from .dependents import TIED, Dependents, dependents_quality, last_that_can
from .naming import refuse_shared
from .opened import ChainedLoop, Opened, opened
from .world import partial_velocities

WELL = 0.05
"""A choice of this quality is good enough not to look at loops from the other side."""

WALKS = 12
"""So many trees are tried for loops that share joints before they are refused."""

TURN = 2.0
"""By this factor the other side has to be better."""


def gcl_dependents(m: Mechanism, q: Array) -> Dependents:
    """For every loop the last coordinates that can depend, in the sense of `opened` or in the other.

    Args:
        m: A mechanism as in `gcl`.
        q: (nq,) joint positions, rad or m, with all loops closed.

    Raises:
        SingularError: Loops need a joint that they share, or the coordinates between dependent ones are free
            of the loop at this position only, so that no joint can stand for those behind.

    >>> import whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> q = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    >>> wt.formulations.reduction.gcl_dependents(m, q).names(m)
    [['q2', 'q3', 'q5']]
    """
    return _better(m, np.real(q), _refuse_momentary)


def gcl_quality(m: Mechanism, q: Array, dependents: Dependents) -> Any:
    """`dependents_quality`, and 0 where a fictitious joint has not the freedoms that are needed.

    Args:
        m: A mechanism as in `gcl`.
        q: (nq,) joint positions, rad or m, with all loops closed.
        dependents: From `gcl_dependents`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> q = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    >>> dependents = wt.formulations.reduction.gcl_dependents(m, q)
    >>> float(wt.formulations.reduction.gcl_quality(m, q, dependents).round(3))
    0.5
    """
    found = dependents.opened(m)
    P = partial_velocities(m, q, found)
    tied: Any = 0.0
    for loop, own in zip(found.loops, dependents.links, strict=True):
        tied = reduce(maximum, (share for _, share in _between(P, found.coordinates(loop), own)), tied)
    return where(tied < TIED, dependents_quality(m, q, dependents), 0.0)


class AdjustedLoop(NamedTuple):
    """One of the loops that a loop is made into, its dependent coordinates at its end.

    Attributes:
        coordinates: Names of those of its coordinates that are real, from the base outward.
        dependents: The last of them, which depend, besides those of its fictitious joint.
        fictitious: How many freedoms the fictitious joint has that closes it; 0 for the outermost loop, which
            the real joint closes.
    """

    coordinates: list[str]
    dependents: list[str]
    fictitious: int


def adjusted_loops(m: Mechanism, q: Array) -> list[list[AdjustedLoop]]:
    """For every loop of a mechanism the coupled loops into which fictitious joints divide it.

    Critchley & Anderson §5, figs 4, 5 and 8. A fictitious joint hangs on the last dependent coordinate
    before independent ones. It has the freedoms of the dependent coordinates behind, so that all of them
    together are less than the m_i that the loop determines.

    Args:
        m: A mechanism as in `gcl`.
        q: (nq,) joint positions, rad or m, with all loops closed.

    >>> import whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> q = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    >>> for loop in wt.formulations.reduction.adjusted_loops(m, q)[0]:
    ...     print(loop.coordinates, loop.dependents, loop.fictitious)
    ['q1', 'q2', 'q3'] ['q2', 'q3'] 1
    ['q4', 'q5'] ['q5'] 0
    """
    chosen = gcl_dependents(m, q)
    found = chosen.opened(m)
    names = [link.name for link in found.links]
    result: list[list[AdjustedLoop]] = []
    for loop, own in zip(found.loops, chosen.links, strict=True):
        pieces: list[list[int]] = [[]]
        for k in found.coordinates(loop):
            # The first independent coordinate behind a dependent one begins the next loop.
            if k not in own and any(j in own for j in pieces[-1]):
                pieces.append([])
            pieces[-1].append(k)
        depend = [[k for k in piece if k in own] for piece in pieces]
        behind = [len(piece) for piece in depend[1:]] + [0]
        result.append(
            [
                AdjustedLoop([names[k] for k in piece], [names[k] for k in last], freedoms)
                for piece, last, freedoms in zip(pieces, depend, behind, strict=True)
            ]
        )
    return result


def chosen_at(m: Mechanism, q: Array) -> Dependents:
    """The last coordinates that can depend at a position given in numbers; elsewhere they may not do."""
    return _better(m, q, lambda m, q, chosen: None)


def _better(m: Mechanism, q: Array, refuse: Callable[[Mechanism, Array, Dependents], None]) -> Dependents:
    """The last coordinates that can depend, in the better of both senses; if in none, by other walks."""
    best: tuple[float, Dependents] | None = None
    fault: SingularError | None = None
    for walk in range(WALKS if len(m.loops) > 1 else 2):
        if walk > 1 and best is not None:
            break
        try:
            found = _last(m, q, opened(m, walk), walk)
            refuse(m, q, found)
        except SingularError as error:
            fault = fault or error
            continue
        reached = float(dependents_quality(m, q, found))
        if best is None or reached > TURN * best[0]:
            best = reached, found
        if reached > WELL:
            break
    if best is None:
        assert fault is not None
        raise fault
    return best[1]


def _last(m: Mechanism, q: Array, found: Opened, walk: int) -> Dependents:
    P = partial_velocities(m, q, found)
    owners: dict[int, ChainedLoop] = {}
    links: list[tuple[int, ...]] = []
    for loop in found.loops:
        seen = last_that_can(P, loop.path, owners)
        refuse_shared(m, found, loop, seen, owners)
        links.append(seen.dependents)
        owners |= dict.fromkeys(links[-1], loop)
    return Dependents(tuple(links), walk)


def _refuse_momentary(m: Mechanism, q: Array, chosen: Dependents) -> None:
    """SingularError if a loop does not see a coordinate between dependent ones here, but does elsewhere.

    Asked at two positions far from here, open loops and all: joints of a plane stay in their plane.
    """
    found, numbers = chosen.opened(m), np.arange(m.nv)
    for away in (0.7 * np.sin(1.0 + 2.4 * numbers), 0.7 * np.cos(2.0 + 1.3 * numbers)):
        P = partial_velocities(m, integrate(m, q, away), found)
        for loop, own in zip(found.loops, chosen.links, strict=True):
            for k, square in _between(P, found.coordinates(loop), own):
                if not square < TIED:
                    raise SingularError(
                        f"coordinate {found.links[k].name!r} of {m.name!r} is not seen by the loop that ends "
                        f"with joint {loop.name!r} at this position, but at others it is: no fictitious "
                        "joint can stand for those behind it. Method 'acs' or 'grcr' solves the loop as it is"
                    )


def _between(P: Sequence[Any], path: list[int], own: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
    """Independent coordinates between dependent ones, and the square of the share of P that the loop sees."""
    R = np.eye(6)
    for k in reversed([k for k in path if k >= min(own, default=0)]):
        left = R @ P[k]
        square = left @ left
        if k in own:
            R = R - np.outer(left, left / square)
        else:
            yield k, square / (P[k] @ P[k])
