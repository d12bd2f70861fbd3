"""The picture of `whippletree demo`: a motion, and how well each integrator keeps its energy."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..api.compiling import compile
from ..display.plots import COLORS, blank_figure, write
from ..dynamics import frame_pose
from .tour_motion import TREE, Drift

FLOOR = 1e-17
"""Shares of energy below this are drawn there: a logarithm knows no zero."""


def showcase(drifts: Sequence[Drift], path: str | os.PathLike[str]) -> None:
    """Write the figure: the path of the double pendulum's tip, and energy drift over time."""
    tree = [drift for drift in drifts if drift.run.name == TREE]
    run = min(tree, key=lambda drift: float(np.max(drift.energy))).run
    m = run.mechanism
    assert m is not None  # it comes from a simulation
    tip = np.asarray(compile(frame_pose, m, frame="tip")(run.q))[:, :3, 3]
    with blank_figure((10.5, 4.6)) as figure:
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.5])
        left.plot(tip[:, 0], tip[:, 2], linewidth=0.9)
        left.plot(*tip[0, [0, 2]], "o", color=COLORS[1], markersize=5)
        left.set(title="path of the tip   (dot: start)", xlabel="x [m]", ylabel="z [m]", aspect="equal")
        for drift in tree:
            right.semilogy(drift.run.t[1:], np.maximum(drift.energy[1:], FLOOR), linewidth=1.1)
            right.plot([], [], color=right.lines[-1].get_color(), linewidth=3, label=drift.run.method)
        right.set(
            title="largest energy drift so far, by integrator",
            xlabel="t [s]",
            ylabel="share of the kinetic energy",
        )
        right.set_xlim(0.0, run.t[-1])
        right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.suptitle(f"{run.name}, {run.t[-1]:g} s of free motion", x=0.01, ha="left", fontsize=11)
        write(figure, Path(path))
