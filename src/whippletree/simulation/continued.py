"""Constraints that go on smoothly where they are about to become dependent.

Next to a singular position a constraint that fades, next to the others, says with ever less certainty where
the motion leads: by rounding errors over its size in positions, over the square of it in velocities. But its
direction changes smoothly along a branch, through the singular position. So it is followed while it is
certain, and continued by a polynomial in time. With that in its place equations of motion are regular, and
steps of any length, as other parts of a mechanism ask for, lead across.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..spatial import Array
from .closing import Closing
from .equations import Unsolved
from .null_space import accelerated, nearest

DEGREE = 6
"""Of polynomials in time, at most."""

ROUNDING = 1e-15
"""Directions are uncertain by this, over the square of a constraint's size."""

EXPLAINED = 30.0
"""How many times as far from a polynomial directions may be: then a higher degree tells no more."""

FEWEST = 3
"""Directions that are followed at least, and how many more than the degree."""

HALVINGS = 12
"""How often the time over which they are followed is halved."""

CLOSED = 3
"""Newton steps that bring a state back to the constraints that are certain."""

Split = tuple[Array, Array]
"""(rank - k,) numbers of the constraints that are certain, (k,) of those that fade, the weakest last."""


class Continuation(NamedTuple):
    """A polynomial in time for the unit direction of one constraint that fades.

    Attributes:
        t, scale: The time at which it begins and the unit of time, s.
        terms: (degree + 1, nv) its coefficients.
    """

    t: float
    scale: float
    terms: Array

    def at(self, t: float) -> Array:
        """(nv,) the direction at a time, s."""
        return ((t - self.t) / self.scale) ** np.arange(len(self.terms)) @ self.terms

    def rate(self, t: float) -> Array:
        """(nv,) its derivative by time."""
        k = np.arange(len(self.terms))
        return k * ((t - self.t) / self.scale) ** np.maximum(k - 1, 0) @ self.terms / self.scale


def continuations(closing: Closing, split: Split, t: Array, q: Array) -> list[Continuation]:
    """How directions go on from the last of several positions q (n, nq) at times t (n,), s.

    What a constraint's direction is next to others depends on which others there are. What all of them hold
    together does not: followed is what of the direction at the last position they hold at the others.
    """
    found = [_held(closing.constraints(at)[1], split) for at in q]
    _, last = found[-1]
    sizes = np.array([sizes for sizes, _ in found])
    held = np.array([basis @ (basis.T @ last[:, -len(split[1]) :]) for _, basis in found])
    return [_continuation(t, sizes[:, k], held[:, :, k]) for k in range(sizes.shape[1])]


def _continuation(t: Array, sizes: Array, held: Array) -> Continuation:
    """The lowest degree that explains what is held (n, nv) over the longest time, or else does best."""
    weights, best = sizes**2 / ROUNDING, (np.inf, Continuation(float(t[-1]), 1.0, held[-1:]))
    for first in _beginnings(t):
        scale, weight = float(t[-1] - t[first]), weights[first:, None]
        x = (t[first:] - t[-1]) / scale
        for degree in range(min(DEGREE, len(x) - FEWEST) + 1):
            powers = x[:, None] ** np.arange(degree + 1)
            terms = np.linalg.lstsq(weight * powers, weight * held[first:], rcond=None)[0]
            off = float(np.max(np.abs(weight * (powers @ terms - held[first:]))))
            if off < best[0]:
                best = off, Continuation(float(t[-1]), scale, terms)
            if off <= EXPLAINED:
                return best[1]
    return best[1]


def _beginnings(t: Array) -> list[int]:
    """Where ever shorter ends of a series of times begin, each half as long as the one before."""
    ends = t[-1] - (t[-1] - t[0]) * 0.5 ** np.arange(HALVINGS)
    return [int(k) for k in np.unique(np.searchsorted(t, ends)) if k <= len(t) - FEWEST]


def _held(K: Array, split: Split) -> tuple[Array, Array]:
    """(k,) sizes of fading constraints next to all before them, as shares of the largest, and (nv, rank) what
    all hold: orthogonal unit vectors, those of the fading ones last."""
    certain, fading = split
    basis, _ = np.linalg.qr(K[certain].T)
    largest, sizes = float(np.max(np.linalg.norm(K, axis=1))), []
    for row in K[fading]:
        left = row - basis @ (basis.T @ row)
        left = left - basis @ (basis.T @ left)
        size = float(np.linalg.norm(left))
        sizes.append(size / largest)
        basis = np.column_stack([basis, left / size if size else left])
    return np.array(sizes), basis


class Continued:
    """Equations of motion with some constraints continued.

    Args:
        closing: The loops.
        split: Which constraints are certain, and which are continued.
        along: The continuations of these.
        unsolved: Equations of motion at (t, y).
        advanced: The position after moving with a velocity for a time.
    """

    def __init__(
        self,
        closing: Closing,
        split: Split,
        along: list[Continuation],
        unsolved: Callable[[float, Array], Unsolved],
        advanced: Callable[[Array, Array, float], Array],
    ) -> None:
        self.closing, self._along, self.unsolved, self.advanced = closing, along, unsolved, advanced
        self._certain, _ = split

    def _directions(self, t: float) -> Array:
        return np.array([continuation.at(t) for continuation in self._along])

    def slope(self, t: float, y: Array) -> Array:
        """dy/dt, with what is continued in place of constraints that fade; LinAlgError if it is no number."""
        rate, M, f, K, k = self.unsolved(t, y)
        qd = y[len(rate) :]
        B = np.concatenate([K[self._certain], self._directions(t)])
        b = np.concatenate([k[self._certain], [-continuation.rate(t) @ qd for continuation in self._along]])
        qdd = accelerated(M, f, B, b)
        if not np.all(np.isfinite(qdd)):
            raise np.linalg.LinAlgError("constraints that are continued have become dependent")
        return np.concatenate([rate, qdd])

    def closed(self, t: float, y: Array, nq: int) -> Array:
        """A state brought back to constraints that are certain, and its velocity to all.

        That by what constraints without friction would do at a blow, which takes energy of second order only.
        """
        q, qd = y[:nq], y[nq:]
        V = self._directions(t)
        for _ in range(CLOSED):
            error, K = self.closing.constraints(q)
            B = np.concatenate([K[self._certain], V])
            gap = np.concatenate([error[self._certain], np.zeros(len(V))])
            q = self.advanced(q, np.linalg.lstsq(B, gap, rcond=None)[0], -1.0)
        _, M, _, K, _ = self.unsolved(t, np.concatenate([q, qd]))
        return np.concatenate([q, nearest(np.concatenate([K[self._certain], V]), M, qd)])
