"""Segments that differ by signs alone, brought to the signs of the first of them.

A constant's sign is of no account: constants are in a table anyway. But it spreads. A negative constant makes
a sum a difference, or turns the sign of all that is computed from it, and so of sums elsewhere. Some of the
values of a segment, those with a constant factor, can take either sign at no cost; others, those that come
from outside, at the cost of one operation. The signs a segment has to choose solve linear equations modulo 2,
one for each sum: that both of its terms enter as they do in the first segment.

Turning signs changes no result, but for the sign of zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .segments import CONSTANT

Bits = NDArray[np.bool_]
Key = TypeVar("Key")

# Functions with f(-x) = -f(x) and with f(-x) = f(x), in their first operand.
_ODD, _EVEN = ("sin", "tan", "asin", "atan2"), ("cos", "abs")


@dataclass(frozen=True, slots=True)
class Form:
    """A sum modulo 2 of unknown signs, and of one known bit for every segment."""

    unknowns: frozenset[int]
    bits: Bits

    def __add__(self, other: Form) -> Form:
        return Form(self.unknowns ^ other.unknowns, self.bits ^ other.bits)


class Flips(NamedTuple):
    """Which segments have to turn a sign where; where none has to there is no entry.

    Attributes:
        externals: Of an operand from outside, by its number.
        constants: Of a constant, by (place of the instruction, position among its operands).
        terms: Of an operand in one use, likewise.
        kept: Of a value before it goes into the frame, by its place.
    """

    externals: dict[int, Bits]
    constants: dict[tuple[int, int], Bits]
    terms: dict[tuple[int, int], Bits]
    kept: dict[int, Bits]


class _System:
    """Equations modulo 2, solved one by one as they come."""

    def __init__(self, count: int) -> None:
        self.zero = Form(frozenset(), np.zeros(count, bool))
        self.costly: set[int] = set()
        self._known: dict[int, Form] = {}  # unknowns by others
        self._count = 0

    def unknown(self, costly: bool = False) -> Form:
        self._count += 1
        if costly:
            self.costly.add(self._count)
        return Form(frozenset([self._count]), self.zero.bits)

    def reduced(self, form: Form) -> Form:
        """The form with nothing in it that is known."""
        while known := [u for u in form.unknowns if u in self._known]:
            for u in known:
                form = form + Form(frozenset([u]), self.zero.bits) + self._known[u]
        return form

    def vanish(self, form: Form, free_only: bool = False) -> None:
        """Make a form 0, if there is an unknown left in it to choose: first one that costs nothing."""
        form = self.reduced(form)
        choices = form.unknowns - self.costly or (frozenset() if free_only else form.unknowns)
        if choices:
            chosen = max(choices)
            self._known[chosen] = form + Form(frozenset([chosen]), self.zero.bits)

    def value(self, form: Form) -> Bits:
        """The form's bits, unknowns that nobody asked for being 0."""
        return self.reduced(form).bits


def flips(
    names: list[str], wires: list[list[int]], signs: Bits, externals: list[bool], kept: list[int]
) -> Flips:
    """The signs to turn in every segment so that the operations of the first do for all.

    Args:
        names: Operations of the segments' shape, without signs.
        wires: Their operands, as in `Segments`.
        signs: (segments, n, 2) whether first and second term of a sum are subtracted.
        externals: Whether operands from outside are conditions.
        kept: Places of values that others need, with the sign they have in their own segment.
    """
    signs = signs ^ signs[0]
    system = _System(len(signs))
    outside = [system.zero if is_condition else system.unknown(costly=True) for is_condition in externals]
    inside: list[Form] = []
    constants: dict[tuple[int, int], Form] = {}
    terms: dict[tuple[int, int], Form] = {}
    for i, name in enumerate(names):

        def sign(position: int, row: list[int] = wires[i]) -> Form | None:
            """How an operand is turned; None for a constant, which can be turned as one likes."""
            wire = row[position]
            return None if wire == CONSTANT else inside[wire] if wire >= 0 else outside[-2 - wire]

        if name in ("add", "fma"):
            last = 1 if name == "add" else 2
            first = [sign(k) for k in range(last)]
            fixed = [f for f in first if f is not None]
            one = sum(fixed, Form(frozenset(), signs[:, i, 0])) if len(fixed) == last else None
            second = sign(last)
            two = None if second is None else second + Form(frozenset(), signs[:, i, 1])
            result = one or two or system.unknown()
            if one is None:
                at = first.index(None)
                constants[i, at] = sum(fixed, result + Form(frozenset(), signs[:, i, 0]))
            if two is None:
                constants[i, last] = result + Form(frozenset(), signs[:, i, 1])
            if one is not None and two is not None:
                system.vanish(one + two)
                terms[i, last] = one + two
        elif name in ("mul", "div"):
            both = [sign(0), sign(1)]
            fixed = [f for f in both if f is not None]
            if len(fixed) == 2:
                result = fixed[0] + fixed[1]
            else:
                result = system.unknown()
                constants[i, both.index(None)] = sum(fixed, result)
        elif name == "neg" or name in _ODD:
            result = sign(0) or system.zero
            if name == "atan2":
                _demand(system, terms, i, 1, sign(1))
        else:
            result = system.zero
            if name not in _EVEN:
                for position, wire in enumerate(wires[i]):
                    if wire != -1:
                        _demand(system, terms, i, position, sign(position))
        inside.append(result)
    for place in kept:
        system.vanish(inside[place], free_only=True)

    def found(forms: dict[Key, Form]) -> dict[Key, Bits]:
        values = {key: system.value(form) for key, form in forms.items()}
        return {key: bits for key, bits in values.items() if bits.any()}

    return Flips(
        found(dict(enumerate(outside))), found(constants), found(terms), found({k: inside[k] for k in kept})
    )


def _demand(
    system: _System, terms: dict[tuple[int, int], Form], i: int, position: int, form: Form | None
) -> None:
    """An operand has to have its own sign, or else be turned where it is used."""
    if form is not None:
        system.vanish(form)
        terms[i, position] = form
