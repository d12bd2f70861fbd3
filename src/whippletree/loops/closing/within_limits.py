"""Closed positions within the limits of joints, where a search without regard to them has left some."""

from collections.abc import Sequence

import numpy as np

from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from .closure_gaps import closure_gaps, is_closed
from .projections import free_columns, project_position

STEPS, STARTS = 100, 8
"""Steps of one search, and from how many places it begins: the guess, then drawn ones."""

ROUNDING = 1e-9
"""rad or m: beyond a limit by less is at it."""


def broken_limits(m: Mechanism, q: Array) -> list[str]:
    """In words, which joints are beyond their limits at a position, and by how much."""
    found = []
    for name, x, lower, upper in _bounded(m, q):
        if x < lower - ROUNDING or x > upper + ROUNDING:
            found.append(f"{name!r} is at {x:.6g}, outside of {lower:.6g} … {upper:.6g}")
    return found


def assembled_within(m: Mechanism, q_guess: Array, hold: Sequence[str], tolerance: float) -> Array | None:
    """A closed position near a guess in which no joint is beyond its limits; None if none was found.

    Levenberg's damped least squares, as in `assemble`; a joint that would leave its limits stops there, and
    the others are asked again.
    """
    rng, free = np.random.default_rng(0), free_columns(m, hold)
    held = [k for k in range(m.nv) if k not in free]
    for count in range(STARTS):
        begin = q_guess
        if count:
            drawn = m.random(rng)
            begin = q_guess.copy()
            for i, index in enumerate(m.q_index):
                if m.v_index[i].start not in held:
                    begin[index] = drawn[index]
        q = _searched(m, _clipped(m, begin, hold), free, tolerance)
        if q is None:
            continue
        at_bounds = [name for name, x, lower, upper in _bounded(m, q) if min(x - lower, upper - x) < ROUNDING]
        q = project_position(m, q, [*dict.fromkeys([*hold, *at_bounds])], tolerance)
        if is_closed(m, closure_gaps(m, q), tolerance) and not broken_limits(m, q):
            return q
    return None


def _bounded(m: Mechanism, q: Array) -> list[tuple[str, float, float, float]]:
    """Name, coordinate and limits of joints that have some."""
    return [
        (body.joint_name, float(x), body.limits.lower, body.limits.upper)
        for body, index in zip(m.bodies, m.q_index, strict=True)
        if body.joint.has_rates and (np.isfinite(body.limits.lower) or np.isfinite(body.limits.upper))
        for x in q[index]
    ]


def _clipped(m: Mechanism, q: Array, hold: Sequence[str]) -> Array:
    q = q.copy()
    for body, index in zip(m.bodies, m.q_index, strict=True):
        if body.joint.has_rates and body.joint_name not in hold:
            q[index] = np.clip(q[index], body.limits.lower, body.limits.upper)
    return q


def _searched(m: Mechanism, q: Array, free: list[int], tolerance: float) -> Array | None:
    lower, upper = np.full(m.nv, -np.inf), np.full(m.nv, np.inf)
    at = np.zeros(m.nv, int)
    for body, q_i, v_i in zip(m.bodies, m.q_index, m.v_index, strict=True):
        if body.joint.has_rates:
            at[v_i] = np.arange(q_i.start, q_i.stop)
            lower[v_i], upper[v_i] = body.limits.lower, body.limits.upper
    gaps, damping = closure_gaps(m, q), 1e-3
    for _ in range(STEPS):
        if is_closed(m, gaps, tolerance):
            return q
        if damping > 1e8:
            return None
        K, loose, step = constraint_jacobian(m, q), list(free), np.zeros(m.nv)
        right = gaps.copy()
        for _ in range(len(free)):
            J = K[:, loose]
            step[loose] = -np.linalg.solve(J.T @ J + damping * np.eye(len(loose)), J.T @ right)
            x = q[at]
            stopped = [k for k in loose if not lower[k] <= x[k] + step[k] <= upper[k]]
            if not stopped:
                break
            for k in stopped:
                step[k] = np.clip(x[k] + step[k], lower[k], upper[k]) - x[k]
                right = right + K[:, k] * step[k]
            loose = [k for k in loose if k not in stopped]
            if not loose:
                break
        closer = integrate(m, q, step)
        new = closure_gaps(m, closer)
        if new @ new < gaps @ gaps:
            q, gaps, damping = closer, new, max(0.1 * damping, 1e-15)
        else:
            damping *= 10.0
    return None
