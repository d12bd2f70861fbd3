"""Exponential and logarithm over lanes."""

import struct

from .lanes import Lanes, Real
from .tables import EXP, LN2, LOG

_LOG2_E = 1.4426950408889634
_ROUND = 1.5 * 2.0**52
_MANTISSA = 2**52 - 1
_ONE_BITS = 1023 << 52
_ROOT_HALF_BITS = struct.unpack("<Q", struct.pack("<d", 0.5**0.5))[0]


def exp(e: Lanes, x: Real) -> Real:
    """e^x = 2^k e^r, |r| <= ln 2 / 2. The power of two is applied in two halves, as it may be subnormal."""
    x = e.select(e.compare("ogt", x, e.real(800.0)), e.real(800.0), x)
    x = e.select(e.compare("olt", x, e.real(-800.0)), e.real(-800.0), x)
    shifted = e.fma(x, e.real(_LOG2_E), e.real(_ROUND))
    k = e.sub(shifted, e.real(_ROUND))
    r = e.fma(k, e.real(-LN2[1]), e.fma(k, e.real(-LN2[0]), x))
    value = e.add(e.real(1.0), e.fma(e.mul(r, r), e.polynomial(r, EXP), r))
    # The lowest bits of `shifted` hold k; 2046 more makes a sum of two biased exponents.
    exponents = e.integers("and", e.integers("add", e.bits(shifted), e.integer(2046)), e.integer(4095))
    first = e.integers("lshr", exponents, e.integer(1))
    second = e.integers("sub", exponents, first)
    for half in (first, second):
        value = e.mul(value, e.from_bits(e.integers("shl", half, e.integer(52))))
    return value


def log(e: Lanes, x: Real) -> Real:
    """ln x = k ln 2 + ln m with m in [√½, √2); -inf at 0, NaN below."""
    tiny = e.compare("olt", x, e.real(2.0**-1022))
    scaled = e.select(tiny, e.mul(x, e.real(2.0**54)), x)
    # Moved so that the exponent steps at √½ instead of at 1.
    moved = e.integers("add", e.bits(scaled), e.integer(_ONE_BITS - _ROOT_HALF_BITS))
    m_bits = e.integers("add", e.integers("and", moved, e.integer(_MANTISSA)), e.integer(_ROOT_HALF_BITS))
    f = e.sub(e.from_bits(m_bits), e.real(1.0))
    biased = e.integers("or", e.integers("lshr", moved, e.integer(52)), e.integer((1023 + 52) << 52))
    k = e.sub(e.from_bits(biased), e.select(tiny, e.real(2.0**52 + 1023 + 54), e.real(2.0**52 + 1023)))

    s = e.div(f, e.add(f, e.real(2.0)))
    z = e.mul(s, s)
    half_square = e.mul(e.real(0.5), e.mul(f, f))
    series = e.mul(s, e.fma(z, e.polynomial(z, LOG), half_square))
    # ln(1 + f) = f - (f²/2 - s (f²/2 + z LOG(z)))
    tail = e.sub(half_square, e.fma(k, e.real(LN2[1]), series))
    value = e.fma(k, e.real(LN2[0]), e.neg(e.sub(tail, f)))

    value = e.select(e.compare("oeq", x, e.real(float("inf"))), x, value)
    value = e.select(e.compare("oeq", x, e.real(0.0)), e.real(float("-inf")), value)
    return e.select(e.compare("ult", x, e.real(0.0)), e.real(float("nan")), value)
