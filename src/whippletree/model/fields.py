"""Checks that the classes of parts share: of numbers, vectors and kinds of values in their fields."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from ..errors import ModelError
from ..spatial.scalar import real_numbers

LOOKED_AT = 1000
"""Among so many names one that may be meant is looked for; among more it would take too long."""


def checked_name(name: Any, kind: str) -> str:
    """A name as it is given; ModelError if it is no text or an empty one."""
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"{kind} name is {name!r}: give a text that is not empty")
    return name


def as_number(value: Any, title: str, name: str) -> float:
    """The value as a float, which need not be finite; ModelError for what is no number."""
    if type(value) is float:  # at once: large files have many of these
        return value
    try:
        return real_numbers(value).item()
    except (TypeError, ValueError):
        raise ModelError(f"{title}: {name} is {value!r}, expected a number") from None


def set_numbers(part: Any, title: str, names: Iterable[str], least: float = -np.inf) -> None:
    """Make fields of a frozen part finite floats of at least so much; ModelError for what is none."""
    for name in names:
        object.__setattr__(part, name, finite(getattr(part, name), title, name, least))


def finite(value: Any, title: str, name: str, least: float = -np.inf) -> float:
    """The value as a finite float of at least so much; ModelError for what is none."""
    number = as_number(value, title, name)
    if not least <= number < np.inf or number == -np.inf:
        wanted = "must be finite" if least == -np.inf else f"must be {least:g} or more and finite"
        raise ModelError(f"{title}: {name} is {number}, {wanted}")
    return number


def with_open(part: Any, **fields: Any) -> Any:
    """A copy of a frozen part with other values, which may be symbols and are not checked."""
    made = copy(part)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def set_vectors(part: Any, title: str, units: Mapping[str, str]) -> None:
    """Make fields of a frozen part, named with their units, tuples of three finite floats."""
    for name, unit in units.items():
        values = getattr(part, name)
        try:
            x, y, z = real_numbers(values).tolist()
        except (TypeError, ValueError):
            raise ModelError(f"{title}: {name} is {values!r}: give three numbers, in {unit}") from None
        if not np.all(np.isfinite([x, y, z])):
            raise ModelError(f"{title}: {name} is {values!r}: give three finite numbers, in {unit}")
        object.__setattr__(part, name, (x, y, z))


def expect_fields(part: Any, title: str, kinds: Mapping[str, tuple[type, str]]) -> None:
    """ModelError for a field that is not of its kind, such as numbers for a Placement."""
    for name, (kind, such_as) in kinds.items():
        value = getattr(part, name)
        if not isinstance(value, kind):
            raise ModelError(f"{title}: {name} is {value!r}, expected {such_as}")


def keep_as_tuple(part: Any, name: str) -> None:
    """Make a field of a frozen part that is a list or array a tuple: parts with equal numbers are equal."""
    value = getattr(part, name)
    if isinstance(value, list | np.ndarray):
        object.__setattr__(part, name, tuple(value))


def shown(names: Collection[str]) -> str:
    """The first names of many."""
    return ", ".join(islice(names, 12)) + (f", … ({len(names)} in all)" if len(names) > 12 else "")


def near_names(name: Any, known: Iterable[str]) -> list[str]:
    """Up to three names that may be meant by one that is not known.

    >>> near_names("elbo", ["elbow", "wrist"]), near_names("hand", ["elbow", "left_hand"])
    (['elbow'], ['left_hand'])
    """
    return list(_near(str(name), tuple(islice(known, LOOKED_AT))))


@lru_cache(maxsize=8)  # a misspelt name comes often, and always among the same
def _near(wanted: str, among: tuple[str, ...]) -> tuple[str, ...]:
    inside = [other for other in among if wanted and wanted.lower() in other.lower()]
    return tuple(inside[:3] or get_close_matches(wanted, among, cutoff=0.7))


def meant(name: Any, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known: a question, or nothing."""
    near = near_names(name, known)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


CONTAINERS = (list, dict)


def copied(value: Any) -> Any:
    """A list or a dictionary anew, what they hold as it is but for such."""
    found = value.copy()
    for key, entry in value.items() if isinstance(value, dict) else ():
        if isinstance(entry, CONTAINERS):
            found[key] = copied(entry)
    return found
