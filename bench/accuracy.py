"""How many digits forward dynamics keeps: python bench/accuracy.py [most bodies].

RBDA §10.1 says that ABA is more accurate than CRBA, and both good for thousands of bodies, without numbers.
Here are some: errors against the same algorithm in 50 digits, for chains and for binary trees of equal
bodies, beside the condition number of H; and figure 10.2, a body far from the origin of its frame. No time is
measured, so that anything may run beside it.
"""

import json
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

import whippletree as wt
from whippletree.benchmark.environment import machine_record
from whippletree.dynamics.aba import aba
from whippletree.dynamics.forward_crba import forward_dynamics_crba
from whippletree.dynamics.rnea import rnea

DIGITS, STATES = 50, 5
CRBA_CHAIN = 256
"""Links up to which a chain is solved by CRBA: its cost grows with the cube, in plain Python."""


def unary(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """A method of `Long` out of a function of one number."""
    return lambda self: Long(function(self.value))


def binary(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A method of `Long` out of a function of two numbers."""
    return lambda self, other: Long(function(self.value, Long(other).value))


class Long:
    """A number of 50 digits with the methods that NumPy asks a scalar of its object arrays for."""

    def __init__(self, value: Any) -> None:
        self.value = value.value if isinstance(value, Long) else mpmath.mpf(value)

    def __float__(self) -> float:
        return float(self.value)

    __neg__, sin, cos = unary(operator.neg), unary(mpmath.sin), unary(mpmath.cos)
    __add__ = __radd__ = binary(operator.add)
    __mul__ = __rmul__ = binary(operator.mul)
    __sub__, __rsub__ = binary(operator.sub), binary(lambda x, y: y - x)
    __truediv__, __rtruediv__ = binary(operator.truediv), binary(lambda x, y: y / x)


def long(values: Any) -> np.ndarray:
    """An array of numbers of 50 digits."""
    return np.array([Long(value) for value in values], dtype=object)


def links(n: int, is_tree: bool) -> wt.Mechanism:
    """Bodies in a row, or two on each, whose numbers and their products are exact in binary.

    What is not would be rounded when the mechanism is built, and the 50 digits were those of another one.
    """
    m = wt.Mechanism("tree" if is_tree else "chain")
    body = wt.Inertia(1.0, (0.5, 0.0, 0.0), np.diag([1 / 64, 1 / 4, 1 / 4]))
    for i in range(n):
        parent = (i - 1) // 2 if is_tree else i - 1
        place = wt.Placement((1.0, 0.0, 0.0)) if i else None
        m.add_body(f"b{i}", wt.Revolute("zyx"[i % 3]), f"b{parent}" if i else "ground", place, body)
    return m


def errors(m: wt.Mechanism, with_crba: bool) -> dict[str, Any]:
    """Largest errors as a share of the largest acceleration, the median of some states."""
    rng, found = np.random.default_rng(1), {"aba": [], "crba": [], "condition": []}
    for _ in range(STATES if m.nv <= 256 else 1):
        q, qd, tau = m.random(rng), rng.normal(size=m.nv), rng.normal(size=m.nv)
        exact = aba(m, long(q), long(qd), long(tau))
        left = rnea(m, long(q), long(qd), exact) - long(tau)
        if max(abs(float(x)) for x in left) > 1e-30 * m.nv:
            raise SystemExit(f"{m.name} of {m.nv}: inverse dynamics does not lead back in {DIGITS} digits")
        largest = max(abs(float(x)) for x in exact)
        for name, solve in (("aba", aba), ("crba", forward_dynamics_crba))[: 1 + with_crba]:
            off = max(abs(float(Long(a) - b)) for a, b in zip(solve(m, q, qd, tau), exact, strict=True))
            found[name].append(off / largest)
        if with_crba:
            found["condition"].append(wt.sensitivity(m, q).condition)
    return {name: float(np.median(values)) if values else None for name, values in found.items()}


def figure_10_2() -> list[dict[str, float]]:
    """Errors of a_C, computed in a frame at the distance |c|: the median of 400 directions."""
    rows = []
    for distance in (0.1, 1.0, 10.0, 100.0, 1000.0):
        off = []
        for angle in np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 400):
            x, y = distance * np.cos(angle), distance * np.sin(angle)
            inertia = np.array([[1.0 + x * x + y * y, -y, x], [-y, 1.0, 0.0], [x, 0.0, 1.0]])
            v = np.array([1.0, y, -x])
            velocity_cross = np.array([[0.0, x, y], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
            force = np.array([1.0 + x + y, -1.0, 1.0])
            a = np.linalg.solve(inertia, force - velocity_cross @ inertia @ v)
            at_c = np.array([a[0], a[1] - y * a[0], a[2] + x * a[0]])
            off.append(np.max(np.abs(at_c - np.array([1.0, -1.0, 1.0]))))
        rows.append({"distance": distance, "error": float(np.median(off))})
    return rows


def main(most: int) -> None:
    """Both studies, as tables and as JSON beside this file."""
    mpmath.mp.dps = DIGITS
    rows = []
    for is_tree in (False, True):
        n = 4
        while n <= most:
            m = links(n, is_tree)
            row = {"mechanism": m.name, "bodies": n, **errors(m, is_tree or n <= CRBA_CHAIN)}
            rows.append(row)
            crba, condition = ("" if row[k] is None else f", {k} {row[k]:.0e}" for k in ("crba", "condition"))
            print(f"{m.name} of {n:5} bodies: error of aba {row['aba']:.0e}{crba}{condition}", flush=True)
            n *= 4
    far = figure_10_2()
    for row in far:
        print("origin {distance:6g} radii of gyration away: error {error:.0e}".format(**row))
    report = {"machine": machine_record(), "digits": DIGITS, "errors": rows, "figure_10_2": far}
    Path(__file__).with_suffix(".json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
