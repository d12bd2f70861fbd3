"""A trajectory as a moving picture: bodies as lines between their joints, shapes by their edges."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.compiling import compile
from ..dynamics import forward_kinematics
from ..errors import InputError
from ..io.atomic import whole
from ..io.file_source import named
from ..simulation.progress import Progress
from ..simulation.trajectory import Trajectory
from ..spatial import Array
from .playback import state_at
from .plots import COLORS
from .stage import FLAT
from .strokes import Stroke, strokes, traces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOVIES = (".gif", ".mp4")
FINE = 4
"""Points of the path of a frame for each picture."""

FASTEST, LONGEST = 240, 100_000
"""Pictures per second, and pictures of a movie, at most."""


def animate(trajectory: Trajectory, path: str | os.PathLike[str], fps: int = 30) -> None:
    """Write a moving picture at the speed of the motion: .gif or .mp4, by the suffix.

    Raises:
        InputError: The suffix is unknown, matplotlib is missing, there is nothing to draw, or fps is not
            from 1 to 240, or makes more than 100 000 pictures.
    """
    target = named(path)
    if target.suffix not in MOVIES:
        raise InputError(
            f"{path}: a movie cannot be written as {target.suffix!r}; known: {', '.join(MOVIES)}"
        )
    m = trajectory.mechanism
    if m is None or len(trajectory) < 2:
        raise InputError("a movie needs a mechanism and two states or more; tables have no mechanism")
    try:
        import matplotlib  # noqa: F401  # to tell what is missing before the work begins
    except ImportError:
        raise InputError("movies need matplotlib: pip install whippletree[view]") from None
    program = _ffmpeg(target) if target.suffix == ".mp4" else None
    _check_rate(fps, float(trajectory.t[-1] - trajectory.t[0]))
    times = np.arange(trajectory.t[0], trajectory.t[-1], 1.0 / fps)
    # Paths of frames are drawn by more points than there are pictures, as curves should be.
    fine = times[0] + np.arange(FINE * (len(times) - 1) + 1) / (FINE * fps)
    q = np.array([state_at(m, trajectory, t)[0] for t in fine])
    poses = np.asarray(compile(forward_kinematics, m)(q)).reshape(len(q), len(m), 4, 4)
    content = _film(strokes(m, poses[::FINE]), traces(m, poses), times, trajectory.name, fps, program)
    with whole(target) as file:
        file.write(content)


def _check_rate(fps: float, duration: float) -> None:
    """InputError for pictures that no eye and no file can hold."""
    if not (isinstance(fps, int | float | np.integer | np.floating) and 1 <= fps <= FASTEST):
        raise InputError(f"fps is {fps!r}, expected 1 to {FASTEST} pictures per second")
    if duration * fps > LONGEST:
        raise InputError(
            f"{duration:g} s at {fps:g} pictures per second are {duration * fps:.0f} pictures, at most "
            f"{LONGEST} are drawn: give a smaller fps or a part of the trajectory"
        )


def _ffmpeg(target: Path) -> str:
    """The program that writes .mp4: the one that comes with imageio-ffmpeg, or the system's own."""
    try:
        import imageio_ffmpeg

        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):  # not installed, or without a program for this machine
        found = shutil.which("ffmpeg")
    if found is None:
        raise InputError(f"{target}: .mp4 needs ffmpeg: pip install whippletree[view], or write a .gif")
    return found


def _film(
    lines: list[Stroke],
    paths: dict[str, Array],
    times: Array,
    name: str,
    fps: int,
    program: str | None,
) -> bytes:
    """The content of the file: .mp4 by this program, or .gif if there is none."""
    import matplotlib as mpl
    from matplotlib.animation import FFMpegWriter, PillowWriter

    figure, draw = _stage(lines, paths, name)
    if program is None:
        writer: Any = PillowWriter(fps=fps)
    else:
        # Widths and heights that are even, and a layout of colours that every player knows.
        options = ["-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-movflags", "+faststart"]
        writer = FFMpegWriter(fps=fps, codec="libx264", extra_args=options)
    with (
        tempfile.TemporaryDirectory() as folder,  # both writers want a file of their own
        mpl.rc_context({} if program is None else {"animation.ffmpeg_path": program}),
        Progress(len(times), True) as bar,
    ):
        draft = Path(folder) / ("draft.gif" if program is None else "draft.mp4")
        with writer.saving(figure, str(draft), dpi=90):
            for k, t in enumerate(times):
                draw(k, float(t))
                writer.grab_frame()
                bar.at(k + 1)
        return draft.read_bytes()


