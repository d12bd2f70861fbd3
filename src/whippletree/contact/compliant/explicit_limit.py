"""How long a step of an explicit method may be where surfaces give way."""

import numpy as np

from ...dynamics.inertia_factors import factor_ltdl
from ...model.mechanism import Mechanism
from ...model.values import not_negative, real_positive
from ...spatial import Array, array
from ..geometry.contact_kinematics import contact_jacobian
from .compliant_contact import BY_NUMBERS, Compliant, laws_of


def step_limits(m: Mechanism, q: Array, how: Compliant = BY_NUMBERS) -> Array:
    """The longest steps of semi-implicit Euler with which each patch comes to rest, each by itself.

    With the mass M⁻¹ = n·H⁻¹n that is felt at a contact they are 2 √(M/K) and 2 M/D: of a spring and of a
    damper. Several patches on one body share its mass, and allow less. Loops are not looked at.

    Args:
        m: A mechanism with contacts that have a stiffness.
        q: (nq,) joint positions, rad or m.
        how: The laws.

    Returns:
        (nc,) s, the least of all directions.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.5))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", stiffness=2e4, damping=60.0)
    >>> wt.contact.step_limits(m, [0.1])
    array([0.01])
    """
    laws, J, factors = laws_of(m, how), contact_jacobian(m, q), factor_ltdl(m, q)
    found = []
    for i, (_, law) in enumerate(laws):
        K, D = law.tangential
        inverse = np.linalg.eigvalsh(J[i] @ factors.solve(J[i].T))[-1]
        mass = 1.0 / max(inverse, 1e-300)
        found.append(min(2.0 * np.sqrt(mass / K), 2.0 * mass / D if D else np.inf))
    return array(found) if found else np.zeros(0)


def patch_restitution(mass: float, stiffness: float, damping: float) -> float:
    """The share of its speed with which a mass leaves a patch of spring and damper, whatever the speed.

    Contact ends where the force does, and not where the patch is back in its place: with ζ = D/(2√(K m)),
    ω₀ = √(K/m), e = exp(-ζ ω₀ t) at the time t at which K p + D ṗ = 0; without gravity.

    Args:
        mass: m, kg.
        stiffness: K, N/m.
        damping: D, N s/m.

    >>> import whippletree as wt
    >>> round(wt.contact.patch_restitution(1.0, 1000.0, 5.0), 8)
    0.78931314
    """
    real_positive(mass, "mass")
    real_positive(stiffness, "stiffness")
    not_negative(damping, "damping")
    natural = np.sqrt(stiffness / mass)
    ratio = damping / (2.0 * np.sqrt(stiffness * mass))
    if ratio < 1.0:
        b, w = ratio * natural, natural * np.sqrt(1.0 - ratio * ratio)
        end = (np.pi - np.arctan2(2.0 * b * w, w * w - b * b)) / w
        return float(np.exp(-b * end))
    if ratio == 1.0:
        return float(np.exp(-2.0))
    root = np.sqrt(ratio * ratio - 1.0)
    return float(((ratio + root) / (ratio - root)) ** (-ratio / root))
