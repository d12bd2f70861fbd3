"""The links of a loop beyond its first dependent coordinate, some independent (Critchley & Anderson §4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...spatial import Array, array, factor_spd
from .inertia_terms import parts
from .rcr_run import DependentRun
from .sweep import Terms


class MixedRun(DependentRun):
    """Links p + 1 to n_i, with n_I independent coordinates among them that are solved for together.

    N_a are the coefficients of s_a in their equations, M̂_M those of their own accelerations and f what is
    left (eq 91-98).
    """

    def inward(self, terms: list[Terms]) -> Terms:
        folded = super().inward(terms)
        assert folded is not None
        if not self.independent:
            self.N = list[Array]()
            return folded
        n, last = len(self.independent), len(self.bases)
        column = {r: a for a, r in enumerate(self.independent)}
        M: list[list[Any]] = [[0.0] * n for _ in range(n)]
        f: list[Any] = [self.world.tau[r] for r in self.independent]
        N: list[list[Any]] = [[np.zeros(6)] * n for _ in range(last + 1)]
        for r in self.independent:
            M[column[r]][column[r]] = self.world.armature[r]
        for k in self.links:
            own, place = terms[k], self.places[k]
            if own is not None:
                seen = own.spread(self.bases)
                force = seen.F[last] - seen.I[last, last] @ (place.Z @ self.A_t)  # eq 89
                for r, H in place.H.items():
                    moved = seen.I[last, last] @ H  # eq 90
                    f[column[r]] = f[column[r]] + H @ force  # eq 94
                    for a in range(last):
                        N[a][column[r]] = N[a][column[r]] + seen.block(a, last) @ H  # eq 92
                    N[last][column[r]] = N[last][column[r]] + place.Y.T @ moved  # eq 93
                    for other, H_other in place.H.items():
                        if other <= r:
                            M[column[r]][column[other]] = (
                                M[column[r]][column[other]] + H_other @ moved
                            )  # eq 97
            self._add_own(k, column, M, N[last], f)
        self.M = factor_spd(array(M))
        self.f = self.M.solve(array(f))
        self.N = [np.array(columns).T for columns in N]
        return folded.minus(self.N, [self.M.solve(N_a.T) for N_a in self.N], self.f)  # eq 100-102

    def _add_own(
        self, k: int, column: dict[int, int], M: list[list[Any]], N: list[Any], f: list[Any]
    ) -> None:
        """Rotor and force of a dependent joint, whose u̇ is y ⁰Â^p + z ⁰A_t^n + Σ h_r u̇_r."""
        place, armature = self.places[k], self.world.armature[k]
        if place.y is None:
            return
        force = self.world.tau[k] - armature * (place.z @ self.A_t)
        for r, h in place.h.items():
            f[column[r]] = f[column[r]] + h * force
            N[column[r]] = N[column[r]] + place.y * (armature * h)
            for other, h_other in place.h.items():
                if other <= r:
                    M[column[r]][column[other]] = M[column[r]][column[other]] + armature * h * h_other

    def outward(self, A: list[Any], u: list[Any]) -> None:
        if self.independent:
            pull: Any = np.zeros(len(self.independent))
            for N, s in zip(self.N, parts(self.bases, A, self.p), strict=True):
                pull = pull + N.T @ s
            for r, value in zip(self.independent, self.f - self.M.solve(pull), strict=True):  # eq 99
                u[r] = value
        super().outward(A, u)
