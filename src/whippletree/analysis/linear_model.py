"""Small motions about a state, in independent coordinates: A, B, C and D by exact derivatives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..api.derivative import coordinate_derivative, tangents
from ..api.forward import forward_dynamics
from ..errors import InputError, ModelError, SingularError
from ..loops.closing.check import check_closed, check_gears
from ..loops.equations.constraints import constraint_error, constraint_jacobian
from ..loops.equations.rank import MisfitError, eliminate
from ..model.mechanism import Mechanism
from ..model.positions import rate
from ..model.values import joint_numbers, per_velocity
from ..spatial import Array
from .dry_friction import tell_dry_friction

Outputs = Sequence[str] | Callable[..., Any] | None


@dataclass(frozen=True, eq=False)
class LinearModel:
    """ż = A z + B u, y = C z + D u: deviations from a state of a mechanism.

    Attributes:
        A: (n, n) of the state z: k independent coordinates, then their velocities, so n = 2k. Where something
            rolls, coordinates are more than velocities.
        B: (n, nu) of the forces u of the motors, N m or N.
        C: (ny, n), D: (ny, nu) of the outputs y.
        coordinates: (k,) names of the joints whose coordinates are independent, numbered if they have many;
            those of a wheel that rolls as "wheel x", "wheel lean".
        inputs: (nu,) names of the joints whose forces are inputs, or u[0], u[1] … of a matrix.
        G: (nv, k) how all joints move, along their velocities, with the independent coordinates.
        F: (nv, nu) forces of all joints for one unit of each input, N m or N.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    coordinates: tuple[str, ...]
    inputs: tuple[str, ...]
    G: Array
    F: Array

    def __repr__(self) -> str:
        of = ", ".join(self.coordinates)
        shape = f"{len(self.A)} states, {self.B.shape[1]} inputs, {len(self.C)} outputs"
        return f"<LinearModel: {shape}; coordinates {of}>"

    @property
    def eigenvalues(self) -> Array:
        """(n,) of A, 1/s, by their real parts, largest first: what grows comes first."""
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
    inputs: Sequence[str] | Array | None = None,
    outputs: Outputs = None,
) -> LinearModel:
    """How small deviations from a state grow, swing and die away, loops closed; by exact derivatives.

    The coordinates of some joints are independent, all others follow them: δq = G δy, and velocities so that
    K q̇ = 0 holds next to the state as well. Wheels that roll have more coordinates than velocities: all that
    contacts and loops leave free are part of the state. If the state is one of rest and nothing rolls, A is
    that of M ÿ + C ẏ + S y = B u.

    Args:
        m: The mechanism; joints that move have velocities which are the rates of their coordinates, or the
            state is at rest.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed; at rest by default.
        tau: (nv,) forces of the motors there, N m or N; none by default.
        inputs: Names of joints whose forces are inputs; or a matrix (nv, nu) of the joint forces of unit
            inputs, N m or N, as of rotors. By default all joints.
        outputs: Names of joints whose coordinates are outputs, or a function of (q, qd) that gives an array
            and can be recorded; by default the state itself.

    Warns:
        DryFrictionWarning: A joint with dry friction rests, where its law is as steep as a strong damper.

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
    tell_dry_friction(m, q, qd)
    F, named = _inputs(m, inputs)
    moves = _deviations(m, q, qd)
    K = constraint_jacobian(m, q)
    by_speed = eliminate(K, np.zeros(len(K)))
    # Rolling ties velocities and no positions: those have constraints of their own.
    P = K if moves.holonomic else coordinate_derivative(constraint_error, m)(q)["q"] @ moves.D
    by_place = by_speed if moves.holonomic else eliminate(P, np.zeros(len(P)))
    places, speeds = by_place.independent, by_speed.independent
    k, G, E = len(places), by_speed.G, moves.D @ by_place.G
    # Velocities next to the state: K δq̇ = -∂(K q̇)/∂q δq, the independent ones left as they are.
    turned = np.zeros((m.nv, k))
    if len(K) and np.any(qd):
        change = coordinate_derivative(closing_speed, m)(q, qd)["q"] @ E
        for column in range(k):
            turned[:, column] = eliminate(K, -change[:, column], pivots=by_speed.pivots).g
    try:
        slopes = coordinate_derivative(forward_dynamics, m, wrt=("q", "qd", "tau"), at=_choosing(m, q))(
            q, qd, tau
        )
    except (MisfitError, SingularError):
        raise SingularError(
            f"{m.name!r} has no linear model at q: its loops have fewer independent constraints there than "
            f"nearby, so that it has {k} freedoms there alone. Move it a little, and see wt.mobility"
        ) from None
    A = np.zeros((k + len(speeds), k + len(speeds)))
    A[:k, :k] = (moves.by_place @ by_place.G + moves.by_speed @ turned)[places]
    A[:k, k:] = (moves.by_speed @ G)[places]
    A[k:, :k] = (slopes["q"] @ E + slopes["qd"] @ turned)[speeds]
    A[k:, k:] = (slopes["qd"] @ G)[speeds]
    B = np.zeros((len(A), F.shape[1]))
    B[k:] = slopes["tau"][speeds] @ F
    along = moves.V @ by_place.G
    C = _output(m, q, qd, outputs, E, along, turned, G)
    D = np.zeros((len(C), F.shape[1]))
    return LinearModel(A, B, C, D, tuple(moves.labels[j] for j in places), named, along, F)


class _Deviations(NamedTuple):
    """Numbers e (ne,) of deviations from a position: along velocities, but all coordinates of what rolls.

    Attributes:
        D: (nq, ne) coordinates by them.
        V: (nv, ne) how far joints are then moved along their velocities.
        by_place: (ne, ne), by_speed: (ne, nv) their rates by themselves and by deviations of velocities.
        labels: (ne,) their names.
        holonomic: Whether they are all along velocities, and loops tie positions where they tie velocities.
    """

    D: Array
    V: Array
    by_place: Array
    by_speed: Array
    labels: list[str]
    holonomic: bool


def _deviations(m: Mechanism, q: Array, qd: Array) -> _Deviations:
    from scipy.linalg import block_diag  # on use: it takes longer to import than all the rest

    joints = [body.joint for body in m.bodies]
    N = np.asarray(tangents(m, q), dtype=float)
    blocks, along, rates, labels = [], [], [], []
    for i, (body, joint) in enumerate(zip(m.bodies, joints, strict=True)):
        own, speed = np.eye(m.nq)[:, m.q_index[i]], np.eye(m.nv)[m.v_index[i]]
        blocks.append(N[:, m.v_index[i]] if joint.is_holonomic else own)
        along.append(np.eye(joint.nv, blocks[-1].shape[1], blocks[-1].shape[1] - joint.nv))
        rates.append(speed if joint.is_holonomic else N[m.q_index[i]])
        labels += _labels(body) if joint.is_holonomic else [f"{body.joint_name} {x}" for x in joint.labels]
    D, V, by_speed = np.concatenate(blocks, axis=1), np.asarray(block_diag(*along)), np.concatenate(rates)
    # Where velocities are rates, or all is at rest, deviations move with velocities alone.
    by_place = np.zeros((len(labels), len(labels)))
    if not all(joint.is_holonomic for joint in joints):
        turning = coordinate_derivative(rate, m)(q, qd)["q"] @ D
        first = 0
        for i, joint in enumerate(joints):
            count = blocks[i].shape[1]
            if not joint.is_holonomic:
                by_place[first : first + count] = turning[m.q_index[i]]
            first += count
    closing = all(loop.joint.is_holonomic for loop in m.loops)
    holonomic = closing and all(joint.is_holonomic for joint in joints)
    return _Deviations(D, V, by_place, by_speed, labels, holonomic)


def _choosing(m: Mechanism, q: Array) -> Array | None:
    """Where forward dynamics is to choose, if there is anything to choose."""
    return q if m.loops or m.gears else None


def _output(
    m: Mechanism, q: Array, qd: Array, outputs: Outputs, E: Array, along: Array, turned: Array, G: Array
) -> Array:
    """(ny, n) C."""
    size = along.shape[1] + G.shape[1]
    if outputs is None:
        return np.eye(size)
    if callable(outputs):
        slopes = coordinate_derivative(outputs, m, wrt=("q", "qd"))(q, qd)
        by_q, by_qd = np.reshape(slopes["q"], (-1, m.nq)), np.reshape(slopes["qd"], (-1, m.nv))
        if not (np.all(np.isfinite(by_q)) and np.all(np.isfinite(by_qd))):
            raise InputError("outputs have derivatives that are not finite at this state")
        return np.concatenate([by_q @ E + by_qd @ turned, by_qd @ G], axis=1)
    rows = [
        j for i in joint_numbers(m, outputs, "outputs") for j in range(m.v_index[i].start, m.v_index[i].stop)
    ]
    return np.concatenate([along[rows], np.zeros((len(rows), G.shape[1]))], axis=1)


def _inputs(m: Mechanism, inputs: Sequence[str] | Array | None) -> tuple[Array, tuple[str, ...]]:
    """(nv, nu) forces of unit inputs, and their names."""
    if isinstance(inputs, np.ndarray):
        if inputs.ndim != 2 or len(inputs) != m.nv or inputs.dtype.kind not in "iuf":
            raise InputError(
                f"inputs is an array of shape {inputs.shape} and dtype {inputs.dtype}, expected numbers "
                f"({m.nv}, nu): {per_velocity(m)}"
            )
        if not np.all(np.isfinite(inputs)):
            raise InputError("inputs has entries that are not finite")
        return inputs.astype(float), tuple(f"u[{k}]" for k in range(inputs.shape[1]))
    numbers = range(len(m)) if inputs is None else joint_numbers(m, inputs, "inputs")
    if len(set(numbers)) < len(numbers):
        raise InputError(f"inputs name a joint twice: {', '.join(inputs or ())}")
    columns = [j for i in numbers for j in range(m.v_index[i].start, m.v_index[i].stop)]
    return np.eye(m.nv)[:, columns], tuple(label for i in numbers for label in _labels(m.bodies[i]))


def _labels(body: Any) -> list[str]:
    nv = body.joint.nv
    return [body.joint_name] if nv == 1 else [f"{body.joint_name}[{j}]" for j in range(nv)]


def _refuse_turning(m: Mechanism, qd: Array) -> None:
    """Deviations of a quaternion turn along with the body that moves: coordinates would have to as well."""
    for i, body in enumerate(m.bodies):
        if body.joint.is_holonomic and not body.joint.has_rates and np.any(qd[m.v_index[i]]):
            raise ModelError(
                f"linearize: joint {body.joint_name!r} of {m.name!r} moves, and its velocities are "
                "not the rates of its coordinates: take a joint whose are, as SphericalEuler or hinges, or a "
                "state of rest"
            )
