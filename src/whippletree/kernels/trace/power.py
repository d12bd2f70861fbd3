"""Powers of traced scalars, by products where the exponent is known and small, else by exp and log."""

from __future__ import annotations

from typing import Any

_LARGEST = 64.0  # exponent of a power that is multiplied out


def power(base: Any, exponent: Any) -> Any:
    """base to the exponent, as NumPy has it for floats: NaN for roots of negative numbers, 1 for 0 to the 0.

    Whole and half exponents up to 64 are multiplied out, with a square root.
    """
    known = exponent.known
    if known is None or 2.0 * known != round(2.0 * known) or abs(known) > _LARGEST:
        return _by_logarithm(base, exponent)
    result = _multiplied(base, int(abs(known)))
    if known % 1.0:
        result = result * base.sqrt()
    return 1.0 / result if known < 0.0 else result


def _multiplied(base: Any, times: int) -> Any:
    """The product of equal factors, squaring as often as possible."""
    result: Any = 0.0 * base + 1.0
    while times:
        if times & 1:
            result = result * base
        times >>= 1
        if times:
            base = base * base
    return result


def _by_logarithm(base: Any, exponent: Any) -> Any:
    """exp(exponent log|base|), with the sign that whole exponents give to negative bases."""
    whole, half = exponent == exponent.__floor__(), 0.5 * exponent
    size = (exponent * whole.where(abs(base), base).log()).exp()
    odd = (base < 0.0) & whole & (half != half.__floor__())
    return (exponent == 0.0).where(1.0, odd.where(-size, size))
