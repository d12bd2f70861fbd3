"""Inverse trigonometric functions over lanes."""

from .lanes import Lanes, Real, Truth
from .tables import ASIN, ATAN, HALF_PI

_TAN_EIGHTH_TURN = 0.4142135623730951  # tan π/8
# π/4, π/2, 3π/4 and π, each as the sum of two doubles.
_EIGHTHS = (
    (HALF_PI[0] / 2, HALF_PI[1] / 2),
    (HALF_PI[0], HALF_PI[1]),
    (2.356194490192345, 9.184850993605148e-17),
    (2 * HALF_PI[0], 2 * HALF_PI[1]),
)


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
    t = e.fma(e.mul(s, z), e.polynomial(z, ASIN), e.select(far, left_out, e.real(0.0)))
    return s, t, far


def asin(e: Lanes, x: Real) -> Real:
    """asin x; NaN outside [-1, 1]."""
    sign, size = e.sign_of(x), e.abs(x)
    s, t, far = _arc(e, size)
    twice = e.add(s, s)
    w = e.sub(e.real(HALF_PI[0]), twice)
    w_low = e.sub(e.sub(e.real(HALF_PI[0]), w), twice)
    rest = e.sub(e.add(t, t), e.real(HALF_PI[1]))
    beyond = e.add(w, e.sub(w_low, rest))
    return e.flip_sign(e.select(far, beyond, e.add(s, t)), sign)


def acos(e: Lanes, x: Real) -> Real:
    """acos x; NaN outside [-1, 1]. One formula, base - v, with base 0, π/2 or π."""
    sign, size = e.sign_of(x), e.abs(x)
    s, t, far = _arc(e, size)
    below = e.compare("olt", x, e.real(0.0))
    base = e.select(far, e.select(below, e.real(2 * HALF_PI[0]), e.real(0.0)), e.real(HALF_PI[0]))
    base_low = e.select(far, e.select(below, e.real(2 * HALF_PI[1]), e.real(0.0)), e.real(HALF_PI[1]))
    # near: v = x;  far: v = 2 s for negative x, -2 s for positive x
    turned = e.integers("xor", sign, e.integer(1 << 63))
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
    scale = e.select(e.compare("ogt", b, e.real(2.0**990)), e.real(2.0**-64), e.real(1.0))
    scale = e.select(e.compare("olt", b, e.real(2.0**-900)), e.real(2.0**120), scale)
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
    left = e.select(e.compare("olt", a, e.real(2.0**-960)), e.real(0.0), left)
    z = e.mul(q, q)
    # atan(q + ε) = atan q + ε / (1 + q²)
    error = e.div(left, e.fma(under, z, under))
    t = e.fma(e.mul(q, z), e.polynomial(z, ATAN), error)

    # result = base ± (q + t): base is 0, π/2 where steep, π where x is negative, and π/4 nearer where turned
    leftward = e.nonzero(x_sign)
    base, base_low = (
        e.select(
            turn,
            e.select(leftward, e.real(three), e.real(one)),
            e.select(steep, e.real(two), e.select(leftward, e.real(four), e.real(0.0))),
        )
        for one, two, three, four in zip(*_EIGHTHS, strict=True)
    )
    flipped = Truth(e.line(f"xor {e.truth_type} {steep}, {leftward}"))
    v = e.select(flipped, e.neg(q), q)
    v_low = e.select(flipped, e.neg(t), t)
    w = e.add(base, v)
    w_low = e.sub(v, e.sub(w, base))
    value = e.add(w, e.add(e.add(w_low, base_low), v_low))
    value = e.select(e.compare("uno", x, y), e.add(x, y), value)
    return e.flip_sign(value, y_sign)
