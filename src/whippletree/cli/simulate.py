"""What `whippletree simulate` reads from its options and tells at the end."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..loops.closing.assembly import assemble
from ..loops.closing.projections import project_velocity
from ..model.mechanism import Mechanism
from ..model.wording import counted
from ..simulation import Trajectory
from ..simulation.integrators import INTEGRATORS
from ..spatial import Array


def position(m: Mechanism, text: str | None) -> Array | None:
    """(nq,) from all numbers or from joint=value pairs; None if nothing is said.

    Joints that are not named keep their neutral position or, where there are loops and gears, take the one
    that the named joints leave them.

    >>> import whippletree as wt
    >>> position(wt.examples.load("double-pendulum"), "0.5, -1")
    array([ 0.5, -1. ])
    """
    if text is None:
        return None
    values, named = _read(m, text, "q0", m.neutral(), m.q_index)
    return assemble(m, values, hold=named) if named and (m.loops or m.gears) else values


def velocity(m: Mechanism, text: str | None, q: Array | None) -> Array | None:
    """(nv,) likewise; joints that are not named stand or, in loops and gears, follow those that are.

    >>> import whippletree as wt
    >>> velocity(wt.examples.load("four-bar"), "crank=2", None).round(3)
    array([ 2.   , -2.387,  0.377])
    """
    if text is None:
        return None
    values, named = _read(m, text, "qd0", np.zeros(m.nv), m.v_index)
    if not named or not (m.loops or m.gears):
        return values
    at = assemble(m, m.neutral()) if q is None else q
    return project_velocity(m, at, values, hold=named)


def speeds(text: str | None) -> dict[str, float] | None:
    """Speeds of driven joints, by name; None if nothing is driven.

    >>> speeds("crank=6.28, slide=-0.1")
    {'crank': 6.28, 'slide': -0.1}
    """
    found = {} if text is None else dict(_pairs(text, "drive"))
    for joint, speed in found.items():
        if not np.isfinite(speed):
            raise InputError(f"--drive: {joint} is {speed}, expected a finite speed")
    return found or None


def _read(
    m: Mechanism, text: str, name: str, values: Array, index: Sequence[slice]
) -> tuple[Array, list[str]]:
    """The values, those that are told put in their places, and the joints that were named."""
    size = len(values)
    if "=" not in text:
        values = np.array([_number(part, name) for part in text.replace(",", " ").split()])
        if len(values) != size:
            count = counted(len(values), "number", "numbers")
            raise InputError(f"--{name} has {count}, {m.name!r} takes {size}")
        return values, []
    named = []
    for joint, value in _pairs(text, name):
        named.append(joint)
        entries = index[m.joint_number(joint)]
        if entries.stop - entries.start != 1:
            raise InputError(
                f"--{name}: joint {joint!r} takes {entries.stop - entries.start} numbers: list all {size}"
            )
        values[entries] = value
    return values, named


def _pairs(text: str, name: str) -> list[tuple[str, float]]:
    found = []
    for pair in text.replace(",", " ").split():
        joint, sign, value = pair.rpartition("=")
        if not sign:
            raise InputError(f"--{name}: {pair!r} names no joint: give joint=value, as crank={pair}")
        found.append((joint, _number(value, name)))
    return found


def within_stops(m: Mechanism) -> Array:
    """(nq,) the neutral position, joints with stops brought within their limits."""
    q = m.neutral()
    for body, index in zip(m.bodies, m.q_index, strict=True):
        if body.limits.stiffness:
            q[index] = np.clip(q[index], body.limits.lower, body.limits.upper)
    return assemble(m, q) if m.gears else q


def check_step(method: str, dt: float | None) -> None:
    """InputError for a step that is given to a method that chooses its own."""
    if dt is not None and method not in INTEGRATORS:
        fixed = ", ".join(INTEGRATORS)
        raise InputError(
            f"--dt is given, but --method {method} chooses its steps: give a --method of fixed step "
            f"({fixed}), or --sample for the time between states"
        )


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--{name}: {text!r} is not a number") from None


def outcome(run: Trajectory, seconds: float) -> dict[str, Any]:
    """What a run came to, for a table or for JSON."""
    energy = run.energy
    gap = float(np.max(np.abs(run.constraint_error), initial=0.0))
    return {
        "mechanism": run.name,
        "method": run.method,
        "reason": run.reason,
        "dynamics": run.dynamics,
        "states": len(run),
        "end": float(run.t[-1]),
        "seconds": seconds,
        "energy": [float(energy[0]), float(energy[-1])],
        "largest_energy_change": float(np.max(np.abs(energy - energy[0]))),
        "largest_constraint_error": gap,
        "q": run.q[-1].tolist(),
        "qd": run.qd[-1].tolist(),
    }


def rows(told: dict[str, Any]) -> list[list[str]]:
    """The outcome as lines of two columns."""
    first, last = told["energy"]
    lines = [
        ["integrated", f"{told['end']:g} s in {told['seconds']:.3g} s, {told['states']} states"],
        ["method", told["method"] + (f" ({told['reason']})" if told["reason"] else "")],
        ["dynamics", told["dynamics"]],
        ["energy", f"{first:.6g} J at the start, {last:.6g} J at the end"],
        ["largest change", f"{told['largest_energy_change']:.3g} J"],
    ]
    if told["largest_constraint_error"]:
        lines.append(["loops", f"open by {told['largest_constraint_error']:.2g} at most"])
    shown = ", ".join(f"{value:.4g}" for value in told["q"][:12]) + (", …" if len(told["q"]) > 12 else "")
    return [*lines, ["q at the end", shown]]
