"""A mechanism as a table to read: one line a body, indented as the tree grows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..spatial import Array
from .parts import Body
from .wording import counted, describe, number, vector

if TYPE_CHECKING:
    from .mechanism import Mechanism

DEEPEST_INDENTATION = 20
"""Bodies with more ancestors than this are not indented further, or long chains would fill the screen."""


def summary(m: "Mechanism") -> str:
    """The mechanism in words and numbers: totals, a table of its bodies, frames, gears, warnings."""
    headings, rows = table(m)
    widths = [max(len(row[k]) for row in [headings, *rows]) for k in range(len(headings))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [headings, *rows]
    ]
    return "\n".join([totals(m), "", *lines, *remarks(m)])


def totals(m: "Mechanism") -> str:
    """Sizes, mass, centre of mass and gravity in one line."""
    mass, com = mass_and_center(m)
    parts = [f"{m.name}: {counted(len(m), 'body', 'bodies')}", f"nq = {m.nq}", f"nv = {m.nv}"]
    if m.loops:
        parts.append(counted(len(m.loops), "loop", "loops"))
    parts.append(f"{number(mass)} kg")
    if com is not None:
        parts.append(f"centre of mass {vector(com)} m at the neutral position")
    return ", ".join([*parts, f"gravity {vector(m.gravity)} m/s²"])


def table(m: "Mechanism") -> tuple[list[str], list[list[str]]]:
    """Headings, and a row of text for each body, in the order of the tree.

    Columns that would be empty are left out, as limits are for a mechanism without any.
    """
    headings = ["#", "body", "joint", "type", "parent", "q", "qd", "mass [kg]", "centre of mass [m]"]
    headings += ["limits", "velocity", "effort"]
    rows = [_row(m, i, depth) for i, depth in tree_order(m)]
    kept = [k for k in range(len(headings)) if k < 2 or any(row[k] for row in rows)]
    return [headings[k] for k in kept], [[row[k] for k in kept] for row in rows]


def _row(m: "Mechanism", i: int, depth: int) -> list[str]:
    body = m.bodies[i]
    return [
        str(i),
        "  " * min(depth, DEEPEST_INDENTATION) + body.name,
        body.joint_name,
        describe(body.joint),
        body.parent,
        span(m.q_index[i]),
        span(m.v_index[i]) if m.nq != m.nv else "",
        number(body.inertia.m),
        vector(body.inertia.com) if body.inertia.m else "",
        limits(body),
        bound(body.limits.velocity),
        bound(body.limits.effort),
    ]


def remarks(m: "Mechanism") -> list[str]:
    """Parts of every kind but bodies, and warnings, a line each, under headings of their own."""
    said = [(kind.plural, [kind.line(part) for part in parts]) for kind, parts in m.kinds() if kind.line]
    lines: list[str] = []
    for heading, entries in (*said, ("warnings", m.warnings)):
        if entries:
            lines += ["", f"{heading}:", *(f"  {entry}" for entry in entries)]
    return lines


def tree_order(m: "Mechanism") -> Iterator[tuple[int, int]]:
    """Each body's number and depth, every body right before those it carries."""
    carried: list[list[int]] = [[] for _ in range(len(m) + 1)]  # the last one: by the ground, -1
    for i, parent in enumerate(m.parents):
        carried[parent].append(i)
    stack = [(i, 0) for i in reversed(carried[-1])]
    while stack:
        i, depth = stack.pop()
        yield i, depth
        stack += [(child, depth + 1) for child in reversed(carried[i])]


def mass_and_center(m: "Mechanism") -> tuple[float, Array | None]:
    """Mass of all bodies, kg, and (3,) their centre at the neutral position, m, if they have any mass."""
    inertias = [body.inertia for body in m.bodies]
    mass, first_moment = 0.0, np.zeros(3)
    for i in reversed(range(len(m))):
        joint = m.bodies[i].joint
        on_parent = inertias[i].to_parent(joint.transform(joint.neutral()) @ m.X_T[i])
        if m.parents[i] == -1:
            mass, first_moment = mass + on_parent.m, first_moment + on_parent.h
        else:
            inertias[m.parents[i]] = inertias[m.parents[i]] + on_parent
    return float(mass), first_moment / mass if mass else None


def limits(body: Body) -> str:
    """Lower and upper limit with their unit, or nothing if there are none."""
    lower, upper = body.limits.lower, body.limits.upper
    if lower == -np.inf and upper == np.inf:
        return ""
    if lower == -np.inf:
        text = f"≤ {number(upper)}"
    elif upper == np.inf:
        text = f"≥ {number(lower)}"
    else:
        text = f"±{number(upper)}" if lower == -upper else f"{number(lower)} … {number(upper)}"
    units = body.joint.units
    return f"{text} {units[0]}" if len(units) == 1 else text


def bound(value: float) -> str:
    """A limit of velocity or effort, or nothing if it is infinite."""
    return "" if value == np.inf else number(value)


def span(index: slice) -> str:
    """The entries of a vector that belong to a joint: "3", "3:6" without the last, or nothing."""
    if index.stop - index.start == 1:
        return str(index.start)
    return f"{index.start}:{index.stop}" if index.stop > index.start else ""
