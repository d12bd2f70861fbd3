"""Helical joint, a screw (RBDA table 4.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotation import angle_about, axis_rotation
from ..spatial.scalar import Array, array
from ..spatial.transform import Transform
from .axis_joint import AxisJoint
from .base import finite_number, full_turns
from .unseen_inertia import transverse_moments


@dataclass(frozen=True)
class Helical(AxisJoint):
    """Turn by q[0] rad about an axis while sliding pitch·q[0] m along it; pitch is in m/rad.

    A screw that advances by its lead l in each turn has the pitch l / 2π.

    >>> import whippletree as wt
    >>> wt.Helical("z", pitch=0.01).transform(np.array([2.0])).r
    array([0.  , 0.  , 0.02])
    """

    pitch: float = 0.0
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", finite_number(self.pitch, "pitch", "m/rad"))

    def transform(self, q: Array) -> Transform:
        axis = np.array(self.axis)
        return Transform(axis_rotation(axis, q[0]).T, axis * (self.pitch * q[0]))

    def motion_subspace(self, q: Array) -> Array:
        axis = np.array(self.axis)
        return np.concatenate([axis, self.pitch * axis])[:, None]

    def position_at(self, X: Transform) -> Array:
        axis = np.array(self.axis)
        angle = angle_about(axis, X.E.T)
        return array([angle if self.pitch == 0.0 else full_turns(angle, (axis @ X.r) / self.pitch)])

    def random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-np.pi, np.pi, 1)

    @property
    def screw_pitch(self) -> float:
        return self.pitch

    def unseen_inertia(self, I: Inertia) -> Inertia:
        return transverse_moments(self.axis, I)
