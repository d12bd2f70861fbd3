"""A writer of straight-line LLVM IR over vectors of doubles, in text.

One `Lanes` object writes one function for one vector width. Width 1 means plain `double`, not a vector
of one. Every method names one operation and does nothing more, so the same calls give the same operations
in the same order for every width: that is what makes results independent of the width, bit for bit.
"""

import struct
from typing import NewType

Real = NewType("Real", str)  # the text of an operand holding doubles
Bits = NewType("Bits", str)  # the text of an operand holding 64-bit integers
Truth = NewType("Truth", str)  # the text of an operand holding comparisons

SIGN_BIT = 1 << 63


def double_literal(value: float) -> str:
    """The exact LLVM spelling of a double."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Lanes:
    """Writes operations on `width` doubles at a time.

    Args:
        width: 1, 2, 4 or 8 doubles to a value.
        fma: whether the processor multiplies and adds with one rounding. Without, `fma` rounds twice.
    """

    def __init__(self, width: int, fma: bool) -> None:
        self.width = width
        self.has_fma = fma
        self.lines: list[str] = []
        self._count = 0
        self.real_type = self.type_of("double")
        self.bits_type = self.type_of("i64")
        self.truth_type = self.type_of("i1")

    def type_of(self, element: str) -> str:
        """The type of `width` elements."""
        return element if self.width == 1 else f"<{self.width} x {element}>"

    def line(self, text: str) -> str:
        """Write `%new = text` and return the new name."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def splat(self, element: str, literal: str) -> str:
        """The same literal in every lane."""
        if self.width == 1:
            return literal
        return f"splat ({element} {literal})"

    def real(self, value: float) -> Real:
        """A constant."""
        return Real(self.splat("double", double_literal(value)))

    def integer(self, value: int) -> Bits:
        """A 64-bit integer constant."""
        value &= 2**64 - 1
        return Bits(self.splat("i64", str(value - 2**64 if value >= 2**63 else value)))

    def _binary(self, name: str, a: Real, b: Real) -> Real:
        return Real(self.line(f"{name} {self.real_type} {a}, {b}"))

    def add(self, a: Real, b: Real) -> Real:
        return self._binary("fadd", a, b)

    def sub(self, a: Real, b: Real) -> Real:
        return self._binary("fsub", a, b)

    def mul(self, a: Real, b: Real) -> Real:
        return self._binary("fmul", a, b)

    def div(self, a: Real, b: Real) -> Real:
        return self._binary("fdiv", a, b)

    def neg(self, a: Real) -> Real:
        return Real(self.line(f"fneg {self.real_type} {a}"))

    def intrinsic(self, name: str, *arguments: Real) -> Real:
        """An LLVM intrinsic of that name for this width."""
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        listed = ", ".join(f"{self.real_type} {a}" for a in arguments)
        return Real(self.line(f"call {self.real_type} @llvm.{name}.{suffix}({listed})"))

    def fma(self, a: Real, b: Real, c: Real) -> Real:
        """a b + c, rounded once where the processor can, else twice."""
        if self.has_fma:
            return self.intrinsic("fma", a, b, c)
        return self.add(self.mul(a, b), c)

    def fms(self, a: Real, b: Real, c: Real) -> Real:
        """a b - c, as `fma`."""
        if self.has_fma:
            return self.intrinsic("fma", a, b, self.neg(c))
        return self.sub(self.mul(a, b), c)

    def fnma(self, a: Real, b: Real, c: Real) -> Real:
        """c - a b, as `fma`."""
        if self.has_fma:
            return self.intrinsic("fma", self.neg(a), b, c)
        return self.sub(c, self.mul(a, b))

    def sqrt(self, a: Real) -> Real:
        return self.intrinsic("sqrt", a)

    def abs(self, a: Real) -> Real:
        return self.intrinsic("fabs", a)

    def floor(self, a: Real) -> Real:
        """The largest whole number not above a. Where processors lack it LLVM would call the C library."""
        sign = self.sign_of(a)
        whole = self.flip_sign(self.real(2.0**52), sign)  # from here on doubles have no fraction
        nearest = self.sub(self.add(a, whole), whole)
        below = self.select(self.compare("ogt", nearest, a), self.sub(nearest, self.real(1.0)), nearest)
        signed = self.from_bits(self.integers("or", self.bits(below), sign))  # -0 stays -0
        return self.select(self.compare("olt", self.abs(a), self.real(2.0**52)), signed, a)

    def polynomial(self, z: Real, coefficients: tuple[float, ...]) -> Real:
        """Horner's rule; coefficients lowest first."""
        value = self.real(coefficients[-1])
        for c in coefficients[-2::-1]:
            value = self.fma(value, z, self.real(c))
        return value

    def two_sum(self, a: Real, b: Real) -> tuple[Real, Real]:
        """a + b rounded, and what the rounding left out, exactly (Knuth)."""
        s = self.add(a, b)
        b_part = self.sub(s, a)
        a_part = self.sub(s, b_part)
        return s, self.add(self.sub(a, a_part), self.sub(b, b_part))

    def fast_two_sum(self, a: Real, b: Real) -> tuple[Real, Real]:
        """As `two_sum`, where |a| >= |b| or a = 0 (Dekker)."""
        s = self.add(a, b)
        return s, self.sub(b, self.sub(s, a))

    def product_error(self, a: Real, b: Real, c: Real) -> Real:
        """c - a b, exact where c is a b rounded or close to it."""
        if self.has_fma:
            return self.fma(self.neg(a), b, c)
        a_high, a_low = self._halves(a)
        b_high, b_low = self._halves(b)
        rest = self.sub(c, self.mul(a_high, b_high))
        rest = self.sub(self.sub(rest, self.mul(a_high, b_low)), self.mul(a_low, b_high))
        return self.sub(rest, self.mul(a_low, b_low))

    def _halves(self, a: Real) -> tuple[Real, Real]:
        """a as the sum of two doubles of 26 bits each, whose products are exact (Veltkamp)."""
        big = self.mul(a, self.real(2.0**27 + 1))
        high = self.sub(big, self.sub(big, a))
        return high, self.sub(a, high)

    def compare(self, relation: str, a: Real, b: Real) -> Truth:
        """An `fcmp`: ogt, oge, olt, ole, oeq, une, uno …"""
        return Truth(self.line(f"fcmp {relation} {self.real_type} {a}, {b}"))

    def select(self, condition: Truth, a: Real, b: Real) -> Real:
        return Real(
            self.line(f"select {self.truth_type} {condition}, {self.real_type} {a}, {self.real_type} {b}")
        )

    def bits(self, a: Real) -> Bits:
        return Bits(self.line(f"bitcast {self.real_type} {a} to {self.bits_type}"))

    def from_bits(self, a: Bits) -> Real:
        return Real(self.line(f"bitcast {self.bits_type} {a} to {self.real_type}"))

    def integers(self, name: str, a: Bits, b: Bits) -> Bits:
        """An integer operation: and, or, xor, add, sub, shl, lshr."""
        return Bits(self.line(f"{name} {self.bits_type} {a}, {b}"))

    def nonzero(self, a: Bits) -> Truth:
        return Truth(self.line(f"icmp ne {self.bits_type} {a}, {self.integer(0)}"))

    def sign_of(self, a: Real) -> Bits:
        """The sign bit alone."""
        return self.integers("and", self.bits(a), self.integer(SIGN_BIT))

    def flip_sign(self, a: Real, sign: Bits) -> Real:
        """a with its sign turned where the bit of `sign` is set."""
        return self.from_bits(self.integers("xor", self.bits(a), sign))

    def any_lane(self, condition: Truth) -> str:
        """One i1: whether the condition holds in any lane."""
        if self.width == 1:
            return condition
        packed = self.line(f"bitcast {self.truth_type} {condition} to i{self.width}")
        return self.line(f"icmp ne i{self.width} {packed}, 0")
