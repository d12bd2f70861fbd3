"""Derive the numbers of `kernels/emit/vecmath/tables.py`: polynomials by the Remez exchange, split constants.

Run `python bench/vecmath_coefficients.py [float32]`; it prints each table with the largest relative error of
the rounded polynomial, as a power of two, over its interval. Needs mpmath.

Each function is split into leading terms, which the code adds exactly, and a polynomial in z, whose
error counts only as far as it reaches the result: that share is the weight. Coefficients are rounded
one at a time, lowest first, and the rest is fitted anew after each rounding, so that the rounding
of one is made good by the others.
"""

import sys
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.prec = 200
SINGLE = sys.argv[1:] == ["float32"]
Real = Any  # numbers of mpmath, which has no type information
Function = Callable[[Real], Real]


def real(x: Real) -> float:
    """The number, rounded to the precision."""
    return float(np.float32(float(x))) if SINGLE else float(x)


def degree(of_doubles: int, of_floats: int) -> int:
    return of_floats if SINGLE else of_doubles


def remez(f: Function, weight: Function, a: Real, b: Real, degree: int) -> list[Real]:
    """Coefficients, lowest first, of the polynomial with the least largest weighted error on [a, b]."""
    count = degree + 2
    nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / count) for i in range(count)]
    coefficients: list[Real] = []
    for _ in range(12):
        rows = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for i, z in enumerate(nodes):
            for j in range(degree + 1):
                rows[i, j] = z**j
            rows[i, degree + 1] = (-1) ** i / weight(z)
            right[i] = f(z)
        solution = mp.lu_solve(rows, right)
        coefficients = list(solution[: degree + 1])

        def error(z: Real, c: list[Real] = coefficients) -> Real:
            return weight(z) * (mp.polyval(c[::-1], z) - f(z))

        fine = [a + (b - a) * (1 - mp.cos(mp.pi * i / 600)) / 2 for i in range(601)]
        values = [error(z) for z in fine]
        peaks: list[tuple[Real, Real]] = []  # the largest error of each run of one sign
        for z, e in zip(fine, values, strict=True):
            if e == 0:
                continue
            if peaks and (peaks[-1][1] > 0) == (e > 0):
                if abs(e) > abs(peaks[-1][1]):
                    peaks[-1] = (z, e)
            else:
                peaks.append((z, e))
        while len(peaks) > count:
            peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
        if len(peaks) < count:
            break
        nodes = [z for z, _ in peaks]
        sizes = [abs(e) for _, e in peaks]
        if max(sizes) < min(sizes) * mp.mpf("1.01"):
            break
    return coefficients


def rounded(f: Function, weight: Function, a: Real, b: Real, degree: int) -> list[float]:
    """Remez coefficients, lowest rounded first and the rest fitted again."""
    done: list[float] = []
    for k in range(degree + 1):

        def rest(z: Real, c: list[float] = done, k: int = k) -> Real:
            return (f(z) - mp.polyval([mp.mpf(x) for x in c[::-1]] or [mp.mpf(0)], z)) / z**k

        done.append(real(remez(rest, lambda z, k=k: weight(z) * z**k, a, b, degree - k)[0]))
    return done


def table(name: str, f: Function, weight: Function, b: Real, degree: int, a: Real = None) -> None:
    """Print one table and the error of its rounded polynomial."""
    a = b / 2**20 if a is None else a
    # Where the interval holds 0 the weights of the later fits vanish inside it: round one fit.
    c = rounded(f, weight, a, b, degree) if a > 0 else [real(x) for x in remez(f, weight, a, b, degree)]
    points = [a + (b - a) * i / 4000 for i in range(4001)]
    worst = max(abs(weight(z) * (mp.polyval([mp.mpf(x) for x in c[::-1]], z) - f(z))) for z in points)
    print(f"# largest relative error 2^{float(mp.log(worst, 2)):.1f}")
    print(f"{name} = (")
    for x in c:
        print(f"    {x!r},")
    print(")")


def main() -> None:
    one = mp.mpf(1)
    sqrt = mp.sqrt
    quarter = (mp.pi / 4 * (one + mp.mpf(2) ** -20)) ** 2
    table(
        "SIN",
        lambda z: (mp.sin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mp.sin(sqrt(z)),
        quarter,
        degree(5, 3),
    )
    table(
        "COS",
        lambda z: (mp.cos(sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / mp.cos(sqrt(z)),
        quarter,
        degree(5, 2),
    )
    table(
        "ASIN",
        lambda z: (mp.asin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mp.asin(sqrt(z)),
        one / 4,
        degree(12, 5),
    )
    eighth = mp.tan(mp.pi / 8) ** 2 * (one + mp.mpf(2) ** -20)
    table(
        "ATAN",
        lambda z: (mp.atan(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mp.atan(sqrt(z)),
        eighth,
        degree(10, 4),
    )
    half = mp.log(2) / 2 * (one + mp.mpf(2) ** -20)
    table(
        "EXP",
        lambda r: (mp.exp(r) - 1 - r) / r**2,
        lambda r: r**2 / mp.exp(r),
        half,
        degree(9, 5),
        a=-half * mp.mpf("1.0001"),
    )
    # log((1 + s) / (1 - s)) = 2 s + s z L(z), z = s²
    largest = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * (one + mp.mpf(2) ** -20)
    table(
        "LOG",
        lambda z: (2 * mp.atanh(sqrt(z)) / sqrt(z) - 2) / z,
        lambda z: z * sqrt(z) / (2 * mp.atanh(sqrt(z))),
        largest,
        degree(6, 2),
    )
    with mp.workprec(1500):
        bits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (64 * 20)))
    print("TWO_OVER_PI = (")
    for i in range(20):
        print(f"    0x{bits >> (64 * (19 - i)) & (2**64 - 1):016X},")
    print(")")
    print(f"HALF_PI = {split(mp.pi / 2, [None] * 3)}")
    short = [14, 14, 14] if SINGLE else [33, 33, 33]
    print(f"HALF_PI_SHORT = {split(mp.pi / 2, [*short, None])}")
    print(f"THREE_QUARTER_PI = {split(3 * mp.pi / 4, [None] * 2)}")
    print(f"LN2 = {split(mp.log(2), [15 if SINGLE else 41, None])}")


def split(number: Real, bits: list[int | None]) -> tuple[float, ...]:
    """A number as a sum of parts of so many bits, cut off; None: all there are, rounded."""
    parts = []
    for count in bits:
        part = real(number)
        if count is not None:
            unit = mp.mpf(2) ** (int(mp.floor(mp.log(number, 2))) + 1 - count)
            part = float(mp.floor(number / unit) * unit)
        parts.append(part)
        number -= mp.mpf(part)
    return tuple(parts)


if __name__ == "__main__":
    main()
