"""Inverse trigonometric functions over lanes."""

from ...trace.precision import DOUBLE, SINGLE
from .lanes import Lanes, Real, Truth

_TAN_EIGHTH_TURN = 0.4142135623730951  # tan π/8

# Exponents for `atan2`: denominators above the first are scaled by the second, below the third by the fourth;
# numerators below the fifth make quotients whose own rounding is all there is.
_SCALES = {DOUBLE: (990, -64, -900, 120, -960), SINGLE: (110, -32, -60, 60, -100)}


def _eighths(e: Lanes) -> tuple[tuple[float, ...], ...]:
    """π/4, π/2, 3π/4 and π, each as the sum of two numbers."""
    high, low, *_ = e.numbers.half_pi
    return (high / 2, low / 2), (high, low), e.numbers.three_quarter_pi, (2 * high, 2 * low)


def _arc(e: Lanes, size: Real) -> tuple[Real, Real, Truth]:
    """(s, t, far) with asin |x| = s + t where |x| <= 1/2, else π/2 - 2 (s + t).

    Beyond 1/2 the half-angle formula leads back: acos |x| = 2 asin √((1 - |x|)/2). What the rounding of the
    root left out is part of t.
    """
    far = e.compare("ogt", size, e.real(0.5))
    half = e.mul(e.sub(e.real(1.0), size), e.real(0.5))
    root = e.sqrt(half)
    z = e.select(far, half, e.mul(size, size))
    s = e.select(far, root, size)
    divisor = e.select(e.compare("oeq", root, e.real(0.0)), e.real(1.0), e.add(root, root))
    left_out = e.div(e.product_error(root, root, half), divisor)
    t = e.fma(e.mul(s, z), e.polynomial(z, e.numbers.asin), e.select(far, left_out, e.real(0.0)))
    return s, t, far


def asin(e: Lanes, x: Real) -> Real:
    """asin x; NaN outside [-1, 1]."""
    sign, size = e.sign_of(x), e.abs(x)
    s, t, far = _arc(e, size)
    high, low, *_ = e.numbers.half_pi
    twice = e.add(s, s)
    w = e.sub(e.real(high), twice)
    w_low = e.sub(e.sub(e.real(high), w), twice)
    rest = e.sub(e.add(t, t), e.real(low))
    beyond = e.add(w, e.sub(w_low, rest))
    return e.flip_sign(e.select(far, beyond, e.add(s, t)), sign)


def acos(e: Lanes, x: Real) -> Real:
    """acos x; NaN outside [-1, 1]. One formula, base - v, with base 0, π/2 or π."""
    sign, size = e.sign_of(x), e.abs(x)
    s, t, far = _arc(e, size)
    high, low, *_ = e.numbers.half_pi
    below = e.compare("olt", x, e.real(0.0))
    base = e.select(far, e.select(below, e.real(2 * high), e.real(0.0)), e.real(high))
    base_low = e.select(far, e.select(below, e.real(2 * low), e.real(0.0)), e.real(low))
    # near: v = x;  far: v = 2 s for negative x, -2 s for positive x
    turned = e.integers("xor", sign, e.sign_bit)
    v = e.select(far, e.flip_sign(e.add(s, s), turned), x)
    v_low = e.select(far, e.flip_sign(e.add(t, t), turned), e.flip_sign(t, sign))
    w = e.sub(base, v)
    w_low = e.sub(e.sub(base, w), v)
    return e.add(w, e.sub(w_low, e.sub(v_low, base_low)))


def atan2(e: Lanes, y: Real, x: Real) -> Real:
    """Angle of the point (x, y) in (-π, π], all signs of zero and infinity as in C99.

    The quotient of the smaller by the larger coordinate, a/b, is brought below tan π/8 by turning the point
    back by π/4 where it must: (a - b)/(a + b). Its error goes into the result as well.
    """
    y_sign, x_sign = e.sign_of(y), e.sign_of(x)
    y_size, x_size = e.abs(y), e.abs(x)
    steep = e.compare("ogt", y_size, x_size)
    a = e.select(steep, x_size, y_size)
    b = e.select(steep, y_size, x_size)
    # Two infinities count as equal, one as infinitely larger; nothing divides by 0.
    infinite = e.real(float("inf"))
    unbounded = e.compare("oeq", b, infinite)
    a = e.select(unbounded, e.select(e.compare("oeq", a, infinite), e.real(1.0), e.real(0.0)), a)
    b = e.select(unbounded, e.real(1.0), b)
    b = e.select(e.compare("oeq", b, e.real(0.0)), e.real(1.0), b)
    # Far from overflow and underflow of the error terms; the quotient stays the same.
    highest, down, lowest, up, negligible = _SCALES[e.precision]
    scale = e.select(e.compare("ogt", b, e.real(2.0**highest)), e.real(2.0**down), e.real(1.0))
    scale = e.select(e.compare("olt", b, e.real(2.0**lowest)), e.real(2.0**up), scale)
    a, b = e.mul(a, scale), e.mul(b, scale)

    turn = e.compare("ogt", a, e.mul(b, e.real(_TAN_EIGHTH_TURN)))
    total, total_low = e.fast_two_sum(b, a)
    difference = e.sub(a, b)
    difference_low = e.sub(a, e.add(difference, b))
    over, over_low = e.select(turn, difference, a), e.select(turn, difference_low, e.real(0.0))
    under, under_low = e.select(turn, total, b), e.select(turn, total_low, e.real(0.0))
    q = e.div(over, under)
    left = e.sub(e.add(e.product_error(q, under, over), over_low), e.mul(q, under_low))
    # Where the error itself would be subnormal, q is so small that its own rounding is all there is.
    left = e.select(e.compare("olt", a, e.real(2.0**negligible)), e.real(0.0), left)
    z = e.mul(q, q)
    # atan(q + ε) = atan q + ε / (1 + q²)
    error = e.div(left, e.fma(under, z, under))
    t = e.fma(e.mul(q, z), e.polynomial(z, e.numbers.atan), error)

    # result = base ± (q + t): base is 0, π/2 where steep, π where x is negative, and π/4 nearer where turned
    leftward = e.nonzero(x_sign)
    base, base_low = (
        e.select(
            turn,
            e.select(leftward, e.real(three), e.real(one)),
            e.select(steep, e.real(two), e.select(leftward, e.real(four), e.real(0.0))),
        )
        for one, two, three, four in zip(*_eighths(e), strict=True)
    )
    flipped = Truth(e.line(f"xor {e.truth_type} {steep}, {leftward}"))
    v = e.select(flipped, e.neg(q), q)
    v_low = e.select(flipped, e.neg(t), t)
    w = e.add(base, v)
    w_low = e.sub(v, e.sub(w, base))
    value = e.add(w, e.add(e.add(w_low, base_low), v_low))
    value = e.select(e.compare("uno", x, y), e.add(x, y), value)
    return e.flip_sign(value, y_sign)
