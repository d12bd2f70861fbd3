"""A program as trigonometric polynomials, and those as SymPy expressions to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ..trace.program import Program, operands
from .trigonometric import ROUNDING, NotTrigonometric, Trigonometric

Monomials = dict[tuple[int, ...], float]
"""A polynomial in the symbols: coefficients by powers."""

Angle = tuple[int, ...]
"""A sum of angles: how many times each of them."""

Wave = tuple[tuple[str, Angle], ...]
"""A product of sines and cosines of sums of angles."""

NOISE = 1e-14
"""A number that differs from a shorter one by less, relative to it, is that one."""

LARGEST_DENOMINATOR = 12
"""An expression whose numbers all are fractions up to it shows them as such, others have decimals."""

RULES: dict[str, Callable[..., Trigonometric]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
}
"""The operations that lead from one trigonometric polynomial to another."""


def evaluated(program: Program, inputs: Sequence[Trigonometric]) -> list[Trigonometric]:
    """Every output scalar of a program, in C order, from its input scalars.

    Coefficients below 1e-12 of the largest one in all outputs are dropped.

    Raises:
        NotTrigonometric: An operation leads elsewhere.
        TooManyTerms: An expression on the way is longer than the ring allows.
    """
    ring = inputs[0].ring
    values = [*inputs, *(ring.number(value) for value in program.constants)]
    for op, _, numbers in operands(program):
        if op not in RULES:
            raise NotTrigonometric(f"the operation {op!r}")
        values.append(RULES[op](*(values[n] for n in numbers)))
    results = [values[n] for n in program.results]
    floor = ROUNDING * max((result.size for result in results), default=0.0)
    return [result.above(floor) for result in results]


def to_expression(polynomial: Trigonometric, symbols: Sequence[Any]) -> Any:
    """A SymPy expression: per sine, cosine or product of two a coefficient, its common factors in front.

    Two waves of equal weight are written as one product, and a cosine of twice an angle as a square, where
    that leaves fewer terms.

    Args:
        polynomial: A real trigonometric polynomial.
        symbols: SymPy symbols, those that may be angles first.
    """
    import sympy

    waves: dict[Wave, Monomials] = {}
    for (k, powers), value in polynomial.terms.items():
        leading = next((x for x in k if x), 0)
        if leading >= 0:  # the opposite multiples have the conjugate coefficient
            double = 2.0 if leading else 1.0
            for kind, part in (("cos", double * value.real), ("sin", -2.0 * value.imag)):
                if abs(part) > ROUNDING * polynomial.size:
                    waves.setdefault(((kind, k),), {})[powers] = part
    angles = symbols[: polynomial.ring.angles]
    parts = _with_squares(_with_products(waves))
    number = _fraction if all(_is_fraction(x) for c in parts.values() for x in c.values()) else _decimal
    total = sympy.S.Zero
    for wave, coefficient in sorted(parts.items()):
        shape = sympy.S.One
        for kind, k in wave:
            angle = sum((n * symbol for n, symbol in zip(k, angles, strict=True)), sympy.S.Zero)
            shape = shape * (sympy.cos(angle) if kind == "cos" else sympy.sin(angle))
        total = total + _polynomial(coefficient, symbols, number) * shape
    return total


def _with_products(waves: dict[Wave, Monomials]) -> dict[Wave, Monomials]:
    """c cos A ± c cos B and c sin A ± c sin B as products of half the sum and half the difference."""
    products: dict[Wave, Monomials] = {}
    left = sorted(waves)
    while left:
        first = left.pop(0)
        ((kind, a),) = first
        for second in left:
            ((other, b),) = second
            if other != kind or any((x + y) % 2 for x, y in zip(a, b, strict=True)) or not any(a):
                continue
            sign = next((s for s in (1.0, -1.0) if not _sum(waves[first], waves[second], -s)), None)
            if sign is not None:
                half_sum = tuple((x + y) // 2 for x, y in zip(a, b, strict=True))
                half_difference = tuple((x - y) // 2 for x, y in zip(a, b, strict=True))
                left.remove(second)
                _add_product(products, kind, sign, half_sum, half_difference, waves[first])
                break
        else:
            products[first] = waves[first]
    return products


def _add_product(
    products: dict[Wave, Monomials], kind: str, sign: float, s: Angle, d: Angle, c: Monomials
) -> None:
    """c (cos A ± cos B) or c (sin A ± sin B), with the half sum s and the half difference d."""
    kinds = {
        ("cos", 1.0): ("cos", "cos", 2.0),
        ("cos", -1.0): ("sin", "sin", -2.0),
        ("sin", 1.0): ("sin", "cos", 2.0),
        ("sin", -1.0): ("cos", "sin", 2.0),
    }
    of_sum, of_difference, factor = kinds[kind, sign]
    wave = tuple(sorted(((of_sum, s), (of_difference, d))))
    products[wave] = {powers: factor * value for powers, value in c.items()}


def _with_squares(waves: dict[Wave, Monomials]) -> dict[Wave, Monomials]:
    """c cos 2θ as -c + 2c cos² θ or c - 2c sin² θ, where the constant part gets shorter by it."""
    parts = dict(waves)
    for wave, c in waves.items():
        kind, k = wave[0]
        if len(wave) > 1 or kind == "sin" or not any(k) or any(n % 2 for n in k):
            continue
        none: Wave = (("cos", (0,) * len(k)),)
        constant = parts.get(none, {})
        for square, sign in (("cos", -1.0), ("sin", 1.0)):
            rest = _sum(constant, c, sign)
            if len(rest) < len(constant):
                del parts[wave]
                half = (square, tuple(n // 2 for n in k))
                parts[half, half] = {a: -2.0 * sign * value for a, value in c.items()}
                parts[none] = rest
                break
    return {wave: c for wave, c in parts.items() if c}


def _sum(a: Monomials, b: Monomials, sign: float) -> Monomials:
    """a + sign · b."""
    total = dict(a)
    for powers, value in b.items():
        total[powers] = total.get(powers, 0.0) + sign * value
    floor = ROUNDING * max(map(abs, (*a.values(), *b.values())), default=0.0)
    return {powers: value for powers, value in total.items() if abs(value) > floor}


def _polynomial(terms: Monomials, symbols: Sequence[Any], number: Callable[[float], Any]) -> Any:
    """The polynomial with the factors that all terms share in front."""
    import sympy

    shared = tuple(min(powers) for powers in zip(*terms, strict=True))
    least = min(terms.values(), key=abs)
    whole = all(abs(value / least - round(value / least)) < ROUNDING for value in terms.values())
    factor = least if whole else 1.0
    if all(value / factor < 0 for value in terms.values()):
        factor = -factor
    inside = sympy.S.Zero
    for powers, value in terms.items():
        left = [a - b for a, b in zip(powers, shared, strict=True)]
        inside = inside + number(value / factor) * _monomial(sympy, left, symbols)
    return number(factor) * _monomial(sympy, shared, symbols) * inside


def _monomial(sympy: Any, powers: Sequence[int], symbols: Sequence[Any]) -> Any:
    return sympy.Mul(*(symbol**n for symbol, n in zip(symbols, powers, strict=True)))


def _is_fraction(value: float) -> bool:
    return abs(value - Fraction(value).limit_denominator(LARGEST_DENOMINATOR)) <= ROUNDING * abs(value)


def _fraction(value: float) -> Any:
    import sympy

    fraction = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return sympy.Rational(fraction.numerator, fraction.denominator)


def _decimal(value: float) -> Any:
    """A short number without what rounding added to it, any other in full; whole ones are exact."""
    import sympy

    if abs(value - round(value)) <= ROUNDING * abs(value):
        return sympy.Integer(round(value))
    short = f"{value:.12g}"
    return sympy.Float(short if abs(float(short) - value) <= NOISE * abs(value) else f"{value:.15g}")
