"""The linear quadratic regulator of a mechanism about a state."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.linear_model import LinearModel
from ..errors import InputError, ModelError, SolverError
from ..model.mechanism import Mechanism
from ..model.values import expect, per_velocity, real_position, real_vector
from ..simulation.given_arrays import must_be_finite, real_array
from ..simulation.stepping import Feedback
from ..spatial import Array

RANK = 1e-9
"""Of [A - s I, B], relative: below this, a motion e^{s t} is one that no control has a part in."""


@dataclass(frozen=True, eq=False)
class Regulator:
    """u = -K z, which makes ∫ zᵀ Q z + uᵀ R u dt least.

    Attributes:
        model: What it was made for.
        K: (nu, 2k) the gain.
        S: (2k, 2k) with zᵀ S z the least cost from a deviation z on.
        eigenvalues: (2k,) of A - B K, 1/s: all on the left.
    """

    model: LinearModel
    K: Array
    S: Array
    eigenvalues: Array

    def feedback(self, m: Mechanism, q: Any, tau: Any = None) -> Feedback:
        """The regulator for `rollout`, about the position q (nq,) at rest that was linearized at.

        The forces tau (nv,) are those that hold it there, N m or N; none by default.

        Raises:
            ModelError: Something rolls: deviations of its position are not along joint velocities.
        """
        expect("feedback", "m", m, Mechanism, "a Mechanism")
        q = real_position(m, q, "q")
        tau = None if tau is None else real_vector(tau, (m.nv,), "tau", per_velocity(m))
        labels = [
            name if body.joint.nv == 1 else f"{name}[{j}]"
            for body, name in zip(m.bodies, m.joint_names, strict=True)
            for j in range(body.joint.nv)
        ]
        for name in self.model.coordinates:
            if name not in labels:
                raise ModelError(
                    f"{m.name!r} has no joint velocity {name!r}, as where something rolls, so no feedback "
                    "for rollout: take u = -K z in a control of your own"
                )
        seen = [labels.index(name) for name in self.model.coordinates]
        gain = np.zeros((m.nv, 2 * m.nv))
        gain[:, [*seen, *(m.nv + j for j in seen)]] = self.model.F @ self.K
        return Feedback(gain, q, None, tau)


def lqr(model: LinearModel, Q: Any, R: Any) -> Regulator:
    """The gain of least cost for a linear model, as `linearize` gives it.

    S solves Aᵀ S + S A - S B R⁻¹ Bᵀ S + Q = 0, and K = R⁻¹ Bᵀ S (Anderson & Moore, Optimal Control: Linear
    Quadratic Methods, §3.2).

    Args:
        model: ż = A z + B u.
        Q: Cost of deviations: (2k, 2k) symmetric and positive semidefinite, or (2k,) its diagonal.
        R: Cost of controls: (nu, nu) symmetric and positive definite, or (nu,) its diagonal.

    Raises:
        InputError: A cost has another shape, or is not symmetric or not definite.
        SolverError: A motion that grows, or does not die away, is out of the controls' reach.

    >>> import numpy as np, whippletree as wt
    >>> m, up = wt.examples.load("cart-pole"), [0.0, np.pi]
    >>> found = wt.lqr(wt.linearize(m, up, inputs=["cart"]), Q=[1.0, 1.0, 0.1, 0.1], R=[0.1])
    >>> found.eigenvalues.real.max().round(2)
    np.float64(-0.83)
    >>> q, qd = wt.rollout(m, [0.2, np.pi + 0.3], [0.0, 0.0], found.feedback(m, up), dt=0.01, steps=1000)
    >>> q[-1].round(2)
    array([0.  , 3.14])

    Four rotors, each of which pushes up and turns by its arm and its drag, hold a quadrotor:

    >>> m = wt.Mechanism("quadrotor")
    >>> m.add_body("quadrotor", wt.Free(), inertia=wt.Inertia.box((0.3, 0.3, 0.1), mass=0.8))
    >>> arms = [(0.2, 0.0, 1), (0.0, 0.2, -1), (-0.2, 0.0, 1), (0.0, -0.2, -1)]
    >>> rotors = np.array([[y, -x, 0.02 * turn, 0, 0, 1] for x, y, turn in arms]).T  # (6, 4)
    >>> hover, weight = m.neutral(), wt.gravity_force(m, m.neutral())
    >>> found = wt.lqr(wt.linearize(m, hover, tau=weight, inputs=rotors), Q=[1.0] * 12, R=[0.1] * 4)
    >>> start = m.integrate(hover, [0.5, 0.3, 1.0, 1.0, -0.5, 0.3])
    >>> q, qd = wt.rollout(m, start, np.zeros(6), found.feedback(m, hover, weight), dt=0.01, steps=1000)
    >>> bool(np.abs(q[-1] - hover).max() < 1e-3)
    True
    """
    from scipy.linalg import LinAlgError, solve_continuous_are  # on use: slow to import

    if not isinstance(model, LinearModel):
        raise InputError(f"model is {type(model).__name__}, expected what wt.linearize gives")
    A, B = model.A, model.B
    Q = _cost(Q, "Q", len(A), "one entry per state", 0.0)
    R = _cost(R, "R", B.shape[1], "one entry per input", 1e-15)
    try:
        S = solve_continuous_are(A, B, Q, R)
    except LinAlgError:
        raise SolverError(f"lqr: there is no gain of least cost{_why(A, B)}") from None
    K = np.linalg.solve(R, B.T @ S)
    eigenvalues = np.linalg.eigvals(A - B @ K)
    if eigenvalues.real.max() >= 0.0:
        raise SolverError(f"lqr: no gain lets all deviations die away{_why(A, B)}")
    return Regulator(model, K, S, eigenvalues)


def _cost(value: Any, name: str, size: int, meaning: str, least: float) -> Array:
    """A symmetric matrix whose eigenvalues are at least that share of the largest."""
    array = real_array(value, name)
    must_be_finite(array, name)
    if array.shape not in ((size,), (size, size)):
        raise InputError(f"{name} has shape {array.shape}, expected {(size,)} or {(size, size)}: {meaning}")
    matrix = np.diag(array) if array.ndim == 1 else array
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        raise InputError(f"{name} is not symmetric")
    found = np.linalg.eigvalsh(matrix)
    if found[0] < min(least, 1.0) * found[-1] or found[0] < -1e-12 * abs(found[-1]) or found[-1] < least:
        kind = "positive definite" if least else "positive semidefinite"
        raise InputError(f"{name} has the eigenvalue {found[0]:.3g}: it must be {kind}")
    return matrix


def _why(A: Array, B: Array) -> str:
    """The growing motion that no control reaches, in words (test of Hautus)."""
    for s in np.linalg.eigvals(A):
        if s.real < 0.0:
            continue
        singular = np.linalg.svd(np.hstack([A - s * np.eye(len(A)), B]), compute_uv=False)
        if singular[-1] < RANK * singular[0]:
            return f": no input has a part in the motion with the eigenvalue {s:.3g} 1/s; add an input for it"
    return ": let Q count every motion that does not die away by itself"
