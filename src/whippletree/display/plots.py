"""Figures of a trajectory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.compiling import made_once
from ..dynamics.kinematics import forward_kinematics
from ..errors import InputError
from ..io.atomic import whole
from ..io.file_source import named
from ..model.mechanism import Mechanism
from ..simulation.trajectory import Trajectory
from ..spatial import Array
from .smooth import Smooth, smooth
from .stage import named_frames
from .strokes import traces

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#1b6ca8", "#d1495b", "#2e8b57", "#e2a72e", "#6a4c93", "#3aafb9", "#8d6b48", "#5c677d")
"""Told apart by eyes of every kind, and in print."""

COLUMN = 16
"""Names that stand below each other beside curves; more get smaller letters and another column."""

PHASES = 8
"""Curves of velocity over position, at most."""

PICTURES = (".png", ".svg", ".pdf", ".jpg")
"""Suffixes of the files that can be written."""

STYLE: dict[str, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa3ad",
    "axes.labelcolor": "#3b4450",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e9ed",
    "grid.linewidth": 0.8,
    "xtick.color": "#3b4450",
    "ytick.color": "#3b4450",
    "lines.linewidth": 1.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "white",
}


@contextmanager
def blank_figure(size: tuple[float, float]) -> Iterator["Figure"]:
    """An empty figure, width and height in inches, to be drawn on and written in the look of this library."""
    try:
        import matplotlib as mpl
        from cycler import cycler
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("plots need matplotlib: pip install whippletree[plot]") from None

    style: Any = {**STYLE, "axes.prop_cycle": cycler(color=COLORS)}
    with mpl.rc_context(style):
        # Without pyplot: no window, no state kept, and whoever called may have a backend of his own.
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def plot(trajectory: Trajectory, path: str | os.PathLike[str] | None = None) -> "Figure":
    """A figure of positions, velocities, energies, and phase or, if there are any, of contacts or actuators.

    Paths of frames are drawn, too. Between steps of the integrator curves are as smooth as the motion.

    Args:
        trajectory: With two states or more.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.
    """
    if len(trajectory) < 2:
        raise InputError(
            f"a trajectory of {len(trajectory)} states cannot be plotted; at least two are needed"
        )
    drawn = smooth(trajectory)
    paths = _paths(trajectory.mechanism, drawn.q)
    with blank_figure((14 if paths else 10, 6.4)) as figure:
        grid: Any = [["q", "qd", "paths"], ["energy", "rest", "paths"]]
        axes: Any = figure.subplot_mosaic([row[: 3 if paths else 2] for row in grid])
        _curves(axes["q"], trajectory, "q", drawn.t, drawn.q, "positions", "rad, m, or quaternion")
        _curves(axes["qd"], trajectory, "qd", drawn.t, drawn.qd, "velocities", "rad/s or m/s")
        _energies(axes["energy"], trajectory, drawn)
        if paths:
            draw_paths(axes["paths"], paths)
        if trajectory.contacts.titles:
            _contact_forces(axes["rest"], trajectory)
        elif trajectory.constraint_error.size:
            _constraint_error(axes["rest"], trajectory)
        elif np.any(trajectory.tau):
            _curves(
                axes["rest"], trajectory, "tau", trajectory.t, trajectory.tau, "actuator forces", "N m or N"
            )
        else:
            _phase(axes["rest"], trajectory, drawn)
        title = f"{trajectory.name}   " if trajectory.name else ""
        figure.suptitle(
            f"{title}{len(trajectory)} states, {trajectory.method}", x=0.01, ha="left", fontsize=11
        )
        if path is not None:
            write(figure, path)
    return figure


def _paths(m: Mechanism | None, q: Array) -> dict[str, Array]:
    """(n, 3) paths of the frames that bodies carry, by name, along positions q (n, nq)."""
    if m is None or not any(named_frames(m, body.name) for body in m.bodies):
        return {}
    poses = np.asarray(made_once(forward_kinematics, m)(q)).reshape(len(q), len(m), 4, 4)
    return traces(m, poses)


def _curves(
    axis: "Axes", trajectory: Trajectory, which: str, t: Array, values: Array, title: str, unit: str
) -> None:
    labels = trajectory.labels(which)
    for k, label in enumerate(labels):
        # The end of a palette is followed by its start, dashed.
        style = ("-", "--", ":")[k // len(COLORS) % 3]
        axis.plot(t, values[:, k], style, label=label)
    for event in trajectory.events:
        axis.axvline(event.t, color="#9aa3ad", linewidth=0.8, linestyle=(0, (3, 3)), zorder=0)
    axis.set(title=title, ylabel=unit, xlabel="t [s]")
    axis.set_xlim(trajectory.t[0], trajectory.t[-1])
    name_curves(axis, len(labels))


def _contact_forces(axis: "Axes", trajectory: Trajectory) -> None:
    contacts = trajectory.contacts
    pushed = np.flatnonzero(np.any(contacts.force[..., 0], axis=0) | np.any(contacts.impulse[..., 0], axis=0))
    for k, row in enumerate(pushed):
        color = COLORS[k % len(COLORS)]
        axis.plot(trajectory.t, contacts.force[:, row, 0], color=color, label=contacts.titles[row])
        hits = np.flatnonzero(contacts.impulse[:, row, 0])
        axis.plot(trajectory.t[hits], 0.0 * hits, "v", color=color, markersize=4, clip_on=False)
    axis.set(title="contact forces along the normals, impacts marked", ylabel="N", xlabel="t [s]")
    axis.set_xlim(trajectory.t[0], trajectory.t[-1])
    name_curves(axis, len(pushed))


def _energies(axis: "Axes", trajectory: Trajectory, drawn: Smooth) -> None:
    axis.plot(drawn.t, drawn.energy - drawn.potential, label="kinetic", color=COLORS[1])
    axis.plot(drawn.t, drawn.potential, label="potential", color=COLORS[0])
    axis.plot(drawn.t, drawn.energy, label="total", color="#22272e", linewidth=1.9)
    if np.any(drawn.elastic):
        axis.plot(drawn.t, drawn.elastic, "--", label="springs", color=COLORS[2])
    change = trajectory.energy - trajectory.energy[0]
    worst = change[np.argmax(np.abs(change))]
    held = not any(map(np.any, (trajectory.power, trajectory.lost_power, trajectory.external_power)))
    axis.set(title=f"energy   ({'drift' if held else 'change'} {worst:+.1g} J)", ylabel="J", xlabel="t [s]")
    axis.set_xlim(trajectory.t[0], trajectory.t[-1])
    name_curves(axis, 4)


def _constraint_error(axis: "Axes", trajectory: Trajectory) -> None:
    error = np.max(np.abs(trajectory.constraint_error), axis=1)
    axis.semilogy(trajectory.t, np.maximum(error, 1e-18), color=COLORS[4])
    axis.set(title="constraint error", ylabel="m or rad", xlabel="t [s]")


def _phase(axis: "Axes", trajectory: Trajectory, states: Smooth) -> None:
    """Velocity over position, for joints whose velocities are rates of their coordinates."""
    at_q = at_v = drawn = 0
    for joint, nq, nv in trajectory.joints:
        if nq == nv == 1 and drawn < PHASES:
            axis.plot(states.q[:, at_q], states.qd[:, at_v], label=joint, linewidth=1.2)
            axis.plot(trajectory.q[0, at_q], trajectory.qd[0, at_v], "o", color=f"C{drawn}", markersize=4)
            drawn += 1
        at_q, at_v = at_q + nq, at_v + nv
    if drawn:
        axis.set(title="phase   (dot: start)", xlabel="position [rad or m]", ylabel="velocity [rad/s or m/s]")
        name_curves(axis, drawn)
    else:
        axis.plot(trajectory.t[1:], trajectory.step[1:], color=COLORS[5])
        axis.set(title="step of the integrator", xlabel="t [s]", ylabel="s")


def name_curves(axis: "Axes", count: int) -> None:
    """Names of all curves, beside them: where they hide neither curves nor titles."""
    if not count:
        return
    columns = -(-count // COLUMN)
    axis.legend(
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=columns,
        handlelength=1.2,
        columnspacing=0.8,
        labelspacing=0.35,
        **({} if columns == 1 else {"fontsize": 6.5}),
    )


def draw_paths(axis: "Axes", traced: dict[str, Array]) -> None:
    """Paths (n, 3) of frames by name, in the plane in which they are widest, with a dot where they begin."""
    moving = {name: path for name, path in traced.items() if np.ptp(path, axis=0).max() > 1e-9}
    spread = np.max([np.ptp(path, axis=0) for path in moving.values()] or [np.zeros(3)], axis=0)
    a, b = sorted(np.argsort(-spread, kind="stable")[:2])
    for k, (name, path) in enumerate(moving.items()):
        color: Any = COLORS[k % len(COLORS)]
        axis.plot(path[:, a], path[:, b], color=color, label=name)
        axis.plot(path[0, a], path[0, b], "o", color=color, markersize=4)
    axis.set(title="paths   (dot: start)", xlabel=f"{'xyz'[a]} [m]", ylabel=f"{'xyz'[b]} [m]")
    axis.set_aspect("equal", adjustable="datalim")
    name_curves(axis, len(moving))


def write(figure: "Figure", path: Any) -> None:
    """Write a figure into a file, whole or not at all; the suffix says how."""
    path = named(path)
    if path.suffix not in PICTURES:
        raise InputError(
            f"{path}: a picture cannot be written as {path.suffix!r}; known: {', '.join(PICTURES)}"
        )
    with whole(path) as file:
        figure.savefig(file, format=path.suffix.lstrip("."), dpi=160)
