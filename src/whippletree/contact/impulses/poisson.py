"""Poisson's law of impact: a phase of compression, and one of expansion that gives a share back."""

import numpy as np

from ...spatial import Array
from ..problems.coulomb import coulomb
from .impact_problem import ImpactProblem

SINGULAR = 1e-12
"""Singular values of R below this share of the largest are taken for zero."""

HALVINGS = 60
"""Of the interval in which the share of restitution is sought that keeps the energy."""


def poisson(problem: ImpactProblem) -> Array:
    """Impulses (nc, 3), N s, of simultaneous impacts; each contact has its own restitution and friction.

    Ch. Glocker and F. Pfeiffer, Multiple impacts with friction in rigid multibody systems, Nonlinear Dynamics
    7 (1995). Compression ends where no contact closes. In the expansion every normal impulse is at least e
    times that of the compression, more where a contact would close otherwise; friction in either phase is
    Coulomb's, against the slip at its end, so that nothing is given back along the surface.

    Without friction energy never grows. With friction it can, if seldom: then all restitutions are reduced by
    one factor, the greatest with which it does not. Compression alone never adds energy.
    """
    compression = _phase(problem, problem.before, np.zeros(len(problem.before)))
    between, given_back = problem.after(compression), problem.restitution * np.maximum(compression[:, 0], 0.0)
    if not np.any(given_back):
        return compression

    def whole(share: float) -> Array:
        return compression + _phase(problem, between, share * given_back)

    impulse = whole(1.0)
    if problem.energy_gain(impulse) <= 0.0:
        return impulse
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if problem.energy_gain(whole(middle)) > 0.0 else (middle, high)
    return whole(low)


def _phase(problem: ImpactProblem, velocity: Array, least: Array) -> Array:
    """Impulses (nc, 3) after which no contact closes, normal ones of at least so much."""
    from scipy.optimize import nnls  # on use: it takes longer to import than all the rest

    if np.any(problem.friction):
        return coulomb(problem.M, velocity, problem.friction, least=least)
    # Contact velocities are Rᵀ x of some x, so that ½ λᵀMλ + λᵀd is ½ |R λ + x|² but for a constant: there is
    # always a solution, which rounding of velocities near zero cannot take away.
    R = problem.R[:, ::3]
    x = np.linalg.lstsq(R.T, velocity[:, 0], rcond=SINGULAR)[0] + R @ least
    impulse = np.zeros_like(velocity)
    impulse[:, 0] = least + nnls(R, -x)[0]
    return impulse
