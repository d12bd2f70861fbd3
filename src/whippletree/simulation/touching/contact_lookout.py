"""Whether a step of a stride may meet a contact event, told by machine code (RBDA table 11.1, steps 2 and 3).

What is found here is no event yet: a step in which one may be is left to `watching.earliest`.
"""

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, array, maximum, where
from .edges import AHEAD
from .held_motion import slip_direction
from .holding import SLACK, still_at
from .watching import APART, PULLS, SAMPLES, valley

SHARP = 0.5
"""Cosine of the angle by which slip may turn in a step."""


def part_is_quiet(
    h: Any,
    gap_before: Array,
    rate_before: Array,
    force: Array,
    velocity: Array,
    gap: Array,
    felt: Array,
    push: Array,
    scale: Any,
    closed: Array,
    sticks: Array,
    along: Array,
    friction: Array,
    slack: Any,
) -> tuple[Any, Array]:
    """1 if no contact does anything new in a part of a step, else 0; and (nc,) rates at its end. See `Seen`.

    Args:
        h: The length of the step, s.
        gap_before, rate_before: (nc,) at its start, m and m/s.
        force, velocity, gap, felt, push, scale: At its end; see `HeldMotion`.
        closed, sticks, along, friction: What contacts do; see `held_motion`.
        slack: m/s: slip has turned where it is beyond zero by more.
    """
    quiet, small = 1.0, -PULLS * scale
    for i, (n, *rub) in enumerate(force):
        rate = velocity[i, 0]
        deep = valley(h / SAMPLES, gap_before[i], rate_before[i], gap[i], rate) <= 0.0
        touches = where(
            gap_before[i] > 0.0, where(rate_before[i] < 0.0, where(rate > 0.0, 1.0, 0.0), 0.0), 0.0
        )
        apart = where(gap[i] >= -APART, where(deep, 1.0 - touches, 1.0), 0.0)
        grip = friction[i] * n - np.sqrt(rub[0] ** 2 + rub[1] ** 2)
        holds = where(sticks[i] > 0.0, where(felt[i] * grip >= small, 1.0, 0.0), 1.0)
        goes_on = where(velocity[i, 1:] @ along[i] >= -slack, 1.0, 0.0)
        pressed = where(felt[i] * n >= small, where(push[i] > 0.0, 1.0, 0.0), 0.0)
        quiet = quiet * where(closed[i] > 0.0, pressed * holds * goes_on, apart)
    return quiet, velocity[:, 0]


def slip_goes_on(
    velocity: Array, closed: Array, sticks: Array, along: Array, friction: Array, faint: Any, slack: Any
) -> tuple[Array, Any]:
    """(nc, 2) along which contacts slip from the end of a step on, and 1 if none has turned far, else 0."""
    found, straight = [], 1.0
    for i, (_, *slip) in enumerate(velocity):
        clear = np.sqrt(slip[0] ** 2 + slip[1] ** 2) > still_at(slack)
        rubs = closed[i] * (1.0 - sticks[i]) * where(friction[i] > 0.0, 1.0, 0.0)
        now = rubs * slip_direction(array(slip), along[i], faint)
        known = where(along[i] @ along[i] > 0.0, rubs, 0.0)
        turned = where(clear, where(now @ along[i] >= SHARP, 0.0, known), 0.0)
        straight = straight * (1.0 - turned)
        found.append([where(clear, new, old) for new, old in zip(now, along[i], strict=True)])
    return array(found), straight


def soon(qd: Array) -> Any:
    """s: the time in which a motion covers `AHEAD`; 0 at rest. See `edges.ahead`."""
    fastest: Any = 0.0
    for entry in qd:
        fastest = maximum(fastest, abs(entry))
    return where(fastest > 0.0, AHEAD / where(fastest > 0.0, fastest, 1.0), 0.0)


def same_features(before: Array, after: Array, closed: Array) -> Any:
    """1 if closed contacts touch what they touched before, else 0."""
    same = 1.0
    for old, new, holds in zip(before, after, closed, strict=True):
        same = same * where(holds > 0.0, where(old == new, 1.0, 0.0), 1.0)
    return same


def slack(qd: Array, tolerances: Array) -> Any:
    """m/s: `SLACK` times velocities may err in a step from qd, tolerances (2,) being rtol and atol."""
    largest: Any = 0.0
    for entry in qd:
        largest = maximum(largest, abs(entry))
    return SLACK * (tolerances[1] + tolerances[0] * largest)


def nearer(q: Array, kept: Array, worst: Any, closer: Array, following: Array, least: Any) -> tuple[Any, ...]:
    """Of two states that with the smaller gap, and that gap; and 1 if it is the second and has one, else 0.

    Args:
        q, kept: (nq,), (nv,) the first.
        worst: Its largest gap, m.
        closer, following: (nq,), (nv,) the second.
        least: Its largest gap, m.
    """
    better = least < worst
    position, velocity = (
        array([where(better, b, a) for a, b in zip(*pair, strict=True)])
        for pair in ((q, closer), (kept, following))
    )
    return position, velocity, where(better, least, worst), where(better, where(least > 0.0, 1.0, 0.0), 0.0)


@lru_cache(maxsize=64)
def lookout_kernel(function: Callable[..., Any], nq: int, nv: int, nc: int) -> Kernel:
    """One of the functions above, for nq positions, nv velocities and nc contacts."""
    each = ("gap_before", "rate_before", "gap", "felt", "push", "closed", "sticks", "friction")
    shapes = dict.fromkeys((*each, "before", "after"), (nc,))
    shapes |= {"force": (nc, 3), "velocity": (nc, 3), "along": (nc, 2), "tolerances": (2,)}
    shapes |= {"q": (nq,), "closer": (nq,), "qd": (nv,), "kept": (nv,), "following": (nv,)}
    taken = {name: shapes.get(name, ()) for name in signature(function).parameters}
    return Kernel(simplify(trace(function, taken)), function.__name__)
