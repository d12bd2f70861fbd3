"""The command `whippletree bench`."""

import json
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ..benchmark.environment import machine_record
from ..benchmark.kernel_times import ALGORITHMS, KernelTimes, measure_robot, record, summary
from ..benchmark.robots import Robot, published
from ..errors import InputError
from ..io.atomic import must_be_writable, whole
from ..kernels.run.peak import peak
from . import source as cli_source

_KEPT = ("robot", "algorithm", "one state", "batch", "2 threads", "compiled in", "cached")
"""Columns for a narrow window, of 80 columns."""

_UNBROKEN = 10_000
"""Columns of a window in which no line is ever broken."""


def bench(console: Console, sources: list[str], floating: bool, out: Path, rounds: int) -> dict[str, Any]:
    """Measure some mechanisms, or the published robots; a table, and what the JSON file holds."""
    must_be_writable(out)
    if floating and not sources:
        raise InputError("--floating: name the URDF files it is for; the published robots need none")
    robots = [_robot(source, floating) for source in sources] or published()
    best = peak() * 1e-9
    rows: list[KernelTimes] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(robots) * len(ALGORITHMS))
        for robot in robots:
            progress.update(task, description=robot.name)
            rows += measure_robot(robot, rounds, lambda: progress.advance(task), lambda t: _print(console, t))
    machine = machine_record()
    print_table(console, rows, best)
    means = summary(rows)
    _print(console, _sentence(means))
    source = f"; commit {machine['commit']}" if machine["commit"] else ""  # none if installed without a clone
    _print(console, f"{machine['cpu']}; peak of one core {best:.1f} GFLOP/s{source}")
    report = {"machine": machine, "peak_gflops": best, "means": means, "rows": record(rows)}
    with whole(out) as file:
        file.write((json.dumps(report, indent=2) + "\n").encode())
    _print(console, f"written to {out}")
    return report


def _robot(source: str, floating: bool) -> Robot:
    m = cli_source.load(source, floating)
    path = Path(source)
    return Robot(path.stem, m, path, floating) if cli_source.is_urdf(source) else Robot(path.stem, m)


def _print(console: Console, text: str) -> None:
    console.print(Text(text), soft_wrap=True)


def print_table(console: Console, rows: list[KernelTimes], best: float) -> None:
    """The table of all figures or, where the window has no room for it, of those that matter most."""
    columns = _columns(rows, best)
    shown = _table(columns, between=2)
    left_out: list[str] = []
    if _width(console, shown) > console.width:
        left_out = [heading for heading in columns if heading not in _KEPT]
        kept = {heading.replace(" ", "\n"): columns[heading] for heading in _KEPT}
        shown = _table(kept, between=1)
        # A long name is broken, not the figures beside it.
        names = shown.columns[0]
        names.max_width = max(8, max(map(len, columns["robot"])) - _width(console, shown) + console.width)
    told = "ns per state"
    if any(row.one_ratio or row.batch_ratio for row in rows):
        told += "; in brackets how many times faster than Pinocchio"
    console.print(Text(told), shown)
    if left_out:
        console.print(Text(f"only in the file, as the window is narrow: {', '.join(left_out)}", "dim"))


def _columns(rows: list[KernelTimes], best: float) -> dict[str, list[str]]:
    """Cells below each heading."""
    return {
        "robot": [row.robot for row in rows],
        "nv": [str(row.nv) for row in rows],
        "algorithm": [row.algorithm for row in rows],
        "operations": [f"{row.operations:,}" for row in rows],
        "one state": [_number(row.one) + _times(row.one_ratio) for row in rows],
        "Pinocchio": [_number(row.one_pinocchio) for row in rows],
        "MuJoCo": [_number(row.one_mujoco) for row in rows],
        "dynibo": [_number(row.one_dynibo) for row in rows],
        "batch": [_number(row.batch) + _times(row.batch_ratio) for row in rows],
        "Pinocchio batch": [_number(row.batch_pinocchio) for row in rows],
        "2 threads": [_number(row.batch_two_threads) for row in rows],
        "float32": [f"{_number(row.batch_single)} ({row.batch / row.batch_single:.2f}×)" for row in rows],
        "its error": [f"{row.single_error:.0e}" for row in rows],
        "GFLOP/s": [f"{row.gflops:.1f}" for row in rows],
        "of peak": [f"{row.gflops / best:.0%}" for row in rows],
        "compiled in": [f"{row.compile_seconds:.2f} s" for row in rows],
        "cached": [f"{1e3 * row.cached_seconds:.0f} ms" for row in rows],
    }


def _table(columns: dict[str, list[str]], between: int) -> Table:
    """Cells below headings, with so many spaces between columns."""
    shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, between - 1, 0, 0))
    for heading in columns:
        justify = "left" if heading in ("robot", "algorithm") else "right"
        shown.add_column(Text(heading), justify=justify, overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        shown.add_row(*(Text(cell) for cell in cells))
    return shown


def _width(console: Console, shown: Table) -> int:
    """Columns that a table needs if nothing is broken."""
    return console.measure(shown, options=console.options.update(width=_UNBROKEN)).maximum


def _sentence(means: dict[str, float]) -> str:
    parts = []
    if "batch_ratio" in means:
        parts.append(f"batched {means['batch_ratio']:.1f}× Pinocchio on one thread")
        parts.append(f"one state from Python {means['one_ratio']:.1f}× Pinocchio")
    parts.append(f"two threads {means['two_threads_speedup']:.2f}× one")
    parts.append(f"float32 {means['single_speedup']:.2f}× float64")
    parts.append(f"at an error of up to {means['single_error']:.0e}")
    return "geometric means: " + ", ".join(parts)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:,.0f}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f" ({ratio:.1f}×)"
