"""A simulation of bodies whose surfaces give way, from touch to touch (RBDA §11.8)."""

from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...contact.compliant.compliant_contact import Compliant, laws_of
from ...contact.compliant.explicit_limit import step_limits
from ...contact.compliant.patch_motion import PatchMotion
from ...contact.geometry.contact_pairs import candidates
from ...errors import StepLengthWarning, tell
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..choice import choose
from ..closing import Closed
from ..equations import acceleration, equations
from ..events import Event, Stop, Watch
from ..faults import SINGULAR_START
from ..plan import Plan
from ..run import Run
from ..steppers import Step
from ..systems import Compiled
from ..touching.contact_history import ContactEvent, history
from ..touching.holding import OPEN, SLIP, STICK
from ..touching.watching import APART, Found, Seen, crossing_time, earliest
from ..trajectory import Trajectory
from .patch_system import PatchSystem

MANY = 2e3
"""Explicit steps of a run that surfaces make so short are more than implicit ones cost."""

AGAIN = 30
"""Touches and partings at one time, more than there are contacts, after which they never end."""

_PATCH = Event(lambda t, q, qd: 1.0, "patch")


def without_patches(stop: Stop) -> Stop:
    """The same without what patches do."""
    return Stop(stop.t, tuple(event for event in stop.events if event is not _PATCH))


