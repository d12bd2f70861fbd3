"""Largest error of the vector functions: of doubles against mpmath on a million arguments a function, of
floats against NumPy's functions of doubles on all there are.

Run `python bench/vecmath_accuracy.py [COUNT]` or `python bench/vecmath_accuracy.py float32 [STRIDE]`, where
every STRIDE-th float is taken. Each takes some minutes; the tests do the same on fewer points.
"""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).parents[1] / "tests"
BLOCK = 2**26  # floats at a time


def loaded(name: str) -> dict[str, Any]:
    sys.path.insert(0, str(TESTS))
    return runpy.run_path(str(TESTS / "oracle" / name))


def doubles(count: int) -> None:
    test = loaded("test_kernels_vecmath.py")
    evaluate, sets, ulps = test["evaluate"], test["sets"], test["ulps"]
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


def floats(stride: int) -> None:
    test = loaded("test_single_vecmath.py")
    width = test["WIDTHS"][-1]
    for name, true_function in test["NAMES"].items():
        for fma in test["FMA"]:
            worst, where, count = 0.0, 0.0, 0
            for first in range(0, 2**32, BLOCK):
                x = test["all_over"](first, stride, first + BLOCK)
                values = test["evaluate"](name, (x,), width, fma)
                with np.errstate(all="ignore"):
                    error = test["ulps"](true_function(x.astype(float)), values)
                count += len(x)
                k = int(np.argmax(error))
                if error[k] > worst:
                    worst, where = float(error[k]), float(x[k])
            mark = "" if worst <= 2.0 else "  WRONG"
            print(
                f"{name:6} fma {fma!s:5} {count:10} floats  {worst:.3f} ulp at {where:.9g}{mark}", flush=True
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["float32"]:
        floats(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    else:
        doubles(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
