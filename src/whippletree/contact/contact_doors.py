"""What functions of contact ask of arguments that only they have; see `given` of `checked`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..model.values import expect, listed, not_negative, vector
from .compliant.compliant_contact import Compliant
from .geometry.contact_pairs import candidates
from .problems.contact_forces import checked_rows


def names_of_bodies(m: Mechanism, given: Mapping[str, Any]) -> None:
    """Bodies are a list of names; those that are none are told by the mechanism."""
    if given.get("bodies") is not None:
        names = [body.name for body in m.bodies]
        for name in listed(given["bodies"], "bodies", "names of bodies", names):
            m.body_number(name)


def laws(m: Mechanism, given: Mapping[str, Any]) -> None:
    """How contact gives way is told by laws."""
    expect("contact", "how", given.get("how", Compliant()), Compliant, "a wt.contact.Compliant")


def tolerance(m: Mechanism, given: Mapping[str, Any]) -> None:
    """A tolerance is a number, and rows are those of candidates."""
    not_negative(given.get("tolerance", 0.0), "tolerance")
    if "rows" in given:
        checked_rows(given["rows"], len(candidates(m)))


def forces(m: Mechanism, given: Mapping[str, Any]) -> None:
    """A force is there for every candidate."""
    count = len(candidates(m))
    value = given["forces"]
    if not (isinstance(value, np.ndarray) and value.dtype == object and value.shape == (count, 3)):
        vector(value, (count, 3), "forces", f"three entries for each of {count} candidates of {m.name!r}")
