"""The command `whippletree compare`."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from ..benchmark.comparison import HEADINGS, NUMBERS, compare, left_out, some_state
from ..benchmark.environment import machine_record
from ..benchmark.scaling import scaling
from ..display.comparison_chart import POWERS, plot_comparison
from ..model.mechanism import Mechanism
from ..simulation.progress import Progress
from .printing import as_table
from .tour import AGREEMENT


def run(console: Console | None, m: Mechanism, picture: Path | None) -> dict[str, Any]:
    """Every method on one state, as plain data; printed where there is a console, drawn where asked for."""
    told: dict[str, Any] = {"machine": machine_record()}
    with Progress(1 + (picture is not None), console is not None, f"methods of {m.name}") as bar:
        found = compare(m, *some_state(m))
        told |= found.data() | {"agree": found.largest_difference <= AGREEMENT}
        if picture is not None:
            bar.at(1)
            grown = scaling("four-bars" if m.loops else "chain")
            plot_comparison(found, grown, picture)
            told |= {"scaling": grown.data(), "picture": str(picture)}
    if console is not None:
        console.print(Text(f"Forward dynamics of {m.name}, one state, by every method:"))
        console.print(as_table(list(HEADINGS), found.rows(), NUMBERS))
        for line in left_out(found.refused):
            console.print(Text(f"left out: {line}", "dim"), soft_wrap=True)
        if "scaling" in told:
            grown = told["scaling"]
            shown = [
                f"{name} {POWERS[entry['order']]} ({entry['exponent']:g})"
                for name, entry in grown["methods"].items()
            ]
            console.print(Text(f"operations over n, {grown['family']}: {', '.join(shown)}"), soft_wrap=True)
            console.print(Text(f"picture: {picture}"), soft_wrap=True)
    return told
