"""How the operations of every method grow with a mechanism: who is O(n), O(n²), O(n³)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..api.forward_methods import METHODS, applicable
from ..errors import InputError, SingularError
from ..model.mechanism import Mechanism
from ..model.values import listed, position, takes
from ..spatial import Array
from .comparison import left_out, recorded
from .counts import gu
from .loop_times import row_of_four_bars
from .text_table import aligned

SIZES = (8, 16, 24, 32, 40, 48)
"""By default: two more than a polynomial of the third degree has coefficients."""

FITS, BETTER = 0.05, 5.0
"""Counts follow a polynomial that misses none by a larger share, if one degree more is not so much better.

Halvings make steps that a line misses by 3 % and a parabola by half of that; where a cube is in the counts,
it is seven times better than a parabola already at sizes like these, and more at larger ones.
"""

ROUNDING = 1e-9
"""Shares of counts below this are those of the fit's own arithmetic."""

MOST = 3
"""The highest power that is looked for: factors of dense matrices."""

Build = Callable[[int], tuple[Mechanism, Array]]
"""A mechanism of size n, and a position q (nq,) with its loops closed that is not singular."""


def _chain(n: int) -> tuple[Mechanism, Array]:
    m = gu(n)
    return m, m.neutral()


def _four_bars(n: int) -> tuple[Mechanism, Array]:
    m, q, _ = row_of_four_bars(n)
    return m, q


LEAST = MOST + 3
"""Sizes: two more than the coefficients of the highest polynomial, which otherwise fits anything."""

FAMILIES: dict[str, Build] = {"chain": _chain, "four-bars": _four_bars}
"""What is there of any size: a row of bodies with general hinges, and a row of four-bars."""


@dataclass(frozen=True)
class Scaling:
    """Operations of methods over the size of a mechanism.

    Attributes:
        family: What grows.
        sizes: n, from small to large.
        operations: Of each method, for each size.
        refused: Methods that do not apply, and what is in the way.
    """

    family: str
    sizes: tuple[int, ...]
    operations: Mapping[str, tuple[int, ...]]
    refused: Mapping[str, str]

    def order(self, method: str) -> int:
        """k of O(nᵏ): the least degree of a polynomial in n that the operations follow.

        Where they follow none, it is the nearest whole number to `exponent`.

        >>> import whippletree as wt
        >>> sizes = (8, 16, 24, 32, 40, 48)
        >>> counts = tuple(5 * n**2 // 4 + 10 for n in sizes)
        >>> wt.Scaling("row", sizes, {"x": counts}, {}).order("x")
        2
        """
        missed = [self._missed(method, degree) for degree in range(MOST + 1)]
        for degree, (share, next_share) in enumerate(pairwise(missed)):
            if share <= FITS and share <= max(BETTER * next_share, ROUNDING):
                return degree
        return MOST if missed[MOST] <= FITS else round(self.exponent(method))

    def _missed(self, method: str, degree: int) -> float:
        """The largest share of a count by which the best polynomial of a degree misses it."""
        n, count = np.array(self.sizes, dtype=float), np.array(self._counts(method), dtype=float)
        fitted = np.polyval(np.polyfit(n, count, degree, w=1.0 / count), n)
        return float(np.max(np.abs(fitted / count - 1.0)))

    def exponent(self, method: str) -> float:
        """The power by which operations grow over the larger half of the sizes.

        It comes near `order` as sizes grow: slowly where a small factor stands before the highest power.

        >>> import whippletree as wt
        >>> wt.Scaling("row", (5, 10, 20), {"x": (70, 300, 2400)}, {}).exponent("x")
        3.0
        """
        half = len(self.sizes) // 2
        n, count = np.log(self.sizes[half:]), np.log(self._counts(method)[half:])
        return round(float(np.polyfit(n, count, 1)[0]), 2)

    def _counts(self, method: str) -> tuple[int, ...]:
        if not isinstance(method, str) or method not in self.operations:
            raise InputError(f"there are no counts of {method!r}; known: {', '.join(self.operations)}")
        return self.operations[method]

    def __str__(self) -> str:
        sizes = [f"n = {n}" for n in self.sizes]
        headings = [self.family, *sizes, "grows as", "exponent"]
        rows = [
            [name, *(f"{count:,}" for count in counts), f"n^{self.order(name)}", f"{self.exponent(name):g}"]
            for name, counts in self.operations.items()
        ]
        return "\n".join([*aligned(headings, rows, {*sizes, "exponent"}), *left_out(self.refused)])

    def data(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        return {
            "family": self.family,
            "sizes": list(self.sizes),
            "refused": dict(self.refused),
            "methods": {
                name: {
                    "operations": list(counts),
                    "order": self.order(name),
                    "exponent": self.exponent(name),
                }
                for name, counts in self.operations.items()
            },
        }


def _made(make: Build, n: int) -> tuple[Mechanism, Array]:
    """What a function of the user's builds; InputError if it is no pair."""
    made: Any = make(n)
    if not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], Mechanism)):
        raise InputError(
            f"build gave {type(made).__name__} for n = {n}, expected a mechanism and a position, as (m, q)"
        )
    return made[0], position(made[0], made[1])


