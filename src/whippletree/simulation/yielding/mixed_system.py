"""The motion with rigid contacts held, and with patches that bodies touch beside them."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from ..acting import Acting
from ..equations import Equations
from ..touching.held_motion import HeldMotion
from ..touching.touching_system import TouchingSystem
from .patch_system import PatchSystem


class MixedSystem(TouchingSystem):
    """The motion; its state is that of `PatchSystem`.

    Args:
        equations: With forces on the bodies.
        forces: What acts from outside, with forces on the bodies.
        rigid: The mechanism with its rigid contacts.
        patched: Those that give way.
    """

    def __init__(self, equations: Equations, forces: Acting, rigid: Mechanism, patched: PatchSystem) -> None:
        super().__init__(equations, forces, rigid)
        self.patched = patched

    def acting(self, t: float, y: Array) -> tuple[Array, ...]:
        q, qd, tau, f_ext = super().acting(t, y)
        return q, qd, tau, f_ext + self.patched.effect(t, y)[0]

    def whole(self, t: float, y: Array, motion: HeldMotion) -> Array:
        return np.concatenate([motion.slope, self.patched.effect(t, y)[1]])

    def increments(self, y: Array) -> Array:
        return self.patched.increments(y)
