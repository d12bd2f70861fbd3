"""Derive the polynomial coefficients of `whippletree.kernels.vecmath_tables` with the Remez exchange.

Run `python bench/vecmath_coefficients.py`; it prints each table with the largest relative error of the
rounded polynomial, as a power of two, over its interval. Needs mpmath.

Each function is split into leading terms, which the code adds exactly, and a polynomial in z, whose
error counts only as far as it reaches the result: that share is the weight. Coefficients are rounded to
double one at a time, lowest first, and the rest is fitted anew after each rounding, so that the rounding
of one is made good by the others.
"""

from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.prec = 200
Real = Any  # numbers of mpmath, which has no type information
Function = Callable[[Real], Real]


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
    """Remez coefficients as doubles, lowest rounded first and the rest fitted again."""
    done: list[float] = []
    for k in range(degree + 1):

        def rest(z: Real, c: list[float] = done, k: int = k) -> Real:
            return (f(z) - mp.polyval([mp.mpf(x) for x in c[::-1]] or [mp.mpf(0)], z)) / z**k

        done.append(float(remez(rest, lambda z, k=k: weight(z) * z**k, a, b, degree - k)[0]))
    return done


def table(name: str, f: Function, weight: Function, b: Real, degree: int, a: Real = None) -> None:
    """Print one table and the error of its rounded polynomial."""
    a = b / 2**20 if a is None else a
    # Where the interval holds 0 the weights of the later fits vanish inside it: round one fit.
    c = rounded(f, weight, a, b, degree) if a > 0 else [float(x) for x in remez(f, weight, a, b, degree)]
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
        5,
    )
    table("COS", lambda z: (mp.cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / mp.cos(sqrt(z)), quarter, 5)
    table(
        "ASIN",
        lambda z: (mp.asin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mp.asin(sqrt(z)),
        one / 4,
        12,
    )
    eighth = mp.tan(mp.pi / 8) ** 2 * (one + mp.mpf(2) ** -20)
    table(
        "ATAN",
        lambda z: (mp.atan(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mp.atan(sqrt(z)),
        eighth,
        10,
    )
    half = mp.log(2) / 2 * (one + mp.mpf(2) ** -20)
    table(
        "EXP",
        lambda r: (mp.exp(r) - 1 - r) / r**2,
        lambda r: r**2 / mp.exp(r),
        half,
        9,
        a=-half * mp.mpf("1.0001"),
    )
    # log((1 + s) / (1 - s)) = 2 s + s z L(z), z = s²
    largest = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * (one + mp.mpf(2) ** -20)
    table(
        "LOG",
        lambda z: (2 * mp.atanh(sqrt(z)) / sqrt(z) - 2) / z,
        lambda z: z * sqrt(z) / (2 * mp.atanh(sqrt(z))),
        largest,
        6,
    )
    with mp.workprec(1500):
        bits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (64 * 20)))
    print("TWO_OVER_PI = (")
    for i in range(20):
        print(f"    0x{bits >> (64 * (19 - i)) & (2**64 - 1):016X},")
    print(")")
    rest = mp.pi / 2
    for k in range(3):
        part = float(rest)
        print(f"HALF_PI_{k + 1} = {part!r}")
        rest -= mp.mpf(part)
    rest = mp.pi / 2
    for k in range(4):
        part = (
            float(mp.floor(rest * mp.mpf(2) ** (32 + 33 * k)) / mp.mpf(2) ** (32 + 33 * k))
            if k < 3
            else float(rest)
        )
        print(f"HALF_PI_SHORT_{k + 1} = {part!r}")
        rest -= mp.mpf(part)
    high = float(mp.floor(mp.log(2) * mp.mpf(2) ** 41) / mp.mpf(2) ** 41)
    print(f"LN2_HIGH = {high!r}\nLN2_LOW = {float(mp.log(2) - mp.mpf(high))!r}")


if __name__ == "__main__":
    main()
