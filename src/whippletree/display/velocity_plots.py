"""Figures of velocity transformations: what a unit of each joint velocity moves, and what joints carry."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import InputError
from ..formulations.semi_recursive.intermediate import path_matrix
from ..formulations.semi_recursive.reference_frames import reference_frames
from ..formulations.semi_recursive.velocity_transformation import velocity_transformation
from ..model.mechanism import Mechanism
from ..model.values import expect, real_position, real_vector
from ..spatial import Array
from .panels import PALE, Spread, bare, spread_of, view_of
from .plots import COLORS, STYLE, write
from .strokes import strokes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACROSS = 3
"""Panels beside each other."""

LONGEST, MARGIN = 0.3, 0.2
"""Length of the largest arrow of a panel, and room around, as shares of the mechanism's size."""

STILL = 1e-9
"""Velocities below this share of the largest one are none."""


def draw_velocity_transformation(
    m: Mechanism, q: Any, points: Any = None, path: str | os.PathLike[str] | None = None
) -> "Figure":
    """A figure of V, a panel for each of its columns, and of the path matrix T.

    A column of V is what a unit of one joint velocity gives to every reference point, the other joints being
    held: arrows and, in the plane, a mark at bodies that turn. Bodies that the joint does not carry stay
    pale. The last panel shows which joints carry which bodies (Yu et al., eq 38 and 39).

    Args:
        m: A mechanism, planar or spatial; loops are left open.
        q: (nq,) joint positions, rad or m.
        points: (nb, 3) reference points in body coordinates, m; the bodies' centres of mass if None.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.

    >>> import whippletree as wt
    >>> m = wt.examples.load("quick-return-rocker")
    >>> figure = wt.draw_velocity_transformation(m, m.neutral())
    >>> [axis.get_title("left") for axis in figure.axes]
    ['rocker', 'block', 'crank', 'link', 'ram', 'path matrix T']
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: pip install whippletree[plot]") from None
    expect("draw_velocity_transformation", "m", m, Mechanism, "a Mechanism")
    at = real_position(m, q, "q")
    centres = np.array([body.inertia.com for body in m.bodies]).reshape(-1, 3)
    given, meaning = centres if points is None else points, f"one per body of {m.name!r}"
    own = real_vector(given, centres.shape, "points", meaning)
    view = view_of(m, at)
    R = np.array([frame.R for frame in reference_frames(m, at, own)]).reshape(-1, 3)
    V = velocity_transformation(m, at, own).reshape(len(m), 6, m.nv)
    drawn = strokes(m, np.asarray(forward_kinematics(m, at))[None])
    lines = [(i, pair[0]) for kind, i, pair in drawn if kind == "bar"]
    labels = _labels(m)
    rows = -(-(m.nv + 1) // ACROSS)
    style: Any = STYLE
    with mpl.rc_context(style):
        figure = Figure(figsize=(3.4 * ACROSS, 3.4 * rows + 0.3), layout="constrained")
        FigureCanvasAgg(figure)
        spread = spread_of(np.concatenate([R, *(line for _, line in lines)]) @ view, MARGIN)
        projection = "3d" if view.shape[1] == 3 else None
        for k in range(m.nv):
            axis: Any = figure.add_subplot(rows, ACROSS, k + 1, projection=projection)
            _panel(axis, lines, R, V[:, :, k], view, spread)
            axis.set_title(labels[k], loc="left")
        _paths(figure.add_subplot(rows, ACROSS, m.nv + 1), m)
        figure.suptitle(
            f"{m.name}   what a unit of each joint velocity moves", x=0.01, ha="left", fontsize=11
        )
        if path is not None:
            write(figure, path)
    return figure


def _labels(m: Mechanism) -> list[str]:
    """A name for each velocity: that of its joint, with the joint's own label if it has several."""
    return [
        body.joint_name if body.joint.nv == 1 else f"{body.joint_name} {label}"
        for body in m.bodies
        for label in body.joint.velocity_labels
    ]


def _panel(
    axis: Any,
    lines: list[tuple[int, Array]],
    R: Array,
    column: Array,
    view: Array,
    spread: Spread,
) -> None:
    size = float(np.max(np.linalg.norm(column[:, :3], axis=1), initial=0.0))
    moves = np.any(np.abs(column) > STILL * np.max(np.abs(column), initial=0.0), axis=1)
    bar: Any = {"solid_capstyle": "round", "linewidth": 2.6}
    for i, line in sorted(lines, key=lambda part: bool(moves[part[0]])):
        axis.plot(*(line @ view).T, color=COLORS[i % len(COLORS)] if moves[i] else PALE, **bar)
    extent = (spread[0][1] - spread[0][0]) / (1.0 + 2.0 * MARGIN)
    for i in np.flatnonzero(moves):
        place, arrow = R[i] @ view, LONGEST * extent / (size or 1.0) * column[i, :3] @ view
        color = COLORS[i % len(COLORS)]
        axis.plot(*place[:, None], "o", color=color, markersize=4.5, markeredgecolor="white")
        if view.shape[1] == 3:
            axis.quiver(*place, *arrow, color="#22272e", linewidth=1.2, arrow_length_ratio=0.25)
            continue
        if np.linalg.norm(arrow) > 0.01 * extent:
            pointer = {"arrowstyle": "-|>", "color": "#22272e", "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
            axis.annotate("", xy=place + arrow, xytext=place, arrowprops=pointer)
        turn = column[i, 3:] @ np.cross(*view.T)
        if abs(turn) > STILL:
            axis.text(*place, "↺" if turn > 0.0 else "↻", color=color, ha="right", va="bottom")
    bare(axis, spread)


def _paths(axis: Any, m: Mechanism) -> None:
    """T, a square where a joint carries a body."""
    T = path_matrix(m)[::6, ::6]
    for i, j in zip(*np.nonzero(T), strict=True):
        axis.plot(j, i, "s", color=COLORS[i % len(COLORS)], markersize=min(13.0, 110.0 / len(m)))
    names = [body.name for body in m.bodies]
    axis.set(xlim=(-0.7, len(m) - 0.3), ylim=(len(m) - 0.3, -0.7), aspect="equal")
    axis.set_xticks(range(len(m)), [body.joint_name for body in m.bodies], rotation=60, fontsize=8)
    axis.set_yticks(range(len(m)), names, fontsize=8)
    axis.set_title("path matrix T", loc="left")
    axis.set(xlabel="joint", ylabel="body")
