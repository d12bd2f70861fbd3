"""Figures of special coordinates: what a unit of each moves, above what the ordinary coordinate moves."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect, per_coordinate, position, real_vector
from ..spatial import Array
from .coordinate_motions import (
    CoordinateMotion,
    displaced,
    joint_motions,
    shifts_and_turns,
    subtree_motions,
    velocities,
    visible_amount,
)
from .panels import PALE, Spread, bare, spread_of, view_of
from .plots import COLORS, STYLE, write
from .strokes import strokes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACROSS = 5
"""Coordinates beside each other; more stand below."""

TOLD = 3
"""Bodies whose turn is told in numbers."""

ROOM = 0.06
"""Around a picture, as a share of it."""


def draw_special_coordinates(
    m: Mechanism, q: Any, body: str, path: str | os.PathLike[str] | None = None
) -> "Figure":
    """A figure of the special coordinates of a body: what each moves of it and of all that it carries.

    Deepak & Ghosal, figures 5 and 6: above a unit of each coordinate [y, ξ], below that of the ordinary one,
    the body's own motion with all joints at rest or the motion of one joint. Steps are small and drawn large.

    Args:
        m: A tree, planar or spatial.
        q: (nq,) joint positions, rad or m.
        body: Name of the body.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.

    Raises:
        ModelError: The mechanism has loops or gears.

    >>> import whippletree as wt
    >>> figure = wt.draw_special_coordinates(wt.examples.load("double-pendulum"), [0.3, 0.5], "upper")
    >>> [axis.get_title("left") for axis in figure.axes[::2]]
    ['upper x', 'upper z', 'upper turn y', 'lower']
    """
    at = _position("draw_special_coordinates", m, q)
    return _figure(m, at, subtree_motions(m, at, body), body, "special and ordinary coordinates", path)


def draw_joint_coordinates(
    m: Mechanism, q: Any, body: str, path: str | os.PathLike[str] | None = None
) -> "Figure":
    """A figure of the constrained and the free coordinates of a body on its joint.

    Deepak & Ghosal, figure 4: above a unit of each special coordinate, below a shift or turn of the body as a
    whole, and the motion of its joint.

    Args:
        m: A tree, planar or spatial.
        q: (nq,) joint positions, rad or m.
        body: Name of the body.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.

    Raises:
        ModelError: The mechanism has loops or gears.

    >>> import whippletree as wt
    >>> figure = wt.draw_joint_coordinates(wt.examples.load("double-pendulum"), [0.3, 0.5], "lower")
    >>> [axis.get_title("left") for axis in figure.axes[::2]]
    ['joint x', 'joint z', 'lower']
    """
    at = _position("draw_joint_coordinates", m, q)
    return _figure(m, at, joint_motions(m, at, body), body, "constrained and free coordinates", path)


def _position(who: str, m: Mechanism, q: Any) -> Array:
    """(nq,) real numbers; what is none is refused by the name of the function."""
    expect(who, "m", m, Mechanism, "a Mechanism")
    return real_vector(position(m, q), (m.nq,), "q", per_coordinate(m))


def _figure(
    m: Mechanism,
    q: Array,
    motions: list[CoordinateMotion],
    body: str,
    title: str,
    path: str | os.PathLike[str] | None,
) -> "Figure":
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: pip install whippletree[plot]") from None
    bands = -(-len(motions) // ACROSS)
    across = -(-len(motions) // bands)
    view = view_of(m, q)
    style: Any = STYLE
    with mpl.rc_context(style):
        figure = Figure(figsize=(2.6 * across + 0.3, 5.0 * bands + 0.4), layout="constrained")
        FigureCanvasAgg(figure)
        pictures = [_pictures(m, q, motion) for motion in motions]
        ends = np.concatenate([ends.reshape(-1, 3) for one in pictures for _, ends in one])
        spread = spread_of(ends @ view, ROOM)
        for n, (motion, lines) in enumerate(zip(motions, pictures, strict=True)):
            for row, kind in enumerate(("special", "ordinary")):
                place = (2 * (n // across) + row) * across + n % across + 1
                axis: Any = figure.add_subplot(
                    2 * bands, across, place, projection="3d" if view.shape[1] == 3 else None
                )
                _panel(axis, lines, view, row + 1, spread)
                if row == 0:
                    axis.set_title(motion.label, loc="left")
                if n % across == 0:
                    _name(axis, kind)
                if view.shape[1] == 2:
                    axis.set_xlabel(_turns(m, q, motion, getattr(motion, kind)), fontsize=8)
        figure.suptitle(f"{m.name}   {title} of {body!r}", x=0.01, ha="left", fontsize=11)
        if path is not None:
            write(figure, path)
    return figure


def _pictures(m: Mechanism, q: Array, motion: CoordinateMotion) -> list[tuple[int, Array]]:
    """Lines of the mechanism as it is, after a step of the special, and of the ordinary coordinate."""
    amount, own = visible_amount(m, q, motion), m.subtree(motion.body)
    moved = [displaced(m, q, motion, qd, amount) for qd in (motion.special, motion.ordinary)]
    lines = strokes(m, np.array([np.asarray(forward_kinematics(m, q)), *moved]))
    return [(i, ends) for kind, i, ends in lines if kind == "bar" and i in own]


def _panel(axis: Any, lines: list[tuple[int, Array]], view: Array, which: int, spread: Spread) -> None:
    style: Any = {"solid_capstyle": "round", "marker": "o"}
    for _, ends in lines:
        axis.plot(*(ends[0] @ view).T, color=PALE, linewidth=2.6, markersize=4, **style)
    for i, ends in lines:
        axis.plot(
            *(ends[which] @ view).T, color=COLORS[i % len(COLORS)], linewidth=3.0, markersize=4.5, **style
        )
    bare(axis, spread)


def _name(axis: Any, kind: str) -> None:
    """The name of a row, at its left."""
    if hasattr(axis, "zaxis"):
        axis.text2D(-0.02, 0.5, kind, transform=axis.transAxes, rotation=90, va="center", fontweight="bold")
    else:
        axis.set_ylabel(kind, fontweight="bold")


def _turns(m: Mechanism, q: Array, motion: CoordinateMotion, qd: Array) -> str:
    """How far each body turns for a unit of the coordinate of a planar mechanism."""
    label, turn = shifts_and_turns(m, q, motion.body)[-1]
    rates = velocities(m, q, motion, qd)[:, :3] @ turn[:3]
    told = [f"{m.bodies[i].name} {round(rates[i], 2) + 0.0:+.2f}" for i in m.subtree(motion.body)[:TOLD]]
    return f"{label}: {', '.join(told)}"
