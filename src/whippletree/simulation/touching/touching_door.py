"""What `simulate` is asked about contacts, checked."""

from typing import Any

from ...contact.geometry.contact_pairs import candidates
from ...contact.impulses.impacts import IMPACT_LAWS
from ...errors import InputError
from ...model.mechanism import Mechanism

BY_SLOPE = ("auto", "rk4", "rk6", "RK45", "DOP853", "Radau", "BDF")
"""Integrators that need nothing but accelerations at a state, which is what contact forces belong to."""


def meant(m: Mechanism, contacts: Any) -> Any:
    """What "auto" stands for: rigid contact if the mechanism has contacts, else none."""
    if isinstance(contacts, str) and contacts == "auto":
        return "rigid" if m.contacts else None
    return contacts


def check_touching(
    m: Mechanism, contacts: Any, impacts: Any, method: str, others: tuple[Any, Any, Any]
) -> None:
    """InputError for contacts that `simulate` does not follow, and for arguments that do not go with them.

    Args:
        m, contacts, impacts, method: Of `simulate`.
        others: dynamics, stabilization, implicit_damping of it.
    """
    if contacts != "rigid":
        way = ": surfaces that give way are for wt.rollout(m, …, contacts='compliant')"
        raise InputError(f"contacts is {contacts!r}, expected 'auto', 'rigid' or None{way}")
    if not m.contacts:
        raise InputError(f"contacts is 'rigid', but {m.name!r} has no contact: m.add_contact adds one")
    if impacts not in IMPACT_LAWS:
        raise InputError(f"impacts is {impacts!r}, expected one of {', '.join(IMPACT_LAWS)}")
    if method not in BY_SLOPE:
        known = ", ".join(BY_SLOPE)
        raise InputError(
            f"method is {method!r}, which does not follow the contacts of {m.name!r}: give one of {known}, "
            "or contacts=None to let nothing touch"
        )
    names = ("dynamics", "stabilization", "implicit_damping")
    for name, value, default in zip(names, others, ("auto", None, None), strict=True):
        if value is not default and value != default:
            raise InputError(
                f"{name} is {value!r}, but contacts='rigid' finds accelerations itself: leave it out, or "
                "give contacts=None to let nothing touch"
            )
    rows = candidates(m)
    rubs = [row for row in rows if row.contact.friction]
    if impacts == "newton" and rubs:
        raise InputError(
            f"impacts is 'newton', which can create energy with friction, here {rubs[0].contact.friction:g} "
            f"at {rubs[0].title}: use 'poisson', or friction=0"
        )
    soft = [row for row in rows if row.contact.stiffness is not None]
    if soft:
        raise InputError(
            f"contacts is 'rigid', but {soft[0].title} has a stiffness of {soft[0].contact.stiffness:g} N/m: "
            "leave it out, use wt.rollout(m, …, contacts='compliant'), or contacts=None to let nothing touch"
        )
