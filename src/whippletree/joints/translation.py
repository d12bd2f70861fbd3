"""Translation joint: three slides, no turn."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.scalar import Array
from ..spatial.transform import Transform, xlt
from .base import Joint
from .unseen_inertia import moments


@dataclass(frozen=True)
class Translation(Joint):
    """Move by q (3,) m along the axes of F_p, to which those of F_s stay parallel.

    >>> import whippletree as wt
    >>> wt.Translation().transform(np.array([1.0, 2.0, 3.0])).r
    array([1., 2., 3.])
    """

    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def transform(self, q: Array) -> Transform:
        return xlt(q)

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, 3:]

    def position_at(self, X: Transform) -> Array:
        return X.r

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return moments(I)

    @property
    def labels(self) -> tuple[str, ...]:
        return ("x", "y", "z")
