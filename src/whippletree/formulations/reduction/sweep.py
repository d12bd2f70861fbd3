"""Inward and outward over the opened mechanism, whatever each link does with its coordinate."""

from typing import Any, Protocol

import numpy as np

from ...spatial import Array, array, refuse_zero
from .inertia_terms import InertiaTerms, parts, rigid
from .world import World

Terms = InertiaTerms | None
"""What a link and all outboard of it ask for; None if nothing has inertia there."""


class LinkStep(Protocol):
    """What a link does with its coordinate."""

    def inward(self, terms: list[Terms]) -> Terms:
        """What it hands to the link it hangs on; `terms` of all links are complete from here outward."""
        ...

    def outward(self, A: list[Any], u: list[Any]) -> None:
        """Find u̇ and Â of the link, those of all links inboard being known."""
        ...


class RigidLink:
    """A link without a coordinate."""

    def __init__(self, world: World, k: int) -> None:
        self.k, self.parent = k, world.opened.links[k].parent

    def inward(self, terms: list[Terms]) -> Terms:
        return terms[self.k]

    def outward(self, A: list[Any], u: list[Any]) -> None:
        A[self.k] = A[self.parent]


class Independent:
    """A link whose coordinate is found by its own equation of motion (eq 9-22, 57-64, 111)."""

    def __init__(self, world: World, k: int) -> None:
        self.world, self.k, self.parent = world, k, world.opened.links[k].parent

    def inward(self, terms: list[Terms]) -> Terms:
        own, k = terms[self.k], self.k
        P, M, f = self.world.P[k], self.world.armature[k], self.world.tau[k]
        self.bases, self.N = (() if own is None else own.bases), list[Array]()
        if own is not None:
            last = len(own.bases)
            self.N = [own.block(a, last) @ P for a in range(last + 1)]
            M, f = M + P @ self.N[last], f + P @ own.F[last]  # eq 13, 64
        refuse_zero(M)
        self.reciprocal = 1.0 / M
        self.f = self.reciprocal * f
        if own is None:
            return None
        scaled = [(self.reciprocal * N)[None, :] for N in self.N]
        return own.minus([N[:, None] for N in self.N], scaled, array([self.f]))

    def outward(self, A: list[Any], u: list[Any]) -> None:
        pull: Any = 0.0
        for N, s in zip(self.N, parts(self.bases, A, self.parent), strict=False):
            pull = pull + N @ s
        u[self.k] = self.f - self.reciprocal * pull  # eq 12, 59
        A[self.k] = A[self.parent] + self.world.P[self.k] * u[self.k]  # eq 4


def sweep(world: World, special: dict[int, LinkStep]) -> tuple[list[Any], list[Any]]:
    """u̇ and Â of all links.

    Args:
        world: The opened mechanism at a state.
        special: The links whose coordinates are not simply independent, and what they do.
    """
    n = len(world.opened.links)
    steps: list[LinkStep] = [
        special[k] if k in special else RigidLink(world, k) if world.P[k] is None else Independent(world, k)
        for k in range(1, n)
    ]
    terms: list[Terms] = [rigid(I, F) for I, F in zip(world.I, world.F, strict=True)]
    for k in reversed(range(1, n)):
        handed, parent = steps[k - 1].inward(terms), world.opened.links[k].parent
        if handed is not None and parent != 0:
            terms[parent] = handed.at(parent).plus(terms[parent])
    A: list[Any] = [np.zeros(6), *[None] * (n - 1)]
    u: list[Any] = [0.0] * n
    for step in steps:
        step.outward(A, u)
    return u, A


def joint_accelerations(world: World, u: list[Any], nv: int) -> Array:
    """(nv,) q̈ from u̇ of all links."""
    found: list[Any] = [0.0] * nv
    for link, value in zip(world.opened.links, u, strict=True):
        if link.variable != -1:
            found[link.variable] = value
    return array(found) if found else np.zeros(0)
