"""Numbers for contacts from what surfaces are made of."""

from numbers import Real
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.values import not_negative, real_positive
from .explicit_limit import patch_restitution


class Material(NamedTuple):
    """Young's modulus, Pa, and Poisson's ratio of a solid."""

    young: float
    poisson: float


MATERIALS: dict[str, Material] = {
    "aluminium": Material(70e9, 0.33),
    "concrete": Material(30e9, 0.2),
    "glass": Material(70e9, 0.22),
    "ice": Material(9e9, 0.33),
    "nylon": Material(3e9, 0.4),
    "rubber": Material(5e6, 0.49),
    "steel": Material(210e9, 0.3),
    "wood": Material(11e9, 0.35),
}
"""Round numbers of handbooks; those of a surface of yours are put in by one line."""

FRICTION: dict[frozenset[str], float] = {
    frozenset(pair.split()): value
    for pair, value in {
        "aluminium steel": 0.47,
        "concrete rubber": 0.8,
        "concrete wood": 0.6,
        "glass glass": 0.4,
        "ice steel": 0.03,
        "nylon steel": 0.3,
        "rubber steel": 0.7,
        "steel steel": 0.57,
        "wood wood": 0.4,
    }.items()
}
"""Coulomb's coefficient of pairs that slide dry, from handbooks, where they differ by a third."""


class PairNumbers(NamedTuple):
    """What `add_contact` takes: `m.add_contact(name, a, b, **numbers._asdict())`."""

    friction: float
    restitution: float
    stiffness: float
    damping: float


def contact_numbers(
    a: str, b: str, *, radius: float, mass: float, restitution: float = 0.0, friction: float | None = None
) -> PairNumbers:
    """Friction, restitution, stiffness and damping of a contact between two materials.

    The stiffness is that of a round flat foot on a half space, 2 E* a with 1/E* = Σ (1 - ν²)/E (Johnson,
    Contact mechanics, 1985, 3.36). The damping is the one with which the mass comes back as the restitution
    says; for 0, where it would have to be infinite, the one for 0.05.

    Args:
        a, b: Names in `MATERIALS`.
        radius: Of the area that touches, m.
        mass: That is felt at the contact, kg.
        restitution: From 0 to 1.
        friction: Coulomb's coefficient; None: that of the pair in `FRICTION`.

    >>> import whippletree as wt
    >>> foot = wt.contact.contact_numbers("rubber", "concrete", radius=0.01, mass=2.0, restitution=0.3)
    >>> foot.friction, round(foot.stiffness), round(foot.damping, 1)
    (0.8, 131569, 510.1)
    """
    for name in (a, b):
        if not isinstance(name, str) or name not in MATERIALS:
            raise InputError(f"there is no material {name!r}; there are {', '.join(MATERIALS)}")
    radius, mass = real_positive(radius, "radius"), real_positive(mass, "mass")
    if not isinstance(restitution, Real) or not 0.0 <= restitution <= 1.0:
        raise InputError(f"restitution is {restitution!r}, expected a share from 0 to 1")
    if friction is None:
        friction = FRICTION.get(frozenset((a, b)))
        if friction is None:
            raise InputError(f"the friction of {a} on {b} is not in the table: give friction=…")
    not_negative(friction, "friction")
    soft = sum((1.0 - MATERIALS[name].poisson ** 2) / MATERIALS[name].young for name in (a, b))
    stiffness = 2.0 * radius / soft
    return PairNumbers(friction, restitution, stiffness, _damping(mass, stiffness, max(restitution, 0.05)))


def _damping(mass: float, stiffness: float, restitution: float) -> float:
    """The damping with which a patch returns so much, by bisection: it returns less the more there is."""
    low, high = 0.0, 40.0 * np.sqrt(stiffness * mass)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if patch_restitution(mass, stiffness, middle) > restitution:
            low = middle
        else:
            high = middle
    return float(0.5 * (low + high))
