"""The command `whippletree demo`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import examples
from ..benchmark.comparison import time_text
from ..errors import InputError
from ..model.summary import totals
from ..simulation.progress import Progress
from . import tour as demo
from . import tour_motion as demo_motion
from .showcase import showcase

MakeTable = Callable[[list[str], list[list[str]], tuple[str, ...]], Table]


def formulations(console: Console | None, make_table: MakeTable) -> list[dict[str, Any]]:
    """Accelerations of bundled robots by every method, as plain data; printed where there is a console."""
    told: list[dict[str, Any]] = []
    for name in demo.MECHANISMS:
        m = examples.load(name)
        rows: list[list[str]] = []
        with Progress(len(demo.expected(m)), console is not None, f"accelerations of {name}") as bar:
            for outcome in demo.compare(m):
                difference = f"{outcome.difference:.0e}" if rows else "reference"
                rows.append([outcome.entry.name, outcome.entry.how, difference, time_text(outcome.seconds)])
                entry = {"mechanism": name, "method": outcome.entry.name, "how": outcome.entry.how}
                told.append({**entry, "difference": outcome.difference, "seconds": outcome.seconds})
                bar.at(len(rows))
            back = demo.round_trip(m)
        told.append({"mechanism": name, "method": "inverse and forward dynamics", "difference": back})
        if console is not None:
            console.print(Text(totals(m)), soft_wrap=True)
            console.print(Text(f"Forward dynamics of {name}, one state, by every method:"))
            numbers = ("difference", "time a state")
            console.print(make_table(["method", "how", *numbers], rows, numbers))
            console.print(f"Through inverse dynamics and back: the same, to {back:.0e}.", end="\n\n")
    return told


def integrators(console: Console | None, make_table: MakeTable) -> list[demo_motion.Drift]:
    """The same motions by every integrator; printed where there is a console."""
    found: list[demo_motion.Drift] = []
    count = sum(map(len, demo_motion.METHODS.values()))
    with Progress(count, console is not None, "motions") as bar:
        for drift in demo_motion.drifts():
            found.append(drift)
            bar.at(len(found))
    if console is None:
        return found
    for name in demo_motion.METHODS:
        own = [drift.told() for drift in found if drift.run.name == name]
        numbers = ("step", "steps", "energy drift", "largest gap", "time")
        rows = []
        for entry in own:
            step = "chosen" if entry["step"] is None else f"{1e3 * entry['step']:g} ms"
            drift, gap = entry["energy_drift"], entry["largest_gap"]
            cells = [f"{drift:.0e}", "" if gap is None else f"{gap:.0e}", time_text(entry["seconds"])]
            rows.append([entry["method"], step, f"{entry['steps']:,}", *cells])
        if own[0]["largest_gap"] is None:
            numbers = tuple(heading for heading in numbers if heading != "largest gap")
            rows = [row[:4] + row[5:] for row in rows]
        console.print(
            f"{own[0]['duration']:g} s of {name}, energy drift as a share of the kinetic energy"
            + (", and the largest gap of its loop, m or rad:" if "largest gap" in numbers else ":")
        )
        console.print(make_table(["integrator", *numbers], rows, numbers))
        console.print()
    return found


def picture(drifts: list[demo_motion.Drift], path: Path) -> str | None:
    """Write the picture; why there is none, if something is missing for it."""
    try:
        showcase(drifts, path)
    except InputError as error:
        return str(error)
    return None


def many_text(many: dict[str, Any]) -> str:
    """What came of many trajectories, in a sentence."""
    speed = f"{time_text(many['seconds'])}, {many['steps_per_second'] / 1e6:.1f} million steps a second"
    what = f"{many['trajectories']:,} trajectories of {many['mechanism']}, {many['steps']} steps each"
    return f"{what}, on one core: {speed}."
