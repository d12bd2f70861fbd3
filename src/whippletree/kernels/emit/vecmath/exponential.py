"""Exponential and logarithm over lanes."""

import struct

from ...trace.precision import DOUBLE
from .lanes import Lanes, Real

_LOG2_E = 1.4426950408889634


def exp(e: Lanes, x: Real) -> Real:
    """e^x = 2^k e^r, |r| <= ln 2 / 2. The power of two is applied in two halves, as it may be subnormal."""
    fraction, bias, ln2 = e.precision.fraction, e.precision.bias, e.numbers.ln2
    largest = e.numbers.largest_power
    x = e.select(e.compare("ogt", x, e.real(largest)), e.real(largest), x)
    x = e.select(e.compare("olt", x, e.real(-largest)), e.real(-largest), x)
    to_round = e.real(1.5 * 2.0**fraction)
    shifted = e.fma(x, e.real(_LOG2_E), to_round)
    k = e.sub(shifted, to_round)
    r = e.fma(k, e.real(-ln2[1]), e.fma(k, e.real(-ln2[0]), x))
    value = e.add(e.real(1.0), e.fma(e.mul(r, r), e.polynomial(r, e.numbers.exp), r))
    # The lowest bits of `shifted` hold k; twice the bias more makes a sum of two biased exponents.
    exponents = e.integers("add", e.bits(shifted), e.integer(2 * bias))
    exponents = e.integers("and", exponents, e.integer(4 * bias + 3))
    first = e.integers("lshr", exponents, e.integer(1))
    second = e.integers("sub", exponents, first)
    for half in (first, second):
        value = e.mul(value, e.from_bits(e.integers("shl", half, e.integer(fraction))))
    return value


def log(e: Lanes, x: Real) -> Real:
    """ln x = k ln 2 + ln m with m in [√½, √2); -inf at 0, NaN below."""
    fraction, bias, ln2 = e.precision.fraction, e.precision.bias, e.numbers.ln2
    root_half = _bits_of_root_half(e)
    tiny = e.compare("olt", x, e.real(2.0 ** (1 - bias)))
    scaled = e.select(tiny, e.mul(x, e.real(2.0 ** (fraction + 2))), x)
    # Moved so that the exponent steps at √½ instead of at 1.
    moved = e.integers("add", e.bits(scaled), e.integer((bias << fraction) - root_half))
    m_bits = e.integers("and", moved, e.integer(2**fraction - 1))
    f = e.sub(e.from_bits(e.integers("add", m_bits, e.integer(root_half))), e.real(1.0))
    exponent = e.integers("lshr", moved, e.integer(fraction))
    biased = e.integers("or", exponent, e.integer((bias + fraction) << fraction))
    zero = 2.0**fraction + bias
    k = e.sub(e.from_bits(biased), e.select(tiny, e.real(zero + fraction + 2), e.real(zero)))

    s = e.div(f, e.add(f, e.real(2.0)))
    z = e.mul(s, s)
    half_square = e.mul(e.real(0.5), e.mul(f, f))
    series = e.mul(s, e.fma(z, e.polynomial(z, e.numbers.log), half_square))
    # ln(1 + f) = f - (f²/2 - s (f²/2 + z P(z)))
    tail = e.sub(half_square, e.fma(k, e.real(ln2[1]), series))
    value = e.fma(k, e.real(ln2[0]), e.neg(e.sub(tail, f)))

    value = e.select(e.compare("oeq", x, e.real(float("inf"))), x, value)
    value = e.select(e.compare("oeq", x, e.real(0.0)), e.real(float("-inf")), value)
    return e.select(e.compare("ult", x, e.real(0.0)), e.real(float("nan")), value)


def _bits_of_root_half(e: Lanes) -> int:
    integer, real = ("<Q", "<d") if e.precision is DOUBLE else ("<I", "<f")
    return struct.unpack(integer, struct.pack(real, 0.5**0.5))[0]