class PatchRun(Run):
    """One simulation with surfaces that give way.

    A patch is touched from where the body comes down to it, and left where the force would begin to pull:
    both end a step. Sticking and sliding are found as well, and told, but forces have no jump there.

    Args:
        plan: What it is asked to do, with forces on the bodies.
        watch: Its events.
        how: The laws of the patches.
    """

    def __init__(self, plan: Plan, watch: Watch, how: Compliant) -> None:
        self.give_way(plan.m, how)
        super().__init__(plan, watch)

    def give_way(self, soft: Mechanism, how: Compliant) -> None:
        """Let surfaces of a mechanism, the same but for contacts, give way by laws."""
        self.soft, self.how, self.patch_rows = soft, how, candidates(soft)
        self.laws = [law for _, law in laws_of(soft, how)]
        self._patch_found: Found | None = None
        self._patch_history: list[tuple[Any, ...]] = []
        self._patch_events: list[ContactEvent] = []
        self._taken, self._last, self._patch_again = 0.0, np.zeros(0), (-1.0, 0)

    @cached_property
    def patched(self) -> PatchSystem:
        """The motion with patches."""
        of = equations(self.m, True, self.plan.law)
        return PatchSystem(of, self.plan.forces, self.how, self.soft)

    @cached_property
    def system(self) -> Compiled:
        return self.patched

    def _bodies(self, y: Array) -> Array:
        """(nq + nv,) the state without patches."""
        return y[: self.patched.size]

    def _patch_of(self, y: Array) -> Array:
        """(nc, 4) z and x, as a view into a state."""
        return y[self.patched.size :].reshape(-1, 4)

    def with_patches(self, y: Array) -> Array:
        """The first state (nq + nv,) with patches behind it, which are as deep as bodies are."""
        full = np.concatenate([y, np.zeros(4 * self.patched.count)])
        gap = self.patched.gaps(y[: self.m.nq])
        for i, law in enumerate(self.laws):
            if gap[i] < 0.0:
                self._patch_of(full)[i, : law.states] = law.pressed(gap[i])
        self.touch_anew(0.0, full)
        return full

    def start(self, y: Array) -> None:
        """Record the first state."""
        nq, full = self.m.nq, self.with_patches(y)
        if self.closing is not None:
            after, singular = self.closing.begin(y, self._direction(full))
            if singular:
                self.record(0.0, full, 0.0)
                raise self.fail(SINGULAR_START, 0.0, None)
            self.in_use.choose(self.system, after[:nq])
        else:
            self.in_use.choose(self.system, y[:nq])
        start = self.closed(0.0, full)
        self.accept(start)
        self.record(0.0, start.y, 0.0)
        self.begin_patches(start.y)

    def begin_patches(self, y: Array) -> None:
        """Tell what patches do at the first state; the balance begins with what surfaces take there."""
        self.weigh(0.0, y)
        self.tell_modes(0.0, y, np.full(self.patched.count, OPEN))

    def _direction(self, y: Array) -> Array:
        """(nv,) where a state leads: its velocity or, from rest, its acceleration."""
        q, qd = y[: self.m.nq], y[self.m.nq : self.patched.size]
        if np.any(qd):
            return qd
        tau, f_ext = self.plan.forces(0.0, q, qd)
        pushed = f_ext + self.patched.patches(0.0, y).wrenches
        return acceleration(self.m, q, qd, tau, pushed, law=self.plan.law.at_once)

    def choose_integrator(self) -> None:
        """An implicit method if surfaces, once touched, would make explicit steps too many."""
        self.choose_without_patches()
        limit, row = self._limit()
        told = f"{self.patch_rows[row].title} bounds explicit steps by {limit:.3g} s while it touches"
        if self.method == "DOP853" and self.duration > MANY * limit:
            self.method = "Radau"
        self.reason = f"{self.reason}; {told}"

    def choose_without_patches(self) -> None:
        """Choose an integrator as if nothing were touched."""
        plain = Compiled(self.system.equations, self.plan.forces)
        self.method, self.reason = choose(plain, self._bodies(self.last), self.duration)

    def _limit(self) -> tuple[float, int]:
        """The longest step of explicit methods while surfaces touch, s, and which contact bounds it."""
        limits = step_limits(self.soft, self.last[: self.m.nq], self.how)
        for i, law in enumerate(self.laws):
            K, D = law.tangential
            if D:
                limits[i] = min(limits[i], 2.0 * D / K)  # of the patch that slides, or gives way by itself
        row = int(np.argmin(limits))
        return float(limits[row]), row

    def tell_long_step(self, h: float) -> None:
        """Warn of fixed steps that are longer than surfaces allow."""
        limit, row = self._limit()
        if h > limit:
            tell(
                f"dt is {h:g} s, more than the {limit:.3g} s that explicit steps may have while "
                f"{self.patch_rows[row].title} touches: reduce dt or the stiffness, or use 'Radau'",
                StepLengthWarning,
            )

    # States

    @property
    def closes(self) -> bool:
        return True

    def closed(self, t: float, y: Array) -> Closed:
        """The state with quaternions of unit norm, loops closed, and touched patches where bodies are."""
        state = super().closed(t, self._bodies(y))
        patches = y[self.patched.size :]
        if not patches.size or not np.any(self.patched.touches):
            return state._replace(y=np.concatenate([state.y, patches]))
        full = np.concatenate([state.y, patches])
        gap, touched = self.patched.gaps(state.y[: self.m.nq]), self.patched.touches > 0.0
        z = self._patch_of(full)[:, :2]
        z[touched, 0] += (gap - z.sum(axis=1))[touched]
        return state._replace(y=full)

    def touch_anew(self, t: float, y: Array) -> None:
        """Find which patches are touched, after a start or a jump."""
        system = self.patched
        at = system.patches(t, y)
        patch = self._patch_of(y)
        patch[:] = at.patch
        patch[at.clear < 0.0, 0] += at.clear[at.clear < 0.0]
        system.left[:] = t
        system.touches[:] = 1.0
        grip = system.patches(t, y).grip
        system.touches[:] = (at.clear <= APART) & (grip >= 0.0)

    # Events

    def happening(self, t: float, y: Array, step: Step) -> Stop | None:
        """Look for events in a step from (t, y), those of patches among them."""
        touched, system = self.patched.touches > 0.0, self.patched

        @cache
        def patches(at: float) -> Any:
            return system.patches(at, y if at == t else step.at(at))

        def look(at: float) -> Seen:
            now, far = patches(at), np.full(system.count, np.inf)
            clear, grip = np.where(touched, far, now.clear), np.where(touched, now.grip, far)
            return Seen(clear, now.clear_rate, grip, far, far, 0.0)

        self._patch_found = found = earliest(t, step.end, look, 0.0)
        end = step.end if found is None else found.t
        short = Step(end, Closed(step.at(end), 1.0, 0), step.state)
        own = super().happening(t, y, short) if end > t else None
        if own is not None and own.t < end:
            self._patch_found, found, end = None, None, own.t
        self._tell_turns(t, end, patches)
        if found is None:
            return own
        return Stop(found.t, (*(own.events if own is not None else ()), _PATCH))

    def act(self, stop: Stop, y: Array) -> Closed:
        y = y.copy()
        before = self.turn_patch(stop.t, y)
        own = without_patches(stop)
        if any(event.action is not None for event in own.events):
            y = super().act(own, y).y
            self.touch_anew(stop.t, y)
        state = self.closed(stop.t, y)
        self.tell_modes(stop.t, state.y, before)
        return state

    def turn_patch(self, t: float, y: Array) -> Array:
        """Let the patch that was found be touched, or left; (nc,) the modes of all before."""
        found, self._patch_found = self._patch_found, None
        self._count_patches(t)
        system = self.patched
        before = self._modes(system.patches(t, y))
        if found is not None:
            self._patch_of(y)[:] = system.patches(t, y).patch  # free ones as they are now
            system.left[:] = t
            system.touches[found.row] = found.kind == "gap"
        return before

    def _count_patches(self, t: float) -> None:
        """End a run in which patches are touched and left for ever at one time."""
        last, count = self._patch_again
        self._patch_again = (t, count + 1 if t == last else 0)
        if count > AGAIN + self.patched.count:
            touched = [self.patch_rows[row].title for row in np.flatnonzero(self.patched.touches)]
            raise self.fail(f"surfaces part and touch again within no time: {'; '.join(touched)}", t, None)

    def _modes(self, at: PatchMotion) -> Array:
        """(nc,) OPEN, STICK or SLIP."""
        return np.where(self.patched.touches > 0.0, np.where(at.hold >= 0.0, STICK, SLIP), OPEN)

    def tell_modes(self, t: float, y: Array, before: Array) -> None:
        names = {OPEN: "opens", STICK: "sticks", SLIP: "slips"}
        after = self._modes(self.patched.patches(t, y))
        for row, (old, new) in enumerate(zip(before, after, strict=True)):
            if (old == OPEN) != (new == OPEN):
                self._patch_events += [ContactEvent(t, row, "closes")] if old == OPEN else []
                self._patch_events.append(ContactEvent(t, row, names[int(new)]))

    def _tell_turns(self, t: float, end: float, patches: Any) -> None:
        """Tell which patches begin to slide, or to stick, within a step."""
        before, after = patches(t).hold, patches(end).hold
        turned = (self.patched.touches > 0.0) & ((before >= 0.0) != (after >= 0.0))
        found = []
        for row in map(int, np.flatnonzero(turned)):
            when = crossing_time(lambda at, row=row: float(patches(at).hold[row]), t, end)
            found.append(ContactEvent(when, row, "sticks" if after[row] >= 0.0 else "slips"))
        self._patch_events += sorted(found, key=lambda event: event.t)

    # Records

    def record(self, t: float, y: Array, h: float) -> None:
        super().record(t, y, h)
        self._last, at, nothing = y, self.patched.patches(t, y), np.zeros((self.patched.count, 3))
        mode, lost, stored = self._modes(at), float(at.lost), float(at.stored)
        self._patch_history.append((at.gap, mode, at.force, nothing, 0.0, lost, at.patch, stored))

    def weigh(self, t: float, y: Array) -> None:
        self._taken = self.taken(t, y)
        super().weigh(t, y)

    def taken(self, t: float, y: Array) -> float:
        """W: what surfaces take from the bodies at a state with patches."""
        at = self.patched.patches(t, y)
        return -float(np.sum(at.force * at.velocity))

    def rubbed(self, t: float, y: Array) -> float:
        """W: what surfaces take away, and what their springs do."""
        return self._taken

    @property
    def last(self) -> Array:
        """(nq + nv + 4 nc,) the state recorded last."""
        return self._last

    def trajectory(self) -> Trajectory:
        run = super().trajectory()
        titles = tuple(row.title for row in self.patch_rows)
        found = history(titles, self._patch_history, self._patch_events)
        return replace(
            run,
            potential=run.potential + found.stored,
            elastic=run.elastic + found.stored,
            lost_power=run.lost_power + found.friction_power,
            contacts=found,
        )
