"""Restitution after Newton as far as it makes no energy.

Newton's law asks for a velocity after the impact, whatever it takes. With friction, or with shares that
differ from contact to contact, that can be more energy than there was, as RBDA 11.72 can. Impulses without
restitution never bring any, and those in between keep bodies apart and stay in their cones of friction, as
both are convex sets. So the last point on the way from the ones to the others is taken at which kinetic
energy has not grown.
"""

from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, maximum, minimum
from .block_sweeps import TINY, Felt


class Returned(NamedTuple):
    """Impulses with restitution.

    Attributes:
        impulses: (nc, 3) N s.
        share: Of the way to those that restitution asks for, 0 to 1.
    """

    impulses: Array
    share: Any


def held_restitution(felt: Felt, free: Array, dead: Array, lively: Array) -> Returned:
    """Impulses that return as much as they may.

    With λ = λ_0 + s Δ, kinetic energy changes by λ·v + ½ λᵀG λ = c + b s + a s².

    Args:
        felt: G.
        free: (3 nc,) v, the velocities of the contacts without impulses, m/s.
        dead: (nc, 3) λ_0, impulses without restitution, N s.
        lively: (nc, 3) λ_0 + Δ, impulses with all of it, N s.

    All that is asked for, and half the way to what would be too much:

    >>> from whippletree.contact.sweeps.block_sweeps import apart
    >>> felt = apart(np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> free, dead = np.array([-1.0, 0.0, 0.0]), np.array([[1.5625, -0.9375, 0.0]])
    >>> [round(float(held_restitution(felt, free, dead, x * dead).share), 9) for x in (2.0, 3.0)]
    [1.0, 0.5]
    """
    change = (lively - dead).ravel()
    before, along = felt.P.T @ dead.ravel(), felt.P.T @ change
    moved = felt.A @ before
    a = 0.5 * (along @ (felt.A @ along))
    b = change @ free + along @ moved
    # Springs of contacts may bring energy, and so may sweeps that are too few: restitution adds none to that.
    c = minimum(dead.ravel() @ free + 0.5 * (before @ moved), 0.0)
    share = minimum(1.0, (np.sqrt(maximum(b * b - 4.0 * a * c, TINY)) - b) / maximum(2.0 * a, TINY))
    return Returned(dead + share * (lively - dead), share)
