"""Forces between rigid bodies that touch, for any mechanism (RBDA §11.5)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, SolverError
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..geometry.contact_kinematics import contact_velocity
from ..geometry.contact_pairs import Candidate, candidates
from ..geometry.contact_states import GAP, RATE, ContactState, check_apart, contact_states
from .complementarity import Unsolvable
from .contact_problem import contact_problem, inertia_root
from .coulomb import coulomb
from .gauss_form import gauss_form

SLIP = 1e-6
"""m/s: contacts that move along the surface at more than this slide; slower ones may stick."""


class RigidContact(NamedTuple):
    """Contact forces at an instant, and the motion under them.

    Attributes:
        rows: Rows of `candidates` that touch; the arrays below are about these.
        force: (k, 3) on shape a, along n, t1 and t2 of `contact_frames`, N; on shape b the opposite.
        acceleration: (k, 3) dζ/dt along the same directions, m/s².
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        unique: Whether no other forces cause the same motion; None with friction, where it is not decided.
    """

    rows: list[int]
    force: Array
    acceleration: Array
    qdd: Array
    unique: bool | None


def contact_forces(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    rows: Sequence[int] | None = None,
    gap_tolerance: float = GAP,
    rate_tolerance: float = RATE,
) -> RigidContact:
    """Forces between rigid bodies that touch, with Coulomb friction, and the accelerations under them.

    Without friction the normal forces solve RBDA 11.42, by Gauss' principle (11.44); with friction each
    contact opens, sticks or slips (`coulomb`). A contact that slides, by more than 1e-6 m/s, has
    friction against its velocity; one that does not, against its acceleration.

    Args:
        m: A mechanism with contacts, trees and loops.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        rows: Rows of `candidates` that touch; by default those in state 3 of `contact_states`.
        gap_tolerance, rate_tolerance: Gaps within ± this, m, and their rates, m/s, count as zero there. The
            default fits states of `simulate`. Steps h of a rigid `rollout` leave more where things move: at a
            speed v round a radius r some v²h²/r, m, and v²h/r, m/s.

    Raises:
        InputError: Without `rows`, shapes overlap or an impact is due.
        SolverError: There is no solution; without friction the contacts at fault are named, with it all.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Translation(), inertia=wt.Inertia.sphere(0.1, mass=2.0))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("rest", "skin", "floor", friction=0.5)
    >>> found = wt.contact.contact_forces(m, [0, 0, 0.1], [0, 0, 0], [30.0, 0, 0])
    >>> found.force.round(9) + 0.0, found.qdd.round(9) + 0.0
    (array([[19.62, -9.81,  0.  ]]), array([10.095,  0.   ,  0.   ]))
    >>> near = [0, 0, 0.1 + 3e-7]
    >>> [wt.contact.contact_forces(m, near, [0, 0, 0], [0, 0, 0], gap_tolerance=x).rows for x in (1e-9, 1e-6)]
    [[], [0]]
    """
    all_rows = candidates(m)
    if rows is None:
        rows = resting_rows(m, q, qd, gap_tolerance, rate_tolerance)
    rows = checked_rows(rows, len(all_rows))
    problem = contact_problem(m, q, qd, tau, f_ext)
    M, d = problem.M[np.ix_(rows, range(3), rows, range(3))], problem.d[rows]
    friction = np.array([all_rows[k].contact.friction for k in rows])
    force, unique = np.zeros((len(rows), 3)), None
    if not np.any(friction):
        solution = gauss_form(inertia_root(m, q).T @ problem.J[rows, 0].T, d[:, 0])
        if isinstance(solution, Unsolvable):
            raise SolverError(no_solution(m, solution, [all_rows[k] for k in rows]))
        force[:, 0], unique = solution.force, solution.unique
    else:
        slip = contact_velocity(m, q, qd)[rows, 1:]
        speed = np.linalg.norm(slip, axis=1, keepdims=True)
        sliding = np.where(speed > SLIP, slip / np.where(speed > SLIP, speed, 1.0), 0.0)
        try:
            force = coulomb(M, d, friction, sliding=sliding)
        except SolverError as error:
            names = dict.fromkeys(repr(all_rows[k].contact.name) for k in rows)
            raise SolverError(f"{m.name!r}, which touches by {', '.join(names)}: {error}") from None
    acceleration = np.einsum("iajb,jb->ia", M, force) + d
    qdd = problem.qdd_free + np.einsum("vjb,jb->v", problem.response[:, rows], force)
    return RigidContact(rows, force, acceleration, qdd, unique)


def resting_rows(m: Mechanism, q: Array, qd: Array, gap_tolerance: float, rate_tolerance: float) -> list[int]:
    """Rows in state 3; InputError where an overlap or a velocity leaves no forces that are finite."""
    check_apart(m, q, gap_tolerance)
    states = contact_states(m, q, qd, gap_tolerance, rate_tolerance)
    if ContactState.IMPACT in states:
        row = states.index(ContactState.IMPACT)
        rate = -contact_velocity(m, q, qd)[row, 0]
        raise InputError(
            f"qd of {m.name!r}: {candidates(m)[row].title} closes at {rate:.4g} m/s, which only an impulse "
            "ends: take qd from wt.contact.impact(m, q, qd).qd, or name by rows what touches"
        )
    return [k for k, state in enumerate(states) if state is ContactState.RESTING]


def no_solution(m: Mechanism, unsolvable: Unsolvable, touching: Sequence[Candidate]) -> str:
    """Why contacts of a mechanism cannot be kept apart, in words."""
    names = "; ".join(touching[k].title for k in unsolvable.at_fault)
    return (
        f"{m.name!r} has no contact forces that keep all of its contacts apart: the motion drives bodies "
        f"into each other that are held from both sides, {names}: let them give way (stiffness), or allow "
        "a small overlap and leave one out"
    )


def checked_rows(rows: Any, count: int) -> list[int]:
    """Rows of `candidates` as numbers; InputError for what is none."""
    if not isinstance(rows, Sequence | np.ndarray) or not all(
        type(row) is int or isinstance(row, np.integer) for row in rows
    ):
        raise InputError(
            f"rows is {rows!r}, expected whole numbers, as [0, 2]: 0 … {count - 1}, one a candidate"
        )
    chosen = [int(row) for row in rows]
    for row in chosen:
        if not 0 <= row < count:
            raise InputError(f"rows has {row}: there are {count} candidates, 0 … {count - 1}")
    if len(set(chosen)) != len(chosen):
        raise InputError(f"rows names a candidate twice: {chosen}")
    return chosen
