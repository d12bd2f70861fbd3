"""Which contacts stay closed, which open, stick or slip: the problem of accelerations (RBDA 11.42)."""

from typing import NamedTuple

import numpy as np

from ...contact.geometry.contact_pairs import Candidate
from ...contact.problems.complementarity import Unsolvable
from ...contact.problems.contact_forces import no_solution
from ...contact.problems.coulomb import coulomb
from ...contact.problems.gauss_form import gauss_form
from ...errors import SolverError
from ...model.mechanism import Mechanism
from ...spatial import Array
from .holding import OPEN, SLIP, STICK, Held, centred, none_held, painleve
from .touch_terms import Unforced

ZERO = 1e-10
"""Accelerations below this share of those without contact forces are zero."""


class Touchable(NamedTuple):
    """The contacts of a mechanism.

    Attributes:
        m: The mechanism.
        candidates: Where shapes may touch.
        friction, restitution: (nc,) of each.
    """

    m: Mechanism
    candidates: list[Candidate]
    friction: Array
    restitution: Array

    def titles(self, rows: list[int]) -> list[str]:
        return [self.candidates[row].title for row in rows]


def decide(parts: Touchable, motion: Unforced, rows: list[int], still: float) -> Held:
    """What contacts do that touch and do not move along their normals.

    Args:
        parts: The contacts.
        motion: Without contact forces.
        rows: The contacts that touch; all others are open.
        still: m/s: those that move along the surface no faster may stick.

    Raises:
        SolverError: There are no such forces, as in Painlevé's situations.
    """
    held = none_held(parts.friction)._replace(still=still)
    if not rows:
        return held
    slip = motion.velocity[:, 1:]
    speed = np.linalg.norm(slip, axis=1, keepdims=True)
    held.along[:] = np.where(speed > still, slip / np.where(speed > still, speed, 1.0), 0.0)
    held.mode[rows] = np.where(speed[rows, 0] > still, SLIP, STICK)
    _check_push(parts, motion, held)
    M, d, friction = motion.mobility(rows), motion.d[rows], parts.friction[rows]
    force = np.zeros((len(rows), 3))
    if np.any(friction):
        force = coulomb(M, d, friction, sliding=held.along[rows] * (friction > 0.0)[:, None])
    else:
        found = gauss_form(motion.W[:, rows, 0], d[:, 0])
        if isinstance(found, Unsolvable):
            raise SolverError(no_solution(parts.m, found, [parts.candidates[row] for row in rows]))
        force[:, 0] = found.force
    u = np.einsum("iajb,jb->ia", M, force) + d
    small = ZERO * float(np.max(np.abs(d)))
    for k, row in enumerate(rows):
        aside = float(np.linalg.norm(u[k, 1:]))
        if u[k, 0] > small and M[k, 0, k, 0] * force[k, 0] <= small:
            held.mode[row] = OPEN
        elif friction[k] == 0.0:
            held.mode[row], held.along[row] = SLIP, 0.0
        elif held.mode[row] == STICK and aside > small:
            # At its limit, the force has the direction with more digits than what little moves.
            held.mode[row], held.along[row] = SLIP, -force[k, 1:] / np.linalg.norm(force[k, 1:])
        held.force[row] = force[k]
    _check_push(parts, motion, held)
    held.along[held.mode != SLIP] = 0.0
    held.force[held.mode == OPEN] = 0.0
    return centred(motion, held)


def _check_push(parts: Touchable, motion: Unforced, held: Held) -> None:
    push = painleve(motion, held)
    if np.any(push <= 0.0):
        raise SolverError(painleve_message(parts, int(np.argmin(push)), float(np.min(push))))


def painleve_message(parts: Touchable, row: int, push: float) -> str:
    """What is wrong with a contact that slips, and the way out."""
    return (
        f"Painlevé's paradox at {parts.candidates[row].title}, which slips with friction "
        f"{parts.friction[row]:g}: a force along n - μ t̂ parts it by {push:.3g} of what one along n does, "
        "which is not positive, and rigid bodies have no motion there, or several: let the surfaces give "
        "way, by a stiffness and contacts='compliant', or reduce the friction"
    )
