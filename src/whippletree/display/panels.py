"""Small pictures of a mechanism beside each other: from where it is seen, how far they go, bare axes."""

from typing import Any

import numpy as np

from ..joints.base import perpendicular
from ..model.mechanism import Mechanism
from ..spatial import Array
from .stage import plane_normal, stage

PALE = "#c3cad2"
"""Of what does not move, or of where it was."""

Spread = list[tuple[float, float]]
"""From where to where pictures go, along each of their axes, m."""


def view_of(m: Mechanism, q: Array) -> Array:
    """Directions to the right and up (3, 2) if the mechanism is planar, else those of the world (3, 3)."""
    normal = plane_normal(m, q)
    if normal is None:
        return np.eye(3)
    up = np.eye(3)[stage(m, q).up]
    if abs(up @ normal) > 1e-9:
        return np.stack(perpendicular(normal), axis=1)
    right = np.cross(up, normal)
    return np.stack([right * (np.sign(right[np.argmax(np.abs(right))])), up], axis=1)


def spread_of(points: Array, room: float) -> Spread:
    """What holds all points (n, 2 or 3), as long along every axis, with a share of it as room around."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), (0.5 + room) * max(float(np.max(high - low)), 0.1)
    return [(float(x - half), float(x + half)) for x in middle]


def bare(axis: Any, spread: Spread) -> None:
    """Set the limits of an axis, planar or spatial, and leave out its numbers."""
    axis.set(xlim=spread[0], ylim=spread[1])
    axis.tick_params(labelleft=False, labelbottom=False, length=0)
    if len(spread) == 3:
        axis.set(zlim=spread[2])
        axis.set_box_aspect((1, 1, 1), zoom=1.1)
        axis.view_init(elev=18, azim=-55)
        axis.tick_params(axis="z", labelright=False, length=0)
        axis.set_zticklabels([])
    else:
        axis.set_aspect("equal")
        axis.locator_params(nbins=6)
