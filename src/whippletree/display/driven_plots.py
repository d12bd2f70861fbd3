"""A figure of a driven motion: joints, what drives them, and the curves that frames trace."""

import os
from typing import TYPE_CHECKING

from ..analysis.driven_kinematics import DrivenMotion
from ..spatial import Array
from .plots import COLORS, blank_figure, draw_paths, name_curves, write
from .stage import named_frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_motion(motion: DrivenMotion, path: str | os.PathLike[str] | None = None) -> "Figure":
    """A figure of positions, velocities and driving forces over time, and of the paths of all frames.

    Args:
        motion: From `kinematics`, of two positions or more.
        path: Where to write it too; the suffix says how: .png, .svg, .pdf.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("crank-slider")
    >>> motion = wt.kinematics(m, {"crank": 2.0}, np.linspace(0.0, np.pi, 5))
    >>> len(plot_motion(motion).axes)
    4
    """
    m = motion.mechanism
    with blank_figure((10, 6.4)) as figure:
        axes = figure.subplots(2, 2)
        names = [
            (body.joint_name, m.q_index[i].start, m.v_index[i].start)
            for i, body in enumerate(m.bodies)
            if body.joint.nq == body.joint.nv == 1
        ]
        _over_time(
            axes[0, 0], motion.t, {name: motion.q[:, q] for name, q, _ in names}, "positions", "rad or m"
        )
        speeds = {name: motion.qd[:, v] for name, _, v in names}
        _over_time(axes[0, 1], motion.t, speeds, "velocities", "rad/s or m/s")
        forces = {name: motion.driving_force[:, k] for k, name in enumerate(motion.drivers)}
        _over_time(axes[1, 0], motion.t, forces, "driving forces", "N m or N")
        for point in motion.dead_centres:
            axes[0, 0].axvline(point.t, color="#9aa3ad", linewidth=0.8, linestyle=(0, (3, 3)), zorder=0)
        named = [frame.name for body in m.bodies for frame in named_frames(m, body.name)]
        traced = {name: motion.frame(name).position for name in named or [body.name for body in m.bodies]}
        draw_paths(axes[1, 1], traced)
        figure.suptitle(f"{m.name}   driven by {', '.join(motion.drivers)}", x=0.01, ha="left", fontsize=11)
        if path is not None:
            write(figure, path)
    return figure


def _over_time(axis: "Axes", t: Array, curves: dict[str, Array], title: str, unit: str) -> None:
    for k, (name, values) in enumerate(curves.items()):
        axis.plot(t, values, ("-", "--", ":")[k // len(COLORS) % 3], label=name)
    axis.set(title=title, ylabel=unit, xlabel="t [s]")
    axis.set_xlim(t[0], t[-1])
    name_curves(axis, len(curves))
