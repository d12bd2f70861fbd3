"""Sine, cosine and tangent over lanes.

All three reduce |x| to r = |x| - k π/2, |r| <= π/4, by subtracting k times the parts of π/2, largest first.
Up to 2^20, of floats 2^10, the first difference is exact and the later ones lose nothing where they cancel.
Lanes beyond go through `huge`. The sign of x is put back at the end, which also keeps -0.
"""

from typing import NamedTuple

from . import huge
from .lanes import Bits, Lanes, Real, Truth

_TWO_OVER_PI = 0.6366197723675814
RARELY = 9000  # number of the metadata that says: this branch is hardly ever taken


class _Reduced(NamedTuple):
    """x = (k π/2 + r + r_low) with the sign of x; `sign` is that sign's bit."""

    r: Real
    r_low: Real
    k: Bits
    sign: Bits


def _subtract(e: Lanes, x: Real, k: Real) -> Real:
    """x - k π/2, within half a unit in the last place or little more."""
    if e.has_fma:
        for part in e.numbers.half_pi:
            x = e.fma(k, e.real(-part), x)
        return x
    one, two, three, four = (e.mul(k, e.real(part)) for part in e.numbers.half_pi_short)
    r, left_out = e.two_sum(e.sub(x, one), e.neg(two))
    return e.sub(e.sub(r, e.sub(three, left_out)), four)


def _subtract_double(e: Lanes, x: Real, k: Real) -> tuple[Real, Real]:
    """x - k π/2 as the sum of two numbers."""
    if e.has_fma:
        half_pi = e.numbers.half_pi
        near = e.fma(k, e.real(-half_pi[0]), x)
        y = e.mul(k, e.real(-half_pi[1]))
        y_low = e.fma(k, e.real(-half_pi[1]), e.neg(y))
        r, r_low = e.two_sum(near, y)
        return r, e.fma(k, e.real(-half_pi[2]), e.add(r_low, y_low))
    one, two, three, four = (e.mul(k, e.real(-part)) for part in e.numbers.half_pi_short)
    r, low1 = e.two_sum(e.add(x, one), two)
    r, low2 = e.two_sum(r, three)
    return r, e.add(e.add(low1, low2), four)


def _reduce(e: Lanes, x: Real, double: bool) -> _Reduced:
    sign = e.sign_of(x)
    size = e.abs(x)
    to_round = e.real(1.5 * 2.0**e.precision.fraction)  # leaves the nearest integer in the lowest bits
    shifted = e.fma(size, e.real(_TWO_OVER_PI), to_round)
    k = e.sub(shifted, to_round)
    r, low = _subtract_double(e, size, k) if double else (_subtract(e, size, k), e.real(0.0))
    quadrant = e.bits(shifted)
    large = e.any_lane(e.compare("ogt", size, e.real(e.numbers.large)))
    real, bits = e.real_type, e.bits_type
    result = f"{{{real}, {real}, {bits}}}"
    e.lines.append(f"  br i1 {large}, label %large, label %reduced, !prof !{RARELY}")
    e.lines.append("large:")
    arguments = f"{real} {size}"
    if e.width > 1:
        arguments += f", {real} {r}, {real} {low}, {bits} {quadrant}"
    t = e.line(f"call {result} {huge.symbol(e.form)}({arguments})")
    r1, low1, quadrant1 = (e.line(f"extractvalue {result} {t}, {i}") for i in range(3))
    e.lines.append("  br label %reduced")
    e.lines.append("reduced:")
    return _Reduced(
        Real(e.line(f"phi {real} [{r}, %start], [{r1}, %large]")),
        Real(e.line(f"phi {real} [{low}, %start], [{low1}, %large]")) if double else low,
        Bits(e.line(f"phi {bits} [{quadrant}, %start], [{quadrant1}, %large]")),
        sign,
    )


def _odd(e: Lanes, k: Bits) -> Truth:
    return e.nonzero(e.integers("and", k, e.integer(1)))


def _second_bit_as_sign(e: Lanes, k: Bits) -> Bits:
    return e.integers("and", e.integers("shl", k, e.integer(e.precision.bits - 2)), e.sign_bit)


def sincos(e: Lanes, x: Real) -> tuple[Real, Real]:
    """sin x and cos x, which share nearly all work."""
    r, _, k, sign = _reduce(e, x, double=False)
    z = e.mul(r, r)
    s = e.fma(e.mul(r, z), e.polynomial(z, e.numbers.sin), r)
    c = e.fma(z, e.fma(z, e.polynomial(z, e.numbers.cos), e.real(-0.5)), e.real(1.0))
    odd = _odd(e, k)
    sine = e.select(odd, c, s)
    cosine = e.select(odd, s, c)
    sine_sign = e.integers("xor", _second_bit_as_sign(e, k), sign)
    cosine_sign = _second_bit_as_sign(e, e.integers("add", k, e.integer(1)))
    return e.flip_sign(sine, sine_sign), e.flip_sign(cosine, cosine_sign)


def tan(e: Lanes, x: Real) -> Real:
    """tan x as a quotient of sine and cosine, both with some bits more; -cot r in odd quadrants."""
    r, r_low, k, sign = _reduce(e, x, double=True)
    z = e.mul(r, r)
    z_excess = e.product_error(r, r, z)  # z - r²
    half_z = e.mul(z, e.real(0.5))
    base = e.sub(e.real(1.0), half_z)
    base_low = e.sub(e.sub(e.real(1.0), base), half_z)

    tail = e.fma(e.mul(r, z), e.polynomial(z, e.numbers.sin), e.mul(r_low, base))
    s, s_low = e.fast_two_sum(r, tail)
    # cos(r + r_low) = cos r - r_low sin r, where r_low is so small that r may stand for sin r
    tail = e.mul(e.mul(z, z), e.polynomial(z, e.numbers.cos))
    tail = e.add(e.sub(tail, e.mul(r, r_low)), e.fma(e.real(0.5), z_excess, base_low))
    c, c_low = e.fast_two_sum(base, tail)

    odd = _odd(e, k)
    over, over_low = e.select(odd, e.neg(c), s), e.select(odd, e.neg(c_low), s_low)
    under, under_low = e.select(odd, s, c), e.select(odd, s_low, c_low)
    q = e.div(over, under)
    left = e.sub(e.add(e.product_error(q, under, over), over_low), e.mul(q, under_low))
    return e.flip_sign(e.add(q, e.div(left, under)), sign)
