"""Recursive inertias and forces that multiply the accelerations of loop bases and of a link.

While a link k lies on opened loops with bases 0_i, 0_j, …, from the ground outward, its acceleration is
taken apart (Critchley & Anderson eq 47, 107):

    Â^k = s_0 + s_1 + … + s_L,   s_0 = Â^{0_i},  s_1 = {0_i}Â^{0_j},  …,  s_L = {0_j}Â^k,

and what all links outboard ask for, by the equation of a coordinate that moves s_a, is

    Σ_b I_ab s_b - F_a.

One base makes two inertias a row, Î^{k;0} = I_L0 and ⁰Î^k = I_LL (eq 57); two bases make three (eq 111);
and so on. The paper keeps the last row alone. The other rows are needed as well where a base moves: it
feels both ends of the loop, the first joint and the one behind which the phantom hangs. (60)-(62) carried
on to the base by (20)-(22), as printed, lose the latter. A base that is the ground does not move and takes
no place here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array

Blocks = dict[tuple[int, int], Array]
"""I_ab (6, 6) for a ≥ b."""


class InertiaTerms(NamedTuple):
    """Inertias and forces of a link and all outboard of it.

    Attributes:
        bases: Numbers of the links that are bases, from the ground outward.
        I: I_ab, a and b up to L = len(bases).
        F: (6,) F_a each.
    """

    bases: tuple[int, ...]
    I: Blocks
    F: list[Array]

    def block(self, a: int, b: int) -> Array:
        """I_ab for any a, b."""
        return self.I[a, b] if a >= b else self.I[b, a].T

    def spread(self, bases: tuple[int, ...]) -> InertiaTerms:
        """The same over more bases (eq 105, 106): an acceleration is the sum of its parts."""
        if bases == self.bases:
            return self
        # Every s_a of before ends at one of the old bases, or at the link itself.
        part, old = [], 0
        for base in [*bases, -1]:
            part.append(old)
            old += base in self.bases
        blocks = {(a, b): self.block(part[a], part[b]) for a in range(len(part)) for b in range(a + 1)}
        return InertiaTerms(bases, blocks, [self.F[a] for a in part])

    def plus(self, other: InertiaTerms | None) -> InertiaTerms:
        """The sum of what two branches ask of the same link."""
        if other is None:
            return self
        bases = tuple(sorted({*self.bases, *other.bases}))
        one, two = self.spread(bases), other.spread(bases)
        blocks = {key: block + two.I[key] for key, block in one.I.items()}
        return InertiaTerms(bases, blocks, [f + g for f, g in zip(one.F, two.F, strict=True)])

    def at(self, link: int) -> InertiaTerms:
        """What is left at a link that is the last base itself, where s_L = 0 (§5)."""
        if not self.bases or self.bases[-1] != link:
            return self
        last = len(self.bases)
        kept = {(a, b): block for (a, b), block in self.I.items() if a != last}
        return InertiaTerms(self.bases[:-1], kept, self.F[:-1])

    def substituted(self, factors: list[Array | None], constant: Array) -> InertiaTerms:
        """The same by another s_L: s_L = Σ_a B_a s_a + constant, B_a = None standing for zero."""
        last = len(self.bases)
        own, F_L = self.I[last, last], self.F[last] - self.I[last, last] @ constant
        moved = [None if B is None else own @ B for B in factors]
        blocks: Blocks = {}
        for a in range(last + 1):
            for b in range(a + 1):
                # s_a appears by itself, unless a = L, and by way of s_L.
                terms = [] if a == last or b == last else [self.I[a, b]]
                B_a, B_b = factors[a], factors[b]
                if a != last and B_b is not None:
                    terms.append(self.block(a, last) @ B_b)
                if b != last and B_a is not None:
                    terms.append(B_a.T @ self.block(last, b))
                if B_a is not None and B_b is not None:
                    terms.append(B_a.T @ moved[b])
                blocks[a, b] = sum(terms[1:], terms[0]) if terms else np.zeros((6, 6))
        forces = []
        for a, B in enumerate(factors):
            rest = self.F[a] - self.block(a, last) @ constant if a != last else np.zeros(6)
            forces.append(rest if B is None else rest + B.T @ F_L)
        return InertiaTerms(self.bases, blocks, forces)

    def minus(self, N: list[Array], D_inverse_N: list[Array], D_inverse_f: Array) -> InertiaTerms:
        """What is left without coordinates of Σ N_aᵀ s_a + D u̇ = f: I_ab - N_a D⁻¹ N_bᵀ (eq 60-64).

        Args:
            N: (6, n) for each a, n coordinates being eliminated.
            D_inverse_N: (n, 6) D⁻¹ N_aᵀ each.
            D_inverse_f: (n,) D⁻¹ f.
        """
        blocks = {(a, b): block - N[a] @ D_inverse_N[b] for (a, b), block in self.I.items()}
        return InertiaTerms(self.bases, blocks, [F - N[a] @ D_inverse_f for a, F in enumerate(self.F)])


def rigid(I: Any, F: Any) -> InertiaTerms | None:
    """Inertia (6, 6) and force (6,) of a single link, or None."""
    return None if I is None else InertiaTerms((), {(0, 0): I}, [F])


def parts(bases: tuple[int, ...], A: list[Any], link: int) -> list[Array]:
    """s_0, …, s_L of a link, from the accelerations Â of all links found so far."""
    seen = [*(A[base] for base in bases), A[link]]
    return [own - before for own, before in zip(seen, [np.zeros(6), *seen[:-1]], strict=True)]
