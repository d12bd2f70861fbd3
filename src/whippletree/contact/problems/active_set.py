"""Current and active contacts (RBDA §11.5, table 11.1)."""

import numpy as np

from ...spatial import Array
from .complementarity import ZERO, ContactForces


def current_contacts(d: Array, solution: ContactForces) -> list[int]:
    """The contacts that persist: those without acceleration, dζ/dt = 0.

    >>> import whippletree as wt
    >>> forces = wt.contact.ContactForces(np.array([1.0, 0.0]), np.array([0.0, 3.0]), True)
    >>> wt.contact.current_contacts(np.array([-1.0, 2.0]), forces)
    [0]
    """
    size = float(np.max(np.abs(d), initial=0.0)) or 1.0
    return [int(k) for k in np.flatnonzero(solution.acceleration <= ZERO * size)]


def active_contacts(R: Array, d: Array, solution: ContactForces) -> list[int]:
    """Current contacts that can stand for all of them as equalities: a basis of what the current ones span.

    Every contact with a force is among them; where these are too few, contacts without force and without
    acceleration join them. As long as their forces do not become negative, the state of contact stays.

    Args:
        R: (k, nc) with M = RᵀR.
        d: (nc,) as in (11.42).
        solution: From `gauss_form` or `least_distance`.

    >>> import whippletree as wt
    >>> R, d = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.array([-2.0, -2.0, 0.0])
    >>> forces = wt.contact.ContactForces(np.array([0.0, 2.0, 0.0]), np.zeros(3), False)
    >>> wt.contact.active_contacts(R, d, forces)
    [1, 2]
    """
    current = current_contacts(d, solution)
    chosen = [k for k in current if solution.force[k] > 0.0]
    for k in current:
        if k not in chosen and _independent(R, [*chosen, k]):
            chosen.append(k)
    return sorted(chosen)


def _independent(R: Array, columns: list[int]) -> bool:
    norms = np.linalg.norm(R[:, columns], axis=0)
    if np.any(norms == 0.0) or len(columns) > len(R):
        return False
    return bool(np.linalg.svd(R[:, columns] / norms, compute_uv=False)[-1] > ZERO)
