"""A step with rigid contact at the level of velocities, after Moreau and Jean: no events, no branches.

The free motion of the step is computed first; impulses then keep its velocities out of the shapes. A contact
that is not reached yet is in the equations as well: it may close by its gap in a step, and no faster, so that
b_n holds gap / h. (Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; Jean, The
non-smooth contact dynamics method, 1999.)
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.rnea import bias_force
from ...errors import InputError
from ...model.mechanism import Mechanism
from ...model.values import not_negative
from ...spatial import Array, array, known, maximum, minimum, where
from ..geometry.contact_kinematics import contact_frames
from ..geometry.contact_pairs import candidates
from .block_sweeps import Felt, sweep_residual, swept
from .contact_inertia import contact_inertia, factored
from .held_restitution import held_restitution

MOST = 1_000_000
"""Sweeps of a step, and rounds of a sweep, at most."""


@dataclass(frozen=True)
class Rigid:
    """Rigid contact, solved by sweeps that start from the impulses of the step before.

    Contacts that have a stiffness give way by it, at the end of the step, where any stiffness is stable.
    Restitution is Newton's: what strikes in a step leaves with its share of the speed that it began with. Of
    several impacts at once, with friction or with shares that differ, that law can ask for more energy than
    there was: then all of them return less, so that kinetic energy does not grow; `wt.contact.impact` has
    other laws.

    Sweeps end before the problem is solved. So a step may bring some energy: of 405,000 steps of lumps that
    land with friction 1.5 on three balls, without restitution, 321 did by 5 sweeps, 1e-4 of the energy at the
    start at most, 22 by 10 sweeps, 1e-7 at most, and none by 20.

    Args:
        sweeps: Over all contacts, in each step.
        rounds: Of projection for a contact that slides, in each sweep.
        push_out: Share of an overlap that a step takes back,
        push_speed: But no faster than this, m/s: what overlaps at the start is not shot away.
    """

    sweeps: int = 5
    rounds: int = 4
    push_out: float = 0.2
    push_speed: float = 0.1

    def __post_init__(self) -> None:
        for name, least in (("sweeps", 1), ("rounds", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
                raise InputError(f"Rigid: {name} is {value!r:.60}, expected a whole number, {least} … {MOST}")
        if not isinstance(self.push_out, Real) or not 0.0 <= self.push_out <= 1.0:
            raise InputError(f"Rigid: push_out is {self.push_out!r}, expected a share from 0 to 1")
        not_negative(self.push_speed, "Rigid: push_speed")


class Struck(NamedTuple):
    """What contact does in a step.

    Attributes:
        change: (nv,) of the velocities, by all impulses.
        impulses: (nc, 3) on a, along n, t1 and t2, N s.
        felt, give, b: The problem that they solve, as in `swept`.
    """

    change: Array
    impulses: Array
    felt: Felt
    give: Array
    b: Array


def moreau_impulses(
    m: Mechanism, q: Array, qd: Array, free: Array, h: Any, start: Array, K: Array, damping: float, how: Rigid
) -> Struck:
    """The impulses of a step.

    Args:
        m: A mechanism with contacts, whose joints have what acts implicitly as armature.
        q, qd: (nq,), (nv,) at the beginning of the step.
        free: (nv,) velocities at its end without contact, in the axes of its beginning.
        h: Its length, s.
        start: (nc, 3) impulses to start from, N s.
        K: (nk, nv) the Jacobian of what holds loops closed, which impulses must not open; of full rank.
        damping: Share by which these give way, so that there is an answer at singular positions, too.
        how: How to solve.
    """
    felt = contact_inertia(m, q, K, damping)
    b = felt.velocities(free)
    give, dead, lively = _allowed(m, q, felt.velocities(qd), h, how)
    friction = [row.contact.friction for row in candidates(m)]

    def solved(target: Array) -> Array:
        return swept(felt.felt, give, b + _normal(target), friction, start, how.sweeps, how.rounds)

    impulses, target = solved(dead), dead
    if any(known(row.contact.restitution) != 0.0 for row in candidates(m)):
        impulses, share = held_restitution(felt.felt, b, impulses, solved(lively))
        target = dead + share * (lively - dead)
    return Struck(felt.change(impulses), impulses, felt.felt, give, b + _normal(target))


def free_accelerations(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """(nv,) H⁻¹(tau - C) of a tree by the factors that contact needs as well, so that they are found once."""
    L, over = factored(m, q)
    return L.solve(over * L.solve_transposed(tau - bias_force(m, q, qd, f_ext)))


def struck_residual(m: Mechanism, struck: Struck) -> Any:
    """How well the impulses of a step solve its problem: the residual of the natural map, m/s.

    Where restitution is held back, impulses are between those of two problems, and the residual is that of
    the problem between these: it tells by how much they are not its solution, which no sweeps change.
    """
    friction = [row.contact.friction for row in candidates(m)]
    give = np.diag(_normal(struck.give))
    return sweep_residual(struck.felt.matrix() + give, struck.b, friction, struck.impulses)


def _normal(entries: Array) -> Array:
    """(3 nc,) entries (nc,) along the normals."""
    return np.stack([entries, 0.0 * entries, 0.0 * entries], axis=1).ravel()


def _allowed(m: Mechanism, q: Array, before: Array, h: Any, how: Rigid) -> tuple[Array, Array, Array]:
    """(nc,) how each contact gives way, m/(s N s), and (nc,) how fast it may close, m/s, without restitution
    and with it.

    Rigid: v_n ≥ -gap/h outside, and out again by a share of the overlap inside; what strikes within the step
    comes back with its restitution, v_n ≥ -e v_n⁻. With a stiffness k and damping d taken at the step's end,
    λ = -h (k (gap + h v_n) + d v_n), which is v_n + λ / (h (h k + d)) + gap k / (h k + d) = 0.
    """
    gap = contact_frames(m, q).gap
    give, dead, lively = [], [], []
    for i, row in enumerate(candidates(m)):
        contact, speed = row.contact, before[3 * i]
        if contact.stiffness is not None:
            held = h * contact.stiffness + (0.0 if contact.damping is None else contact.damping)
            give.append(1.0 / (h * held))
            dead.append(gap[i] * contact.stiffness / held)
            lively.append(dead[-1])
            continue
        closing = where(gap[i] < 0.0, maximum(how.push_out * gap[i] / h, -how.push_speed), gap[i] / h)
        give.append(0.0 * closing)
        dead.append(closing)
        if known(contact.restitution) != 0.0:
            strikes = gap[i] + h * speed <= 0.0
            closing = where(strikes, minimum(closing, contact.restitution * speed), closing)
        lively.append(closing)
    return array(give), array(dead), array(lively)
