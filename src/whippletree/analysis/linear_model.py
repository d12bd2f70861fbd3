"""Small motions about a state, in independent coordinates: A, B, C and D by exact derivatives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..api.derivative import derivative
from ..api.forward import forward_dynamics
from ..errors import ModelError
from ..kernels.run.kernel import Kernel
from ..loops.closing.check import check_closed, check_gears
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import eliminate
from ..model.mechanism import Mechanism
from ..model.values import joint_numbers
from ..spatial import Array

Outputs = Sequence[str] | Callable[..., Any] | None


@dataclass(frozen=True, eq=False)
class LinearModel:
    """ż = A z + B u, y = C z + D u: deviations from a state of a mechanism.

    Attributes:
        A: (2k, 2k) of the state z: k independent coordinates, then their velocities.
        B: (2k, nu) of the forces u of the motors, N m or N.
        C: (ny, 2k), D: (ny, nu) of the outputs y.
        coordinates: (k,) names of the joints whose coordinates are independent, numbered if they have many.
        inputs: (nu,) names of the joints whose forces are inputs.
        G: (nv, k) how all joints move with the independent ones.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    coordinates: tuple[str, ...]
    inputs: tuple[str, ...]
    G: Array

    @property
    def eigenvalues(self) -> Array:
        """(2k,) of A, 1/s, by their real parts, largest first: what grows comes first."""
        found = np.linalg.eigvals(self.A)
        return found[np.lexsort((found.imag, -found.real))]

    def state_space(self) -> Any:
        """The same as a `scipy.signal.StateSpace`, for frequency responses, step responses and control."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)


def closing_speed(m: Mechanism, q: Array, qd: Array) -> Array:
    """(nc,) K q̇, which is zero as long as loops stay closed."""
    return constraint_jacobian(m, q) @ qd


def linearize(
    m: Mechanism,
    q: Array,
    qd: Array | None = None,
    tau: Array | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Outputs = None,
) -> LinearModel:
    """How small deviations from a state grow, swing and die away, loops closed; by exact derivatives.

    The coordinates of some joints are independent, all others follow them: δq = G δy, and velocities so that
    K q̇ = 0 holds next to the state as well. If the state is one of rest, A is that of M ÿ + C ẏ + S y = B u.

    Args:
        m: The mechanism; joints that move have velocities which are the rates of their coordinates, or the
            state is at rest.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed; at rest by default.
        tau: (nv,) forces of the motors there, N m or N; none by default.
        inputs: Names of joints whose forces are inputs; all joints by default.
        outputs: Names of joints whose coordinates are outputs, or a function of (q, qd) that gives an array
            and can be recorded; by default the state itself.

    >>> import whippletree as wt
    >>> m = wt.examples.load("cart-pole")
    >>> found = wt.linearize(m, [0.0, np.pi], inputs=["cart"])  # upright
    >>> found.eigenvalues.round(3), found.B[:, 0].round(3)
    (array([ 4.585,  0.   ,  0.   , -4.585]), array([ 0.   ,  0.   ,  0.571, -0.857]))
    >>> found.state_space().A.shape
    (4, 4)
    """
    qd = np.zeros(m.nv) if qd is None else qd
    tau = np.zeros(m.nv) if tau is None else tau
    check_gears(m, {"q": q}, {"qd": qd})
    check_closed(m, q, qd)
    _refuse_turning(m, qd)
    columns, named = _inputs(m, inputs)
    K = constraint_jacobian(m, q)
    solved = eliminate(K, np.zeros(len(K)))
    G, independent, k = solved.G, solved.independent, len(solved.independent)
    # Velocities next to the state: K δq̇ = -∂(K q̇)/∂q δq, the independent ones left as they are.
    turned = np.zeros((m.nv, k))
    if len(K) and np.any(qd):
        change = derivative(closing_speed, m)(q, qd)["q"] @ G
        for column in range(k):
            turned[:, column] = eliminate(K, -change[:, column], pivots=solved.pivots).g
    slopes = acceleration_slopes(m, q)(q, qd, tau)
    by_y = slopes["q"] @ G + slopes["qd"] @ turned
    A = np.zeros((2 * k, 2 * k))
    A[:k, k:] = np.eye(k)
    A[k:, :k] = by_y[independent]
    A[k:, k:] = (slopes["qd"] @ G)[independent]
    B = np.zeros((2 * k, len(columns)))
    B[k:] = slopes["tau"][np.ix_(independent, columns)]
    C = _output(m, q, qd, outputs, G, turned)
    labels = [label for body in m.bodies for label in _labels(body)]
    return LinearModel(
        A, B, C, np.zeros((len(C), len(columns))), tuple(labels[j] for j in independent), named, G
    )


def acceleration_slopes(m: Mechanism, q: Array, parameters: Sequence[str] = ()) -> Kernel:
    """Derivatives of `forward_dynamics` with respect to q, qd and tau, which hold near a position q (nq,)."""
    at = q if m.loops or m.gears else None
    return derivative(forward_dynamics, m, wrt=("q", "qd", "tau"), parameters=parameters, at=at)


def _output(m: Mechanism, q: Array, qd: Array, outputs: Outputs, G: Array, turned: Array) -> Array:
    """(ny, 2k) C."""
    k = G.shape[1]
    if outputs is None:
        return np.eye(2 * k)
    if callable(outputs):
        slopes = derivative(outputs, m, wrt=("q", "qd"))(q, qd)
        by_q, by_qd = (np.atleast_2d(slopes[name]).reshape(-1, m.nv) for name in ("q", "qd"))
        return np.concatenate([by_q @ G + by_qd @ turned, by_qd @ G], axis=1)
    rows = [
        j for i in joint_numbers(m, outputs, "outputs") for j in range(m.v_index[i].start, m.v_index[i].stop)
    ]
    return np.concatenate([G[rows], np.zeros((len(rows), k))], axis=1)


def _inputs(m: Mechanism, inputs: Sequence[str] | None) -> tuple[list[int], tuple[str, ...]]:
    """Numbers of the velocities whose forces are inputs, and their names."""
    numbers = range(len(m)) if inputs is None else joint_numbers(m, inputs, "inputs")
    columns = [j for i in numbers for j in range(m.v_index[i].start, m.v_index[i].stop)]
    return columns, tuple(label for i in numbers for label in _labels(m.bodies[i]))


def _labels(body: Any) -> list[str]:
    nv = body.joint.nv
    return [body.joint_name] if nv == 1 else [f"{body.joint_name}[{j}]" for j in range(nv)]


def _refuse_turning(m: Mechanism, qd: Array) -> None:
    """Deviations of a quaternion turn along with the body that moves: coordinates would have to as well."""
    for i, body in enumerate(m.bodies):
        if not body.joint.has_rates and np.any(qd[m.v_index[i]]):
            raise ModelError(
                f"linearize: joint {body.joint_name!r} of {m.name!r} moves, and its velocities are "
                "not the rates of its coordinates: take a joint whose are, as SphericalEuler or hinges, or a "
                "state of rest"
            )
