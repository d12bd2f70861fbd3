"""Motion of bodies as seen from the base of a loop (RBDA §8.7, in the coordinates of the loop's base)."""

from typing import NamedTuple

import numpy as np

from ...model.jcalc import jcalc
from ...model.mechanism import Mechanism
from ...spatial import Array, Transform, cross_motion, identity


class LocalMotion(NamedTuple):
    """A body as seen from an ancestor that stands still; all vectors in the ancestor's coordinates.

    X leads from the ancestor's coordinates to the body's; S (6, nv) belongs to the body's own joint;
    v is the velocity and a the velocity-product acceleration (RBDA 8.13).
    """

    X: Transform
    S: Array
    v: Array
    a: Array


class LocalMotions:
    """The motions that the loops of a mechanism ask for, each computed once."""

    def __init__(self, m: Mechanism, q: Array, qd: Array) -> None:
        self.m = m
        self.q = q
        self.qd = qd
        self._known: dict[tuple[int, int], LocalMotion] = {}

    def of(self, base: int, i: int) -> LocalMotion:
        """Body i as seen from body `base`, which supports it or is the ground, -1."""
        if i == base:
            return LocalMotion(identity(), np.zeros((6, 0)), np.zeros(6), np.zeros(6))
        if (base, i) not in self._known:
            parent = self.of(base, self.m.parents[i])
            X_i, S_i, vJ_i, cJ_i = jcalc(self.m, i, self.q, self.qd)
            X = X_i @ parent.X if self.m.parents[i] != base else X_i
            S, vJ, cJ = X.inverse_motion(S_i), X.inverse_motion(vJ_i), X.inverse_motion(cJ_i)
            v = parent.v + vJ
            self._known[base, i] = LocalMotion(X, S, v, parent.a + cJ + cross_motion(v, vJ))
        return self._known[base, i]
