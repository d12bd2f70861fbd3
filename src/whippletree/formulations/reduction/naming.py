"""Dependent coordinates by their names, and what stands in the way of a choice, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InputError, SingularError
from ...model.fields import meant
from ...model.mechanism import Mechanism
from ...model.singular import general_position
from ...spatial import Array
from .dependents import ZERO, Dependents, Shares, last_that_can, left_of
from .opened import ChainedLoop, Opened, opened
from .world import partial_velocities


def named_dependents(m: Mechanism, q: Array, names: Sequence[str]) -> Dependents:
    """A choice of dependent coordinates by the names of joints and loops.

    A joint of several freedoms stands for all of them, or they are named one by one, as "ball[0]".

    Args:
        m: A mechanism with loops.
        q: (nq,) joint positions, rad or m, with all loops closed, where the choice is to be used. If it is
            symbolic, only what holds everywhere is checked.
        names: Of the coordinates, those of all loops together.

    Raises:
        InputError: A name is not known, or the coordinates of a loop are too many or too few.
        SingularError: They do not follow from the others; the pivot is named.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> start = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
    >>> wt.formulations.reduction.named_dependents(m, start, ["q2", "q3", "q5"]).names(m)
    [['q2', 'q3', 'q5']]
    """
    if isinstance(names, str):
        raise InputError(f"dependents is {names!r}, expected a list of names, as [{names!r}]")
    found = opened(m)
    of_loops = [found.coordinates(loop) for loop in found.loops]
    known = {found.links[k].name for own in of_loops for k in own}
    known |= {found.links[k].joint.name for own in of_loops for k in own}
    for name in names:
        if name not in known:
            hint = meant(name, known) or f": give some of {_listed(found, of_loops)}"
            raise InputError(f"{name!r} is no coordinate of a loop of {m.name!r}{hint}")
    links = tuple(
        tuple(k for k in own if {found.links[k].name, found.links[k].joint.name} & set(names))
        for own in of_loops
    )
    # A pivot that is zero in a general position is zero everywhere.
    P = partial_velocities(m, general_position(m) if q.dtype == object else np.real(q), found)
    for loop, own in zip(found.loops, links, strict=True):
        _refuse_zero(m, found, loop, own, P)
        if q.dtype != object:
            _refuse_count(m, found, loop, own, P)
    return Dependents(links)


def _refuse_zero(
    m: Mechanism, found: Opened, loop: ChainedLoop, own: tuple[int, ...], P: Sequence[Any]
) -> None:
    """SingularError if one of the coordinates follows from those further out."""
    basis: list[Array] = []
    for k in reversed(own):
        left = left_of(P[k], basis)
        share = float(np.linalg.norm(left) / np.linalg.norm(P[k]))
        if share <= ZERO:
            raise SingularError(
                f"{_quoted(found.links[j].name for j in own)} cannot depend together: of the pivot of "
                f"{found.links[k].name!r} {share:.1e} is left, that is zero, once {_title(loop, m)} is "
                f"solved for {_quoted(found.links[j].name for j in own if j > k)}. Choose another one instead"
            )
        basis.append(left / np.linalg.norm(left))


def _refuse_count(
    m: Mechanism, found: Opened, loop: ChainedLoop, own: tuple[int, ...], P: Sequence[Any]
) -> None:
    """InputError if a loop determines more coordinates, or fewer."""
    needed = len(last_that_can(P, loop.path).dependents)
    if len(own) != needed:
        given = _quoted(found.links[k].name for k in own) or "none"
        raise InputError(
            f"{_title(loop, m)} determines {needed} of its coordinates here, but {len(own)} are given, "
            f"{given}: give {needed} of {_quoted(found.links[k].name for k in found.coordinates(loop))}"
        )


def refuse_pivot(m: Mechanism, found: Opened, loop: ChainedLoop, seen: Shares) -> None:
    """SingularError if the dependent coordinates of a loop are not its last ones; the pivot is named."""
    count = len(seen.dependents)
    between = np.flatnonzero(~seen.dependent[:count])
    if len(between):
        names = [found.links[k].name for k in seen.links]
        first = between[0]
        raise SingularError(
            f"the last {count} coordinates of {_title(loop, m)}, {_quoted(reversed(names[:count]))}, cannot "
            f"depend: of the pivot of {names[first]!r} {seen.left[first]:.1e} is left, that is zero, when "
            "those behind it are solved for. Methods 'acs' and 'gcl' take other coordinates"
        )


def refuse_shared(
    m: Mechanism, found: Opened, loop: ChainedLoop, seen: Shares, owners: Mapping[int, ChainedLoop]
) -> None:
    """SingularError if a loop needs a coordinate that another one determines already."""
    needed = seen.links[(seen.left > ZERO) & ~seen.dependent]
    if len(needed):
        k = int(needed[0])
        raise SingularError(
            f"{_title(loop, m)} and the one with {owners[k].name!r} both need coordinate "
            f"{found.links[k].name!r}, which they share: their own joints do not determine them. Method "
            "'grcr' solves such loops together"
        )


def _title(loop: ChainedLoop, m: Mechanism) -> str:
    return f"the loop of {m.name!r} that ends with joint {loop.name!r}"


def _listed(found: Opened, of_loops: list[list[int]]) -> str:
    return _quoted(dict.fromkeys(found.links[k].name for own in of_loops for k in own))


def _quoted(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
