"""What the command line prints: tables that fit the window, and JSON."""

import json
import sys
from collections.abc import Collection, Iterable
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..model.mechanism import Mechanism
from ..model.summary import table, totals
from .surroundings import speaks_unicode

UNBROKEN = 10_000
"""Columns of a window in which no line is ever broken."""

EXPENDABLE = ["parent", "qd", "velocity", "effort", "centre of mass [m]", "joint", "limits", "q"]
"""Columns to leave out where a window is narrow, the least missed first."""


def console_here() -> Console:
    """Where to print; lines are not broken for a file or another program."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else UNBROKEN)


def print_tree(console: Console, m: Mechanism) -> None:
    """Totals, then the table of bodies, without the columns that the window has no room for."""
    console.print(Text(totals(m)))
    headings, rows = table(m)
    left_out: list[str] = []
    shown = as_table(headings, rows)
    for heading in EXPENDABLE:
        wide = console.options.update(width=UNBROKEN)
        if console.measure(shown, options=wide).maximum <= console.width:
            break
        if heading in headings:
            k = headings.index(heading)
            headings, rows = headings[:k] + headings[k + 1 :], [row[:k] + row[k + 1 :] for row in rows]
            left_out.append(heading)
            shown = as_table(headings, rows)
    console.print(shown)
    if left_out:
        console.print(Text(f"left out, as the window is narrow: {', '.join(left_out)}", "dim"))


def as_table(headings: list[str], rows: Iterable[list[str]], numbers: Collection[str] = ()) -> Table:
    """Rows of plain text under headings; the columns in `numbers` stand right."""
    shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        shown.add_column(Text(heading), justify="right" if heading in numbers else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    return shown


def print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=not speaks_unicode(), allow_nan=False))
