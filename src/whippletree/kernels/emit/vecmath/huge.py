"""Range reduction of arguments too large for subtraction: Payne and Hanek's method in integers.

x = m 2^E with a 53-bit integer m. Of 2/π only the 192 binary digits matter that meet m above the noise and
below a whole turn: their product with m, taken modulo 2^192, is the quadrant (two bits) and the fraction
of a quadrant (190 bits, 137 of them exact; no double comes closer than 2^-62 to a multiple of π/2).
"""

from ...trace.precision import DOUBLE
from .lanes import Form
from .tables import TABLES, TWO_OVER_PI

# A word of zeros in front, so that the window of digits may begin before the point.
_WORDS = (0, *TWO_OVER_PI)
_HALF_PI_63 = 0xC90FDAA22168C234  # π/2 · 2^63, rounded down


def symbol(form: Form) -> str:
    """Name of the IR function for numbers of a form."""
    return "@wt.huge" if form.width == 1 and form.precision is DOUBLE else f"@wt.huge.{form.width}"


def scalar_definition() -> str:
    """IR of `@wt.huge`: x > 0, a double, to (r, r', k), where x = k π/2 + r + r' modulo 2π and |r| <= π/4.

    r' is what rounding left out of r; k holds the quadrant in its lowest two bits. inf gives NaN.
    """
    words = ", ".join(f"i64 {w if w < 2**63 else w - 2**64}" for w in _WORDS)
    return f"""
@wt.digits = private unnamed_addr constant [{len(_WORDS)} x i64] [{words}]

define internal {{double, double, i64}} @wt.huge(double %x) noinline {{
  %bits = bitcast double %x to i64
  %exponent = lshr i64 %bits, 52
  %finite = icmp ult i64 %exponent, 2047
  br i1 %finite, label %reduce, label %nan
nan:
  ret {{double, double, i64}} {{double 0x7FF8000000000000, double 0x7FF8000000000000, i64 0}}
reduce:
  ; E = exponent - 1075; the window begins 2 bits above the digit of weight 2^-E, 64 zero bits in front
  %begin = sub i64 %exponent, {1075 + 2 - 64}
  %word = lshr i64 %begin, 6
  %shift = and i64 %begin, 63
  %p0 = getelementptr i64, ptr @wt.digits, i64 %word
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %p3 = getelementptr i64, ptr %p0, i64 3
  %d0 = load i64, ptr %p0
  %d1 = load i64, ptr %p1
  %d2 = load i64, ptr %p2
  %d3 = load i64, ptr %p3
  %w0 = call i64 @llvm.fshl.i64(i64 %d0, i64 %d1, i64 %shift)
  %w1 = call i64 @llvm.fshl.i64(i64 %d1, i64 %d2, i64 %shift)
  %w2 = call i64 @llvm.fshl.i64(i64 %d2, i64 %d3, i64 %shift)
  %low = and i64 %bits, {2**52 - 1}
  %m = or i64 %low, {2**52}
  ; m times the window modulo 2^192; its lowest word is below the noise
  %m128 = zext i64 %m to i128
  %w1x = zext i64 %w1 to i128
  %w2x = zext i64 %w2 to i128
  %low128 = mul i128 %m128, %w2x
  %carry0 = lshr i128 %low128, 64
  %middle = mul i128 %m128, %w1x
  %middle1 = add i128 %middle, %carry0
  %top = mul i64 %m, %w0
  %top128 = zext i64 %top to i128
  %top1 = shl i128 %top128, 64
  %turn = add i128 %middle1, %top1
  ; two bits of quadrant, the rest a fraction: as a signed number it lies in [-1/2, 1/2)
  %quadrant = lshr i128 %turn, 126
  %fraction = shl i128 %turn, 2
  %half = lshr i128 %fraction, 127
  %k128 = add i128 %quadrant, %half
  %k = trunc i128 %k128 to i64
  %below = icmp slt i128 %fraction, 0
  %minus = sub i128 0, %fraction
  %size = select i1 %below, i128 %minus, i128 %fraction
  %zeros = call i128 @llvm.ctlz.i128(i128 %size, i1 false)
  %normal = shl i128 %size, %zeros
  %head128 = lshr i128 %normal, 64
  %product = mul i128 %head128, {_HALF_PI_63}
  %r65 = lshr i128 %product, 65
  %r62 = trunc i128 %r65 to i64
  %high = sitofp i64 %r62 to double
  %back = fptosi double %high to i64
  %left = sub i64 %r62, %back
  %low1 = sitofp i64 %left to double
  %zeros64 = trunc i128 %zeros to i64
  %scale_exponent = sub i64 {1023 - 62}, %zeros64
  %scale_bits = shl i64 %scale_exponent, 52
  %sign = select i1 %below, i64 {-(2**63)}, i64 0
  %scale_signed = or i64 %scale_bits, %sign
  %scale = bitcast i64 %scale_signed to double
  %r = fmul double %high, %scale
  %r_low = fmul double %low1, %scale
  %a = insertvalue {{double, double, i64}} undef, double %r, 0
  %b = insertvalue {{double, double, i64}} %a, double %r_low, 1
  %c = insertvalue {{double, double, i64}} %b, i64 %k, 2
  ret {{double, double, i64}} %c
}}
"""


