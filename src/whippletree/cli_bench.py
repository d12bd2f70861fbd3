"""The command `whippletree bench`."""

import json
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from . import cli_source
from .benchmark.kernels import ALGORITHMS, Row, measure_robot, record, summary
from .benchmark.machine import machine_record
from .benchmark.robots import Robot, published
from .errors import InputError
from .io.atomic import must_be_writable, whole
from .kernels.peak import peak


def bench(console: Console, sources: list[str], floating: bool, out: Path, rounds: int) -> dict[str, Any]:
    """Measure some mechanisms, or the published robots; a table, and what the JSON file holds."""
    must_be_writable(out)
    if floating and not sources:
        raise InputError("--floating: name the URDF files it is for; the published robots need none")
    robots = [_robot(source, floating) for source in sources] or published()
    best = peak() * 1e-9
    rows: list[Row] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(robots) * len(ALGORITHMS))
        for robot in robots:
            progress.update(task, description=robot.name)
            rows += measure_robot(robot, rounds, lambda: progress.advance(task), lambda t: _print(console, t))
    machine = machine_record()
    console.print(_table(rows, best))
    means = summary(rows)
    _print(console, _sentence(means))
    _print(console, f"{machine['cpu']}; peak of one core {best:.1f} GFLOP/s; commit {machine['commit']}")
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


def _table(rows: list[Row], best: float) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="ns per state; in brackets how many times faster than Pinocchio")
    headings = ("robot", "nv", "algorithm", "operations", "one state", "Pinocchio", "MuJoCo", "dynibo")
    headings += ("batch", "Pinocchio", "2 threads", "GFLOP/s", "of peak", "compiled in", "cached")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("robot", "algorithm") else "right")
    for row in rows:
        table.add_row(
            row.robot,
            str(row.nv),
            row.algorithm,
            f"{row.operations:,}",
            f"{row.one:,.0f} {_times(row.one_ratio)}",
            _number(row.one_pinocchio),
            _number(row.one_mujoco),
            _number(row.one_dynibo),
            f"{row.batch:,.0f} {_times(row.batch_ratio)}",
            _number(row.batch_pinocchio),
            f"{row.batch_two_threads:,.0f}",
            f"{row.gflops:.1f}",
            f"{row.gflops / best:.0%}",
            f"{row.compile_seconds:.2f} s",
            f"{1e3 * row.cached_seconds:.0f} ms",
        )
    return table


def _sentence(means: dict[str, float]) -> str:
    parts = []
    if "batch_ratio" in means:
        parts.append(f"batched {means['batch_ratio']:.1f}× Pinocchio on one thread")
        parts.append(f"one state from Python {means['one_ratio']:.1f}× Pinocchio")
    parts.append(f"two threads {means['two_threads_speedup']:.2f}× one")
    return "geometric means: " + ", ".join(parts)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:,.0f}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"({ratio:.1f}×)"
