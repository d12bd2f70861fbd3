"""The motion of rigid bodies with closed contacts held, as integrators see it."""

from functools import cached_property

import numpy as np

from ...contact.geometry.contact_pairs import candidates
from ...kernels.run.kernel import Kernel
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..acting import Acting
from ..closed_step import Rows
from ..equations import Equations
from ..systems import Compiled
from .held_motion import MOST, HeldKernels, HeldMotion, held_kernels
from .holding import SLIP, STICK, Held, held_by_factors
from .touch_terms import TouchKernels, Unforced, touch_kernels, unforced

PAYS = 150
"""Questions, for each candidate, that are answered piece by piece before a kernel is made for all at once."""

SURE = 1e-9
"""Margins below this leave forces to least squares."""

AGREES = 1e-12
"""Share of the slope, or of accelerations without contact forces, to which the kernel agrees with the pieces,
or is not used: feet of 10 mg under a hip of 1 kg cost it five digits."""

NEWTON = 8
"""Steps that bring a state back to closed loops and contacts."""


TURN = 1e-4
"""rad: the change of direction by which slopes are differenced."""

FAR = 1e9
"""m/s: with so much added along it, the direction in which a contact slips does not change."""


class TouchingSystem(Compiled):
    """The motion with closed contacts held.

    Args:
        equations: Of the motion.
        forces: What acts from outside.
        m: The mechanism with its rigid contacts.

    Attributes:
        held: What contacts do.
        asked: How many motions it has been asked for.
        small: Whether they may do it in strides.
        rows: Numbers of independent constraints that hold loops and gears; none before `hold_loops`.
        closed, sticks: (nc,) 1 for contacts that are closed, and for those that stick; else 0.
    """

    def __init__(self, equations: Equations, forces: Acting, m: Mechanism) -> None:
        super().__init__(equations, forces)
        self.m = m
        self.size: int = m.nq + m.nv
        count, tree = len(candidates(m)), not (m.loops or m.gears)
        self._few = count <= MOST and isinstance(self.kernels.terms, Kernel)
        self.small = tree and self._few
        self.rows: Rows = ()
        self.asked, self._pays = 0, PAYS * count
        self._held: Held | None = None
        self._sure, self._tried = True, False

    def hold_loops(self, rows: Rows) -> None:
        """Hold loops and gears by some of their constraints, as long as these are independent."""
        self.rows = rows

    @property
    def held(self) -> Held:
        assert self._held is not None
        return self._held

    @held.setter
    def held(self, held: Held) -> None:
        before, self._held = self._held, held
        if before is not None and self._sure and np.array_equal(before.mode, held.mode):
            return  # slip along other directions
        self._sure, self._tried = True, False
        self.closed, self.sticks = (held.mode > 0).astype(float), (held.mode == STICK).astype(float)

    @cached_property
    def kernels(self) -> TouchKernels:
        return touch_kernels(self.m, self.forces.external is not None)

    @cached_property
    def at_once(self) -> HeldKernels:
        return held_kernels(self.m, self.forces.external is not None, self.rows)

    @property
    def _quick(self) -> bool:
        """Whether there is a kernel for what contacts do now, which determines their forces."""
        return self._few and (self.small or self.rows != ()) and self._sure and self.asked > self._pays

    def is_quick(self, t: float, y: Array) -> bool:
        """The same, looked at in a state."""
        if self._quick and not self._tried:
            self.held_motion(t, y)
        return self._quick

    def held_along(self, q: Array, qd: Array, *acting: Array) -> HeldMotion:
        """The motions at states (n, nq), (n, nv) under what acts there, contacts doing what they do now."""
        J = np.asarray(self.kernels.geometry(q)[3])
        along = self.held.turned(np.einsum("niav,nv->nia", J, qd))
        tau, *f_ext = acting
        now = self.closed, self.sticks, along, self.held.faint
        return HeldMotion(*self.at_once.motion(q, qd, tau, *now, *f_ext))

    def acting(self, t: float, y: Array) -> tuple[Array, ...]:
        """q, qd and what acts but for forces of rigid contacts: tau, and f_ext if there are such forces."""
        q, qd = y[: self.nq], y[self.nq : self.size]
        return q, qd, *self.forces(t, q, qd)

    def motion(self, t: float, y: Array) -> Unforced:
        """Without forces of rigid contacts."""
        now = self.acting(t, y)
        return unforced(self.kernels.terms(*now), now[1])

    def held_motion(self, t: float, y: Array) -> HeldMotion:
        """With the forces that hold closed contacts."""
        return self._held_motion(t, y, self.held)

    def turned(self, t: float, y: Array, along: Array, faint: float) -> HeldMotion:
        """The same with slip along other directions (nc, 2)."""
        return self._held_motion(t, y, self.held._replace(along=along, faint=faint))

    def _held_motion(self, t: float, y: Array, held: Held) -> HeldMotion:
        self.asked += 1
        if self._quick:
            found = self._by_kernel(t, y, held)
            if found.margin > SURE and (self._tried or self._agrees(t, y, held)):
                return found
            self._sure = False
        return held_by_factors(self.motion(t, y), held)

    def _by_kernel(self, t: float, y: Array, held: Held) -> HeldMotion:
        q, qd, tau, *f_ext = self.acting(t, y)
        now = (self.closed, self.sticks, held.along, held.faint)
        return HeldMotion(*self.at_once.motion(q, qd, tau, *now, *f_ext))

    def _agrees(self, t: float, y: Array, held: Held) -> bool:
        """Whether the kernel finds what the pieces find, which is looked at once for what contacts do now.

        Directions of slip are kept: where it is faint, rounding errors turn them, in either.
        """
        straight, self._tried = held._replace(faint=FAR), True
        found = self._by_kernel(t, y, straight)
        slope = held_by_factors(self.motion(t, y), straight).slope
        with np.errstate(invalid="ignore"):  # a step tried that is much too long
            size = max(
                float(np.max(np.abs(slope))), float(found.scale)
            )  # at rest slopes are what rounding leaves
            differs = np.max(np.abs(found.slope - slope)) > AGREES * size
        return not differs

    def together(self, q: Array, qd: Array) -> Array | None:
        """(nq + nv,) the state next to one in which contacts are closed; None if this needs least squares."""
        if not self._quick:
            return None
        closer, kept, worst, margin = self.at_once.together(q, qd, self.closed, self.sticks)
        for _ in range(NEWTON):
            if not margin > SURE:
                self._sure = False
                return None
            if not worst > 0.0:
                break
            following = self.at_once.together(closer, qd, self.closed, self.sticks)
            if not following[2] < worst:
                break  # rounding is all that is left
            q, (closer, kept, worst, margin) = closer, following
        return np.concatenate([q, kept])

    def slope(self, t: float, y: Array) -> Array:
        # A step tried that is much too long may end beyond all numbers: it is taken again.
        with np.errstate(over="ignore", invalid="ignore"):
            return self.whole(t, y, self.held_motion(t, y))

    def whole(self, t: float, y: Array, motion: HeldMotion) -> Array:
        """The slope of a state out of a motion of the bodies."""
        return motion.slope

    def slope_derivative(self, t: float, y: Array) -> Array:
        """(len(y), len(y)) of `slope` by y: with slip along the directions that it has, and as these turn.

        Directions of faint slip turn within less than what differences are taken over.
        """
        now = self._directions(y)[0]
        by_angle, by_velocity = self.turning(t, y)
        kept = self._differenced(t, y, lambda t, y: self.whole(t, y, self.turned(t, y, now, FAR)))
        kept[: self.size, self.nq : self.size] += by_angle @ by_velocity
        return kept

    def turning(self, t: float, y: Array) -> tuple[Array, Array]:
        """(nq + nv, k) slopes by the angles of k contacts that slip, and (k, nv) these by velocities."""
        held = self.held
        rows = np.flatnonzero((held.mode == SLIP) & (held.friction > 0.0))
        if not rows.size:
            return np.zeros((self.size, 0)), np.zeros((0, self.size - self.nq))
        now, velocity, J = self._directions(y)
        speed = np.linalg.norm(velocity[:, 1:], axis=1) + held.faint
        across = np.stack([-now[:, 1], now[:, 0]], axis=1)
        by_angle = np.empty((self.size, len(rows)))
        for k, row in enumerate(rows):
            ends = []
            for sign in (1.0, -1.0):
                along = now.copy()
                along[row] = np.cos(TURN) * now[row] + sign * np.sin(TURN) * across[row]
                ends.append(self.turned(t, y, along, FAR).slope)
            by_angle[:, k] = (ends[0] - ends[1]) / (2.0 * np.sin(TURN))
        by_velocity = np.einsum("ik,ikv->iv", across[rows], J[rows, 1:]) / speed[rows, None]
        return by_angle, by_velocity

    def _directions(self, y: Array) -> tuple[Array, Array, Array]:
        """(nc, 2) in which contacts slip, (nc, 3) their velocities, m/s, and (nc, 3, nv) these by qd."""
        J = np.asarray(self.kernels.geometry(y[: self.nq])[3])
        velocity = J @ y[self.nq : self.size]
        return self.held.directions(velocity), velocity, J
