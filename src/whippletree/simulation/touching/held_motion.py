"""The motion with closed contacts and loops held, in one piece that is compiled (RBDA table 11.1, step 1).

What every candidate does is an input, so that one kernel serves for all sets of closed contacts: the equation
of a direction in which a contact is free is x = 0.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...api.compiling import compile
from ...contact.geometry.contact_kinematics import contact_bias, contact_jacobian, gaps
from ...contact.geometry.contact_pairs import candidates
from ...contact.sweeps.contact_inertia import contact_inertia, factored
from ...contact.sweeps.moreau import free_accelerations
from ...dynamics.passive import with_own_forces
from ...kernels.run.kernel import Kernel
from ...loops.equations.constraints import constraint_equation, constraint_error, constraint_jacobian
from ...model.mechanism import Mechanism
from ...model.positions import integrate, rate
from ...model.snapshot import Snapshot
from ...spatial import Array, array, maximum, minimum, where
from ..closed_step import Rows
from ..equations import limited

MOST = 12
"""Candidates up to which there is such a kernel: its code grows with the cube of their number."""

VOID = 1e-12
"""Tangents along which a force moves a contact by less than this share of what others do, as across the plane
of a planar mechanism, hold nothing."""

TINY = 1e-300
"""Keeps lengths of zero away from a division."""


class HeldMotion(NamedTuple):
    """A motion with closed contacts held.

    Attributes:
        slope: (nq + nv,) dq/dt and qdd.
        force: (nc, 3) on shape a along n, t1 and t2, N.
        velocity: (nc, 3) likewise, m/s.
        gap: (nc,) m.
        felt: (nc,) n·H⁻¹n, 1/kg.
        push: (nc,) n·H⁻¹(n - μ t̂) over that of contacts that slip, 1 for others.
        scale: m/s²: the largest acceleration of a contact without contact forces.
        turning: 1/s: Σ μ λn a·H⁻¹a / |v| over contacts that slip at v, a across; about as fast as directions
            of slip relax, or faster.
        margin: The least pivot of the equations, as a share of what it was at first; where it is small,
            forces are not determined, and not to be relied on.
    """

    slope: Array
    force: Array
    velocity: Array
    gap: Array
    felt: Array
    push: Array
    scale: Any
    turning: Any
    margin: Any

    @property
    def friction_power(self) -> Array:
        """(…) W: what friction takes away."""
        return -np.sum(self.force[..., 1:] * self.velocity[..., 1:], axis=(-2, -1))


def held_motion(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    closed: Array,
    sticks: Array,
    along: Array,
    faint: Any,
    f_ext: Array | None = None,
    rows: Rows = (),
) -> tuple[Any, ...]:
    """The fields of `HeldMotion`.

    Closed contacts have ζ̇_n = 0, those that stick ζ̇ = 0; those that slip carry the force λn (n - μ t̂).

    Args:
        m: The mechanism.
        q, qd, tau: (nq,), (nv,), (nv,) its state and what its actuators do.
        closed, sticks: (nc,) 1 for contacts that are closed, and that stick; else 0.
        along: (nc, 2) directions in which contacts slipped when this was last looked at.
        faint: m/s: see `Held.directions`.
        f_ext: (nb, 6) further forces on the bodies, in body coordinates, or None.
        rows: Numbers of independent constraints that hold loops and gears.
    """
    acting, forces = with_own_forces(m, q, qd, limited(m, tau), f_ext)
    free = free_accelerations(m, q, qd, acting, forces)
    K, k = (part[list(rows)] for part in constraint_equation(m, q, qd))
    free, first = _closing(m, q, K, k, free)
    felt = contact_inertia(m, q, K, 0.0)
    nc = len(closed)
    G = felt.felt.matrix().reshape(nc, 3, nc, 3)
    velocity = felt.velocities(qd).reshape(nc, 3)
    d = felt.velocities(free).reshape(nc, 3) + contact_bias(m, q, qd)
    friction = [row.contact.friction for row in candidates(m)]
    slips = closed * (1.0 - sticks) * array(friction)
    directions = array([slip_direction(v[1:], e, faint) for v, e in zip(velocity, along, strict=True)])
    rubs = directions * slips[:, None]

    # x: normal forces, and friction of contacts that stick; that of others is -μ t̂ x_n.
    F = G[..., 0] - rubs[:, 0] * G[..., 1] - rubs[:, 1] * G[..., 2]
    axes = [_best_axes(G[i, 1:, i, 1:]) for i in range(nc)]
    columns = np.stack([F, G[..., 1], G[..., 2]], axis=-1)
    columns = _turned(np.moveaxis(_turned(columns, axes), (0, 1), (2, 3)), axes)  # rows, then columns
    columns = np.moveaxis(columns, (0, 1), (2, 3))
    mask = _mask(closed, sticks, array([[columns[i, k, i, k] for k in range(3)] for i in range(nc)]))
    held, second = _eliminated(
        _masked(columns.reshape(3 * nc, 3 * nc), mask), -mask * _turned(d, axes).ravel()
    )
    x = _turned((mask * held).reshape(nc, 3), [(c, -s) for c, s in axes])
    force = array([[n, *(t - n * rub)] for (n, *t), rub in zip(x, rubs, strict=True)])
    own = array([G[i, 0, i, 0] for i in range(nc)])
    push = array([F[i, 0, i] for i in range(nc)]) / own
    scale: Any = 0.0
    for entry in d.ravel():
        scale = maximum(scale, abs(entry))
    turning: Any = 0.0
    for i, ((x, y), v) in enumerate(zip(directions, velocity, strict=True)):
        across = y * y * G[i, 1, i, 1] - 2.0 * x * y * G[i, 1, i, 2] + x * x * G[i, 2, i, 2]
        turning = turning + slips[i] * abs(force[i, 0]) * across / (np.sqrt(v[1] ** 2 + v[2] ** 2) + faint)
    slope = np.concatenate([rate(m, q, qd), free + felt.change(force)])
    return slope, force, velocity, gaps(m, q), own, push, scale, turning, minimum(first, second)


def _closing(m: Mechanism, q: Array, K: Array, k: Array, free: Array) -> tuple[Array, Any]:
    """Accelerations (nv,) with K qdd = k, out of those without loops, and a margin as in `HeldMotion`."""
    if not len(K):
        return free, 1.0
    L, over = factored(m, q)
    Z = L.solve_transposed(K.T)  # H = LᵀDL: K H⁻¹Kᵀ = ZᵀD⁻¹Z
    held = over[:, None] * Z
    force, margin = _eliminated(Z.T @ held, k - K @ free)
    return free + L.solve(held @ force), margin


def held_together(
    m: Mechanism, q: Array, qd: Array, closed: Array, sticks: Array, rows: Rows = ()
) -> tuple[Any, ...]:
    """How closed contacts and loops are at a state, and one in which they come closer to being closed.

    Returns:
        Positions after a Newton step, and velocities that keep contacts at q itself as they are held, both by
        the shortest change; the largest gap of what is closed, m; and a margin as in `HeldMotion`.
    """
    J, always = contact_jacobian(m, q), np.ones(len(rows))
    K, error = constraint_jacobian(m, q)[list(rows)], constraint_error(m, q)[list(rows)]
    gap, shut = np.concatenate([error, gaps(m, q)]), np.concatenate([always, closed])
    worst: Any = 0.0
    for entry in shut * gap:
        worst = maximum(worst, abs(entry))
    normal = np.concatenate([K, J[:, 0]])
    step, first = _eliminated(_masked(normal @ normal.T, shut), shut * gap)
    J = _turned(J, [_best_axes(part[1:] @ part[1:].T) for part in J])
    A = np.concatenate([K, J.reshape(-1, m.nv)])
    mask = np.concatenate([always, _mask(closed, sticks, np.sum(J * J, axis=-1))])
    change, second = _eliminated(_masked(A @ A.T, mask), mask * (A @ qd))
    moved = integrate(m, q, -(normal.T @ (shut * step)))
    return moved, qd - A.T @ (mask * change), worst, minimum(first, second)


def slip_direction(slip: Array, along: Array, faint: Any) -> Array:
    """(2,) in which a contact slips, smooth through zero along what it was: `Held.directions`."""
    w = slip + (faint - 2.0 * minimum(slip @ along, 0.0)) * along
    return w / np.sqrt(maximum(w @ w, TINY))


def _best_axes(A: Array) -> tuple[Any, Any]:
    """Cosine and sine of the angle from t1 to the eigenvector with the larger value of A (2, 2), symmetric.

    Along the other tangent, nothing may be held across the plane of a planar mechanism.
    """
    half = 0.5 * (A[0, 0] - A[1, 1])
    more = np.sqrt(half * half + A[0, 1] * A[0, 1])
    x, y = where(half > 0.0, half + more, A[0, 1]), where(half > 0.0, A[0, 1], more - half)
    length = np.sqrt(x * x + y * y)
    some, safe = length > TINY, where(length > TINY, length, 1.0)
    return where(some, x / safe, 1.0), where(some, y / safe, 0.0)


def _turned(parts: Array, axes: list[tuple[Any, Any]]) -> Array:
    """(nc, 3, …) along n and tangents that are turned by angles, given along n, t1 and t2."""
    return array([[n, c * a + s * b, c * b - s * a] for (n, a, b), (c, s) in zip(parts, axes, strict=True)])


def _mask(closed: Array, sticks: Array, moved: Array) -> Array:
    """(3 nc,) 1 for directions that are held, else 0, given what forces along them move (nc, 3)."""
    held = [
        [c, *(where(along > VOID * (normal + sum(tangents)), s, 0.0) for along in tangents)]
        for c, s, (normal, *tangents) in zip(closed, sticks, moved, strict=True)
    ]
    return array(held).ravel()


def _masked(A: Array, mask: Array) -> Array:
    """A where rows and columns are held, 1 on the rest of the diagonal."""
    return A * np.outer(mask, mask) + np.diag(1.0 - mask)


def _eliminated(A: Array, b: Array) -> tuple[Array, Any]:
    """A⁻¹ b without a change of rows, and the least pivot as a share of its entry of A.

    (Golub & Van Loan, Matrix Computations, §3.2.)
    """
    rows, x = [list(row) for row in A], list(b)
    n, margin, over = len(rows), 1.0, []
    for k in range(n):
        margin = minimum(margin, rows[k][k] / A[k, k])
        over.append(1.0 / rows[k][k])
        for i in range(k + 1, n):
            share = rows[i][k] * over[k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - share * rows[k][j]
            x[i] = x[i] - share * x[k]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - rows[i][j] * x[j]
        x[i] = x[i] * over[i]
    return array(x), margin


class HeldKernels(NamedTuple):
    """`held_motion` and `held_together`, compiled."""

    motion: Kernel
    together: Kernel


def held_kernels(m: Mechanism, external: bool, rows: Rows = ()) -> HeldKernels:
    """Those of equal mechanisms are made once."""
    return _kernels(Snapshot(m), external, rows)


@lru_cache(maxsize=16)
def _kernels(now: Snapshot, external: bool, rows: Rows) -> HeldKernels:
    nc = len(candidates(now.m))
    held = {"closed": (nc,), "sticks": (nc,)}
    shapes = {**held, "along": (nc, 2), "faint": ()}
    if external:
        shapes["f_ext"] = (len(now.m), 6)
    return HeldKernels(
        compile(held_motion, now.m, inputs=shapes, rows=rows),
        compile(held_together, now.m, inputs=held, rows=rows),
    )
