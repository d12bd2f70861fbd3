"""Impacts of mechanisms: velocities after, by a law that is chosen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..geometry.contact_kinematics import contact_jacobian, gaps
from ..geometry.contact_pairs import candidates
from ..geometry.contact_states import GAP
from ..problems.contact_forces import checked_rows
from ..problems.contact_problem import inertia_root
from .impact_problem import ImpactProblem
from .newton_impact import newton_impact
from .poisson import poisson
from .sequential import sequential

IMPACT_LAWS: dict[str, Callable[[ImpactProblem], Array]] = {
    "poisson": poisson,
    "newton": newton_impact,
    "sequential": sequential,
}
"""Laws of impact by name."""


class Impact(NamedTuple):
    """What an impact does.

    Attributes:
        qd: (nv,) joint velocities after, rad/s or m/s.
        rows: Rows of `candidates` that touch; the arrays below are about these.
        impulse: (k, 3) on shape a, along n, t1 and t2 of `contact_frames`, N s; on shape b the opposite.
        before, after: (k, 3) contact velocities, m/s.
        energy_gain: Of the kinetic energy, J; never more than 0, but for rounding.
    """

    qd: Array
    rows: list[int]
    impulse: Array
    before: Array
    after: Array
    energy_gain: float


def impact(
    m: Mechanism, q: Array, qd: Array, law: str = "poisson", rows: Sequence[int] | None = None
) -> Impact:
    """Velocities after the impact of all contacts that touch and close (RBDA §11.7).

    Joint space: u = Jᵀλ, H Δqd = u (11.57, 11.58); loops stay closed. The laws, none of which lets the energy
    grow: "poisson", two phases, each contact with its own restitution and friction; "newton", without
    friction; "sequential", one contact after the other.

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities before, rad/s or m/s, that keep them closed.
        law: One of `IMPACT_LAWS`.
        rows: Rows of `candidates` that touch; by default those with a gap of at most 1e-9 m.

    Raises:
        InputError: No such law, or Newton's law where it could create energy.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.5))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", restitution=0.8)
    >>> hit = wt.contact.impact(m, [0.1], [-3.0])
    >>> hit.qd.round(12), hit.impulse[0, 0].round(12)
    (array([2.4]), np.float64(2.7))
    """
    if not isinstance(law, str) or law not in IMPACT_LAWS:
        raise InputError(f"law is {law!r}, expected one of {', '.join(IMPACT_LAWS)}")
    all_rows = candidates(m)
    chosen = np.flatnonzero(gaps(m, q) <= GAP) if rows is None else checked_rows(rows, len(all_rows))
    numbers = [int(row) for row in chosen]
    J, B = contact_jacobian(m, q)[numbers].reshape(3 * len(numbers), m.nv), inertia_root(m, q)
    before = (J @ qd).reshape(-1, 3)
    contacts = [all_rows[row].contact for row in numbers]
    problem = ImpactProblem(
        B.T @ J.T,
        before,
        np.array([contact.restitution for contact in contacts]),
        np.array([contact.friction for contact in contacts]),
        [all_rows[row].title for row in numbers],
    )
    impulse = IMPACT_LAWS[law](problem) if np.any(problem.closing()) else np.zeros_like(before)
    jump = B @ (problem.R @ impulse.ravel())
    return Impact(qd + jump, numbers, impulse, before, problem.after(impulse), problem.energy_gain(impulse))