def float_definition() -> str:
    """IR of `@wt.huge.1`: as `@wt.huge`, for a float, which is a double, too."""
    triple = "{float, float, i32}"
    return f"""
define internal {triple} @wt.huge.1(float %x) {{
  %wide = fpext float %x to double
  %t = call {{double, double, i64}} @wt.huge(double %wide)
  %r0 = extractvalue {{double, double, i64}} %t, 0
  %k0 = extractvalue {{double, double, i64}} %t, 2
  %r = fptrunc double %r0 to float
  %back = fpext float %r to double
  %left = fsub double %r0, %back
  %r_low = fptrunc double %left to float
  %k = trunc i64 %k0 to i32
  %a = insertvalue {triple} undef, float %r, 0
  %b = insertvalue {triple} %a, float %r_low, 1
  %c = insertvalue {triple} %b, i32 %k, 2
  ret {triple} %c
}}
"""


def vector_definition(form: Form, attributes: str) -> str:
    """IR of `@wt.huge.W`: replaces r, r', k in the lanes whose argument is larger than `large`."""
    width, real, bits = form.width, form.precision.element, form.precision.integer
    v, n = form.type, f"<{width} x {bits}>"
    one, triple = f"{{{real}, {real}, {bits}}}", f"{{{v}, {v}, {n}}}"
    return f"""
define internal {triple} {symbol(form)}({v} %x, {v} %r, {v} %r_low, {n} %k) noinline {attributes} {{
start:
  br label %lane
lane:
  %i = phi i32 [0, %start], [%i1, %next]
  %r0 = phi {v} [%r, %start], [%r2, %next]
  %l0 = phi {v} [%r_low, %start], [%l2, %next]
  %k0 = phi {n} [%k, %start], [%k2, %next]
  %xi = extractelement {v} %x, i32 %i
  %large = fcmp ogt {real} %xi, {TABLES[form.precision].large}
  br i1 %large, label %reduce, label %next
reduce:
  %t = call {one} {symbol(form.of_width(1))}({real} %xi)
  %tr = extractvalue {one} %t, 0
  %tl = extractvalue {one} %t, 1
  %tk = extractvalue {one} %t, 2
  %r1 = insertelement {v} %r0, {real} %tr, i32 %i
  %l1 = insertelement {v} %l0, {real} %tl, i32 %i
  %k1 = insertelement {n} %k0, {bits} %tk, i32 %i
  br label %next
next:
  %r2 = phi {v} [%r0, %lane], [%r1, %reduce]
  %l2 = phi {v} [%l0, %lane], [%l1, %reduce]
  %k2 = phi {n} [%k0, %lane], [%k1, %reduce]
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, {width}
  br i1 %more, label %lane, label %done
done:
  %a = insertvalue {triple} undef, {v} %r2, 0
  %b = insertvalue {triple} %a, {v} %l2, 1
  %c = insertvalue {triple} %b, {n} %k2, 2
  ret {triple} %c
}}
"""
