"""Trigonometric polynomials: sums of c · x^a y^b … · e^{i k·q}, where no identity is left to apply.

Every product of sines and cosines is a sum of sines and cosines of sums of angles, in one way only. So two
expressions are equal if and only if they have the same terms here, and sin² + cos² is 1 without being told.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass

from ...errors import InputError

Key = tuple[tuple[int, ...], tuple[int, ...]]
"""Multiples k of the angles, and powers a, b, … of the symbols."""

ROUNDING = 1e-12
"""Coefficients below this share of what they are the difference of are what rounding left of zero."""


class NotTrigonometric(InputError):
    """What an operation gave is no trigonometric polynomial."""


class TooManyTerms(InputError):
    """An expression is longer than it was allowed to be.

    Attributes:
        terms: How many terms it has, at least.
        limit: How many it may have.
    """

    def __init__(self, terms: int, limit: int) -> None:
        super().__init__(f"an expression has {terms} terms, more than the {limit} allowed")
        self.terms = terms
        self.limit = limit


@dataclass(frozen=True)
class Ring:
    """Trigonometric polynomials in some symbols, the first of which may stand in sines and cosines.

    Attributes:
        angles: How many symbols may.
        symbols: How many there are in all.
        limit: How many terms an expression may have.
    """

    angles: int
    symbols: int
    limit: int

    def number(self, value: float) -> Trigonometric:
        """A number."""
        none: Key = ((0,) * self.angles, (0,) * self.symbols)
        return Trigonometric(self, {none: complex(value)} if value else {})

    def symbol(self, n: int) -> Trigonometric:
        """The n-th symbol."""
        powers = tuple(int(i == n) for i in range(self.symbols))
        return Trigonometric(self, {((0,) * self.angles, powers): 1.0 + 0.0j})


class Trigonometric:
    """A trigonometric polynomial: complex coefficients by key, conjugate for opposite multiples.

    >>> ring = Ring(angles=2, symbols=2, limit=100)
    >>> a, b = ring.symbol(0), ring.symbol(1)
    >>> (a.sin() * a.sin() + a.cos() * a.cos()).terms
    {((0, 0), (0, 0)): (1+0j)}
    >>> sum_rule = a.cos() * b.cos() - a.sin() * b.sin() - (a + b).cos()
    >>> sum_rule.terms
    {}
    """

    __slots__ = ("ring", "terms")

    def __init__(self, ring: Ring, terms: dict[Key, complex]) -> None:
        if len(terms) > ring.limit:
            raise TooManyTerms(len(terms), ring.limit)
        self.ring: Ring = ring
        self.terms: dict[Key, complex] = terms

    @property
    def size(self) -> float:
        """The largest coefficient."""
        return max(map(abs, self.terms.values()), default=0.0)

    def above(self, floor: float) -> Trigonometric:
        """Without the coefficients that are not above a floor."""
        return _above(self.ring, self.terms, floor)

    def __add__(self, other: Trigonometric) -> Trigonometric:
        total = dict(self.terms)
        for key, value in other.terms.items():
            total[key] = total.get(key, 0.0) + value
        floor = ROUNDING * max(self.size, other.size)
        return _above(self.ring, total, floor)

    def __neg__(self) -> Trigonometric:
        return Trigonometric(self.ring, {key: -value for key, value in self.terms.items()})

    def __sub__(self, other: Trigonometric) -> Trigonometric:
        return self + (-other)

    def __mul__(self, other: Trigonometric) -> Trigonometric:
        total: dict[Key, complex] = {}
        for (k1, a1), value1 in self.terms.items():
            for (k2, a2), value2 in other.terms.items():
                key = (tuple(map(int.__add__, k1, k2)), tuple(map(int.__add__, a1, a2)))
                total[key] = total.get(key, 0.0) + value1 * value2
            if len(total) > 4 * self.ring.limit:  # so many do not cancel
                raise TooManyTerms(len(total), self.ring.limit)
        floor = ROUNDING * self.size * other.size
        return _above(self.ring, total, floor)

    def __truediv__(self, other: Trigonometric) -> Trigonometric:
        if len(other.terms) != 1:
            raise NotTrigonometric(f"a division by a sum of {len(other.terms)} terms")
        (((k, a), value),) = other.terms.items()
        inverse: dict[Key, complex] = {(tuple(-x for x in k), tuple(-x for x in a)): 1.0 / value}
        return self * Trigonometric(self.ring, inverse)

    def sin(self) -> Trigonometric:
        """Sine of whole multiples of angles and a number."""
        return self._wave(-0.5j, 0.5j)

    def cos(self) -> Trigonometric:
        """Cosine, likewise."""
        return self._wave(0.5, 0.5)

    def _wave(self, forward: complex, backward: complex) -> Trigonometric:
        """forward · e^{iθ} + backward · e^{-iθ}, θ being this."""
        multiples, turn = [0] * self.ring.angles, 1.0 + 0.0j
        for (k, a), value in self.terms.items():
            if not any(a) and not any(k):
                turn = cmath.exp(1j * value.real)
            elif any(k) or sorted(a)[-1] != 1 or sum(map(abs, a)) != 1 or a.index(1) >= self.ring.angles:
                raise NotTrigonometric("a sine or cosine of what is no sum of coordinates")
            elif abs(value.real - round(value.real)) > ROUNDING:
                raise NotTrigonometric(f"a sine or cosine of {value.real:g} times a coordinate")
            else:
                multiples[a.index(1)] = round(value.real)
        zero = (0,) * self.ring.symbols
        up = Trigonometric(self.ring, {(tuple(multiples), zero): forward * turn})
        down = Trigonometric(self.ring, {(tuple(-x for x in multiples), zero): backward * turn.conjugate()})
        return up + down


def _above(ring: Ring, terms: dict[Key, complex], floor: float) -> Trigonometric:
    return Trigonometric(ring, {key: value for key, value in terms.items() if abs(value) > floor})
