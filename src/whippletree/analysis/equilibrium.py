"""Static equilibrium: where a mechanism with its springs and loads stays at rest, loops closed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..api.compiling import made_once
from ..api.derivative import derivative
from ..dynamics.crba import crba
from ..dynamics.passive import with_own_forces
from ..dynamics.rnea import rnea
from ..errors import SolverError
from ..kernels.run.kernel import Kernel
from ..loops.closing.assembly import assemble
from ..loops.closing.projections import project_position
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import TOLERANCE, independent_rows
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.values import joint_numbers
from ..spatial import Array
from .driven_system import joint_of_velocity

STEPS = 100
"""Newton steps after which the search ends."""

LONGEST = 0.5
"""rad or m: no joint moves further in one step."""

HALVINGS, TURNED = 12, 0.9
"""How often a step is halved, and which share of the force along a fall may turn against it."""

BALANCED = 1e-10
"""Forces left, as a share of those that balance each other, that count as none."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A position of rest.

    Attributes:
        q: (nq,) joint positions, rad or m, with all loops closed.
        stable: Whether it stays near when it is pushed a little: all entries of `squares` are positive.
        unstable: Whether it falls away then: one is negative, or complex. What is neither, as a shaft that
            turns freely, goes on as it was pushed.
        squares: (k,) squared natural frequencies without damping, rad²/s², ascending; negative for motions
            that fall away. They are complex where forces follow the bodies and make it flutter.
        constraint_forces: (nc,) forces of loops and gears there, N m or N, rows as in `constraint_error`; of
            least norm where constraints are redundant.
        mechanism: What rests.
    """

    q: Array
    stable: bool
    unstable: bool
    squares: Array
    constraint_forces: Array
    mechanism: Mechanism = field(repr=False)

    def __repr__(self) -> str:
        m = self.mechanism
        numbers = (" ".join(f"{x:.5g}" for x in self.q[own]) for own in m.q_index)
        places = ", ".join(f"{name} {own}" for name, own in zip(m.joint_names, numbers, strict=True))
        return f"<Equilibrium of {m.name!r}, {self.kind}: {places}>"

    @property
    def kind(self) -> str:
        """ "stable", "unstable" or "indifferent"."""
        return "stable" if self.stable else "unstable" if self.unstable else "indifferent"


def rest_forces(m: Mechanism, q: Array, tau: Array) -> Array:
    """(nv,) what acts on the joints at rest: gravity, springs, stops, loads and the motors' tau."""
    rest = np.zeros(m.nv)
    acting, forces = with_own_forces(m, q, rest, tau)
    return acting - rnea(m, q, rest, rest, forces)


def balanced_forces(m: Mechanism, q: Array, tau: Array, lam: Array, *, rows: tuple[int, ...]) -> Array:
    """(nv,) the same with what loops and gears exert: zero in equilibrium."""
    return rest_forces(m, q, tau) + constraint_jacobian(m, q)[list(rows)].T @ lam


def equilibrium(
    m: Mechanism, q_guess: Array, tau: Array | None = None, hold: Sequence[str] = ()
) -> Equilibrium:
    """A position of rest near a guess, loops closed, under gravity, springs, stops, loads and motors.

    Newton's method on the forces that loops leave over, Gᵀf(q) = 0, with their exact derivatives; friction
    holds nothing. Steps are halved until what they leave, as the next step would be by the same derivatives,
    is less (Deuflhard, Newton Methods for Nonlinear Problems, §3.3). The position found may be unstable, as
    that of a pencil on its tip: `stable` and `unstable` tell. Where Newton's steps lead nowhere, the
    mechanism is let fall along its forces until it rests.

    Args:
        m: The mechanism.
        q_guess: (nq,) joint positions, rad or m; loops need not be closed.
        tau: (nv,) constant forces of the motors, N m or N; none by default.
        hold: Names of joints that keep their guessed positions, as if a brake held them.

    Raises:
        SolverError: There is no equilibrium nearby; names the joint that keeps moving, and the force on it.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> m.change("lower", stiffness=3.0, rest=(0.8,))
    >>> found = wt.equilibrium(m, [0.1, 0.2])
    >>> found.q.round(4), found.stable
    (array([-0.0896,  0.3612]), True)
    """
    tau = np.zeros(m.nv) if tau is None else tau
    return nearest_rest(Statics(m), m, q_guess, tau, hold)


class Statics:
    """Forces at rest and their derivatives, compiled for a mechanism, some of its numbers left open."""

    def __init__(self, m: Mechanism, parameters: Sequence[str] = ()) -> None:
        self._m, self._parameters = m, tuple(parameters)
        self._force = made_once(rest_forces, m, parameters=self._parameters)
        self._slopes: dict[tuple[int, ...], Kernel] = {}
        self.values: tuple[Array, ...] = ()  # of the parameters, if there are any

    def force(self, q: Array, tau: Array) -> Array:
        """(nv,) `rest_forces`."""
        return np.asarray(self._force(q, tau, *self.values))

    def slope(self, q: Array, tau: Array, K: Array, f: Array) -> Array:
        """(nv, nv) how f (nv,) and the forces of K that balance it change with the position."""
        rows = tuple(independent_rows(K))
        if rows not in self._slopes:
            options: dict[str, Any] = {"inputs": {"lam": (len(rows),)}, "rows": rows}
            self._slopes[rows] = derivative(
                balanced_forces, self._m, wrt=("q",), parameters=self._parameters, **options
            )
        lam = np.linalg.lstsq(K[list(rows)].T, -f, rcond=None)[0]
        return self._slopes[rows](q, tau, lam, *self.values)["q"]


