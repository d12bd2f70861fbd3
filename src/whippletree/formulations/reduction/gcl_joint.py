"""A dependent coordinate anywhere on coupled loops (Critchley & Anderson §5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...spatial import Array
from .inertia_terms import InertiaTerms
from .local_kinematics import Dependence
from .sweep import Terms
from .world import World


class DependentJoint:
    """A link whose coordinate keeps one loop closed: ⁰Â^k = W ⁰Â^{k-1} + X ⁰A_t^n (eq 38, 45).

    This is one step of (42)-(45). Other loops may pass the link, so there may be bases further out than the
    loop's own; s_a of those beyond its base add up to ⁰Â^{k-1} (eq 106).
    """

    def __init__(self, world: World, k: int, base: int, dependence: Dependence, A_t: Array) -> None:
        self.world, self.k, self.parent = world, k, world.opened.links[k].parent
        self.base, self.dependence, self.A_t = base, dependence, A_t

    def inward(self, terms: list[Terms]) -> Terms:
        x, X, W = self.dependence.x, self.dependence.X, self.dependence.W
        own = terms[self.k]
        if own is None:
            own = InertiaTerms((), {(0, 0): np.zeros((6, 6))}, [np.zeros(6)])
        own = own.spread(tuple(sorted({*own.bases, *([self.base] if self.base else [])})))
        first = 0 if not self.base else own.bases.index(self.base) + 1
        last = len(own.bases)
        seen = own.substituted([*[None] * first, *[X] * (last - first), W], X @ self.A_t)
        armature = self.world.armature[self.k]
        force = self.world.tau[self.k] - armature * (x @ self.A_t)
        rotor = np.outer(armature * x, x)
        blocks = {(a, b): block + rotor if b >= first else block for (a, b), block in seen.I.items()}
        forces = [F + x * force if a >= first else F for a, F in enumerate(seen.F)]
        return InertiaTerms(own.bases, blocks, forces)

    def outward(self, A: list[Any], u: list[Any]) -> None:
        u[self.k] = self.dependence.x @ (A[self.parent] - A[self.base] + self.A_t)  # eq 33, 67
        A[self.k] = A[self.parent] + self.world.P[self.k] * u[self.k]
