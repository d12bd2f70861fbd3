"""A writer of straight-line LLVM IR over vectors of real numbers, in text.

One `Lanes` object writes one function for one form. Width 1 means a plain `double` or `float`, not a vector
of one. Every method names one operation and does nothing more, so the same calls give the same operations
in the same order for every width: that is what makes results independent of the width, bit for bit.
"""

import struct
from typing import NamedTuple, NewType

from ...trace.precision import DOUBLE, Precision
from .tables import TABLES, Tables

Real = NewType("Real", str)  # the text of an operand holding real numbers
Bits = NewType("Bits", str)  # the text of an operand holding integers of as many bits
Truth = NewType("Truth", str)  # the text of an operand holding comparisons


class Form(NamedTuple):
    """How code holds the numbers it computes with.

    Attributes:
        width: Numbers to a value: 1, 2, 4, 8 or 16.
        fma: Whether the processor multiplies and adds with one rounding. Without, `fma` rounds twice.
        precision: Of each number.
    """

    width: int
    fma: bool
    precision: Precision = DOUBLE

    def of_width(self, width: int) -> "Form":
        """The same with another number of lanes."""
        return self._replace(width=width)

    @property
    def bytes(self) -> int:
        """Of a value."""
        return self.width * self.precision.bytes

    @property
    def type(self) -> str:
        """LLVM's type of a value."""
        element = self.precision.element
        return element if self.width == 1 else f"<{self.width} x {element}>"


def literal(value: float, precision: Precision) -> str:
    """The exact LLVM spelling of a number, rounded to a precision: floats are written as doubles, too."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', precision.rounded(value)))[0]:016X}"


class Lanes:
    """Writes operations on several numbers at a time.

    Args:
        form: How many, and of which precision.

    Attributes:
        element: LLVM's type of one number.
        size: Bytes of one number.
        bytes: Bytes of all lanes.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self.width: int = form.width
        self.has_fma: bool = form.fma
        self.precision: Precision = form.precision
        self.lines: list[str] = []
        self._count = 0
        self.element: str = form.precision.element
        self.size: int = form.precision.bytes
        self.bytes: int = form.bytes
        self.real_type: str = form.type
        self.bits_type: str = self.type_of(form.precision.integer)
        self.truth_type: str = self.type_of("i1")

    @property
    def numbers(self) -> Tables:
        """Of the elementary functions, for this precision."""
        return TABLES[self.precision]

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
        return Real(self.splat(self.element, literal(value, self.precision)))

    def integer(self, value: int) -> Bits:
        """An integer constant."""
        bits = self.precision.bits
        value &= 2**bits - 1
        return Bits(
            self.splat(self.precision.integer, str(value - 2**bits if value >= 2 ** (bits - 1) else value))
        )

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
        suffix = self.precision.suffix if self.width == 1 else f"v{self.width}{self.precision.suffix}"
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
        largest = 2.0**self.precision.fraction  # from here on numbers have no fraction
        whole = self.flip_sign(self.real(largest), sign)
        nearest = self.sub(self.add(a, whole), whole)
        below = self.select(self.compare("ogt", nearest, a), self.sub(nearest, self.real(1.0)), nearest)
        signed = self.from_bits(self.integers("or", self.bits(below), sign))  # -0 stays -0
        return self.select(self.compare("olt", self.abs(a), self.real(largest)), signed, a)

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
        """a as the sum of two numbers of half the bits each, whose products are exact (Veltkamp)."""
        big = self.mul(a, self.real(2.0 ** (self.precision.fraction // 2 + 1) + 1))
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

    @property
    def sign_bit(self) -> Bits:
        """The integer of which only the bit is set that holds the sign of a number."""
        return self.integer(1 << (self.precision.bits - 1))

    def sign_of(self, a: Real) -> Bits:
        """The sign bit alone."""
        return self.integers("and", self.bits(a), self.sign_bit)

    def flip_sign(self, a: Real, sign: Bits) -> Real:
        """a with its sign turned where the bit of `sign` is set."""
        return self.from_bits(self.integers("xor", self.bits(a), sign))

    def any_lane(self, condition: Truth) -> str:
        """One i1: whether the condition holds in any lane."""
        if self.width == 1:
            return condition
        packed = self.line(f"bitcast {self.truth_type} {condition} to i{self.width}")
        return self.line(f"icmp ne i{self.width} {packed}, 0")
