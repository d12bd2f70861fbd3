"""The plane: which rows of the spatial equations are left there, and which joints leave it."""

import numpy as np

from ...model.mechanism import Mechanism
from ...model.singular import general_position
from .velocity_transformation import velocity_transformation

IN_PLANE, ACROSS = (0, 1, 5), (2, 3, 4)
"""Of the six rows of a body: x, y and θ; z and the turns about x and y."""

TOLERANCE = 1e-12
"""Motions across the plane below this share of the largest entry of V come from rounding."""


def planar_rows(m: Mechanism) -> list[int]:
    """Numbers of the rows x, y, θ of all bodies of a mechanism that moves in the x-y plane.

    The planar equations of Yu et al. are these rows of the spatial ones: V[rows], W[rows], T and D with
    rows and columns chosen alike. The others, z and the turns about x and y, are zero in every position.

    Args:
        m: A mechanism in the x-y plane of the world.

    Returns:
        (3 nb) numbers.

    Raises:
        ModelError: A joint moves bodies out of the plane; it is named.

    >>> import whippletree as wt
    >>> m = wt.examples.load("quick-return-rocker")
    >>> rows = wt.formulations.semi_recursive.planar_rows(m)
    >>> rows[:6]
    [0, 1, 5, 6, 7, 11]
    >>> wt.formulations.semi_recursive.velocity_transformation(m, m.neutral())[rows].shape
    (15, 5)
    """
    return [6 * i + row for i in range(len(m)) for row in IN_PLANE]


def out_of_plane(m: Mechanism) -> str | None:
    """Which joint moves its body out of the x-y plane, in words, or None."""
    V = velocity_transformation(m, general_position(m))
    across = np.abs(V).reshape(len(m), 6, m.nv)[:, ACROSS, :].max(axis=(0, 1), initial=0.0)
    size = np.abs(V).max(initial=0.0)
    for body, index in zip(m.bodies, m.v_index, strict=True):
        if np.any(across[index] > TOLERANCE * size):
            return (
                f"joint {body.joint_name!r} of {m.name!r}, {body.joint!r}, moves bodies out of the x-y plane "
                "in which planar equations hold: use the spatial ones, which are all rows"
            )
    return None
