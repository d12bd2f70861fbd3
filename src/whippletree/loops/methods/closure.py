"""Dynamics by loop-closure functions q = γ(y) that the user supplies (RBDA §8.11)."""

from collections.abc import Callable
from dataclasses import dataclass

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...errors import InputError
from ...model.mechanism import Mechanism
from ...model.values import takes
from ...spatial import Array, array, solve_spd


@dataclass(frozen=True)
class Closure:
    """Positions of all joints as a function of independent variables, with its derivatives.

    Attributes:
        gamma: y (ny,) to q (nq,), RBDA 8.56.
        G: y (ny,) to (nv, ny), with qd = G yd, RBDA 8.57.
        g: y, yd (ny,) to (nv,), with qdd = G ydd + g, RBDA 8.59.
    """

    gamma: Callable[[Array], Array]
    G: Callable[[Array], Array]
    g: Callable[[Array, Array], Array]

    def __post_init__(self) -> None:
        for name, count in (("gamma", 1), ("G", 1), ("g", 2)):
            takes(getattr(self, name), count, f"Closure: {name}")


def closure_dynamics(
    m: Mechanism, closure: Closure, position: Array, rate: Array, tau: Array, f_ext: Array | None = None
) -> Array:
    """Accelerations of independent variables, loops closed by formulas of yours; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §8.11 with eq 3.20: GᵀHG ydd = Gᵀ(tau - C - H g).
    As only y is integrated, loops cannot drift apart. The loop joints of the mechanism, if it has any,
    are ignored.

    Args:
        m: The mechanism, whose tree joints γ gives.
        closure: γ, G and g.
        position: (ny,) y, the independent positions.
        rate: (ny,) yd, their rates.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (ny,) d²y/dt², of the inputs' scalar type.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> parallel = wt.loops.Closure(
    ...     lambda y: np.array([y[0], -y[0]]), lambda y: np.array([[1.0], [-1.0]]), lambda y, yd: np.zeros(2)
    ... )
    >>> wt.loops.closure_dynamics(m, parallel, np.array([0.3]), np.zeros(1), np.zeros(2)).round(3)
    array([-3.261])
    """
    y, yd = array(position), array(rate)
    q, G, g = (array(found) for found in (closure.gamma(y), closure.G(y), closure.g(y, yd)))
    for name, value, shape in (("gamma", q, (m.nq,)), ("G", G, (m.nv, len(y))), ("g", g, (m.nv,))):
        if value.shape != shape:
            raise InputError(
                f"{name} of the closure gives shape {value.shape}, expected {shape} for {m.name!r}"
            )
    H = crba(m, q)
    C = bias_force(m, q, G @ yd, f_ext)
    return solve_spd(G.T @ H @ G, G.T @ (tau - C - H @ g))
