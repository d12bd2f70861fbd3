"""A simulation in which some surfaces are rigid and others give way."""

from dataclasses import replace
from functools import cached_property

from ...contact.compliant.compliant_contact import Compliant
from ...contact.geometry.contact_pairs import candidates
from ...spatial import Array
from ..closing import Closed
from ..equations import equations
from ..events import Event, Stop, Watch
from ..plan import Plan
from ..touching.contact_history import merged
from ..touching.touching_door import Each
from ..touching.touching_run import TouchingRun
from ..trajectory import Trajectory
from .mixed_system import MixedSystem
from .patch_run import PatchRun, without_patches


class MixedContactRun(PatchRun, TouchingRun):
    """One simulation with both.

    Forces of patches are forces on the bodies, as any others, for the contacts that are rigid. Where a patch
    is touched or left its force jumps, and what rigid contacts do is decided anew; where these strike, so is
    which patches are touched.

    Args:
        plan: What it is asked to do, with forces on the bodies.
        watch: Its events.
        law: Of impacts.
        each: The contacts.
    """

    def __init__(self, plan: Plan, watch: Watch, law: str, each: Each) -> None:
        self.give_way(each.soft, Compliant())
        TouchingRun.__init__(self, plan, watch, law, each.rigid)

    @cached_property
    def system(self) -> MixedSystem:
        of = equations(self.m, True, self.plan.law)
        return MixedSystem(of, self.plan.forces, self.rigid, self.patched)

    def start(self, y: Array) -> None:
        TouchingRun.start(self, self.with_patches(y))
        self.begin_patches(self.last)

    def choose_without_patches(self) -> None:
        TouchingRun.choose_integrator(self)

    def act(self, stop: Stop, y: Array) -> Closed:
        y = y.copy()
        before = self.turn_patch(stop.t, y)
        state = TouchingRun.act(self, without_patches(stop), y)
        self.tell_modes(stop.t, state.y, before)
        return state

    def behind_action(self, t: float, event: Event, y: Array) -> None:
        super().behind_action(t, event, y)
        self.touch_anew(t, y)

    def after_impacts(self, t: float, y: Array) -> Array:
        after = super().after_impacts(t, y)
        if self.has_struck:
            before = self.patched.touches.copy()
            self.touch_anew(t, after)
            if (self.patched.touches != before).any():
                after = super().after_impacts(t, after)  # which now have other forces beside them
        return after

    def drop_last(self) -> None:
        super().drop_last()
        self._patch_history.pop()

    def taken(self, t: float, y: Array) -> float:
        return super().taken(t, y) + TouchingRun.rubbed(self, t, y)

    def trajectory(self) -> Trajectory:
        run, rows = super().trajectory(), candidates(self.m)
        rigid = [k for k, row in enumerate(rows) if row.contact.stiffness is None]
        soft = [k for k, row in enumerate(rows) if row.contact.stiffness is not None]
        titles = tuple(row.title for row in rows)
        return replace(run, contacts=merged(titles, [(rigid, self.did()), (soft, run.contacts)]))
