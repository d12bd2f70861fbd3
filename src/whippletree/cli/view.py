"""What `whippletree view` shows, and what it tells while it runs."""

import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import typer

from .. import examples
from ..display.viewer import Viewer
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..simulation import Trajectory, load_trajectory
from ..simulation.files import SUFFIXES as TRAJECTORIES
from . import source as cli_source

TOLD = 10
"""Warnings that are listed one by one."""


def shown(
    source: str, floating: bool, packages: Sequence[Path], stops: bool = True
) -> Mechanism | Trajectory:
    """The bundled mechanism of this name, or what is in the file: a mechanism or a trajectory.

    >>> shown("pendulum", False, [])
    <Mechanism 'pendulum': 1 body, nq = 1, nv = 1>
    """
    if source not in examples.names() and Path(source).suffix.lower() in TRAJECTORIES:
        if floating:
            raise InputError(f"--floating: {source} is a trajectory, only URDF files need a root")
        cli_source.must_exist(source)
        return load_trajectory(source)
    return cli_source.load(source, floating, packages, stops)


def begin(viewer: Viewer, source: str) -> None:
    """Show a bundled mechanism in the state, and with the control, in which it shows what it is for."""
    start = examples.start(source) if source in examples.names() else examples.Start()
    if start.q is not None and start.qd is not None:
        viewer.begin(start.q, start.qd, start.control, start.impacts)


def run(viewer: Viewer, browser: bool, stops: str) -> None:
    """Tell where the page is and what is wrong with the picture, and wait for Ctrl-C."""
    # The page can be open, and Ctrl-C pressed, before all is told.
    with viewer, suppress(KeyboardInterrupt):
        for line in viewer.warnings[:TOLD]:
            typer.echo(f"whippletree: {line}", err=True)
        if len(viewer.warnings) > TOLD:
            typer.echo(f"whippletree: … and {len(viewer.warnings) - TOLD} more warnings", err=True)
        typer.echo(f"{viewer.url}   (Ctrl-C to end)")
        if stops:
            typer.echo(f"stops {stops}")
        if browser:
            webbrowser.open(viewer.url)
        viewer.wait()
