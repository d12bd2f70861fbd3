"""What `simulate` is asked about contacts, checked."""

from typing import Any, NamedTuple

from ...contact.compliant.compliant_contact import Compliant
from ...contact.compliant.patch_motion import check_dampers
from ...contact.geometry.contact_pairs import candidates
from ...edit.pieces import assemble
from ...errors import InputError
from ...model.mechanism import Mechanism

BY_SLOPE = ("auto", "rk4", "rk6", "RK45", "DOP853", "Radau", "BDF")
"""Integrators that need nothing but accelerations at a state, which is what contact forces belong to."""


class Each(NamedTuple):
    """Contacts by their own numbers, of which some are rigid and some give way.

    Attributes:
        rigid, soft: The mechanism with those that have no stiffness, and with those that have one.
    """

    rigid: Mechanism
    soft: Mechanism


def meant(m: Mechanism, contacts: Any) -> Any:
    """What "auto" stands for in `rollout`: rigid contact if the mechanism has contacts, else none."""
    if isinstance(contacts, str) and contacts == "auto":
        return "rigid" if m.contacts else None
    return contacts


def chosen(m: Mechanism, contacts: Any) -> Any:
    """What is meant in `simulate`: there "auto" is compliant if all have a stiffness, `Each` if some do."""
    if isinstance(contacts, str) and contacts == "auto":
        if not m.contacts:
            return None
        soft = [contact for contact in m.contacts if contact.stiffness is not None]
        rigid = [contact for contact in m.contacts if contact.stiffness is None]
        if soft and rigid:
            return Each(assemble(m, {"contact": rigid}), assemble(m, {"contact": soft}))
        contacts = "compliant" if soft else contacts
    return Compliant() if isinstance(contacts, str) and contacts == "compliant" else meant(m, contacts)


def check_yielding(m: Mechanism, how: Compliant, impacts: Any, method: str) -> None:
    """InputError or ModelError for surfaces that give way and what does not go with them."""
    _check_present(m, "compliant")
    _check_method(m, method)
    if impacts != "poisson":
        raise InputError(
            f"impacts is {impacts!r}, but surfaces that give way have no impacts: leave it out, or the "
            "stiffness of the contacts"
        )
    check_dampers(m, how)


def check_touching(
    m: Mechanism, contacts: Any, impacts: Any, method: str, others: tuple[Any, Any, Any]
) -> None:
    """InputError for contacts that `simulate` does not follow, and for arguments that do not go with them.

    Args:
        m, contacts, impacts, method: Of `simulate`; `Each` where contacts are of both kinds.
        others: dynamics, stabilization, implicit_damping of it.
    """
    if isinstance(contacts, Each):
        check_dampers(contacts.soft, Compliant())
        m = contacts.rigid
    elif not isinstance(contacts, str) or contacts != "rigid":
        raise InputError(
            f"contacts is {contacts!r}, expected 'auto', 'rigid', 'compliant', a wt.contact.Compliant or None"
        )
    _check_present(m, "rigid")
    _check_method(m, method)
    names = ("dynamics", "stabilization", "implicit_damping")
    for name, value, default in zip(names, others, ("auto", None, None), strict=True):
        if value is not default and value != default:
            raise InputError(
                f"{name} is {value!r}, but rigid contact finds accelerations itself: leave it out, or "
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
            "leave it out, give contacts='auto', with which it gives way, or None to let nothing touch"
        )


def _check_present(m: Mechanism, kind: str) -> None:
    if not m.contacts:
        raise InputError(f"contacts is {kind!r}, but {m.name!r} has no contact: m.add_contact adds one")


def _check_method(m: Mechanism, method: str) -> None:
    if method not in BY_SLOPE:
        known = ", ".join(BY_SLOPE)
        raise InputError(
            f"method is {method!r}, which does not follow the contacts of {m.name!r}: give one of {known}, "
            "or contacts=None to let nothing touch"
        )