STYLES: dict[str, dict[str, Any]] = {
    "bar": {"linewidth": 3.2, "solid_capstyle": "round", "marker": "o", "markersize": 5},
    "spring": {"linewidth": 1.2, "solid_joinstyle": "round"},
    "gear": {"linewidth": 1.4},
    "shape": {"linewidth": 1.1, "alpha": 0.75},
    "floor": {"linewidth": 1.0, "alpha": 0.5},
    "rail": {"linewidth": 1.0, "alpha": 0.7, "linestyle": (0, (6, 3))},
    "trace": {"linewidth": 1.0, "alpha": 0.8},
}
"""How lines of each kind are drawn."""

GROUND_COLOR = "#5c677d"


def _extent(drawn: list[Stroke], kinds: tuple[str, ...]) -> tuple[Array, Array]:
    """(3,) lowest and (3,) highest coordinates of lines of these kinds, m."""
    points = np.concatenate([stroke.points.reshape(-1, 3) for stroke in drawn if stroke.kind in kinds])
    return np.nanmin(points, axis=0), np.nanmax(points, axis=0)


def _stage(drawn: list[Stroke], paths: dict[str, Array], name: str) -> tuple["Figure", Any]:
    """A figure with all lines in it, and the function that moves them to a frame."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 5.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    low, high = _extent(drawn, ("bar", "spring", "gear"))
    flat = [k for k in range(3) if high[k] - low[k] < FLAT]
    low, high = _extent(drawn, ("bar", "spring", "gear", "shape"))
    # It is looked at along what is flat and thinnest.
    across = min(flat, key=lambda k: high[k] - low[k], default=None)
    axes = [k for k in range(3) if k != across]
    size = max(float(np.max(high - low)), 0.1)
    # Along a way that is long, what is thin beside it needs less room; scales stay the same.
    half = 0.55 * (np.maximum(high - low, 0.3 * size) if len(axes) == 3 else np.full(3, size))
    middle = 0.5 * (low + high)
    limits = [(middle[k] - half[k], middle[k] + half[k]) for k in axes]
    stage: Any = figure.add_subplot(projection="3d" if len(axes) == 3 else None)
    stage.set(xlim=limits[0], ylim=limits[1], xlabel=f"{'xyz'[axes[0]]} [m]", ylabel=f"{'xyz'[axes[1]]} [m]")
    if len(axes) == 3:
        stage.set(zlim=limits[2], zlabel="z [m]")
        stage.set_box_aspect(tuple(half), zoom=0.85)
        stage.locator_params(nbins=5)
        stage.view_init(elev=18, azim=-55)
    else:
        stage.set_aspect("equal")
        stage.grid(color="#e6e9ed")
        stage.set_axisbelow(True)

    def line(points: Array, kind: str, color: str) -> Any:
        return stage.plot(*(points[:, k] for k in axes), color=color, **STYLES[kind])[0]

    def put(line: Any, points: Array) -> None:
        if len(axes) == 3:
            line.set_data_3d(*points.T)
        else:
            line.set_data(*(points[:, axis] for axis in axes))

    traced = [line(path[:1], "trace", COLORS[(i + 1) % len(COLORS)]) for i, path in enumerate(paths.values())]
    lines = [
        line(
            stroke.points[0],
            stroke.kind,
            COLORS[stroke.body % len(COLORS)] if stroke.body >= 0 else GROUND_COLOR,
        )
        for stroke in drawn
    ]

    def draw(k: int, t: float) -> None:
        for shown, stroke in zip(lines, drawn, strict=True):
            put(shown, stroke.points[k])
        for shown, path in zip(traced, paths.values(), strict=True):
            put(shown, path[: FINE * k + 1])
        stage.set_title(f"{name}   t = {t:.2f} s", loc="left", fontsize=10)

    return figure, draw
