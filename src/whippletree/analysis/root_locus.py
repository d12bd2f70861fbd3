"""Root loci: how the eigenvalues of small motions move as one number of a mechanism changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..api.derivative import derivative
from ..api.forward import forward_dynamics
from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..loops.closing.assembly import assemble
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import Elimination, eliminate
from ..model.mechanism import Mechanism
from ..model.parameters import with_parameters
from ..spatial import Array
from ..spatial.scalar import real_numbers
from .dry_friction import tell_dry_friction
from .equilibrium import Statics, nearest_rest
from .linear_model import linearize


@dataclass(frozen=True, eq=False)
class RootLocus:
    """Eigenvalues along values of a parameter, each column one root that is followed.

    Attributes:
        parameter: Its name.
        values: (n,) of it.
        eigenvalues: (n, 2 k) roots, 1/s, complex; columns go on smoothly, and cross where roots do.
        q: (n, nq) states of rest, or the one that was given.
    """

    parameter: str
    values: Array
    eigenvalues: Array
    q: Array

    def __repr__(self) -> str:
        n, roots = self.eigenvalues.shape
        return f"<RootLocus of {self.parameter!r}: {roots} roots at {n} values>"

    @property
    def stable(self) -> Array:
        """(n,) whether no root has a positive real part, but for rounding."""
        real = np.real(self.eigenvalues)
        return np.all(real <= 1e-9 * (1.0 + np.max(np.abs(self.eigenvalues))), axis=1)


def root_locus(
    m: Mechanism,
    q: Array,
    parameter: str,
    values: Array,
    qd: Array | None = None,
    tau: Array | None = None,
) -> RootLocus:
    """How the roots of small motions move as a parameter changes, about a state of rest that moves with it.

    For every value, the equilibrium next to the one before is found and linearized by exact derivatives; with
    velocities qd, the state is taken as it is given, and loops are closed for each value.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m: near an equilibrium for the first value.
        parameter: Name of a number, see `parameter_names`, as "tyre.stiffness".
        values: (n,) of it.
        qd: (nv,) joint velocities, rad/s or m/s, of a steady motion; None: it is at rest.
        tau: (nv,) forces of the motors, N m or N; none by default.

    Raises:
        InputError: No values, or such that no mechanism has.
        SolverError: For some value there is no equilibrium nearby.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> locus = wt.root_locus(m, [0.0], "rod.damping", [0.0, 1.0, 4.0])
    >>> locus.eigenvalues[:, 0].round(3)
    array([ 0.   +3.836j, -1.5  +3.531j, -1.386+0.j   ])
    >>> locus.stable
    array([ True,  True,  True])
    """
    from scipy.optimize import linear_sum_assignment  # on use: it takes longer to import than all the rest

    try:
        given = real_numbers(values)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.ndim != 1 or not len(given) or not np.all(np.isfinite(given)):
        raise InputError(f"values is {values!r}, expected numbers (n,), finite, at least one")
    tau, begin = np.zeros(m.nv) if tau is None else tau, np.asarray(q, dtype=float)
    follow = _Resting(m, parameter) if qd is None else _Moving(m, parameter, np.asarray(qd, dtype=float))
    found: list[Array] = []
    places: list[Array] = []
    for value in given:
        near, A = follow(float(value), places[-1] if places else begin, tau)
        roots = np.linalg.eigvals(A).astype(complex)
        if not found:
            roots = roots[np.lexsort((-np.imag(roots), -np.real(roots)))]
        else:  # each root goes on as the nearest, all together
            apart = np.abs(found[-1][:, None] - roots[None, :])
            roots = roots[linear_sum_assignment(apart)[1]]
        found.append(roots)
        places.append(near)
    return RootLocus(parameter, given, np.array(found), np.array(places))


class _Resting:
    """Equilibria and their linear models, compiled once with the parameter left open."""

    def __init__(self, m: Mechanism, parameter: str) -> None:
        self._m, self._parameter = m, parameter
        self._statics = Statics(m, [parameter])
        self._slopes: Kernel | None = None

    def __call__(self, value: float, near: Array, tau: Array) -> tuple[Array, Array]:
        """Where it rests near a position for a value, and A there."""
        given = np.array([value])
        changed, rest = with_parameters(self._m, [self._parameter], given), np.zeros(self._m.nv)
        self._statics.values = (given,)
        q = np.asarray(nearest_rest(self._statics, changed, near, tau, ()).q)
        if not all(part.joint.is_holonomic for part in (*changed.bodies, *changed.loops)):
            return q, linearize(changed, q, rest, tau).A
        tell_dry_friction(changed, q, rest)
        slopes = None if self._slopes is None else self._slopes(q, rest, tau, given)
        if slopes is None or not np.all(np.isfinite(slopes["q"])):  # what was chosen elsewhere may not hold
            self._slopes = _slopes(changed, q, [self._parameter])
            slopes = self._slopes(q, rest, tau, given)
        K = constraint_jacobian(changed, q)
        return q, _at_rest(slopes, eliminate(K, np.zeros(len(K))))


class _Moving:
    """Linear models of a steady motion."""

    def __init__(self, m: Mechanism, parameter: str, qd: Array) -> None:
        self._m, self._parameter, self._qd = m, parameter, qd

    def __call__(self, value: float, near: Array, tau: Array) -> tuple[Array, Array]:
        """The position, loops closed for a value, and A there."""
        changed = with_parameters(self._m, [self._parameter], np.array([value]))
        q = np.asarray(assemble(changed, near)) if changed.loops or changed.gears else near
        return q, linearize(changed, q, self._qd, tau).A


def _at_rest(slopes: dict[str, Array], solved: Elimination) -> Array:
    """(2 k, 2 k) A by derivatives of accelerations, where δq = G δy."""
    k, independent = len(solved.independent), solved.independent
    A = np.zeros((2 * k, 2 * k))
    A[:k, k:] = np.eye(k)
    A[k:, :k] = (slopes["q"] @ solved.G)[independent]
    A[k:, k:] = (slopes["qd"] @ solved.G)[independent]
    return A


def _slopes(m: Mechanism, q: Array, parameters: Sequence[str]) -> Kernel:
    """Derivatives of `forward_dynamics` with respect to q, qd and tau, which hold near a position q (nq,)."""
    at = q if m.loops or m.gears else None
    return derivative(forward_dynamics, m, wrt=("q", "qd", "tau"), parameters=parameters, at=at)
