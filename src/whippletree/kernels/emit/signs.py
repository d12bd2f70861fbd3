"""Segments that differ by signs alone, brought to the signs of the first of them.

A constant's sign is of no account: constants are in a table anyway. But it spreads. A negative constant makes
a sum a difference, or turns the sign of all that is computed from it, and so of sums elsewhere. Some of the
values of a segment, those with a constant factor, can be turned at no cost; others, those that come from
outside, at the cost of one operation. Which of them a segment turns solves linear equations modulo 2, one for
each sum: that both of its terms enter as they do in the first segment. Values are left to others as they
come out, turned or not, so the solution depends on how operands from outside arrive.

Turning signs changes no result, but for the sign of zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .segments import CONSTANT

Bits = NDArray[np.bool_]
Use = tuple[int, int]  # place of an instruction, position among its operands

# Functions with f(-x) = -f(x) and with f(-x) = f(x), in their first operand.
_ODD, _EVEN = ("sin", "tan", "asin", "atan2"), ("cos", "abs")


@dataclass(frozen=True, slots=True)
class _Form:
    """A sum modulo 2 of unknown signs, and of one known bit for every segment."""

    unknowns: frozenset[int]
    bits: Bits

    def __add__(self, other: _Form) -> _Form:
        return _Form(self.unknowns ^ other.unknowns, self.bits ^ other.bits)


class _System:
    """Equations modulo 2, solved one by one as they come.

    Unknowns are numbered: first how operands from outside arrive, which is not ours to choose, then whether
    to turn them, which costs an operation, then all that can be chosen freely.
    """

    def __init__(self, segments: int, externals: int) -> None:
        self.zero = _Form(frozenset(), np.zeros(segments, bool))
        self.externals = externals
        self._known: dict[int, _Form] = {}  # unknowns by others
        self._count = 2 * externals

    def one(self, unknown: int) -> _Form:
        return _Form(frozenset([unknown]), self.zero.bits)

    def free(self) -> _Form:
        self._count += 1
        return self.one(self._count - 1)

    def reduced(self, form: _Form) -> _Form:
        """The form with nothing in it that is known."""
        while known := [u for u in form.unknowns if u in self._known]:
            for u in known:
                form = form + self.one(u) + self._known[u]
        return form

    def vanish(self, form: _Form) -> None:
        """Make a form 0, if there is an unknown left in it to choose: the latest, as free ones come last."""
        form = self.reduced(form)
        chosen = max(form.unknowns, default=-1)
        if chosen >= self.externals:
            self._known[chosen] = form + self.one(chosen)

    def solution(self, forms: list[_Form]) -> tuple[Bits, Bits]:
        """(segments, forms) known bits, (forms, externals) which arrivals to add; what nobody chose is 0."""
        reduced = [self.reduced(form) for form in forms]
        bits = np.array([form.bits for form in reduced], bool).reshape(len(forms), len(self.zero.bits)).T
        arrivals = np.zeros((len(forms), self.externals), bool)
        for k, form in enumerate(reduced):
            arrivals[k, [u for u in form.unknowns if u < self.externals]] = True
        return bits, arrivals


@dataclass(frozen=True)
class Turns:
    """Which signs a segment turns, as functions of how operands from outside arrive.

    The entries are, in order: the operands from outside; the constants and the operands in one use that may
    have to be turned, as `constants` and `terms` list them; values kept for others, as they are left; and
    whether to turn them when they are written.

    Attributes:
        bits: (segments, entries).
        arrivals: (entries, operands from outside), to be added modulo 2.
    """

    constants: list[Use]
    terms: list[Use]
    bits: Bits
    arrivals: Bits

    def of(self, segment: int, arriving: Bits) -> Bits:
        """The entries of one segment, given how its operands arrive."""
        if not arriving.any():
            return self.bits[segment]
        return self.bits[segment] ^ ((self.arrivals.astype(np.uint8) @ arriving.astype(np.uint8)) & 1).astype(
            bool
        )


def unturned(externals: int, kept: int) -> Turns:
    """A single segment, which turns back what arrives turned."""
    arrivals = np.zeros((externals + 2 * kept, externals), bool)
    arrivals[:externals] = np.eye(externals, dtype=bool)
    return Turns([], [], np.zeros((1, externals + 2 * kept), bool), arrivals)


def solve(
    names: list[str],
    wires: list[list[int]],
    signs: Bits,
    conditions: list[bool],
    kept: list[tuple[int, bool]],
) -> Turns:
    """The signs to turn in every segment so that the operations of the first do for all.

    Args:
        names: Operations of the segments' shape, without signs.
        wires: Their operands, as in `Segments`.
        signs: (segments, n, 2) whether first and second term of a sum are subtracted.
        conditions: Whether operands from outside are conditions.
        kept: Places of values that others need, and whether they are results, which must not be turned.
    """
    signs = signs ^ signs[0]
    n = len(conditions)
    system = _System(len(signs), n)
    outside = [system.zero if conditions[k] else system.one(k) + system.one(n + k) for k in range(n)]
    inside: list[_Form] = []
    constants: dict[Use, _Form] = {}
    terms: dict[Use, _Form] = {}

    def own_sign(position: int, i: int, form: _Form | None) -> None:
        """An operand that has to have its own sign, or else is turned where it is used."""
        if form is not None:
            system.vanish(form)
            terms[i, position] = form

    for i, name in enumerate(names):
        # How operands are turned; None for a constant, which can be turned as one likes.
        turned = [
            None if wire == CONSTANT else inside[wire] if wire >= 0 else outside[-2 - wire]
            for wire in wires[i]
            if wire != -1
        ]
        if name in ("add", "fma"):
            inside.append(_sum(system, turned, signs[:, i], i, constants, terms))
        elif name in ("mul", "div"):
            fixed = [form for form in turned if form is not None]
            result = fixed[0] + fixed[1] if len(fixed) == 2 else system.free()
            if len(fixed) < 2:
                constants[i, turned.index(None)] = sum(fixed, result)
            inside.append(result)
        else:
            linear = name == "neg" or name in _ODD
            inside.append((turned[0] or system.zero) if linear else system.zero)
            for position, form in enumerate(turned):
                if position > 0 or not (linear or name in _EVEN):
                    own_sign(position, i, form)
    for place, is_result in kept:
        if is_result:
            system.vanish(inside[place])
    left = [system.zero if is_result else inside[place] for place, is_result in kept]
    restored = [inside[place] if is_result else system.zero for place, is_result in kept]
    flipped = [system.zero if conditions[k] else system.one(n + k) for k in range(n)]
    bits, arrivals = system.solution([*flipped, *constants.values(), *terms.values(), *left, *restored])
    return Turns(list(constants), list(terms), bits, arrivals)


def _sum(
    system: _System,
    turned: list[_Form | None],
    signs: Bits,
    i: int,
    constants: dict[Use, _Form],
    terms: dict[Use, _Form],
) -> _Form:
    """How a sum is turned. A term with a constant factor takes any sign; two others have to agree."""
    last = len(turned) - 1  # all but the last operand are factors of the first term
    first, second = (_Form(frozenset(), signs[:, k]) for k in (0, 1))
    fixed = [form for form in turned[:last] if form is not None]
    one = sum(fixed, first) if len(fixed) == last else None
    last_form = turned[last]
    two = None if last_form is None else last_form + second
    result = one or two or system.free()
    if one is None:
        constants[i, turned.index(None)] = sum(fixed, result + first)
    if two is None:
        constants[i, last] = result + second
    if one is not None and two is not None:
        system.vanish(one + two)
        terms[i, last] = one + two
    return result
