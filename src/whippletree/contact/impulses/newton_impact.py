"""Newton's law of impact: every contact parts with the share e of the velocity with which it closed."""

import numpy as np

from ...errors import InputError, SolverError
from ...spatial import Array
from ..problems.complementarity import ContactForces
from ..problems.gauss_form import gauss_form
from .impact_problem import ImpactProblem


def newton_impact(problem: ImpactProblem) -> Array:
    """Impulses (nc, 3), N s, of simultaneous impacts without friction: u⁺ + e u⁻ ≥ 0, λ ≥ 0, one of them 0.

    RBDA 11.64 for each contact that is hit, as a complementarity problem. ΔT = ½ λ·(1 - E)u⁻ cannot be
    positive where no contact parts before, or all have one restitution. Elsewhere, and with friction, it
    can: such impacts are refused.
    """
    e, closing = problem.restitution, problem.before[:, 0]
    if np.any(problem.friction):
        worst = int(np.argmax(problem.friction))
        raise InputError(
            f"Newton's law can create energy with friction, here {problem.friction[worst]:g} at "
            f"{problem.titles[worst]}: use law='poisson', or no friction"
        )
    if np.ptp(e) > 0.0 and np.any(closing > 0.0):
        raise InputError(
            f"Newton's law can create energy where restitutions differ, here {e.min():g} … {e.max():g}, and "
            f"a contact parts already, as {problem.titles[int(np.argmax(closing))]}: use law='poisson'"
        )
    R = problem.R[:, ::3]
    solution = gauss_form(R, (1.0 + e) * closing)
    if not isinstance(solution, ContactForces):
        raise SolverError(
            f"impact at {'; '.join(problem.titles)}: no impulses part the contacts by Newton's law"
        )
    impulse = np.zeros_like(problem.before)
    impulse[:, 0] = solution.force
    return impulse
