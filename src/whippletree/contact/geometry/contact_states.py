"""The states of a contact (RBDA §11.4, figure 11.4), and shapes that overlap."""

from enum import StrEnum
from typing import NamedTuple

from ...errors import InputError
from ...model.mechanism import Mechanism
from ...spatial import Array
from .contact_kinematics import contact_velocity, gaps
from .contact_pairs import Candidate, candidates

GAP = 1e-9
"""m: a gap that differs from zero by no more counts as zero."""

RATE = 1e-9
"""m/s: a rate of a gap that differs from zero by no more counts as zero."""


class ContactState(StrEnum):
    """What a candidate does at this instant; φ is its gap."""

    APART = "1"
    """φ > 0: no contact."""
    IMPACT = "2a"
    """φ = 0 and dφ/dt < 0: an impulse is due."""
    LEAVING = "2b"
    """φ = 0 and dφ/dt > 0: it parts now."""
    RESTING = "3"
    """φ = 0 and dφ/dt = 0: it persists or breaks, as the contact problem decides."""
    OVERLAP = "overlap"
    """φ < 0: no state of rigid bodies."""


class Overlap(NamedTuple):
    """Two shapes that overlap at a candidate, and how deeply, m."""

    candidate: Candidate
    depth: float


def contact_states(
    m: Mechanism, q: Array, qd: Array, gap_tolerance: float = GAP, rate_tolerance: float = RATE
) -> list[ContactState]:
    """The state of every candidate (RBDA §11.4).

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        gap_tolerance: Gaps within ± this count as zero, m.
        rate_tolerance: Rates of gaps within ± this count as zero, m/s.

    Returns:
        One a row of `candidates`.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> states = ((0.2, -1.0), (0.1, -1.0), (0.1, 1.0), (0.1, 0.0))
    >>> [wt.contact.contact_states(m, [z], [v])[0].value for z, v in states]
    ['1', '2a', '2b', '3']
    """
    rates = contact_velocity(m, q, qd)[:, 0]
    return [_state(*pair, gap_tolerance, rate_tolerance) for pair in zip(gaps(m, q), rates, strict=True)]


def _state(gap: float, rate: float, gap_tolerance: float, rate_tolerance: float) -> ContactState:
    if gap > gap_tolerance:
        return ContactState.APART
    if gap < -gap_tolerance:
        return ContactState.OVERLAP
    if abs(rate) <= rate_tolerance:
        return ContactState.RESTING
    return ContactState.IMPACT if rate < 0.0 else ContactState.LEAVING


def overlaps(m: Mechanism, q: Array, tolerance: float = GAP) -> list[Overlap]:
    """The candidates at which shapes overlap by more than a tolerance, m, deepest first.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor")
    >>> [round(overlap.depth, 12) for overlap in wt.contact.overlaps(m, [0.08])]
    [0.02]
    """
    found = zip(candidates(m), gaps(m, q), strict=True)
    deep = [Overlap(candidate, -float(gap)) for candidate, gap in found if gap < -tolerance]
    return sorted(deep, key=lambda overlap: -overlap.depth)


def check_apart(m: Mechanism, q: Array, tolerance: float = GAP) -> None:
    """InputError for a position in which shapes overlap by more than a tolerance, m: the deepest, and all."""
    found = overlaps(m, q, tolerance)
    if found:
        deepest = found[0]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise InputError(
            f"q of {m.name!r}: shapes overlap by {deepest.depth:.4g} m, {deepest.candidate.title}{more}: "
            "start from where they are apart, as wt.contact.push_out(m, q)"
        )
