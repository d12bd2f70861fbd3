"""Largest error of the vector functions against mpmath, on a million arguments a function.

Run `python bench/vecmath_accuracy.py [COUNT]`. It takes some minutes; the tests do the same on fewer points.
"""

import runpy
import sys
from pathlib import Path

import numpy as np


def main() -> None:
    test = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "oracle" / "test_kernels_vecmath.py"))
    evaluate, sets, ulps = test["evaluate"], test["sets"], test["ulps"]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng()
    for name in test["NAMES"]:
        groups = len(list(sets(name, rng, 1)))
        for points in sets(name, rng, -(-count // groups)):
            for fma in test["FMA"]:
                values = evaluate(name, points, 1, fma)
                alike = all(np.array_equal(evaluate(name, points, w, fma), values) for w in test["WIDTHS"])
                error, where = ulps(name, points, values)
                mark = "" if error <= 2.0 and alike else "  WRONG"
                print(
                    f"{name:6} fma {fma!s:5} {len(values):8} points  {error:.3f} ulp at {where}{mark}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
