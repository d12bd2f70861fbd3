"""Joints, numbers and vectors in words, for tables and messages."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..joints import Joint


def describe(joint: Joint) -> str:
    """A joint's type and what it takes: "Revolute z", "Helical z pitch 0.01", "Reversed Planar x".

    >>> from whippletree import Helical, Revolute
    >>> describe(Helical("-x", pitch=0.01)), describe(Revolute((0.6, 0.0, 0.8)))
    ('Helical -x pitch 0.01', 'Revolute (0.6, 0, 0.8)')
    """
    words = [type(joint).__name__]
    for field in fields(joint) if is_dataclass(joint) else ():
        value = getattr(joint, field.name)
        if isinstance(value, Joint):
            words.append(describe(value))
        elif isinstance(value, tuple) and len(value) == 3:
            words.append(direction(value))
        elif isinstance(value, (int, float)):
            words.append(f"{field.name} {number(value)}")
        else:
            words.append(str(value))
    return " ".join(words)


def direction(axis: Sequence[float]) -> str:
    """The letter of a coordinate axis, with its sign, or the three numbers."""
    for letter, unit in zip("xyz", np.eye(3), strict=True):
        for sign, text in ((1.0, letter), (-1.0, f"-{letter}")):
            if np.array_equal(axis, sign * unit):
                return text
    return vector(axis)


def vector(values: Any) -> str:
    """Numbers in parentheses; what is below 1e-12 comes from rounding and is shown as 0."""
    return f"({', '.join(number(value if abs(value) > 1e-12 else 0.0) for value in values)})"


def number(value: Any) -> str:
    """Four digits, without a sign before zero."""
    return f"{float(value) + 0.0:.4g}"


def counted(count: int, one: str, many: str) -> str:
    """A number of things.

    >>> counted(1, "body", "bodies"), counted(3, "body", "bodies")
    ('1 body', '3 bodies')
    """
    return f"{count} {one if count == 1 else many}"
