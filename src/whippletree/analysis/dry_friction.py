"""Dry friction next to rest, of which no linear model tells the truth."""

import numpy as np

from ..dynamics.force_laws.joint_law import SLIP_SPEED
from ..dynamics.force_laws.loop_joint_law import loop_states
from ..errors import DryFrictionWarning, tell
from ..model.mechanism import Mechanism
from ..spatial import Array

SLIDING = 10.0 * SLIP_SPEED
"""rad/s or m/s: from this speed on dry friction hardly changes with the speed, and linear models hold."""


def tell_dry_friction(m: Mechanism, q: Array, qd: Array) -> None:
    """DryFrictionWarning for the first joint with dry friction that rests in a state, or nearly so."""
    rates = [(body.joint_name, body, qd[m.v_index[i]]) for i, body in enumerate(m.bodies)]
    if any(loop.friction for loop in m.loops):
        rates += [
            (loop.name, loop, state.qd) for loop, state in zip(m.loops, loop_states(m, q, qd), strict=True)
        ]
    for name, part, rate in rates:
        slowest = float(np.min(np.abs(rate), initial=np.inf))
        if not part.friction or slowest >= SLIDING:
            continue
        force, speed = ("N", "m/s") if set(part.joint.units) == {"m"} else ("N m", "rad/s")
        steep = part.friction * SLIP_SPEED**2 / (slowest**2 + SLIP_SPEED**2) ** 1.5
        tell(
            f"joint {name!r} of {m.name!r} has dry friction of {part.friction:g} {force} and moves by "
            f"{slowest:g} {speed}: there it counts as a damper of {steep:.3g} {force} per {speed}, which is "
            f"true of speeds far below {SLIP_SPEED:g} {speed} alone. For larger motions give it friction=0 "
            "and a damping instead, in a copy of the mechanism, or linearize where it slides",
            DryFrictionWarning,
        )
        return