def scaling(
    build: Build | str = "chain",
    sizes: Sequence[int] = SIZES,
    methods: Sequence[str] | None = None,
) -> Scaling:
    """Operation counts of every method for mechanisms of growing size.

    Counts are exact: those of the program that `compile` would compile. What grows is also up to you.

    Args:
        build: "chain" (n general hinges in a row), "four-bars" (n in a row), or a function of n that gives a
            mechanism and a position q (nq,) with loops closed, in which methods make their choices; all of
            one build have loops and gears, or none has.
        sizes: At least six, from small to large, so that a cube is told from a square.
        methods: Names; all that apply to the smallest, by default.

    >>> import whippletree as wt
    >>> found = wt.scaling("chain", (3, 4, 6, 8, 10, 12), ("aba", "crba"))
    >>> found.order("aba"), found.operations["crba"][0] < found.operations["aba"][0]
    (1, True)
    >>> print("\\n".join(str(found).splitlines()[:3]))
    chain  n = 3  n = 4  n = 6  n = 8  n = 10  n = 12  grows as  exponent
    aba      648  1,055  1,869  2,683   3,497   4,311  n^1           1.17
    crba     417    738  1,517  2,492   3,679   5,094  n^3           1.76
    """
    if build not in FAMILIES if isinstance(build, str) else not callable(build):
        raise InputError(f"build is {build!r}: give one of {', '.join(FAMILIES)}, or a function of n")
    if not isinstance(build, str):
        takes(build, 1, "build")
    if not isinstance(sizes, Iterable):
        raise InputError(f"sizes is {sizes!r}: give at least {LEAST} whole numbers, from small to large")
    sizes = tuple(sizes)
    whole = all(isinstance(n, int | np.integer) for n in sizes)
    if len(sizes) < LEAST or not whole or any(b <= a for a, b in pairwise(sizes)) or sizes[0] < 1:
        raise InputError(
            f"sizes are {tuple(sizes)}: give at least {LEAST} whole numbers, from small to large, 1 or more"
        )
    family = build if isinstance(build, str) else getattr(build, "__name__", "mechanism")
    make = FAMILIES[build] if isinstance(build, str) else build
    first, _ = _made(make, sizes[0])
    known = [name for name in applicable(first) if METHODS[name].recordable]
    for name in listed(methods or (), "methods", "names", known):
        if name not in known:
            raise InputError(f"methods has {name!r}, not for {first.name!r}: give some of {', '.join(known)}")
    refused = {name: fault for name, method in METHODS.items() if (fault := method.fault(first)) is not None}
    counts: dict[str, list[int]] = {name: [] for name in methods or known}
    for n in sizes:
        m, q = _made(make, n)
        for name, count in list(counts.items()):
            try:
                count.append(sum(recorded(m, q, name).cost.values()))
            except SingularError as error:
                refused[name] = f"n = {n}: {error}"
                del counts[name]
    return Scaling(family, tuple(sizes), {name: tuple(count) for name, count in counts.items()}, refused)
