"""Constant forces on frames, as `Force` says."""

from typing import Any

from ...model.mechanism import Mechanism
from ...spatial import Array
from ..frame_forces import constant_forces
from .force_law import ForceLaw, Forces, body_power


class ConstantLaw(ForceLaw):
    """What thrusters, fans and the like exert on bodies: all their power comes from outside."""

    def acts(self, m: Mechanism) -> bool:
        return bool(m.forces)

    def forces(self, m: Mechanism, q: Array, qd: Array) -> Forces:
        return Forces(None, constant_forces(m, q))

    def powers(self, m: Mechanism, q: Array, qd: Array) -> tuple[Any, Any]:
        return 0.0, body_power(m, q, qd, constant_forces(m, q))
