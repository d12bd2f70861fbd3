"""Coulomb friction of patches that give way along the surface, too (RBDA 11.75-11.79)."""

from typing import Any

import numpy as np

from ...spatial import Array, maximum, where
from .patch_law import decay

TINY = 1e-300
"""N²: keeps the square root of a force that is 0 away from a division by it."""


def friction(x: Array, v: Array, bound: Any, stiffness: Any, damping: Any) -> tuple[Array, Any]:
    """The force of a patch along the surface, and whether it sticks.

    It sticks with f = -K x - D v as long as that is within the disc of Coulomb's bound µ f_n, else it slides
    with that force cut off at the disc (RBDA 11.76, in both directions at once).

    Args:
        x: (2,) deflection of the patch, m, in tangents that turn with the surface.
        v: (2,) slip velocity of the body, m/s.
        bound: µ f_n, N.
        stiffness, damping: K, N/m, and D, N s/m.

    >>> friction(np.array([3e-3, 4e-3]), np.zeros(2), 0.5, 1000.0, 3.0)
    (array([-0.3, -0.4]), np.False_)
    """
    stick = -(stiffness * x) - damping * v
    square = stick @ stick
    sticks = square <= bound * bound
    return where(sticks, 1.0, bound / np.sqrt(maximum(square, TINY))) * stick, sticks


def relaxed(x: Array, f: Array, stiffness: Any, damping: Any, h: Any) -> Array:
    """(2,) the deflection after h, s, of a patch that does not stick: ẋ = -(K x + f)/D (RBDA 11.78).

    Solved over the step, so that a stiff patch allows steps of any length: x goes to -f/K, which is the rim
    of the disc where the body slides and 0 where nothing touches. One that sticks is carried along, ẋ = v.
    """
    end = -f / stiffness
    return end + (x - end) * decay(stiffness, damping, h)
