"""Fixed joint: no motion."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.scalar import Array
from ..spatial.transform import Transform, identity
from .base import Joint


@dataclass(frozen=True)
class Fixed(Joint):
    """Hold the two frames together; q and qd are empty.

    >>> import whippletree as wt
    >>> wt.Fixed().motion_subspace(np.zeros(0)).shape
    (6, 0)
    """

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def transform(self, q: Array) -> Transform:
        return identity()

    def motion_subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def position_at(self, X: Transform) -> Array:
        return np.zeros(0)

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return I
