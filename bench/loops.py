"""Forward dynamics of closed loops against Pinocchio and MuJoCo, in turn, in one run: python bench/loops.py.

N four-bars in a row, a binary tree of them and a humanoid with linkages in its legs, by recursive coordinate
reduction: one state from Python, and batches on one core. Peers are Pinocchio's constraintDynamics and lcaba
and MuJoCo's mj_forward, which have no batches and take one state after the other; each has to agree with us
before anything is timed. A table, and a JSON file. Ends with an error if a target is missed.
"""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from whippletree.benchmark.environment import machine_record
from whippletree.benchmark.loop_times import LoopTimes, cases, measure, per_loop, record
from whippletree.io.atomic import whole

ONE, BATCH, PER_LOOP = 10.0, 30.0, 1.5
"""Targets at N = 40 against the faster Pinocchio one; time for each loop at N = 1000 over that at 40."""


def main(
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("bench/loops.json"),
    rounds: Annotated[int, typer.Option(help="How often each call has its turn.")] = 7,
    only: Annotated[str, typer.Option(help="Measure only what has this in its name.")] = "",
) -> None:
    """Measure closed loops."""
    console = Console(width=None if sys.stdout.isatty() else 160)  # lines are not broken for a file
    chosen = [case for case in cases() if only in case[0]]
    rows: list[LoopTimes] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(chosen))
        for case in chosen:
            rows.append(measure(case, rounds, lambda text: progress.update(task, description=text)))
            progress.advance(task)
    machine, slope = machine_record(), per_loop(rows)
    console.print(_table(rows))
    for row in rows:
        for peer, reason in row.left_out.items():
            console.print(f"{row.mechanism}: {peer} left out, {reason}")
    if slope is not None:
        console.print(
            f"a loop at N = 1000 over one at 40: {slope['one']:.2f}×, batched {slope['batch']:.2f}×"
        )
    console.print(f"{machine['cpu']}; commit {machine['commit']}")
    report = {"machine": machine, "per_loop_1000_to_40": slope, "rows": record(rows)}
    with whole(out) as file:
        file.write((json.dumps(report, indent=2) + "\n").encode())
    console.print(f"written to {out}")
    missed = _missed(rows, slope)
    for text in missed:
        console.print(text, style="red")
    sys.exit(1 if missed else 0)


def _missed(rows: list[LoopTimes], slope: dict[str, float] | None) -> list[str]:
    """The targets that were not met, in words."""
    missed = []
    for row in rows:
        if row.mechanism != "four-bars 40" or row.one_ratio is None or row.batch_ratio is None:
            continue
        if row.one_ratio < ONE:
            missed.append(f"one state at N = 40 is {row.one_ratio:.1f}× Pinocchio, the target is {ONE:.0f}×")
        if row.batch_ratio < BATCH:
            missed.append(
                f"batched at N = 40 is {row.batch_ratio:.1f}× Pinocchio, the target is {BATCH:.0f}×"
            )
    for kind, ratio in (slope or {}).items():
        if ratio > PER_LOOP:
            missed.append(
                f"a loop at N = 1000 takes {ratio:.2f}× one at 40 ({kind}), the target is {PER_LOOP}×"
            )
    return missed


def _table(rows: list[LoopTimes]) -> Table:
    title = "µs per state; in brackets how many times faster than the faster Pinocchio function"
    table = Table(box=box.SIMPLE_HEAD, title=title)
    peers = list(dict.fromkeys(peer for row in rows for peer in row.peers))
    headings = (
        "mechanism",
        "loops",
        "nv",
        "operations",
        "one state",
        "a loop",
        "batch",
        "a loop",
        *peers,
        "prepared in",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "mechanism" else "right")
    for row in rows:
        table.add_row(
            row.mechanism,
            f"{row.loops:,}",
            f"{row.nv:,}",
            f"{row.operations:,}",
            f"{1e-3 * row.one:,.2f} {_times(row.one_ratio)}",
            f"{1e-3 * row.one / row.loops:.3f}",
            f"{1e-3 * row.batch:,.3f} {_times(row.batch_ratio)}",
            f"{1e-3 * row.batch / row.loops:.4f}",
            *(_microseconds(row.peers.get(peer)) for peer in peers),
            f"{row.prepare_seconds:.1f} s",
        )
    return table


def _microseconds(ns: float | None) -> str:
    return "—" if ns is None else f"{1e-3 * ns:,.1f}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"({ratio:.0f}×)"


if __name__ == "__main__":
    typer.run(main)
