"""The last links of a loop, all of whose coordinates are dependent (Critchley & Anderson §3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .inertia_terms import InertiaTerms
from .local_kinematics import dependences, places
from .sweep import LinkStep, Terms
from .world import World


class DependentRun:
    """Links p + 1 to n_i of a loop, folded into its virtual terminal body p_i."""

    def __init__(self, world: World, loop: int, dependents: tuple[int, ...]) -> None:
        own = world.opened.loops[loop]
        self.world, self.base = world, own.base
        self.links = own.path[own.path.index(min(dependents)) :]
        self.p = world.opened.links[self.links[0]].parent
        self.A_t = world.known_acceleration(loop)
        self.dependent = dependences(world.P, dependents)
        self.independent = [k for k in self.links if k not in self.dependent and world.P[k] is not None]
        self.places = places(world.P, self.links, self.dependent, self.independent)
        self.bases = (self.base,) if self.base else ()

    def inward(self, terms: list[Terms]) -> Terms:
        """Î^{p;0}, ⁰Î^p and F̂^p: Σ Yᵀ I, Σ Yᵀ I Y and Σ Yᵀ (F - I Z A_t) (eq 53-55)."""
        last, zero = len(self.bases), np.zeros((6, 6))
        blocks = {(a, b): zero for a in range(last + 1) for b in range(a + 1)}
        folded = InertiaTerms(self.bases, blocks, [np.zeros(6)] * (last + 1))
        for k in self.links:
            own, place = terms[k], self.places[k]
            if own is not None:
                seen = own.spread(self.bases)
                folded = seen.substituted([*[None] * last, place.Y], place.Z @ self.A_t).plus(folded)
            if place.y is not None:
                folded = self._with_own(folded, k)
        return folded

    def _with_own(self, folded: InertiaTerms, k: int) -> InertiaTerms:
        """Add the rotor and the force of a dependent joint, whose u̇ is y ⁰Â^p + z ⁰A_t^n."""
        y, z, last = self.places[k].y, self.places[k].z, len(self.bases)
        armature, tau = self.world.armature[k], self.world.tau[k]
        force = tau - armature * (z @ self.A_t)
        blocks = folded.I | {(last, last): folded.I[last, last] + np.outer(armature * y, y)}
        return InertiaTerms(self.bases, blocks, [*folded.F[:last], folded.F[last] + y * force])

    def outward(self, A: list[Any], u: list[Any]) -> None:
        """Dependent accelerations by those of p, and the links by theirs (eq 45)."""
        A_p = A[self.p] - A[self.base]
        for k in self.links:
            place, parent = self.places[k], self.world.opened.links[k].parent
            if place.y is not None:
                u[k] = place.y @ A_p + place.z @ self.A_t
                for r, factor in place.h.items():
                    u[k] = u[k] + factor * u[r]
            A[k] = A[parent] if self.world.P[k] is None else A[parent] + self.world.P[k] * u[k]


class Folded:
    """A link inside a run: what it asks for is taken by the run's first link."""

    def inward(self, terms: list[Terms]) -> Terms:
        return None

    def outward(self, A: list[Any], u: list[Any]) -> None:
        pass


def steps_of(runs: list[DependentRun]) -> dict[int, LinkStep]:
    """What the links of runs do."""
    found: dict[int, LinkStep] = {k: Folded() for run in runs for k in run.links}
    return found | {run.links[0]: run for run in runs}
