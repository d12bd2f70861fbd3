"""Impacts one after the other, as in Newton's cradle."""

import numpy as np

from ...spatial import Array
from .impact_problem import CLOSING, ImpactProblem
from .poisson import poisson

SLOW, IMPACTS = 1e-6, 1000
"""Below this share of the first closing speed, or after so many impacts, what still closes is stopped.

Balls between others are hit without end, ever more weakly.
"""


def sequential(problem: ImpactProblem) -> Array:
    """Impulses (nc, 3), N s, if contacts are hit one at a time, the one that closes fastest first.

    Each impact is one of a single contact by Poisson's law, so that energy never grows. A row of equal balls
    passes the shock on, (0, 0, 1), where simultaneous laws share it.
    """
    impulse = np.zeros_like(problem.before)
    now, slow = problem, SLOW * float(np.max(-problem.before[:, 0]))
    for _ in range(IMPACTS):
        fastest = int(np.argmin(now.before[:, 0]))
        if now.before[fastest, 0] >= -max(slow, CLOSING):
            break
        impulse[fastest] += poisson(now.only([fastest]))[0]
        now = problem._replace(before=problem.after(impulse))
    if not np.any(now.closing()):
        return impulse
    return impulse + poisson(now._replace(restitution=np.zeros(len(impulse))))
