"""Closed contacts kept closed within a stride, and a look at whether any does something new."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, minimum, where
from ..strides.motion import Motion
from . import contact_lookout
from .contact_lookout import lookout_kernel
from .faint_slip import STABLE
from .touching_system import FAR, TouchingSystem
from .watching import SAMPLES

CLEAR = 0.25 * STABLE
"""What a step is, times the fastest rate, where explicit ones take over from implicit ones."""

PASSES = 3
"""Newton steps at most that close contacts: one leaves the square of the gap."""


class HeldInMemory(Motion):
    """The numbers of a motion whose closed contacts are held.

    Args:
        system: What moves.

    Attributes:
        closed, sticks, along, faint: What contacts do; see `held_motion`.
        friction: (nc,) μ.
        found: What was found besides slopes at the state that was looked at last; see `HeldMotion`.
    """

    def __init__(self, system: TouchingSystem) -> None:
        super().__init__(system, ())
        self.kernels = system.at_once
        nc = len(system.held.mode)
        self.closed, self.sticks, self.friction = np.zeros(nc), np.zeros(nc), np.zeros(nc)
        self.along, self.faint = np.zeros((nc, 2)), np.zeros(1)
        shapes = (nc, 3), (nc, 3), (nc,), (nc,), (nc,), (1,), (1,), (1,)
        self.found: list[Array] = [np.zeros(shape) for shape in shapes]

    def slope(self, t: Array, y: Array, answer: Array) -> list[Instruction]:
        q, qd = self.split(y)
        tau, *f_ext = self._acting
        inputs = [q, qd, tau, self.closed, self.sticks, self.along, self.faint, *f_ext]
        return [*self._forces(t, q, qd), Call(self.kernels.motion, inputs, [answer, *self.found])]

    def turned(self, along: Array, answers: Array) -> list[Instruction]:
        """Slopes (k, n) at the start of a step with slip along directions (k, nc, 2), however fast it is."""
        q, qd = self.split(self.y)
        tau, *f_ext = self._acting
        far, unused = np.full(1, FAR), [np.zeros_like(part) for part in self.found]
        found = self._forces(self.t, q, qd)
        for directions, answer in zip(along, answers, strict=True):
            inputs = [q, qd, tau, self.closed, self.sticks, directions, far, *f_ext]
            found.append(Call(self.kernels.motion, inputs, [answer, *unused]))
        return found

    def begin(self) -> None:
        """Go on with what contacts do."""
        super().begin()
        system = self.system
        assert isinstance(system, TouchingSystem)
        held = system.held
        self.closed[:], self.sticks[:] = system.closed, system.sticks
        self.along[:], self.faint[0], self.friction[:] = held.along, held.faint, held.friction


Within = Callable[[Array, Array, Any], Array]
"""The state a share through a step, out of its terms and the state at its start."""


def worst_of(margin: Any, least: Any, turning: Any, h: Any) -> tuple[Any, Any]:
    """The lesser of two margins; and 1 if directions of slip relax slowly over a length h, s, else 0."""
    return minimum(margin, least), where(h * turning < STABLE, 1.0, 0.0)


def worst_of_stiff(margin: Any, least: Any, turning: Any, h: Any) -> tuple[Any, Any]:
    """The same of implicit steps, which may be as long as they like."""
    return minimum(margin, least), 1.0


def faint_still(turning: Any, size: Any) -> Any:
    """1 if directions of slip relax fast over the length of the next step, s, else 0."""
    return where(size * turning < CLEAR, 0.0, 1.0)


class KeepingContacts:
    """The contacts of a motion in memory; in place of `BringingBack`, which does this for loops.

    Args:
        motion: The memory.
        terms: (k, n) of the step that was taken last.
        within: What they are terms of.

    Attributes:
        watch: (3,) of the step that was looked at last: the largest gap at its end, m, the least margin, see
            `HeldMotion`, and 1 if there may be an event in it, else 0.
        tolerances: (2,) rtol and atol.
    """

    doubts = False
    worst = staticmethod(worst_of)

    def __init__(self, motion: HeldInMemory, terms: Array, within: Within) -> None:
        self.motion, self._terms, self._within = motion, terms, within
        self.watch, self.tolerances = np.zeros(3), np.zeros(2)
        m, nc = motion.m, len(motion.closed)
        self._sizes = m.nq, m.nv, nc
        self._gap, self._rate = np.zeros(nc), np.zeros(nc)
        self._features, self._features_after = np.zeros(nc), np.zeros(nc)
        self._along = np.zeros((nc, 2))
        self._slack, self._going = np.zeros(1), np.ones(1)

    @property
    def turns_fast(self) -> bool:
        """Whether directions of slip relax too fast for the step that was looked at last."""
        return not self._going[0] > 0.0

    def _kernel(self, function: Any) -> Kernel:
        return lookout_kernel(function, *self._sizes)

    def begin(self, t: float, y: Array) -> float:
        """Go on from a state; its margin."""
        system, (q, qd) = self.motion.system, self.motion.split(y)
        assert isinstance(system, TouchingSystem)
        motion = system.held_motion(t, y)
        self._gap[:], self._rate[:], self._going[0] = motion.gap, motion.velocity[:, 0], 1.0
        later = system.moved(q, qd, float(self._kernel(contact_lookout.soon)(qd)))
        self._features[:] = system.kernels.features(later)
        return float(motion.margin)

    def many(self, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        """States (n, nq), (n, nv) with closed contacts, next to others."""
        motion = self.motion
        together, nearer = motion.kernels.together, self._kernel(contact_lookout.nearer)
        closer, kept, worst, _ = together(q, qd, motion.closed, motion.sticks)
        for _ in range(PASSES):
            following, then, least, _ = together(closer, qd, motion.closed, motion.sticks)
            q, kept, worst, _ = nearer(q, kept, worst, closer, then, least)
            closer = following
        return q, kept

    def instructions(self) -> list[Instruction]:
        """From a state in `after` to one with contacts closed, there; and a look at the step before it."""
        motion, n = self.motion, len(self.motion.y)
        gap, margin, trouble = np.split(self.watch, 3)
        before = motion.split(motion.y)[1]
        least, going = np.zeros(1), self._going
        found: list[Instruction] = [
            Copy(np.ones(1), trouble),
            Copy(np.ones(1), going),
            *self._brought_back(motion.after, gap, margin, "end-closed"),
            Call(
                self._kernel(contact_lookout.slack),
                [before, self.tolerances],
                [self._slack],
            ),
        ]
        gap_before, rate_before = self._gap, self._rate
        through = _inside(self._within, *self._terms.shape)
        for k in range(1, SAMPLES + 1):
            t, state = motion.t_after, motion.after
            if k < SAMPLES:
                t, state, raw = np.zeros(1), np.zeros(n), np.zeros(n)
                share = np.full(1, k / SAMPLES)
                found += [
                    Call(
                        through,
                        [self._terms, motion.y, motion.t, motion.h, share],
                        [raw, t],
                    ),
                    *self._unit(raw, state),
                    *self._brought_back(state, np.zeros(1), np.zeros(1), f"closed-{k}"),
                ]
            found += motion.slope(t, state, np.zeros(n))
            force, velocity, now, felt, push, scale, turning, pivot = motion.found
            holds = [motion.closed, motion.sticks, motion.along, motion.friction]
            seen = [gap_before, rate_before, force, velocity, now, felt, push, scale, *holds, self._slack]
            gap_after, rate_after, quiet = np.zeros_like(now), np.zeros_like(now), np.zeros(1)
            found += [
                Call(self._kernel(contact_lookout.part_is_quiet), [motion.h, *seen], [quiet, rate_after]),
                Unless(quiet, "met"),
                Copy(now, gap_after),
                Call(_worst(self.worst), [margin, pivot, turning, motion.h], [least, going]),
                Copy(least, margin),
                Unless(going, "met"),
            ]
            gap_before, rate_before = gap_after, rate_after
        self._after = gap_before, rate_before
        return [*found, *self._at_the_end(trouble), Label("met")]

    def _at_the_end(self, trouble: Array) -> list[Instruction]:
        """Whether slip goes straight on, and contacts touch what they touched: then there is no trouble."""
        motion = self.motion
        q, qd = motion.split(motion.after)
        straight, same, later, there = np.zeros(1), np.zeros(1), np.zeros(1), np.zeros_like(q)
        velocity, system = motion.found[1], motion.system
        assert isinstance(system, TouchingSystem)
        features, advanced = system.kernels.features, motion.equations.common.advanced
        assert isinstance(features, Kernel)
        assert isinstance(advanced, Kernel)
        slips = [velocity, motion.closed, motion.sticks, motion.along, motion.friction, motion.faint]
        slips.append(self._slack)
        known = [self._features, self._features_after, motion.closed]
        return [
            Call(self._kernel(contact_lookout.slip_goes_on), slips, [self._along, straight]),
            Unless(straight, "met"),
            Call(self._kernel(contact_lookout.soon), [qd], [later]),
            Call(advanced, [q, qd, later], [there]),
            Call(features, [there], [self._features_after]),
            Call(self._kernel(contact_lookout.same_features), known, [same]),
            Unless(same, "met"),
            Copy(np.zeros(1), trouble),
        ]

    def _unit(self, raw: Array, state: Array) -> list[Instruction]:
        """A state with quaternions of unit norm."""
        motion = self.motion
        if motion.m.nq == motion.m.nv:
            return [Copy(raw, state)]
        (q, qd), (to_q, to_qd) = motion.split(raw), motion.split(state)
        return [Call(motion.equations.common.projected, [q], [to_q]), Copy(qd, to_qd)]

    def _brought_back(self, state: Array, worst: Array, margin: Array, label: str) -> list[Instruction]:
        """A state with contacts closed, in place; see `TouchingSystem.together`."""
        motion = self.motion
        together, nearer = motion.kernels.together, self._kernel(contact_lookout.nearer)
        holds, (q, qd) = [motion.closed, motion.sticks], motion.split(state)
        raw, kept, better_kept, following_kept = (np.zeros_like(qd) for _ in range(4))
        closer, better, following = (np.zeros_like(q) for _ in range(3))
        least, smaller, more, unused = (np.zeros(1) for _ in range(4))
        found: list[Instruction] = [
            Copy(qd, raw),
            Call(together, [q, raw, *holds], [closer, kept, worst, margin]),
            Copy(worst, more),
        ]
        for _ in range(PASSES):
            found += [
                Unless(more, label),
                Call(together, [closer, raw, *holds], [following, following_kept, least, unused]),
                Call(
                    nearer,
                    [q, kept, worst, closer, following_kept, least],
                    [better, better_kept, smaller, more],
                ),
                *(Copy(better, q), Copy(better_kept, kept), Copy(smaller, worst), Copy(following, closer)),
            ]
        return [*found, Label(label), Copy(kept, qd)]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        gap, rate = self._after
        kept = (gap, self._gap), (rate, self._rate), (self._features_after, self._features)
        return [Copy(source, to) for source, to in (*kept, (self._along, self.motion.along))]


class KeepingFaint(KeepingContacts):
    """The same while slip is faint: a stride ends where it is not any more.

    Args:
        motion, terms, within: See `KeepingContacts`.
        size: (1,) the length of the next step, s.
    """

    worst = staticmethod(worst_of_stiff)

    def __init__(self, motion: HeldInMemory, terms: Array, within: Within, size: Array) -> None:
        super().__init__(motion, terms, within)
        self._size = size

    def commit(self) -> list[Instruction]:
        motion = self.motion
        return [*super().commit(), Call(_faint(), [motion.found[6], self._size], [motion.good])]


@lru_cache(maxsize=32)
def _inside(within: Within, count: int, n: int) -> Kernel:
    def inside(terms: Array, y: Array, t: Any, h: Any, share: Any) -> tuple[Array, Any]:
        """The state a share through a step, and the time there, s."""
        return within(terms, y, share), t + share * h

    shapes = {"terms": (count, n), "y": (n,), "t": (), "h": (), "share": ()}
    return Kernel(simplify(trace(inside, shapes)), "inside")


@cache
def _worst(function: Callable[..., Any]) -> Kernel:
    shapes = {"margin": (), "least": (), "turning": (), "h": ()}
    return Kernel(simplify(trace(function, shapes)), function.__name__)


@cache
def _faint() -> Kernel:
    return Kernel(simplify(trace(faint_still, {"turning": (), "size": ()})), "faint_still")