def nearest_rest(
    statics: Statics, m: Mechanism, q_guess: Array, tau: Array, hold: Sequence[str]
) -> Equilibrium:
    """What `equilibrium` finds, with functions that are compiled already."""
    from scipy.linalg import norm  # on use: it takes longer to import than all the rest

    numbers = joint_numbers(m, hold, "hold")
    locked = [k for i in numbers for k in range(m.v_index[i].start, m.v_index[i].stop)]
    begin = np.asarray(assemble(m, q_guess, hold=hold), dtype=float)
    q, falls = begin, False
    f, G, size = _at(m, q, tau, statics, locked)
    for _ in range(STEPS):
        K = constraint_jacobian(m, q)
        stiffness = -G.T @ statics.slope(q, tau, K, f) @ G
        if not G.shape[1] or float(np.max(np.abs(G.T @ f))) <= BALANCED * size:
            return _told(m, q, f, G, K, stiffness)
        step = G @ (_fall if falls else _newton)(stiffness, G.T @ f, size)
        step = step * min(1.0, LONGEST / max(float(np.max(np.abs(step))), 1e-300))
        pushed, before, bases = float(f @ step), G @ _newton(stiffness, G.T @ f, size), G
        for _ in range(HALVINGS):
            closer = project_position(m, integrate(m, q, step), hold)
            f, G, size = _at(m, closer, tau, statics, locked)
            # A fall ends where forces turn against it; Newton's steps have to leave less of them.
            left = bases @ _newton(stiffness, bases.T @ (G @ (G.T @ f)), size)
            if float(f @ step) > -TURNED * pushed if falls else norm(left) < norm(before):
                q = closer
                break
            step, pushed = 0.5 * step, 0.5 * pushed
        else:
            if falls:
                break
            q, falls = begin, True
            f, G, size = _at(m, q, tau, statics, locked)
    left = G @ (G.T @ f)
    k = int(np.argmax(np.abs(left)))
    raise SolverError(
        f"{m.name!r} has no equilibrium near this guess: {abs(left[k]):.3g} N or N m stay on joint "
        f"{joint_of_velocity(m, k)!r}. Give a closer guess, hold a joint, or add what balances it"
    )


def _newton(stiffness: Array, force: Array, size: float) -> Array:
    """The step after which forces balance if they change linearly; the shortest if many do."""
    return np.linalg.lstsq(stiffness, force, rcond=TOLERANCE)[0]


def _fall(stiffness: Array, force: Array, size: float) -> Array:
    """The same where stiffness holds; where it pushes away, the step goes along with the force instead."""
    values, directions = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    return directions @ (directions.T @ force / np.maximum(np.abs(values), 1e-9 * size))


def _at(
    m: Mechanism, q: Array, tau: Array, statics: Statics, locked: list[int]
) -> tuple[Array, Array, float]:
    """f (nv,), an orthonormal basis G (nv, k) of the motions left, and how large forces are."""
    from scipy.linalg import null_space  # on use: it takes longer to import than all the rest

    f = statics.force(q, tau)
    K = np.concatenate([constraint_jacobian(m, q), np.eye(m.nv)[locked]])
    G = null_space(K, rcond=TOLERANCE) if len(K) else np.eye(m.nv)
    # Weights that carry each other cancel in f: what they are is seen in the joints' own share.
    size = max(float(np.max(np.abs(f), initial=0.0)), _weight(m))
    return f, G, size


def _weight(m: Mechanism) -> float:
    """N: the weight of all bodies, or 1 if they have none."""
    total = sum(float(body.inertia.m) for body in m.bodies)
    return total * float(np.linalg.norm(m.gravity)) or 1.0


def _told(m: Mechanism, q: Array, f: Array, G: Array, K: Array, stiffness: Array) -> Equilibrium:
    H = G.T @ crba(m, q) @ G
    squares = np.linalg.eigvals(np.linalg.solve(H, stiffness)) if len(H) else np.zeros(0)
    squares = squares[np.argsort(squares.real)]
    if np.max(np.abs(squares.imag), initial=0.0) <= 1e-7 * np.max(np.abs(squares), initial=0.0):
        squares = squares.real
    smallest = 1e-9 * float(np.max(np.abs(squares), initial=0.0))
    stable = bool(np.isrealobj(squares) and np.all(squares > smallest))
    unstable = bool(np.iscomplexobj(squares) or np.any(squares < -smallest))
    lam = np.linalg.lstsq(K.T, -f, rcond=TOLERANCE)[0] if len(K) else np.zeros(0)
    return Equilibrium(q, stable, unstable, squares, lam, m)
