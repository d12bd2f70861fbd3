"""Loops kept closed in compiled steps, where nothing can be chosen on the way (RBDA §8.3)."""

import numpy as np

from ..analysis.driven_system import driven_gaps
from ..errors import InputError
from ..loops.equations.constraints import constraint_error, constraint_jacobian
from ..loops.equations.driven_rows import Coordinate
from ..loops.equations.rank import independent_rows
from ..loops.methods.lambda_first import damped
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..spatial import Array, array, solve_spd

Rows = tuple[int, ...]

DAMPING = 1e-12
"""Share by which constraints give way, so that there are accelerations at singular positions, too."""

RANK = 1e-9
"""Singular values below this share of the largest one count as zero."""


def rows_for(K: Array, generic: Rows | None) -> Rows:
    """Numbers of constraints that determine all others where trajectories start, too.

    The generic ones if they do; else, as of linkages with several ways to be assembled, those that are
    independent at the start where most are. Starts in singular positions, where fewer are, do not count.

    Args:
        K: (..., nc, nv) Jacobians of all constraints at the starts.
        generic: Those that are independent in a `generic_position`; None if there is none.

    Raises:
        InputError: No choice does for all starts.
    """
    K = K.reshape(-1, *K.shape[-2:])
    ranks = np.linalg.matrix_rank(K, rtol=RANK) if K.size else np.zeros(len(K), int)
    choices = [] if generic is None else [generic]
    if len(K):
        choices.append(tuple(independent_rows(K[int(np.argmax(ranks))])))
    missed = np.zeros(len(K), bool)
    for rows in choices or [()]:
        held = np.linalg.matrix_rank(K[:, list(rows)], rtol=RANK) if rows else np.zeros(len(K), int)
        missed = (held < ranks) & (ranks >= len(rows))
        if not missed.any():
            return rows
    k = int(np.argmax(missed))
    raise InputError(
        f"q0 of trajectory {k} is assembled another way than that of others: {ranks[k]} of its constraints "
        "are independent, and not the same ones; roll them out by themselves"
    )


def closed_and_driven(
    m: Mechanism, q: Array, qd: Array, rows: Rows, asked: Array, driven: tuple[Coordinate, ...]
) -> tuple[Array, Array]:
    """As `closed`, with driven coordinates where they are asked to be: (3, nd), with rates."""
    chosen, nd = list(rows), len(driven)
    gaps, _, A = driven_gaps(m, q, asked[0], driven=driven)
    K = A[chosen]
    entries = list(integrate(m, q, -(K.T @ solve_spd(damped(K @ K.T, DAMPING), gaps[chosen]))))
    for coordinate, x in zip(driven, asked[0], strict=True):
        if coordinate.is_own:
            entries[m.q_index[coordinate.number].start] = x
    q = array(entries)
    K = driven_gaps(m, q, asked[0], driven=driven)[2][chosen]
    rates = np.concatenate([np.zeros(len(rows) - nd), asked[1]])
    # Twice, as the damping leaves a share of what is not small: the speed of the drivers.
    for _ in range(2):
        qd = qd - K.T @ solve_spd(damped(K @ K.T, DAMPING), K @ qd - rates)
    return q, qd


def closed(m: Mechanism, q: Array, qd: Array, rows: Rows) -> tuple[Array, Array]:
    """The state after one Newton step towards closed loops, by the shortest change of q, and then of qd.

    It leaves about the square of the gap, which one step of an integrator has made, and nothing grows.
    """
    chosen = list(rows)
    K = constraint_jacobian(m, q)[chosen]
    q = integrate(m, q, -(K.T @ solve_spd(damped(K @ K.T, DAMPING), constraint_error(m, q)[chosen])))
    K = constraint_jacobian(m, q)[chosen]
    return q, qd - K.T @ solve_spd(damped(K @ K.T, DAMPING), K @ qd)
