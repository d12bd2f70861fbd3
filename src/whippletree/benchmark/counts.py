"""Operations of kernels beside those of published programs: RBDA table 10.1, all of its rows.

GU(n) is n bodies in a row with revolute joints and general geometry and inertia. Sines and cosines are not
counted, as in the book; a division counts as a multiplication.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from .. import dynamics
from ..api.compiling import record
from ..dynamics.factor import ltdl
from ..joints import Revolute
from ..kernels.trace.recording import trace
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement, dot

Formula = Callable[[int], int]


class Published(NamedTuple):
    """One row of the table: multiplications and additions by n, and the numbers of its sources there."""

    multiplications: Formula
    additions: Formula
    source: str

    def total(self, n: int) -> int:
        """Multiplications and additions together."""
        return self.multiplications(n) + self.additions(n)


PUBLISHED: dict[str, tuple[Published, ...]] = {
    "rnea": (
        Published(lambda n: 93 * n - 108, lambda n: 81 * n - 100, "3"),
        Published(lambda n: 93 * n - 69, lambda n: 81 * n - 66, "1, 3"),
        Published(lambda n: 130 * n - 68, lambda n: 101 * n - 56, "6"),
        Published(lambda n: 150 * n - 48, lambda n: 131 * n - 48, "8"),
    ),
    "crba": (
        Published(lambda n: 10 * n**2 + 22 * n - 32, lambda n: 6 * n**2 + 37 * n - 43, "7, 14"),
        Published(lambda n: 10 * n**2 + 31 * n - 41, lambda n: 6 * n**2 + 40 * n - 46, "6"),
        Published(lambda n: 10 * n**2 + 41 * n - 51, lambda n: 6 * n**2 + 52 * n - 58, "9, 10"),
        Published(lambda n: 11 * n**2 + 11 * n - 42, lambda n: (11 * n**2 + 65 * n - 108) // 2, "2, 4"),
        Published(lambda n: 12 * n**2 + 56 * n - 27, lambda n: 7 * n**2 + 67 * n - 53, "12"),
    ),
    "factor and solve": (
        Published(lambda n: (n**3 + 9 * n**2 - 4 * n) // 6, lambda n: (n**3 + 6 * n**2 - 7 * n) // 6, "13"),
    ),
    "aba": (
        Published(lambda n: 224 * n - 259, lambda n: 205 * n - 248, "11"),
        Published(lambda n: 250 * n - 222, lambda n: 220 * n - 198, "5"),
        Published(lambda n: 300 * n - 267, lambda n: 279 * n - 259, "6"),
    ),
}


def gu(n: int) -> Mechanism:
    """GU(n), with gravity in a general direction."""
    rng = np.random.default_rng(n)
    m = Mechanism(f"GU({n})", gravity=rng.normal(size=3) * 5.0)
    for i in range(n):
        joint = Revolute(rng.normal(size=3))
        place = Placement(rng.normal(size=3), quaternion=rng.normal(size=4))
        masses, points = rng.uniform(0.2, 1.0, 6), rng.normal(size=(6, 3)) * 0.4 + rng.normal(size=3) * 0.2
        com = dot(masses, points) / masses.sum()
        arms = zip(masses, points - com, strict=True)
        about = sum(mass * (dot(r, r) * np.eye(3) - np.outer(r, r)) for mass, r in arms)
        body = Inertia(masses.sum(), com, about)
        m.add_body(f"b{i}", joint, f"b{i - 1}" if i else "ground", place, body)
    return m


@cache
def operations(name: str, n: int) -> int:
    """Multiplications, additions and divisions of a part of the table, as a kernel for GU(n)."""
    if name == "factor and solve":
        program = trace(lambda H, b: ltdl(H, list(range(-1, n - 1))).solve(b), {"H": (n, n), "b": (n,)})
    else:
        program = record(getattr(dynamics, name), gu(n))
    return sum(program.cost[kind] for kind in ("mul", "add", "div"))
