"""The motion of a mechanism together with the patches that its bodies touch."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...api.compiling import compile
from ...contact.compliant.compliant_contact import Compliant
from ...contact.compliant.patch_motion import PatchMotion, patch_motion
from ...contact.geometry.contact_kinematics import gaps
from ...contact.geometry.contact_pairs import candidates
from ...kernels.trace.refusal import TraceError
from ...model.mechanism import Mechanism
from ...model.snapshot import Snapshot
from ...spatial import Array
from ..acting import Acting
from ..equations import Equations
from ..systems import Compiled

LITTLE, LEAST, SLOW = 1e-4, 1e-12, 1e-7
"""Changes of patches by which slopes are differenced, as a share and m; of velocities, m/s or rad/s."""


def patch_effect(
    m: Mechanism, q: Array, qd: Array, patch: Array, touches: Array, since: Array, how: Compliant
) -> Array:
    """(6 nb + 4 nc,) what patches do to the bodies, and their own rates: what a slope needs, in one array."""
    at = patch_motion(m, q, qd, patch, touches, since, how)
    return np.concatenate([at.wrenches.ravel(), at.patch_rate.ravel()])


class PatchKernels(NamedTuple):
    """`patch_motion`, `patch_effect` and `gaps`, compiled; plain Python where shapes cannot be recorded."""

    motion: Callable[..., Any]
    effect: Callable[..., Any]
    gaps: Callable[[Array], Array]


def patch_kernels(m: Mechanism, how: Compliant) -> PatchKernels:
    """Those of equal mechanisms are made once."""
    return _kernels(Snapshot(m), how)


@lru_cache(maxsize=16)
def _kernels(now: Snapshot, how: Compliant) -> PatchKernels:
    nc = len(candidates(now.m))
    shapes = {"patch": (nc, 4), "touches": (nc,), "since": (nc,)}
    try:
        motion = compile(patch_motion, now.m, inputs=shapes, how=how)
        effect = compile(patch_effect, now.m, inputs=shapes, how=how)
        return PatchKernels(motion, effect, compile(gaps, now.m))
    except TraceError:
        motion, effect = (partial(function, now.m, how=how) for function in (patch_motion, patch_effect))
        return PatchKernels(motion, effect, partial(gaps, now.m))


class PatchSystem(Compiled):
    """The motion, where it is known which patches are touched.

    Its state y (nq + nv + 4 nc) is q, qd, and z and x of all patches (nc, 4); of those that nothing touches
    as they were left.

    Args:
        equations: With forces on the bodies.
        forces: What acts from outside, with forces on the bodies.
        how: The laws of the patches.
        m: The mechanism with the contacts that give way.

    Attributes:
        touches: (nc,) 1 where a body touches a patch, else 0.
        left: (nc,) s: when patches that nothing touches were left.
    """

    def __init__(self, equations: Equations, forces: Acting, how: Compliant, m: Mechanism) -> None:
        super().__init__(equations, forces)
        self.count: int = len(candidates(m))
        self.size: int = m.nq + m.nv
        self.touches: Array = np.zeros(self.count)
        self.left: Array = np.zeros(self.count)
        self._motion, self._effect, self.gaps = patch_kernels(m, how)

    def patches(self, t: float, y: Array) -> PatchMotion:
        """All patches at a state."""
        return PatchMotion(*self._motion(*self._seen(t, y)))

    def _seen(self, t: float, y: Array) -> tuple[Array, ...]:
        q, qd, patch = y[: self.nq], y[self.nq : self.size], y[self.size :]
        if self.nq != len(qd):  # stages of a step have quaternions next to their sphere
            q = self.equations.common.projected(q)
        return q, qd, patch.reshape(-1, 4), self.touches, t - self.left

    def effect(self, t: float, y: Array) -> tuple[Array, Array]:
        """What patches do to the bodies, (nb, 6), N m and N, and their own rates (4 nc,), m/s."""
        found = self._effect(*self._seen(t, y))
        bodies = len(found) - 4 * self.count
        return found[:bodies].reshape(-1, 6), found[bodies:]

    def slope(self, t: float, y: Array) -> Array:
        q, qd = y[: self.nq], y[self.nq : self.size]
        wrenches, rates = self.effect(t, y)
        tau, f_ext = self.forces(t, q, qd)
        return np.concatenate([self.equations.rates(q, qd, tau, f_ext + wrenches), rates])

    def slope_derivative(self, t: float, y: Array) -> Array:
        return self._differenced(t, y, self.slope)

    def increments(self, y: Array) -> Array:
        # A patch is stiff: what moves it by more than its own depth would take the body off it.
        patches = LITTLE * np.abs(y[self.size :]) + LEAST
        return np.concatenate([super().increments(y)[: self.nq], np.full(self.size - self.nq, SLOW), patches])
